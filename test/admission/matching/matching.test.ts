/** Which requests configurations match: the reference's own rows, and what they leave open. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { namedMatchIndex } from '../../../src/admission/matching/named-match-index.ts';
import { resourcesMatcher, webhookMatcher } from '../../../src/admission/matching/matcher.ts';
import type {
  EquivalentResource,
  GroupVersionResource,
  MatchRequest,
  Operation,
  RequestShape,
} from '../../../src/admission/matching/matching.ts';
import { readRules, ruleMatches } from '../../../src/admission/matching/rules.ts';
import type { GroupVersionKind } from '../../../src/apimachinery/schema.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { Steps } from '../../../src/stdx/stepwise.ts';
import { sharedVectors } from '../../cel/shared-vectors.ts';

interface RuleRequest extends GroupVersionResource {
  readonly subresource: string;
  readonly name: string;
  readonly operation: Operation;
}

/** What the reference's tests make by a function. */
interface ScopedRequest {
  readonly call: string;
  readonly args: readonly [string, string, string, string, string, Operation];
}

interface RuleRow {
  readonly name: string;
  readonly rule: JsonObject;
  readonly match: readonly (RuleRequest | ScopedRequest)[];
  readonly noMatch: readonly (RuleRequest | ScopedRequest)[];
}

interface Attributes {
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  readonly name: string;
  readonly resource: GroupVersionResource;
  readonly subresource?: string;
  readonly operation: Operation;
  readonly object?: JsonObject;
}

interface MatchRow {
  readonly name: string;
  readonly criteria: JsonObject;
  readonly attrs: Attributes;
  readonly expectMatches: boolean;
  readonly expectMatchKind?: GroupVersionKind;
  readonly expectMatchResource?: GroupVersionResource;
}

interface HookRow {
  readonly name: string;
  readonly webhook: JsonObject;
  readonly attrs: Attributes;
  readonly expectCall: boolean;
  readonly matchResult: boolean;
  readonly expectCallKind?: GroupVersionKind;
  readonly expectCallResource?: GroupVersionResource;
}

const vectors = sharedVectors<{
  readonly rules: readonly RuleRow[];
  readonly matching: readonly MatchRow[];
  readonly shouldCallHook: readonly HookRow[];
}>('admission/cases.json');

/** Each row looks at one part of a rule: the others are anything. */
function ruleOf({ rule }: RuleRow): JsonObject {
  const any = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
  const { scope } = rule;
  return scope === undefined ? { ...any, ...rule } : { ...any, scope };
}

function shapeOf(request: RuleRequest | ScopedRequest): RequestShape {
  const equivalents = () => [];
  if (!('call' in request)) return { ...request, namespaced: true, equivalents };
  const [group, version, resource, subresource, , operation] = request.args;
  const namespaced = request.call === 'namespacedAttributes';
  return { group, version, resource, subresource, operation, namespaced, equivalents };
}

describe('a rule', () => {
  for (const row of vectors?.rules ?? []) {
    test(row.name, () => {
      const [rule] = readRules({ rules: [ruleOf(row)] }, 'rules');
      assert.ok(rule !== undefined);
      const matches = (request: RuleRequest | ScopedRequest): boolean => {
        const shape = shapeOf(request);
        return ruleMatches(rule, shape, shape);
      };
      for (const request of row.match) assert.equal(matches(request), true);
      for (const request of row.noMatch) assert.equal(matches(request), false);
    });
  }
});

/** What the reference's tests say is one resource, in this order. */
const deployments: readonly (readonly [string, string])[] = [
  ['extensions', 'v1beta1'],
  ['apps', 'v1'],
  ['apps', 'v1beta1'],
  ['apps', 'v1alpha1'],
];

function equivalents(subresource: string): readonly EquivalentResource[] {
  return deployments.map(([group, version]) => ({
    resource: { group, version, resource: 'deployments' },
    kind: kindThere(group, version, subresource),
  }));
}

