import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { rulesOf, urlCovers } from '../../src/authorization/rbac/policy-rules.ts';
import type { PolicyRule } from '../../src/authorization/rbac/policy-rules.ts';
import {
  compactRules,
  describeRule,
  singleRulesMax,
  uncoveredRules,
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
