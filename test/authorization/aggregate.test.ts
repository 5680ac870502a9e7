import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aggregatableRole,
  aggregatedTextsMax,
  staleAggregates,
  staleAggregateSteps,
} from '../../src/authorization/rbac/aggregate.ts';
import type { AggregatableRole } from '../../src/authorization/rbac/aggregate.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const rule = (name: string): JsonObject => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: ['pods'],
  resourceNames: [name],
});

function role(name: string, label: string, rules: readonly JsonObject[], of?: string) {
  const selectors = { clusterRoleSelectors: [{ matchLabels: { part: of ?? '' } }] };
  return aggregatableRole({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { part: label } },
    rules,
    ...(of === undefined ? {} : { aggregationRule: selectors }),
  });
}

/** The names in the rules that this role is to have. */
function namesOf(roles: readonly AggregatableRole[], name: string): readonly string[] {
  return (staleAggregates(roles).get(name) ?? []).flatMap(({ resourceNames }) => resourceNames);
}

describe('aggregated roles', () => {
  it('get the rules of their parts in order, equal ones once, and none where they have them', () => {
    const parts = [role('b', 'x', [rule('1'), rule('2')]), role('c', 'x', [rule('2'), rule('3')])];
    assert.deepEqual(namesOf([role('a', 'y', [], 'x'), ...parts], 'a'), ['1', '2', '3']);
    const complete = role('a', 'y', ['1', '2', '3'].map(rule), 'x');
    assert.equal(staleAggregates([complete, ...parts]).size, 0);
  });

  it('get what those of a chain of them will have, whatever their order', () => {
    for (const first of [true, false]) {
      const chain = numbers(60).map((i) => role(`r${i}`, `l${i}`, [], `l${i - 1}`));
      const end = role('end', 'l-1', [rule('1')]);
      const roles = first ? [...chain, end] : [end, ...chain.toReversed()];
      assert.deepEqual(namesOf(roles, 'r59'), ['1']);
    }
  });

  it('of a long chain are looked at one by one, each when what it is made of has changed', () => {
    const length = 400;
    const chain = numbers(length).map((i) => role(`r${i}`, `l${i}`, [], `l${i - 1}`));
    const work = staleAggregateSteps([...chain.toReversed(), role('end', 'l-1', [rule('1')])]);
    let steps = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps += 1;
    assert.equal(step.value.size, length);
    assert.ok(steps > 3 * length && steps < 6 * length, `${steps} steps`);
  });

  it('of each other have the rules of all', () => {
    const roles = [
      role('a', 'x', [], 'x'),
      role('b', 'x', [], 'x'),
      role('c', 'x', [rule('1')]),
      role('d', 'x', [rule('2')]),
    ];
    assert.deepEqual(namesOf(roles, 'a'), ['1', '2']);
    assert.deepEqual(namesOf(roles, 'b'), ['1', '2']);
  });

  it('of many rules are made in parts, and up to a size', () => {
    const parts = (count: number) =>
      numbers(count).map((at) =>
        role(
          `p${at}`,
          'x',
          numbers(1000).map((i) => rule(`${at}-${i}`)),
        ),
      );
    const work = staleAggregateSteps([role('a', 'y', [], 'x'), ...parts(4)]);
    let steps = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps += 1;
    assert.equal(step.value.get('a')?.length, 4000);
    assert.ok(steps >= 8, `${steps} steps`);
    const many = staleAggregates([
      role('a', 'y', [], 'x'),
      ...parts(aggregatedTextsMax / 5000 + 1),
    ]);
    assert.deepEqual([...many], [['a', undefined]]);
  });
});
