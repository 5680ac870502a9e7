import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joined } from '../../src/stdx/joined-bytes.ts';
import { finished } from '../../src/stdx/stepwise.ts';

const KiB = 1024;

function part(length: number, value: number): Uint8Array {
  return new Uint8Array(length).fill(value);
}

function stepsOf(parts: readonly Uint8Array[]): number {
  const work = joined(parts);
  let steps = 1;
  while (work.next().done !== true) steps += 1;
  return steps;
}

describe('joined bytes', () => {
  it('are the parts one behind the other', () => {
    const parts = [part(3, 1), part(0, 2), part(700 * KiB, 3), part(1, 4)];
    assert.deepEqual(finished(joined(parts)), Buffer.concat(parts));
    assert.equal(finished(joined([])).byteLength, 0);
  });

  it('are the part itself, if there is one only', () => {
    const only = part(5, 1);
    assert.equal(finished(joined([only])), only);
  });

  it('are copied in steps, be the parts large or many', () => {
    assert.equal(stepsOf([part(KiB, 1), part(KiB, 2)]), 1);
    const large = Array.from({ length: 16 }, () => part(512 * KiB, 1));
    assert.ok(stepsOf(large) >= 16);
    const many = Array.from({ length: 40_960 }, () => part(1, 1));
    assert.ok(stepsOf(many) >= 10);
  });
});
