import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditMode } from '../../src/audit/backend.ts';
import { createLogBackend } from '../../src/audit/log-backend.ts';
import type { LogBackendDeps } from '../../src/audit/log-backend.ts';
import type { Step } from '../../src/stdx/turns.ts';
import { openRotatingFile } from '../../src/audit/rotating-file.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-audit');

const dir = directories.make();
after(() => directories.removeAll());

function logTo(mode: AuditMode, given: Partial<LogBackendDeps> = {}) {
  const { clock, timers } = manualTime();
  const state = { written: [] as string[], full: false, problemsCount: 0 };
  /** What takes turns: each is a part of a line. */
  const steps: Step[] = [];
  const oneTurn = async (): Promise<void> => {
    const step = steps.shift();
    if (step?.(() => true) === true) steps.unshift(step);
    await nextTurn();
  };
  const backend = createLogBackend({
    file: {
      append(lines) {
        if (state.full) throw new Error('no space');
        state.written.push(Buffer.from(lines).toString());
      },
      close: () => undefined,
    },
    mode,
    format: 'json',
    batch: { bufferEventsMax: 20, batchEventsMax: 8, waitMsMax: 0, throttle: undefined },
    sizes: undefined,
    truncatedMark: 'audit.k8s.io/truncated',
    clock,
    timers,
    turns: { run: (step) => void steps.push(step) },
    onProblem: () => (state.problemsCount += 1),
    ...given,
  });
  return { backend, state, oneTurn };
}

const event = (json: string) => ({ fields: JSON.parse(json) as object as never, json });

