import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { rulesOf, urlCovers } from '../../src/authorization/rbac/policy-rules.ts';
import type { PolicyRule } from '../../src/authorization/rbac/policy-rules.ts';
import {
  comparisonsMax,
  compactRules,
  describeRule,
  singleRulesMax,
  uncoveredRules,
  uncoveredSteps,
} from '../../src/authorization/rbac/rule-cover.ts';
import { readCorpus } from '../support/data/corpora.ts';

interface Vectors {
  readonly escalation: readonly {
    readonly name: string;
    readonly ownerRules: JsonValue;
    readonly requestedRules: JsonValue;
    readonly covered: boolean;
    readonly uncovered: JsonValue;
  }[];
  readonly nonResourceURLCovers: readonly { owner: string; requested: string; want: boolean }[];
}

const vectors = readCorpus<Vectors>('rbac/escalation.json');
const rules = (value: JsonValue): readonly PolicyRule[] =>
  rulesOf({ apiVersion: 'v1', kind: 'Role', metadata: {}, rules: value });

describe('rules cover rules', () => {
  for (const row of vectors.escalation) {
    it(`as the reference says: ${row.name}`, () => {
      const missing = uncoveredRules(rules(row.ownerRules), rules(row.requestedRules));
      assert.equal(missing.length === 0, row.covered);
      assert.deepEqual(missing, rules(row.uncovered));
    });
  }
  for (const { owner, requested, want } of vectors.nonResourceURLCovers) {
    it(`URL ${owner} ${want ? 'covers' : 'does not cover'} ${requested}`, () => {
      assert.equal(urlCovers(owner, requested), want);
    });
  }

  it('only up to a size: a rule of more single ones is not covered by anything', () => {
    const many = Array.from({ length: singleRulesMax + 1 }, (_, i) => `r${i}`);
    const all = rules([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    const large = rules([{ verbs: ['get'], apiGroups: [''], resources: many }]);
    assert.deepEqual(uncoveredRules(all, large), large);
  });
});

describe('missing rules', () => {
  it('are shown with the verbs of one resource together', () => {
    const missing = uncoveredRules(
      [],
      rules([
        { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['get'], nonResourceURLs: ['/x'] },
      ]),
    );
    assert.deepEqual(compactRules(missing).map(describeRule), [
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]);
  });
});

/** Each single rule beside each rule of the owner: what the index has to come to. */
function oneByOne(owned: readonly PolicyRule[], requested: readonly PolicyRule[]): PolicyRule[] {
  const nothing = {
    verbs: [],
    apiGroups: [],
    resources: [],
    resourceNames: [],
    nonResourceURLs: [],
  };
  const holds = (list: readonly string[], text: string): boolean =>
    list.includes('*') || list.includes(text);
  const missing: PolicyRule[] = [];
  for (const { apiGroups, nonResourceURLs, resourceNames, resources, verbs } of requested) {
    const names = resourceNames.length === 0 ? [undefined] : resourceNames;
    for (const group of apiGroups)
      for (const resource of resources)
        for (const verb of verbs)
          for (const name of names) {
            const any = `*${resource.slice(resource.indexOf('/'))}`;
            const isCovered = owned.some(
              (rule) =>
                holds(rule.verbs, verb) &&
                holds(rule.apiGroups, group) &&
                (holds(rule.resources, resource) ||
                  (resource.includes('/') && rule.resources.includes(any))) &&
                (rule.resourceNames.length === 0 ||
                  (name !== undefined && rule.resourceNames.includes(name))),
            );
            if (isCovered) continue;
            const single = { ...nothing, verbs: [verb], apiGroups: [group], resources: [resource] };
            missing.push(name === undefined ? single : { ...single, resourceNames: [name] });
          }
    for (const url of nonResourceURLs)
      for (const verb of verbs) {
        const isCovered = owned.some(
          (rule) => holds(rule.verbs, verb) && rule.nonResourceURLs.some((p) => urlCovers(p, url)),
        );
        if (!isCovered) missing.push({ ...nothing, verbs: [verb], nonResourceURLs: [url] });
      }
  }
  return missing;
}

describe('many rules', () => {
  const some = (texts: readonly string[], minLength: number) =>
    fc.uniqueArray(fc.constantFrom(...texts), { minLength, maxLength: 3 });
  const anyRule = fc
    .record({
      verbs: some(['get', 'list', 'bind', '*'], 1),
      apiGroups: some(['', 'apps', '*'], 0),
      resources: some(['pods', 'pods/log', 'nodes', '*', '*/log'], 0),
      resourceNames: some(['a', 'b', 'c'], 0),
      nonResourceURLs: some(['/a', '/a/*', '/a/b', '*'], 0),
    })
    .map((rule): PolicyRule => rule);

  it('are missing exactly where no rule of the owner covers one of them', () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 6 }),
        fc.array(anyRule, { maxLength: 4 }),
        (owned, requested) => {
          assert.deepEqual(uncoveredRules(owned, requested), oneByOne(owned, requested));
        },
      ),
      { numRuns: 500 },
    );
  });

  const named = (verbs: readonly string[], names: readonly string[]): PolicyRule => ({
    verbs,
    apiGroups: [''],
    resources: ['pods'],
    resourceNames: names,
    nonResourceURLs: [],
  });
  const numbered = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, i) => `n${i}`);

  it('of names beside many rules of one name each are compared name by name, in parts', () => {
    const owned = numbered(20_000).map((name) => named(['get'], [name]));
    const requested = [named(['get'], [...numbered(19_000), 'other'])];
    const work = uncoveredSteps(owned, requested);
    let parts = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) parts += 1;
    assert.deepEqual(step.value, [named(['get'], ['other'])]);
    assert.ok(parts >= 10, `${parts} parts`);
  });

  it('count as missing where comparing them takes too long', () => {
    const groups = numbered(1000);
    const others = groups.map((group) => ({
      ...named(['get'], ['a']),
      apiGroups: groups.filter((each) => each !== group),
    }));
    const owned = [...others, { ...named(['get'], []), apiGroups: groups }];
    const requested = (count: number): readonly PolicyRule[] => [
      { ...named(['get'], []), apiGroups: groups.slice(0, count) },
    ];
    assert.deepEqual(uncoveredRules(owned, requested(500)), []);
    assert.ok(owned.length * groups.length > comparisonsMax);
    assert.notEqual(uncoveredRules(owned, requested(groups.length)).length, 0);
  });
});
