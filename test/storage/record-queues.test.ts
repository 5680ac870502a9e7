/** Turns on contended records among writers of one process: who stands in line, and how long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRecordQueues, recordQueueLimits } from '../../src/storage/remote/record-queues.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { absent, key, put, written } from '../contract/storage-fixture.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const conflict = { kind: 'conflict', found: undefined } as const;
const stale = written(7n as Revision);

function contended() {
  const time = manualTime();
  const turns = createRecordQueues(time.timers);
  const lose = (writer: object, name = 'hot', times = 1): void => {
    for (let i = 0; i < times; i += 1) turns.settled(writer, put(key(name), stale), conflict);
  };
  /** Whether what this writer writes now is let through. */
  const mayWrite = (writer: object, name = 'hot'): boolean => {
    const mutation = put(key(name), stale);
    return turns.admit(writer, mutation) === mutation;
  };
  return { time, turns, lose, mayWrite };
}

describe('turns', () => {
  const [one, two, three] = [{}, {}, {}];

  it(`begin after ${recordQueueLimits.lossesMax} losses in a row, not before`, () => {
    const { lose, mayWrite, turns } = contended();
    lose(one, 'hot', recordQueueLimits.lossesMax - 1);
    assert.ok(mayWrite(two));
    turns.settled(one, put(key('hot'), stale), { kind: 'applied', revision: 8n as Revision });
    lose(one, 'hot', recordQueueLimits.lossesMax - 1);
    assert.ok(mayWrite(two));
    lose(one);
    assert.ok(!mayWrite(two) && mayWrite(one));
  });

  it('have whoever loses to a holder stand behind it at once', async () => {
    const { lose, mayWrite, time, turns } = contended();
    lose(one, 'hot', recordQueueLimits.lossesMax);
    lose(two);
    const going = turns.whenFirst(two, key('hot'));
    assert.ok(going !== undefined);
    time.advance(recordQueueLimits.turnMs);
    await going;
    assert.ok(mayWrite(two) && !mayWrite(one) && !mayWrite(three));
  });

  it('let creations through, whoever holds the record', () => {
    const { lose, turns } = contended();
    lose(one, 'hot', recordQueueLimits.lossesMax);
    const creation = put(key('hot'), absent);
    assert.equal(turns.admit(two, creation), creation);
  });

  it('end when the holder goes, or its time is up', () => {
    const { lose, mayWrite, time, turns } = contended();
    lose(one, 'hot', recordQueueLimits.lossesMax);
    time.advance(recordQueueLimits.turnMs - 1);
    assert.ok(!mayWrite(two));
    time.advance(1);
    assert.ok(mayWrite(two));
    lose(one, 'hot', recordQueueLimits.lossesMax);
    turns.leave(one);
    assert.ok(mayWrite(two));
  });

  it(`forget the oldest losses beyond ${recordQueueLimits.recordsMax} records, and never a line`, () => {
    const { lose, mayWrite } = contended();
    lose(one, 'held', recordQueueLimits.lossesMax);
    lose(one, 'oldest');
    for (let i = 0; i < recordQueueLimits.recordsMax; i += 1) lose(two, `r${i}`);
    lose(one, 'oldest', recordQueueLimits.lossesMax - 1);
    assert.ok(mayWrite(two, 'oldest'), 'its first loss is forgotten');
    assert.ok(!mayWrite(two, 'held'));
  });
});
