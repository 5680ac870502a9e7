/** What watches share of the answers of conversion webhooks, and for how long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newInternalError } from '../../src/apimachinery/status-error.ts';
import { createSharedEvents } from '../../src/endpoints/shared-events.ts';
import type { Conversion } from '../../src/endpoints/shared-events.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const place = { name: 'a', namespace: 'default', revision: 7n as Revision } as const;
const event = (): Conversion =>
  Promise.resolve({ ...place, type: 'ADDED', now: Buffer.from('{}'), before: undefined });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('shared conversions', () => {
  it('are found while they are asked for, however long that takes, and a while after', async () => {
    const time = manualTime();
    const shared = createSharedEvents(time.clock);
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve)).then(event);
    void shared.set('a', asked);
    time.advance(60_000);
    assert.equal(shared.find('a'), asked);
    answer();
    await settled();
    time.advance(10_000);
    assert.equal(shared.find('a'), asked);
    time.advance(1);
    assert.equal(shared.find('a'), undefined, 'the webhook may have become another one');
  });

  it('that failed are not kept: the next watch asks again', async () => {
    const shared = createSharedEvents(manualTime().clock);
    const failed = Promise.resolve(newInternalError('not today'));
    void shared.set('a', failed);
    assert.equal(shared.find('a'), failed, 'who comes in between waits for the same answer');
    await settled();
    assert.equal(shared.find('a'), undefined);
  });

  it('a failure does not take away what was asked for again in the meantime', async () => {
    const shared = createSharedEvents(manualTime().clock);
    void shared.set('a', Promise.resolve(newInternalError('not today')));
    const second = event();
    void shared.set('a', second);
    await settled();
    assert.equal(shared.find('a'), second);
  });

  it('take bounded memory: the oldest go first, and the newest stays, however large', () => {
    const shared = createSharedEvents(manualTime().clock);
    const name = (at: number): string => `${at} ${'x'.repeat(64 * 1024)}`;
    const names = Array.from({ length: 100 }, (_, at) => name(at));
    for (const each of names) void shared.set(each, event());
    const kept = names.filter((each) => shared.find(each) !== undefined);
    assert.deepEqual(kept, names.slice(-kept.length));
    assert.ok(kept.length > 16 && kept.length <= 32, `${kept.length} kept`);
    const large = 'y'.repeat(8 * 1024 * 1024);
    void shared.set(large, event());
    assert.notEqual(shared.find(large), undefined);
    assert.deepEqual(
      names.filter((each) => shared.find(each) !== undefined),
      [],
    );
  });
});
