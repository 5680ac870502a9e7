import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paced } from '../../src/stdx/paced.ts';

async function pausesOf(items: readonly object[]): Promise<number> {
  let pauses = 0;
  const turns = {
    pause: (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    },
  };
  const seen: object[] = [];
  for await (const item of paced(turns, items)) seen.push(item);
  assert.deepEqual(seen, items);
  return pauses;
}

describe('a paced walk', () => {
  const sized = (count: number, bytes: number): readonly object[] =>
    Array.from({ length: count }, () => ({ bytes: new Uint8Array(bytes) }));

  it('gives everything, and pauses among many', async () => {
    assert.equal(await pausesOf(sized(10, 100)), 0);
    const pauses = await pausesOf(sized(1_000, 100));
    assert.ok(pauses >= 9 && pauses <= 20, String(pauses));
  });

  it('pauses before each of those that are large', async () => {
    assert.equal(await pausesOf(sized(5, 1024 * 1024)), 5);
  });
});