describe('audit log', () => {
  it('batch: what does not fit in the buffer is dropped, counted and reported once', async () => {
    const { backend, state } = logTo('batch');
    for (let at = 0; at < 25; at += 1) assert.equal(backend.write(event(String(at))), true);
    assert.deepEqual(state.written, [], 'nobody waits for the file');
    await backend.stop();
    const lines = state.written.join('').trimEnd().split('\n');
    assert.deepEqual(
      lines,
      Array.from({ length: 20 }, (_, at) => String(at)),
    );
    assert.equal(backend.lostTotal, 5);
    assert.equal(state.problemsCount, 1);
    assert.equal(backend.write(event('26')), true);
    assert.equal(backend.lostTotal, 6, 'after the end nothing is taken');
  });

  it('batch: without a stop the lines are written in a later turn', async () => {
    const { backend, state } = logTo('batch');
    for (const json of ['1', '2']) assert.equal(backend.write(event(json)), true);
    while (state.written.length === 0) await nextTurn();
    assert.deepEqual(state.written, ['1\n2\n']);
  });

  it('batch: two long lines are not written in one turn, and what comes later is behind them', async () => {
    const { backend, oneTurn, state } = logTo('batch');
    const lines = ['a', 'b', 'c'].map((each) => `"${each.repeat(300_000)}"`);
    for (const json of lines) void backend.write(event(json));
    while (state.written.length === 0) await nextTurn();
    assert.equal(state.written.length, 1, 'the others take turns');
    void backend.write(event('1'));
    await nextTurn();
    await nextTurn();
    for (let turns = 2; turns <= 3; turns += 1) {
      assert.equal(state.written.length, turns - 1);
      await oneTurn();
    }
    while (state.written.length < 4) await oneTurn();
    assert.deepEqual(
      state.written,
      [...lines, '1'].map((line) => `${line}\n`),
    );
  });

  for (const [mode, after] of [
    ['blocking', true],
    ['blocking-strict', false],
  ] as const) {
    it(`${mode}: a line is in the file when write returns; a failure says ${after}`, () => {
      const { backend, state } = logTo(mode);
      assert.equal(backend.write(event('1')), true);
      assert.deepEqual(state.written, ['1\n']);
      state.full = true;
      assert.equal(backend.write(event('2')), after);
      assert.equal(backend.write(event('3')), after);
      state.full = false;
      assert.equal(backend.write(event('4')), true);
      assert.deepEqual(state.written, ['1\n', '4\n']);
      assert.equal(backend.lostTotal, 2);
      assert.equal(state.problemsCount, 1);
    });
  }

  it('an event that is too large loses its bodies, and is lost when that does not help', () => {
    const sizes = { eventBytesMax: 120, batchBytesMax: 120 };
    const { backend, state } = logTo('blocking-strict', { sizes });
    const body = { data: 'x'.repeat(200) };
    const large = { level: 'Request', annotations: { a: 'b' }, requestObject: body };
    assert.equal(backend.write(event(JSON.stringify(large))), true);
    const kept = JSON.parse(state.written.join('')) as object;
    const annotations = { a: 'b', 'audit.k8s.io/truncated': 'true' };
    assert.deepEqual(kept, { level: 'Request', annotations });
    const hopeless = { requestURI: 'x'.repeat(200), requestObject: body };
    assert.equal(backend.write(event(JSON.stringify(hopeless))), false);
    assert.equal(backend.lostTotal, 1);
  });

  for (const format of ['json', 'legacy'] as const) {
    it(`${format}: nothing that a caller says ends a line or gives a terminal an order`, () => {
      const { backend, state } = logTo('blocking', { format });
      const evil =
        'a\n{"forged":1}\r\u0085\u2028\u2029\u007f\u202e\u2066\u200f\u061c\u009b2J\u001b[2J\0" stage="x';
      const whole = {
        auditID: evil,
        verb: evil,
        requestURI: evil,
        userAgent: evil,
        user: { username: evil, groups: [evil] },
        impersonatedUser: { username: evil, groups: [evil] },
        sourceIPs: [evil],
        objectRef: { namespace: evil, name: evil },
        annotations: { [evil]: evil },
        requestObject: { [evil]: evil },
      };
      assert.equal(backend.write(event(JSON.stringify(whole))), true);
      const text = state.written.join('');
      assert.match(text, /^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]+\n$/u);
      if (format === 'json') assert.deepEqual(JSON.parse(text), whole, 'and nothing is lost');
      else assert.equal(text.match(/ stage="/g)?.length, 1);
    });
  }

  for (const mode of ['blocking', 'blocking-strict', 'batch'] as const) {
    it(`${mode}: a long line with much to escape takes turns, and later ones come after it`, async () => {
      const { backend, oneTurn, state } = logTo(mode);
      const long = JSON.stringify({ a: 'x\u0085😀'.repeat(100_000), b: '\u2028' });
      const taken = backend.write(event(long));
      const after = backend.write(event('2'));
      let turns = 0;
      for (; turns < 1_000 && state.written.length === 0; turns += 1) await oneTurn();
      assert.ok(turns > 20, `${turns} turns`);
      assert.deepEqual([await taken, await after], [true, true]);
      const stopped = backend.stop();
      for (let at = 0; at < 5; at += 1) await oneTurn();
      await stopped;
      const [first = '', second, ...more] = state.written.join('').split('\n');
      assert.deepEqual([second, more], ['2', ['']]);
      assert.match(first, /^[^\p{Cc}\u2028\u2029]+$/u);
      assert.deepEqual(JSON.parse(first), JSON.parse(long));
    });
  }

  it('a long line that cannot be written is lost as a short one is', async () => {
    const { backend, oneTurn, state } = logTo('blocking-strict');
    state.full = true;
    const taken = backend.write(event(JSON.stringify({ a: '\u0085'.repeat(200_000) })));
    for (let at = 0; at < 40; at += 1) await oneTurn();
    assert.equal(await taken, false);
    assert.equal(backend.lostTotal, 1);
  });

  it('legacy: one line of text an event', () => {
    const { backend, state } = logTo('blocking', { format: 'legacy' });
    const common = {
      requestReceivedTimestamp: '2026-01-01T00:00:00.000001Z',
      auditID: 'id-1',
      verb: 'list',
      requestURI: '/api/v1/pods',
    };
    const whole = {
      ...common,
      stage: 'ResponseComplete',
      user: { username: 'jane', groups: ['a', 'b'] },
      impersonatedUser: { username: 'joe' },
      sourceIPs: ['10.0.0.1', '10.0.0.2'],
      userAgent: 'k "c"',
      objectRef: { namespace: 'ns' },
      responseStatus: { code: 200 },
    };
    const received = { ...common, stage: 'RequestReceived', user: {} };
    for (const each of [received, whole]) {
      assert.equal(backend.write(event(JSON.stringify(each))), true);
    }
    const head = '2026-01-01T00:00:00.000001Z AUDIT: id="id-1"';
    assert.deepEqual(state.written, [
      `${head} stage="RequestReceived" ip="<unknown>" method="list" user="<none>" ` +
        'groups="<none>" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" ' +
        'uri="/api/v1/pods" response="<deferred>"\n',
      `${head} stage="ResponseComplete" ip="10.0.0.1" method="list" user="jane" ` +
        'groups="\\"a\\",\\"b\\"" as="joe" asgroups="<lookup>" user-agent="k \\"c\\"" ' +
        'namespace="ns" uri="/api/v1/pods" response="200"\n',
    ]);
  });
});

describe('a file of lines', () => {
  const noBounds = { sizeBytesMax: 0, backupsMax: 0, ageMsMax: 0 };
  const never = (error: unknown): void => assert.fail(String(error));

  function folder(): string {
    return mkdtempSync(path.join(dir, 'file-'));
  }
  const textsOf = (where: string): readonly string[] =>
    readdirSync(where)
      .sort()
      .map((name) => readFileSync(path.join(where, name), 'utf8'));

  it('when full is put aside whole; more than maxbackup, or older than maxage, are removed', () => {
    const where = folder();
    let nowMs = Date.UTC(2026, 0, 1);
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    const limits = { sizeBytesMax: 10, backupsMax: 2, ageMsMax: 1000 };
    const file = openRotatingFile(path.join(where, 'audit.log'), limits, clock, never);
    for (const line of ['one1', 'one2', 'two1', 'two2', 'three1', 'three2', 'four1']) {
      file.append(`${line}\n`);
      nowMs += 1;
    }
    assert.deepEqual(textsOf(where), ['three1\n', 'three2\n', 'four1\n']);
    nowMs += 5000;
    file.append('five1\n');
    assert.deepEqual(textsOf(where), ['four1\n', 'five1\n'], 'the old ones are gone');
    file.close();
  });

  it('keeps the newest when the clock was set back, whatever time the older ones bear', () => {
    const where = folder();
    const { clock, setWall } = manualTime(Date.UTC(2027, 0, 1));
    const limits = { sizeBytesMax: 4, backupsMax: 2, ageMsMax: 0 };
    const file = openRotatingFile(path.join(where, 'audit.log'), limits, clock, never);
    for (const line of ['one', 'two', 'three']) file.append(`${line}\n`);
    setWall(-365 * 24 * 3_600_000);
    for (const line of ['four', 'five']) file.append(`${line}\n`);
    assert.deepEqual(textsOf(where), ['three\n', 'four\n', 'five\n']);
    file.close();
  });

  it('is its owner’s alone; what follows has the mode of what was put aside', () => {
    const { clock } = manualTime();
    const where = folder();
    const name = path.join(where, 'audit.log');
    const modes = (): readonly string[] =>
      readdirSync(where).map((each) => (statSync(path.join(where, each)).mode & 0o777).toString(8));
    const limits = { ...noBounds, sizeBytesMax: 4 };
    const file = openRotatingFile(name, limits, clock, never);
    file.append('one\n');
    file.append('two\n');
    assert.deepEqual(modes(), ['600', '600']);
    chmodSync(name, 0o640);
    file.append('three\n');
    assert.equal((statSync(name).mode & 0o777).toString(8), '640');
    file.close();
  });

  it('after half a line, as a killed process leaves it, begins a line of its own', () => {
    const where = folder();
    const name = path.join(where, 'audit.log');
    writeFileSync(name, 'whole\nhalf');
    const file = openRotatingFile(name, noBounds, manualTime().clock, never);
    file.append('next\n');
    file.append('last\n');
    file.close();
    assert.equal(readFileSync(name, 'utf8'), 'whole\nhalf\nnext\nlast\n');
  });

  it('that cannot be put aside grows on, and says so once', () => {
    const where = folder();
    const name = path.join(where, 'audit.log');
    let problemsCount = 0;
    const limits = { ...noBounds, sizeBytesMax: 4 };
    const file = openRotatingFile(name, limits, manualTime().clock, () => (problemsCount += 1));
    file.append('one\n');
    rmSync(where, { recursive: true });
    file.append('two\n');
    file.append('three\n');
    assert.equal(problemsCount, 1);
    file.close();
  });
});

describe('a full disk', () => {
  it('takes a line whole or not at all, and takes lines again when there is room', (t) => {
    const where = mkdtempSync(path.join(dir, 'small-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', where]);
    if (mounted.status !== 0) return t.skip('no tmpfs here');
    try {
      const bounds = { sizeBytesMax: 0, backupsMax: 0, ageMsMax: 0 };
      const name = path.join(where, 'audit.log');
      const file = openRotatingFile(name, bounds, manualTime().clock, () => assert.fail());
      const long = `${'a'.repeat(40_000)}\n`;
      file.append(long);
      assert.throws(() => file.append(long), /ENOSPC/);
      assert.equal(readFileSync(name, 'utf8'), long, 'half of it would have had room');
      file.append('short\n');
      assert.equal(readFileSync(name, 'utf8'), `${long}short\n`);
      file.close();
    } finally {
      spawnSync('umount', ['-l', where]);
    }
  });

  it('of a device: nothing is put aside', () => {
    const bounds = { sizeBytesMax: 1, backupsMax: 0, ageMsMax: 0 };
    const file = openRotatingFile('/dev/full', bounds, manualTime().clock, () => assert.fail());
    for (let at = 0; at < 3; at += 1) assert.throws(() => file.append('one\n'), /ENOSPC/);
    file.close();
    assert.ok(statSync('/dev/full').isCharacterDevice());
  });
});
