import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { parseAuditPolicy } from '../../src/audit/policy-file.ts';
import { chooseAudit } from '../../src/audit/policy.ts';
import type { Attributes } from '../../src/authorization/authorizer.ts';

const user = { name: 'jane', uid: '', groups: ['devs'], extra: {} };
const pod: Attributes = {
  user,
  verb: 'get',
  isResourceRequest: true,
  path: '/api/v1/namespaces/a/pods/p',
  namespace: 'a',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  name: 'p',
};
const log: Attributes = { ...pod, subresource: 'log' };
const node: Attributes = { ...pod, namespace: '', resource: 'nodes' };
const health: Attributes = {
  ...node,
  isResourceRequest: false,
  path: '/healthz/ping',
  resource: '',
};

function parse(fields: object) {
  const document = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...fields };
  return parseAuditPolicy(encodeYaml(document), 'audit.k8s.io');
}

function level(rule: object, attributes: Attributes): string {
  const read = parse({ rules: [{ level: 'Request', ...rule }] });
  assert.equal(read.kind, 'ok', JSON.stringify(read));
  return chooseAudit(read.policy, attributes).level;
}

const core = (...resources: string[]) => ({ resources: [{ group: '', resources }] });

/** Rule, attributes, whether it matches. */
const rows: readonly (readonly [object, Attributes, boolean])[] = [
  [{}, pod, true],
  [{}, health, true],
  [{ users: ['jane'] }, pod, true],
  [{ users: ['joe'] }, pod, false],
  [{ userGroups: ['devs', 'x'] }, pod, true],
  [{ userGroups: ['x'] }, pod, false],
  [{ verbs: ['get'] }, pod, true],
  [{ verbs: ['list'] }, pod, false],
  [{ namespaces: ['a'] }, pod, true],
  [{ namespaces: ['b'] }, pod, false],
  [{ namespaces: [''] }, node, true],
  [{ namespaces: [''] }, health, false],
  [core('pods'), pod, true],
  [core('pods'), log, false],
  [core('pods/log'), log, true],
  [core('pods/log'), pod, false],
  [core('pods/*'), log, true],
  [core('pods/*'), pod, false],
  [core('*/log'), log, true],
  [core('*/status'), log, false],
  [core('*'), log, true],
  [core(), log, true],
  [core(), health, false],
  [{ resources: [{ group: 'apps' }] }, pod, false],
  [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['p'] }] }, pod, true],
  [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['q'] }] }, pod, false],
  [{ nonResourceURLs: ['/healthz*'] }, health, true],
  [{ nonResourceURLs: ['/healthz'] }, health, false],
  [{ nonResourceURLs: ['*'] }, health, true],
  [{ nonResourceURLs: ['*'] }, pod, false],
];

describe('audit policy', () => {
  for (const [rule, attributes, matches] of rows) {
    const what = `${attributes.resource}/${attributes.subresource} ${attributes.path}`;
    it(`${JSON.stringify(rule)} ${matches ? 'takes' : 'leaves'} ${what}`, () => {
      assert.equal(level(rule, attributes), matches ? 'Request' : 'None');
    });
  }

  it('the first rule that matches decides; stages are omitted by the policy and the rule', () => {
    const read = parse({
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { level: 'Metadata', users: ['jane'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'RequestResponse' },
      ],
    });
    assert.equal(read.kind, 'ok');
    const choice = chooseAudit(read.policy, pod);
    assert.equal(choice.level, 'Metadata');
    assert.deepEqual([...choice.omitStages], ['RequestReceived', 'Panic']);
    assert.equal(choice.omitManagedFields, false);
    const other = chooseAudit(read.policy, { ...pod, user: { ...user, name: 'joe' } });
    assert.equal(other.level, 'RequestResponse');
    assert.equal(other.omitManagedFields, true);
  });

  it('bodies that carry credentials are never asked for', () => {
    const token = { ...pod, resource: 'serviceaccounts', subresource: 'token' };
    for (const asked of [
      { ...pod, resource: 'secrets' },
      token,
      { ...pod, resource: 'tokenreviews' },
    ]) {
      assert.equal(level({}, asked), 'Metadata');
    }
  });

  const refused: readonly (readonly [object, RegExp])[] = [
    [{ rules: [] }, /^rules: at least one/],
    [{ rules: [{ level: 'metadata' }] }, /^rules\[0\]\.level: one of None, Metadata/],
    [{ rules: [{ level: 'None', user: [] }] }, /^rules\[0\]\.user: unknown field$/],
    [{ rules: [{ level: 'None', verbs: 'get' }] }, /^rules\[0\]\.verbs: a list of strings/],
    [{ rules: [{ level: 'None', nonResourceURLs: ['a'] }] }, /nonResourceURLs: a: a path/],
    [{ rules: [{ level: 'None', nonResourceURLs: ['/a*b'] }] }, /nonResourceURLs: \/a\*b/],
    [{ rules: [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['a'] }] }, /not both/],
    [{ rules: [{ level: 'None', resources: [{ group: 'a/v1' }] }] }, /resources\[0\]\.group/],
    [{ rules: [{ level: 'None', resources: [{ resourceNames: ['a'] }] }] }, /resourceNames: needs/],
    [{ rules: [{ level: 'None' }], omitStages: ['Later'] }, /^omitStages: Later: one of/],
    [{ kind: 'Other', rules: [] }, /^kind: Policy expected/],
    [{ apiVersion: 'audit.k8s.io/v1beta1' }, /^apiVersion: audit\.k8s\.io\/v1 expected/],
  ];
  for (const [fields, wanted] of refused) {
    it(`${JSON.stringify(fields)} is refused with its place`, () => {
      const read = parse(fields);
      assert.equal(read.kind, 'invalid');
      assert.match(read.problems.join('; '), wanted);
    });
  }
});