function kindThere(group: string, version: string, subresource: string): GroupVersionKind {
  if (subresource === '') return { group, version, kind: 'Deployment' };
  if (group === 'apps' && version === 'v1') {
    return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  }
  return { group, version, kind: 'Scale' };
}

function requestOf(attrs: Attributes): MatchRequest {
  const { kind, name, namespace, object, operation, resource, subresource = '' } = attrs;
  const isDeployment = resource.resource === 'deployments';
  return {
    shape: {
      ...resource,
      operation,
      subresource,
      namespaced: namespace !== '',
      equivalents: () => (isDeployment ? equivalents(subresource) : []),
    },
    kind,
    namespace,
    name,
    object: object ?? {},
    oldObject: undefined,
    namespaceLabels: () => ({ a: 'b' }),
  };
}

describe('the criteria of a policy', () => {
  for (const row of vectors?.matching ?? []) {
    test(row.name, () => {
      const { criteria, expectMatchKind, expectMatchResource, expectMatches } = row;
      const matcher = resourcesMatcher(criteria);
      const request = requestOf(row.attrs);
      const found = matcher.match(request);
      assert.equal(found.kind, expectMatches ? 'match' : 'none');
      if (found.kind !== 'match') return;
      assert.equal(matcher.mayMatch(request.shape), true);
      if (expectMatchKind !== undefined) assert.deepEqual(pickKind(found.as.kind), expectMatchKind);
      assert.deepEqual(found.as.resource, expectMatchResource ?? row.attrs.resource);
    });
  }
});

function pickKind({ group, kind, version }: GroupVersionKind): GroupVersionKind {
  return { group, version, kind };
}

describe('the rules of a webhook', () => {
  for (const row of vectors?.shouldCallHook ?? []) {
    test(row.name, () => {
      const { expectCall, expectCallKind, expectCallResource, matchResult } = row;
      const found = webhookMatcher(row.webhook).match(requestOf(row.attrs));
      // Match conditions come after.
      assert.equal(found.kind === 'match' && matchResult, expectCall);
      if (found.kind !== 'match' || expectCallKind === undefined) return;
      assert.deepEqual(pickKind(found.as.kind), expectCallKind);
      assert.deepEqual(found.as.resource, expectCallResource);
    });
  }
});

