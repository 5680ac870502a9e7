import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue, Lane } from '../../src/stdx/fair-queue.ts';

function round(queue: FairQueue<string>, onEach: (item: string) => void = () => undefined): string {
  queue.beginRound();
  let all = '';
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    all += item;
    onEach(item);
  }
  return all;
}

function filled(...lanes: readonly string[]) {
  const queue = new FairQueue<string>();
  const made = lanes.map((items) => {
    const lane = new Lane();
    for (const item of items) queue.push(lane, item);
    return lane;
  });
  return { queue, lanes: made };
}

describe('a fair queue', () => {
  it('gives one of each lane, in the order in which they came, until all have been given', () => {
    const { queue } = filled('1234', '5', '67');
    assert.equal(queue.length, 7);
    assert.equal(round(queue), '1562734');
    assert.equal(queue.length, 0);
    assert.equal(queue.shift(), undefined);
  });

  it('keeps what comes in a round, into a lane that has had its turn, for the next round', () => {
    const { lanes, queue } = filled('12', '3');
    const again = (item: string) => queue.push(lanes[item === '3' ? 1 : 0] as Lane, item);
    for (let at = 0; at < 3; at += 1) assert.equal([...round(queue, again)].sort().join(''), '123');
    assert.equal(queue.length, 3);
  });

  it('goes on where it was, when a round ends early', () => {
    const { lanes, queue } = filled('12345', 'ab');
    queue.beginRound();
    assert.equal(queue.shift(), '1');
    queue.push(lanes[0] as Lane, '6');
    assert.equal(round(queue), 'a2b3456');
  });

  it('takes a lane up again that was empty', () => {
    const { lanes, queue } = filled('1');
    assert.equal(round(queue), '1');
    queue.push(lanes[0] as Lane, '2');
    assert.equal(round(queue), '2');
  });
});
