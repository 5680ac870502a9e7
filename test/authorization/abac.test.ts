import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UserInfo } from '../../src/apimachinery/user-info.ts';
import {
  createAbacAuthorizer,
  subjectMatches,
} from '../../src/authorization/abac/abac-authorizer.ts';
import { parseAbacPolicies } from '../../src/authorization/abac/policy-file.ts';
import type { AbacPolicy } from '../../src/authorization/abac/policy-file.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { resourceAttributes, userNamed } from '../support/data/access-attributes.ts';

interface AbacCase {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly path: string;
  readonly resourceRequest: boolean;
  readonly decision: 'Allow' | 'NoOpinion';
}
interface Vectors {
  readonly v0: { readonly policyFile: string; readonly cases: readonly AbacCase[] };
  readonly v1beta1: { readonly policyFile: string; readonly cases: readonly AbacCase[] };
  readonly subjectMatches: readonly {
    readonly version: string;
    readonly name: string;
    readonly user: string;
    readonly groups: readonly string[];
    readonly policyUser: string;
    readonly policyGroup: string;
    readonly match: boolean;
  }[];
}

const vectors = readCorpus<Vectors>('abac/cases.json');

function policies(text: string): readonly AbacPolicy[] {
  const parsed = parseAbacPolicies(text, 'kubernetes.io');
  assert.equal(parsed.kind, 'ok', parsed.kind === 'invalid' ? parsed.problem : '');
  return parsed.policies;
}

const userOf = (row: { user: string; groups: readonly string[] }): UserInfo =>
  userNamed(row.user, ...row.groups);

describe('a policy file decides as the reference does', { skip: noVectors }, () => {
  for (const version of ['v0', 'v1beta1'] as const) {
    const abac = createAbacAuthorizer(policies(vectors[version].policyFile));
    for (const row of vectors[version].cases) {
      const what = row.resourceRequest
        ? `${row.apiGroup}/${row.resource} in "${row.namespace}"`
        : row.path;
      it(`${version}: ${row.user} ${row.verb} ${what}: ${row.decision}`, async () => {
        const { verb, apiGroup, resource, namespace, path } = row;
        const base = { ...resourceAttributes('get /x'), verb, apiGroup, resource, namespace, path };
        const decision = await abac.authorize({
          ...base,
          isResourceRequest: row.resourceRequest,
          user: userOf(row),
        });
        assert.equal(decision.kind, row.decision === 'Allow' ? 'allow' : 'no-opinion');
      });
    }
  }
  for (const row of vectors.subjectMatches) {
    it(`${row.version} subjects: ${row.name}`, () => {
      const names = { user: row.policyUser, group: row.policyGroup };
      const apiVersion = 'abac.authorization.kubernetes.io/v1beta1';
      const line = row.version === 'v0' ? names : { apiVersion, kind: 'Policy', spec: names };
      const [policy] = policies(JSON.stringify(line));
      assert.ok(policy !== undefined);
      const subject = { name: row.user, groups: new Set(row.groups) };
      assert.equal(subjectMatches(policy, subject), row.match);
    });
  }
});

describe('a policy file', () => {
  const rows: readonly [string, string, RegExp][] = [
    ['that is no JSON', '\n{"user"', /^line 2: not a JSON document/],
    [
      'of another version',
      '{"apiVersion":"x/v1","kind":"Policy","spec":{}}',
      /^line 1: not a Policy of/,
    ],
    ['with a field that is not known', '{"user":"a","verb":"get"}', /^line 1: verb: not a field/],
    ['with a field twice', '{"user":"a","user":"*"}', /^line 1: user: it is there more than once/],
    [
      'with a field of its spec twice',
      '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy",' +
        '"spec":{"user":"a","user":"b"}}',
      /^line 1: spec.user: it is there more/,
    ],
    ['with a flag that is none', '{"readonly":"yes"}', /^line 1: readonly: not true or false/],
    [
      'without a spec',
      '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy"}',
      /spec: required/,
    ],
  ];
  for (const [title, text, problem] of rows) {
    it(`${title} is refused with its line`, () => {
      const parsed = parseAbacPolicies(text, 'kubernetes.io');
      assert.equal(parsed.kind, 'invalid');
      assert.match(parsed.problem, problem);
    });
  }

  // Reviews of 24,000 groups took half a second beside 2,000 lines.
  it('costs a user in many groups no more than groups and lines together', () => {
    const prepare = (count: number) => {
      const lines = Array.from({ length: count }, (_, at) => `{"group":"a-${at}"}`);
      const abac = createAbacAuthorizer(policies(lines.join('\n')));
      const groups = Array.from({ length: count }, (_, at) => `b-${at}`);
      const attributes = { ...resourceAttributes('get /x'), user: userNamed('u', ...groups) };
      return () => void abac.authorize(attributes);
    };
    assertLinear({ name: 'lines and groups', prepare }, 500);
  });

  it('can be listed for a user and a namespace', async () => {
    const abac = createAbacAuthorizer(
      policies(
        '{"user":"u","resource":"pods","namespace":"ns","readonly":true}\n{"user":"v"}\n' +
          '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy",' +
          '"spec":{"user":"w","nonResourcePath":"/logs/*","readonly":true}}',
      ),
    );
    const rules = await abac.rulesFor(userNamed('u'), 'ns');
    assert.deepEqual(rules.resourceRules, [
      { verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['pods'], resourceNames: [] },
    ]);
    assert.deepEqual(rules.nonResourceRules, []);
    const paths = await abac.rulesFor(userNamed('w'), 'ns');
    assert.deepEqual(paths.resourceRules, []);
    assert.deepEqual(paths.nonResourceRules, [
      { verbs: ['get', 'list', 'watch'], nonResourceURLs: ['/logs/*'] },
    ]);
    assert.deepEqual((await abac.rulesFor(userNamed('u'), 'other')).resourceRules, []);
    assert.deepEqual((await abac.rulesFor(userNamed('v'), 'other')).nonResourceRules, [
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ]);
  });
});
