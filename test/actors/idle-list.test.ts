import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IdleList } from '../../actors/idle-list.ts';
import type { IdleMember } from '../../actors/idle-list.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';

interface Member extends IdleMember<Member> {
  readonly name: number;
}

function memberOf(name: number): Member {
  return { name, older: undefined, newer: undefined, idle: false };
}

function namesOf(list: IdleList<Member>): number[] {
  const names: number[] = [];
  for (let at = list.oldest; at !== undefined; at = at.newer) names.push(at.name);
  return names;
}

describe('idle list', () => {
  it('keeps the order of last use under random uses and removals', () => {
    const prng = seededPrng(3);
    const members = Array.from({ length: 20 }, (_, name) => memberOf(name));
    const list = new IdleList<Member>();
    let model: number[] = [];
    for (let step = 0; step < 5_000; step += 1) {
      const member = members[randomBelow(prng, members.length)] as Member;
      model = model.filter((name) => name !== member.name);
      if (randomBelow(prng, 3) > 0) {
        list.push(member);
        model.push(member.name);
      } else {
        list.remove(member);
        assert.equal(member.older ?? member.newer, undefined);
      }
      assert.equal(member.idle, model.includes(member.name));
      assert.deepEqual(namesOf(list), model);
    }
  });
});
