import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alwaysAllow, alwaysDeny } from '../../src/authorization/always.ts';
import type { Decision } from '../../src/authorization/authorizer.ts';
import { createUnion } from '../../src/authorization/union.ts';
import type { UnionMember } from '../../src/authorization/union.ts';
import { resourceAttributes, userNamed } from '../support/data/access-attributes.ts';

function member(name: string, answer: Decision | (() => never), later = false): UnionMember {
  return {
    name,
    authorize: () => {
      if (typeof answer === 'function') return answer();
      return later ? Promise.resolve(answer) : answer;
    },
    rulesFor: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: later,
      evaluationError: later ? name : '',
    }),
  };
}

const errors: unknown[] = [];
const decided: string[] = [];
const union = (...members: UnionMember[]) =>
  createUnion({
    members: () => members,
    onDecision: ({ name }, { kind }) => decided.push(`${name} ${kind}`),
    onError: (_member, error) => errors.push(error),
  });

const allow: Decision = { kind: 'allow', reason: 'yes' };
const deny: Decision = { kind: 'deny', reason: 'no' };
const none: Decision = { kind: 'no-opinion', reason: 'well' };
const asked = { ...resourceAttributes('get /pods'), user: userNamed('u') };

describe('several authorizers', () => {
  for (const later of [false, true]) {
    const how = later ? 'that ask elsewhere' : 'that know';
    it(`${how}: the first that allows or denies decides`, async () => {
      assert.deepEqual(
        await union(member('a', none, later), member('b', allow), member('c', deny)).check(asked),
        allow,
      );
      assert.deepEqual(
        await union(member('a', none, later), member('b', deny, later), member('c', allow)).check(
          asked,
        ),
        deny,
      );
    });

    it(`${how}: no opinion of any is none, with all reasons`, async () => {
      const decision = await union(
        member('a', none, later),
        member('b', { ...none, reason: 'hm', error: 'e' }),
      ).check(asked);
      assert.deepEqual(decision, { kind: 'no-opinion', reason: 'well\nhm', error: 'e' });
    });
  }

  it('answer at once where nobody has to ask elsewhere', () => {
    assert.deepEqual(union(member('a', none), member('b', allow)).check(asked), allow);
  });

  it('let members of system:masters do everything, before anybody is asked', () => {
    const masters = { ...asked, user: userNamed('u', 'system:masters') };
    assert.equal((union(member('a', deny)).check(masters) as Decision).kind, 'allow');
  });

  it('take one that throws for one without an opinion', async () => {
    const broken = member('a', () => {
      throw new Error('broken');
    });
    assert.deepEqual(await union(broken, member('b', allow)).check(asked), allow);
    assert.equal((await union(broken).check(asked)).kind, 'no-opinion');
    assert.equal(errors.length, 2);
  });

  it('count who decided', async () => {
    decided.length = 0;
    await union(member('a', none), member('b', deny)).check(asked);
    assert.deepEqual(decided, ['b deny']);
  });

  it('AlwaysAllow and AlwaysDeny count in their order', async () => {
    assert.equal((await union(alwaysAllow, member('b', deny)).check(asked)).kind, 'allow');
    assert.equal((await union(alwaysDeny, member('b', allow)).check(asked)).kind, 'allow');
    assert.deepEqual(await union(alwaysDeny).check(asked), {
      kind: 'no-opinion',
      reason: 'Everything is forbidden.',
    });
  });

  it('list the rules of all, and say where that is not all', async () => {
    const rules = await union(alwaysAllow, member('hook', none, true)).rulesFor(
      userNamed('u'),
      'ns',
    );
    assert.equal(rules.resourceRules.length, 1);
    assert.equal(rules.incomplete, true);
    assert.equal(rules.evaluationError, 'hook');
    const hooks = union(member('hook', none, true), member('hook', none, true));
    const twice = await hooks.rulesFor(userNamed('u'), 'ns');
    assert.equal(twice.evaluationError, 'hook', 'what all say is said once');
  });
});