const pods = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] };
const podCreation: Attributes = {
  kind: { group: '', version: 'v1', kind: 'Pod' },
  namespace: 'ns',
  name: 'a',
  resource: { group: '', version: 'v1', resource: 'pods' },
  operation: 'CREATE',
};
const selectors = { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' };

describe('selectors', () => {
  const select = (name: string): JsonObject => ({
    ...selectors,
    resourceRules: [pods],
    [name]: { matchLabels: { a: 'b' } },
  });

  test('an object matches by what it is or by what it was', () => {
    const matcher = resourcesMatcher(select('objectSelector'));
    const labelled = { metadata: { labels: { a: 'b' } } };
    const request = requestOf(podCreation);
    assert.equal(matcher.match(request).kind, 'none');
    assert.equal(matcher.match({ ...request, object: labelled }).kind, 'match');
    assert.equal(matcher.match({ ...request, oldObject: labelled }).kind, 'match');
  });

  test('a namespace that is not there is an error for what would match', () => {
    const matcher = resourcesMatcher(select('namespaceSelector'));
    const gone = { ...requestOf(podCreation), namespaceLabels: () => undefined };
    const found = matcher.match(gone);
    assert.equal(found.kind === 'error' && found.error.code, 404);
    const update = { ...gone, shape: { ...gone.shape, operation: 'UPDATE' as const } };
    assert.equal(matcher.match(update).kind, 'none');
  });

  test('a namespace that is written is selected by its own labels, then by those it has', () => {
    const rule = { ...pods, resources: ['namespaces'], operations: ['*'] };
    const matcher = resourcesMatcher({ ...select('namespaceSelector'), resourceRules: [rule] });
    const request = (operation: Operation): MatchRequest => ({
      ...requestOf({
        ...podCreation,
        operation,
        resource: { group: '', version: 'v1', resource: 'namespaces' },
      }),
      object: { metadata: { labels: { a: 'other' } } },
    });
    assert.equal(matcher.match(request('UPDATE')).kind, 'none');
    assert.equal(matcher.match(request('DELETE')).kind, 'match');
  });

  test('a selector that cannot be read is an error that says what it holds', () => {
    const values = ['bad value'];
    const bad = { matchExpressions: [{ key: 'key', operator: 'In', values }] };
    for (const name of ['namespaceSelector', 'objectSelector']) {
      const matcher = resourcesMatcher({ ...selectors, [name]: bad, resourceRules: [pods] });
      const found = matcher.match({ ...requestOf(podCreation), object: {} });
      assert.ok(found.kind === 'error');
      const invalid = 'values[0][key]: Invalid value: "bad value": a valid label must be ';
      assert.ok(found.error.message.includes(invalid), found.error.message);
    }
  });

  test('what is cluster-scoped has no namespace to select by', () => {
    const rule = { ...pods, resources: ['nodes'] };
    const matcher = resourcesMatcher({ ...select('namespaceSelector'), resourceRules: [rule] });
    const nodes = { group: '', version: 'v1', resource: 'nodes' };
    const request = requestOf({ ...podCreation, namespace: '', resource: nodes });
    assert.equal(matcher.match({ ...request, namespaceLabels: () => undefined }).kind, 'match');
  });
});

function* asItIs<T>(configuration: T): Steps<T> {
  return configuration;
}

describe('the index', () => {
  const policies = ['pods', 'configmaps', 'pods/status', '*'].map((resource) => ({
    resource,
    matcher: resourcesMatcher({
      ...selectors,
      resourceRules: [{ ...pods, resources: [resource] }],
    }),
  }));
  const index = namedMatchIndex<(typeof policies)[number]>({
    matcherOf: ({ matcher }) => matcher,
    narrowed: asItIs,
  });
  for (const [at, policy] of policies.entries()) index.set(`${at}`, policy);
  const named = (shape: RequestShape): readonly string[] =>
    index.candidates(shape, 1).map(({ resource }) => resource);

  test('gives those whose rules can match, in their order', () => {
    const { shape } = requestOf(podCreation);
    assert.deepEqual(named(shape), ['pods', '*']);
    assert.deepEqual(named({ ...shape, subresource: 'status' }), ['pods/status']);
    assert.deepEqual(named({ ...shape, operation: 'UPDATE' }), []);
    assert.equal(index.candidates(shape, 1), index.candidates({ ...shape }, 1));
  });

  test('forgets what was equivalent when the served kinds change', () => {
    const older = { group: 'old', version: 'v1', resource: 'pods' };
    const { shape } = requestOf(podCreation);
    assert.deepEqual(named({ ...shape, ...older }), []);
    const resource = { group: '', version: 'v1', resource: 'pods' };
    const now = { ...shape, ...older, equivalents: () => [{ resource, kind: podCreation.kind }] };
    assert.equal(index.candidates(now, 1).length, 0);
    assert.equal(index.candidates(now, 2).length, 2);
  });
});

describe('the index of configurations that come and go', () => {
  interface Named {
    readonly name: string;
    readonly resource: string;
  }
  function counted() {
    let asked = 0;
    const matcherOf = ({ resource }: Named) => {
      const rules = [{ ...pods, resources: [resource] }];
      const { mayMatch } = resourcesMatcher({ ...selectors, resourceRules: rules });
      return { mayMatch: (shape: RequestShape) => ((asked += 1), mayMatch(shape)) };
    };
    return { matcherOf, takeAsked: () => [asked, (asked = 0)][0] };
  }
  const shapes = ['pods', 'configmaps'].map((resource) => {
    const place = { group: '', version: 'v1', resource };
    return requestOf({ ...podCreation, resource: place }).shape;
  });

  test('says after any changes what one that is made anew says', () => {
    const change = fc.record({
      name: fc.integer({ min: 0, max: 30 }).map((i) => `p-${i}`),
      resource: fc.constantFrom('pods', 'configmaps', '*', 'nodes', undefined),
      looks: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 700 }), (changes) => {
        const { matcherOf } = counted();
        const index = namedMatchIndex({ matcherOf, narrowed: asItIs });
        const all = new Map<string, Named>();
        const check = (): void => {
          const inOrder = [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
          for (const shape of shapes) {
            const anew = inOrder.filter((each) => matcherOf(each).mayMatch(shape));
            assert.deepEqual(index.candidates(shape, 1), anew);
          }
          assert.equal(index.isEmpty, all.size === 0);
        };
        for (const { looks, name, resource } of changes) {
          if (resource === undefined) index.delete(name);
          else index.set(name, { name, resource });
          if (resource === undefined) all.delete(name);
          else all.set(name, { name, resource });
          if (looks) check();
        }
        check();
      }),
      { numRuns: 30 },
    );
  });

  test('learns in steps what changes meanwhile', () => {
    const { matcherOf } = counted();
    const index = namedMatchIndex({ matcherOf, narrowed: asItIs });
    const set = (i: number, resource: string): void => {
      const name = `p-${String(i).padStart(5, '0')}`;
      index.set(name, { name, resource });
    };
    for (let i = 0; i < 1000; i += 1) set(i, 'pods');
    const [shape] = shapes as [RequestShape];
    assert.equal(index.unlooked(shape, 1), 1000);
    const steps = index.learn(shape, 1);
    for (let i = 0; i < 3; i += 1) assert.equal(steps.next().done, false);
    set(1, 'nodes');
    set(999, 'nodes');
    set(1000, 'pods');
    while (steps.next().done !== true);
    assert.equal(index.unlooked(shape, 1), 3);
    assert.equal(index.candidates(shape, 1).length, 999);
    assert.equal(index.unlooked(shape, 1), 0);
    assert.equal(index.unlooked(shape, 2), 1001, 'other kinds are served');
  });

  test('learns one of many parts in steps, and again when it has changed', () => {
    const { matcherOf } = counted();
    const partsMax = 1_000;
    const index = namedMatchIndex({
      matcherOf,
      *narrowed(named: Named) {
        for (let part = 0; part < partsMax; part += 100) yield;
        return named;
      },
      partsOf: ({ name }) => (name === 'large' ? partsMax : 0),
    });
    const [shape] = shapes as [RequestShape];
    for (const name of ['large', 'small']) index.set(name, { name, resource: 'pods' });
    for (const parts of [partsMax + 1, partsMax]) {
      assert.equal(index.unlooked(shape, 1), parts);
      assert.ok(index.isNew(shape, 1));
      const steps = index.learn(shape, 1);
      let count = 0;
      while (steps.next().done !== true) count += 1;
      assert.ok(count >= partsMax / 100, `${count} steps`);
      assert.equal(index.unlooked(shape, 1), 0);
      index.set('large', { name: 'large', resource: 'pods' });
    }
    index.delete('large');
    assert.ok(!index.isNew(shape, 1));
    assert.equal(index.candidates(shape, 1).length, 1);
    index.set('small', { name: 'small', resource: 'pods' });
    assert.equal(index.unlooked(shape, 1), 1);
  });

  test('asks only those again that have changed', () => {
    const { matcherOf, takeAsked } = counted();
    const index = namedMatchIndex({ matcherOf, narrowed: asItIs });
    const set = (i: number): void => {
      const name = `p-${String(i).padStart(5, '0')}`;
      index.set(name, { name, resource: i % 2 === 0 ? 'pods' : 'nodes' });
    };
    for (let i = 0; i < 2000; i += 1) set(i);
    const [shape] = shapes as [RequestShape];
    assert.equal(index.candidates(shape, 1).length, 1000);
    assert.equal(takeAsked(), 2000);
    for (const i of [5, 2000, 5]) set(i);
    assert.equal(index.candidates(shape, 1).length, 1001);
    assert.equal(takeAsked(), 2);
    assert.equal(index.candidates(shape, 1), index.candidates(shape, 1));
    assert.equal(takeAsked(), 0);
  });
});
