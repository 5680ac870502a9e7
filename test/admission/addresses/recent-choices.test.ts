/** What has been chosen and is not claimed: who waits for it hears when it is free again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NEVER, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import { createRecentChoices } from '../../../src/admission/addresses/recent-choices.ts';
import type { RecentChoicesDeps } from '../../../src/admission/addresses/recent-choices.ts';
import type { TimerHandle } from '../../../src/stdx/clock.ts';

/** No timer ever fires here, and no claim is ever seen. */
function choicesAt(events: Observable<unknown> = NEVER) {
  let nowMs = 0;
  const follow = (_name: string, all: Observable<unknown>, take: (event: unknown) => void) =>
    all.subscribe(take);
  const streams = {
    followers: { follow },
    resourceEvents: () => events,
  } as unknown as RecentChoicesDeps['streams'];
  const idle: TimerHandle = { cancel: () => undefined };
  const clock = { monotonicMs: () => nowMs };
  const choices = createRecentChoices(
    { clock, streams, timers: { after: () => idle } },
    { group: '', resource: 'nodeports' },
  );
  return { choices, pass: (ms: number) => void (nowMs += ms) };
}

describe('what was chosen a moment ago', () => {
  it('is free for the next in line also where the next choice finds that it is old', async () => {
    const { choices, pass } = choicesAt();
    choices.add('30000');
    pass(1_000);
    const looked: string[] = [];
    const first = choices.nextFree(1_000).then(() => looked.push('first'));
    void choices.nextFree(1_000).then(() => looked.push('second'));
    pass(1_000);
    choices.add('30001');
    assert.equal(choices.has('30000'), false);
    await first;
    assert.deepEqual(looked, ['first']);
  });

  it('counts what is given back, and nothing else, so that a full range is known to be full', () => {
    const events = new Subject<unknown>();
    const { choices } = choicesAt(events);
    const told = (type: string): number => {
      const before = choices.givenBack;
      events.next({ type, entry: { name: '30000' } });
      return choices.givenBack - before;
    };
    assert.equal(told('ADDED'), 0);
    assert.equal(told('MODIFIED'), 0);
    assert.equal(told('DELETED'), 1);
    assert.equal(told('RESET'), 1, 'whatever had gone before it');
  });
});
