/** What operators see of priority and fairness: made in steps, whatever goes on meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairnessDebug } from '../../src/endpoints/debug/fairness.ts';
import type { FlowControl } from '../../src/flowcontrol/flow-control.ts';
import type { LevelUse } from '../../src/flowcontrol/levels.ts';
import type { Turns } from '../../src/stdx/turns.ts';
import { levelHarness } from '../flowcontrol/level-harness.ts';

const wide = { kind: 'queue', queues: 1_000_000, handSize: 2, queueLengthMax: 50 } as const;

function dumps() {
  const { ask, level, time } = levelHarness(wide, 1);
  const object = { name: 'l' } as LevelUse['object'];
  const all = new Map([['l', { level, object, isQuiescing: false } as LevelUse]]);
  let stepsCount = 0;
  const turns: Pick<Turns, 'run'> = {
    run(step) {
      for (let goesOn: boolean | undefined | void = true; goesOn === true; stepsCount += 1) {
        goesOn = step(() => true);
      }
    },
  };
  const flow: Pick<FlowControl, 'all'> = { all };
  const debug = createFairnessDebug(flow, time.clock, turns);
  const dumped = async (what: string): Promise<readonly string[]> => {
    const answer = debug.answer(`/debug/api_priority_and_fairness/dump_${what}`, new Map());
    const { body } = (await answer) as unknown as { readonly body: Uint8Array | string };
    return String(body).trimEnd().split('\n');
  };
  return { ask, dumped, stepsCount: () => stepsCount };
}

for (const what of ['queues', 'requests']) {
  test(`a row for each of the ${what}, up to 5,000, in steps`, async () => {
    const { ask, dumped, stepsCount } = dumps();
    for (let i = 0; i < 1_000; i += 1) ask(`flow ${i}`);
    const few = await dumped(what);
    const stepsOfFew = stepsCount();
    assert(few.length > 1_000 && few.length < 2_100, String(few.length));
    for (let i = 1_000; i < 6_000; i += 1) ask(`flow ${i}`);
    const many = await dumped(what);
    assert.equal(many.length, 5_002);
    assert.equal(many.at(-1), '... and more');
    const stepsOfMany = stepsCount() - stepsOfFew;
    assert(stepsOfFew >= 8 && stepsOfMany >= 40, `${stepsOfFew}, ${stepsOfMany}`);
    const widths = many.slice(0, -1).map((line) => line.indexOf(','));
    assert.equal(new Set(widths).size, 2, 'the columns of all rows are as wide');
  });
}

test('what is shown is picked in a step, and only queues that have a row are looked at', async () => {
  const { ask, level, time } = levelHarness(wide, 1);
  for (let i = 0; i < 6_000; i += 1) ask(`flow ${i}`);
  const looks = { queues: 0 };
  const watched = new Proxy(level, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'queueWith') looks.queues += 1;
      return (...parts: unknown[]): unknown => Reflect.apply(value, target, parts);
    },
  });
  const use = { level: watched, object: { name: 'l' }, isQuiescing: false } as unknown as LevelUse;
  const asked: Parameters<Turns['run']>[0][] = [];
  const turns = { run: (step: (typeof asked)[number]) => void asked.push(step) };
  const debug = createFairnessDebug({ all: new Map([['l', use]]) }, time.clock, turns);
  const answer = debug.answer('/debug/api_priority_and_fairness/dump_queues', new Map());
  assert.deepEqual([looks.queues, asked.length], [0, 1], 'it waits for its turn');
  while (asked[0]?.(() => true) === true);
  await answer;
  assert.equal(looks.queues, 5_001);
});

test('a request that begins to be served while requests are dumped has one row', async () => {
  const { ask, finish, level, time } = levelHarness(wide, 1);
  const { ticket } = ask('served');
  for (let i = 0; i < 2_000; i += 1) ask(`flow ${i}`);
  const use = { level, object: { name: 'l' }, isQuiescing: false } as unknown as LevelUse;
  let steps = 0;
  const turns: Pick<Turns, 'run'> = {
    run(step) {
      while (step(() => true) === true) if (++steps === 2) finish(ticket);
    },
  };
  const debug = createFairnessDebug({ all: new Map([['l', use]]) }, time.clock, turns);
  const answer = await debug.answer('/debug/api_priority_and_fairness/dump_requests', new Map());
  const { body } = answer as unknown as { readonly body: string };
  const flows = body
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/, */)[4]);
  assert.equal(flows.length, 2_001);
  assert.equal(new Set(flows).size, 2_001);
});
