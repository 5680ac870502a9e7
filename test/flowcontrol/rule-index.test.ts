/** What matches a schema: rows, and thousands of made ones beside going through them one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attributes } from '../../src/authorization/authorizer.ts';
import type { JsonArray } from '../../src/apimachinery/unstructured.ts';
import { schemaOf } from '../../src/flowcontrol/flow-objects.ts';
import type { SchemaRule, Subject } from '../../src/flowcontrol/flow-objects.ts';
import { RuleIndex } from '../../src/flowcontrol/rule-index.ts';
import { finished } from '../../src/stdx/stepwise.ts';

function indexOf(schemas: readonly (readonly SchemaRule[])[]): RuleIndex {
  const index = new RuleIndex();
  schemas.forEach((rules, at) => finished(index.adding(rules, at)));
  finished(index.sealing());
  return index;
}

function request(name: string, groups: readonly string[], more: Partial<Attributes>): Attributes {
  return {
    user: { name, uid: '', groups, extra: {} },
    verb: 'get',
    isResourceRequest: more.path === undefined,
    path: '/x',
    namespace: 'n',
    apiGroup: '',
    apiVersion: 'v1',
    resource: 'pods',
    subresource: '',
    name: '',
    ...more,
  };
}

const subject = (kind: Subject['kind'], name: string, namespace = ''): Subject => ({
  kind,
  name,
  namespace,
});
const anyVerb = ['*'];

function forResources(subjects: readonly Subject[], more: object = {}): SchemaRule {
  const all = { verbs: anyVerb, apiGroups: ['*'], resources: ['*'], namespaces: ['*'] };
  return { subjects, resources: [{ ...all, clusterScope: true, ...more }], paths: [] };
}

function forPaths(...paths: readonly string[]): SchemaRule {
  return { subjects: [subject('Group', '*')], resources: [], paths: [{ verbs: ['get'], paths }] };
}

function schemaWith(nonResourceRules: JsonArray) {
  const subjects = [{ kind: 'Group', group: { name: '*' } }];
  const spec = { rules: [{ subjects, nonResourceRules }] };
  return schemaOf({ kind: 'FlowSchema', apiVersion: 'v1', metadata: { name: 'a' }, spec });
}

const account = 'system:serviceaccount:ns:robot';
const everybody = [subject('User', '*')];

/** A rule, a request, and whether one matches the other. */
const rows: readonly (readonly [string, SchemaRule, Attributes, boolean])[] = [
  ['a user', forResources([subject('User', 'a')]), request('a', [], {}), true],
  ['another user', forResources([subject('User', 'a')]), request('b', [], {}), false],
  ['every user', forResources(everybody), request('b', [], {}), true],
  ['a group', forResources([subject('Group', 'g')]), request('b', ['f', 'g'], {}), true],
  ['another group', forResources([subject('Group', 'g')]), request('g', ['f'], {}), false],
  ['every group', forResources([subject('Group', '*')]), request('g', [], {}), true],
  [
    'an account',
    forResources([subject('ServiceAccount', 'robot', 'ns')]),
    request(account, [], {}),
    true,
  ],
  [
    'an account of another namespace',
    forResources([subject('ServiceAccount', 'robot', 'other')]),
    request(account, [], {}),
    false,
  ],
  [
    'every account of a namespace',
    forResources([subject('ServiceAccount', '*', 'ns')]),
    request(account, [], {}),
    true,
  ],
  [
    'every account of a namespace whose name begins alike',
    forResources([subject('ServiceAccount', '*', 'n')]),
    request(account, [], {}),
    false,
  ],
  ['no subject', forResources([]), request('a', ['g'], {}), false],
  ['a verb', forResources(everybody, { verbs: ['list'] }), request('a', [], {}), false],
  ['a resource', forResources(everybody, { resources: ['pods'] }), request('a', [], {}), true],
  [
    'a subresource of it',
    forResources(everybody, { resources: ['pods'] }),
    request('a', [], { subresource: 'status' }),
    false,
  ],
  [
    'a subresource that is named',
    forResources(everybody, { resources: ['pods/status'] }),
    request('a', [], { subresource: 'status' }),
    true,
  ],
  [
    'another group of an API',
    forResources(everybody, { apiGroups: ['apps'] }),
    request('a', [], {}),
    false,
  ],
  ['a namespace', forResources(everybody, { namespaces: ['n'] }), request('a', [], {}), true],
  [
    'another namespace',
    forResources(everybody, { namespaces: ['m'] }),
    request('a', [], {}),
    false,
  ],
  [
    'the scope of the cluster, of a rule for namespaces',
    forResources(everybody, { clusterScope: false }),
    request('a', [], { namespace: '' }),
    false,
  ],
  [
    'the scope of the cluster, of a rule for that',
    forResources(everybody, { namespaces: [] }),
    request('a', [], { namespace: '' }),
    true,
  ],
  [
    'a namespace, of a rule for the scope of the cluster',
    forResources(everybody, { namespaces: [] }),
    request('a', [], {}),
    false,
  ],
  [
    'a path, of a rule for resources',
    forResources(everybody),
    request('a', [], { path: '/a' }),
    false,
  ],
  ['a path', forPaths('/healthz'), request('a', [], { path: '/healthz' }), true],
  ['a path below it', forPaths('/healthz'), request('a', [], { path: '/healthz/ping' }), true],
  [
    'a path that begins alike',
    forPaths('/healthz'),
    request('a', [], { path: '/healthzz' }),
    false,
  ],
  ['what is below a path', forPaths('/logs/*'), request('a', [], { path: '/logs/a/b' }), true],
  ['the path above', forPaths('/logs/*'), request('a', [], { path: '/logs' }), false],
  ['every path', forPaths('*'), request('a', [], { path: '/a/b' }), true],
  ['the root', forPaths('/'), request('a', [], { path: '/a/b' }), true],
  ['another verb', forPaths('*'), request('a', [], { path: '/a', verb: 'post' }), false],
];

for (const [title, rule, asked, matches] of rows) {
  test(`a rule ${matches ? 'matches' : 'does not match'}: ${title}`, () => {
    const index = indexOf([[rule]]);
    assert.equal(index.find(asked), matches ? 0 : -1);
    assert.equal(index.find(asked), matches ? 0 : -1, 'the second time');
  });
}

test('a path weighs as many segments as it has, and is put into the index in steps', () => {
  const paths = Array.from({ length: 400 }, (_, i) => `/${i}${'/a'.repeat(100)}`);
  const thing = { verbs: ['get'], nonResourceURLs: paths };
  const { rules, termsCount } = schemaWith([thing]);
  assert(termsCount > 40_000 && termsCount < 41_500, String(termsCount));
  const index = new RuleIndex();
  let stepsCount = 0;
  for (const steps of [index.adding(rules, 0), index.sealing()]) {
    while (steps.next().done !== true) stepsCount += 1;
  }
  assert(stepsCount >= 300, String(stepsCount));
  assert.equal(index.find(request('a', ['g'], { path: `${paths[7] as string}/b` })), 0);
});

test('a path that is longer than any request’s is not looked at', () => {
  const longest = '/a'.repeat(8 * 1024);
  const thing = { verbs: ['get'], nonResourceURLs: [longest, `${longest}/`, '/b'] };
  const { rules, termsCount } = schemaWith([thing]);
  assert.deepEqual(rules[0]?.paths[0]?.paths, [longest, '/b']);
  assert(termsCount < 8_300, String(termsCount));
});

test('the first schema that matches is found, as by going through them', () => {
  let state = 3;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const some = (names: readonly string[]): readonly string[] =>
    next(4) === 0 ? ['*'] : names.filter(() => next(3) === 0);
  const letters = ['a', 'b', 'c', 'd', 'e'];
  const schemas = Array.from({ length: 200 }, () => [
    forResources([subject(next(2) === 0 ? 'User' : 'Group', letters[next(5)] as string)], {
      verbs: some(['get', 'list', 'create']),
      apiGroups: some(['', 'apps']),
      resources: some(letters),
      namespaces: some(letters),
      clusterScope: next(2) === 0,
    }),
  ]);
  const index = indexOf(schemas);
  const alone = schemas.map((rules) => indexOf([rules]));
  for (let i = 0; i < 2_000; i += 1) {
    const asked = request(letters[next(5)] as string, [letters[next(5)] as string], {
      verb: ['get', 'list', 'create', 'patch'][next(4)] as string,
      apiGroup: ['', 'apps', 'x'][next(3)] as string,
      resource: [...letters, 'z'][next(6)] as string,
      namespace: [...letters, 'z', ''][next(7)] as string,
    });
    assert.equal(
      index.find(asked),
      alone.findIndex((each) => each.find(asked) === 0),
    );
  }
});
