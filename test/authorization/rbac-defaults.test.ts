import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { rbacDefaults } from '../../src/authorization/rbac/default-objects.ts';
import { reconciledBinding, reconciledRole } from '../../src/authorization/rbac/reconcile.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';

function reference(...files: string[]): readonly ApiObject[] {
  return files.flatMap((file) => {
    const name = `rbac-bootstrap/${file}.yaml`;
    return readCorpus<{ readonly items: readonly ApiObject[] }>(name).items;
  });
}

const key = ({ metadata }: ApiObject): string =>
  `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

function byKey(objects: readonly ApiObject[]): ReadonlyMap<string, ApiObject> {
  return new Map(objects.map((object) => [key(object), object]));
}

/** What 1.33 has and the corpus, which is of a build without their gates, has not: the rights of
 * each, and that its account has them. */
const newer: Readonly<Record<string, readonly string[]>> = {
  'selinux-warning-controller': [
    'create,patch,update events',
    'get,list,watch persistentvolumes',
    'get,list,watch persistentvolumeclaims',
    'get,list,watch pods',
    'get,list,watch csidrivers',
  ],
  'service-cidrs-controller': [
    'get,list,patch,update,watch servicecidrs',
    'patch,update servicecidrs/finalizers',
    'patch,update servicecidrs/status',
    'get,list,watch ipaddresses',
    'create,patch,update events',
  ],
};
/** The same of roles that the corpus has: what stands behind the rules that it has of them. */
const newerRules: Readonly<Record<string, readonly string[]>> = {
  'system:kubelet-api-admin': ['* nodes/configz,nodes/healthz,nodes/pods'],
  'system:monitoring': ['get nodes/metrics'],
  'system:node-proxier': ['list,watch servicecidrs'],
};
type Rules = readonly Readonly<Record<string, readonly string[]>>[];
const spoken = (rules: Rules): readonly string[] =>
  rules.map(({ verbs, resources }) => `${verbs?.join()} ${resources?.join()}`);
function withNewer(each: string, object: ApiObject, made: ApiObject | undefined): ApiObject {
  const rights = newerRules[each.slice(1)];
  if (object.kind !== 'ClusterRole' || rights === undefined) return object;
  const rules = (made?.['rules'] as Rules).slice(-rights.length);
  assert.deepEqual(spoken(rules), rights);
  return { ...object, rules: [...(object['rules'] as Rules), ...rules] };
}
const isNewer = (each: string): boolean => each.replace('/system:controller:', '') in newer;

/** The reference leaves the rules of aggregates to its controller. */
function withoutAggregated(object: ApiObject): ApiObject {
  return object['aggregationRule'] === undefined ? object : { ...object, rules: null };
}

describe('the default roles and bindings', () => {
  const defaults = rbacDefaults(identityOf('kubernetes'));
  const rows = [
    ['clusterRoles', ['cluster-roles', 'controller-roles']],
    ['clusterRoleBindings', ['cluster-role-bindings', 'controller-role-bindings.derived']],
    ['roles', ['namespace-roles']],
    ['roleBindings', ['namespace-role-bindings']],
  ] as const;
  for (const [name, files] of rows) {
    it(`are those of the reference: ${name}`, { skip: noVectors }, () => {
      const expected = byKey(reference(...files));
      const made = byKey(defaults[name].map(withoutAggregated));
      assert.deepEqual(
        [...made.keys()].filter((each) => !isNewer(each)).sort(),
        [...expected.keys()].sort(),
      );
      for (const [each, object] of expected) {
        assert.deepEqual(made.get(each), withNewer(each, object, made.get(each)), each);
      }
    });
  }

  it('are those of newer controllers, too', () => {
    const [roles, bindings] = [byKey(defaults.clusterRoles), byKey(defaults.clusterRoleBindings)];
    for (const [controller, rights] of Object.entries(newer)) {
      const name = `/system:controller:${controller}`;
      assert.deepEqual(spoken(roles.get(name)?.['rules'] as Rules), rights);
      const account = { kind: 'ServiceAccount', name: controller, namespace: 'kube-system' };
      assert.deepEqual(bindings.get(name)?.['subjects'], [account]);
    }
  });

  it('spell no domain but their own under each identity', () => {
    assert.doesNotMatch(
      JSON.stringify(rbacDefaults(identityOf('svc'))),
      /k8s\.io|kubernetes\.io|[{]domain|[{]label/i,
    );
    assert.doesNotMatch(JSON.stringify(defaults), /svc\.io|[{]domain|[{]label/);
  });

  it('are complete from the start: admin has what edit has, edit what view has', () => {
    const rules = (name: string): readonly JsonValue[] => {
      const found = defaults.clusterRoles.find((role) => role.metadata.name === name)?.['rules'];
      assert.ok(Array.isArray(found) && found.length > 0, name);
      return found;
    };
    const includes = (outer: readonly JsonValue[], inner: readonly JsonValue[]): boolean => {
      const texts = new Set(outer.map((rule) => JSON.stringify(rule)));
      return inner.every((rule) => texts.has(JSON.stringify(rule)));
    };
    assert.ok(includes(rules('admin'), rules('edit')));
    assert.ok(includes(rules('edit'), rules('view')));
    assert.ok(includes(rules('admin'), rules('system:aggregate-to-admin')));
    assert.ok(!includes(rules('view'), rules('edit')));
  });
});

const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';

type Call = { readonly $call: string; readonly args: readonly JsonValue[] } | null;

interface ReconcileCase {
  readonly expectedRole: Call;
  readonly actualRole: Call;
  readonly removeExtraPermissions: boolean;
  readonly expectedReconciledRole: Call;
  readonly expectedReconciliationNeeded: boolean;
}

/** What the vectors' helper functions make, written down as calls. */
function made(call: Call): ApiObject | undefined {
  if (call === null) return undefined;
  if (call.$call !== 'role') return undefined;
  const [rules, labels, annotations] = call.args as unknown as [
    Call,
    Record<string, string> | null,
    Record<string, string> | null,
  ];
  return {
    apiVersion: 'v1',
    kind: 'ClusterRole',
    metadata: {
      ...(labels === null ? {} : { labels }),
      ...(annotations === null ? {} : { annotations }),
    },
    rules: (rules?.args ?? []).map((resource) => ({
      verbs: ['get'],
      apiGroups: [''],
      resources: [resource],
    })),
  };
}

describe('a default that exists', () => {
  const { reconcile_go: vectors } = readCorpus<{
    reconcile_go: Record<string, Record<string, ReconcileCase>>;
  }>('rbac/escalation.json');
  const cases = Object.entries(vectors['TestComputeReconciledRoleRules'] ?? {});
  assert.ok(noVectors !== false || cases.length >= 10);
  for (const [title, row] of cases) {
    // Removing what is too much is what `kubectl auth reconcile` does; a start only adds.
    const skip = row.removeExtraPermissions && 'a start takes no permission away';
    it(`gets what it lacks, as the reference says: ${title}`, { skip }, () => {
      const actual = made(row.actualRole);
      const expected = made(row.expectedRole);
      assert.ok(actual !== undefined && expected !== undefined);
      const result = reconciledRole(actual, expected, autoupdate);
      assert.equal(result !== undefined, row.expectedReconciliationNeeded);
      if (row.expectedReconciliationNeeded)
        assert.deepEqual(result, made(row.expectedReconciledRole));
    });
  }

  const selector = (label: string): JsonValue => ({ matchLabels: { [label]: 'true' } });
  const role = (selectors: readonly JsonValue[] | undefined, annotations = {}): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ClusterRole',
    metadata: { name: 'r', annotations },
    ...(selectors === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selectors } }),
  });

  it('gets the selectors it lacks and keeps its own', () => {
    const result = reconciledRole(role([selector('own')]), role([selector('a')]), autoupdate);
    assert.deepEqual(result, role([selector('own'), selector('a')]));
    assert.equal(
      reconciledRole(role([selector('a'), selector('b')]), role([selector('a')]), autoupdate),
      undefined,
    );
    assert.deepEqual(
      reconciledRole(role([selector('a')]), role(undefined), autoupdate),
      role(undefined),
    );
  });

  it('is left alone when its annotation says so', () => {
    const own = role(undefined, { [autoupdate]: 'false' });
    assert.equal(reconciledRole(own, role([selector('a')]), autoupdate), undefined);
    const bound = {
      ...own,
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', name: 'x' },
    };
    const other = { ...bound, metadata: {}, roleRef: { kind: 'ClusterRole', name: 'y' } };
    assert.deepEqual(reconciledBinding(bound, other, autoupdate), { kind: 'unchanged' });
  });

  it('gets the subjects it lacks; with another role it is made anew', () => {
    const user = (name: string) => ({ kind: 'User', name, apiGroup: 'g' });
    const binding = (name: string, ...subjects: JsonValue[]): ApiObject => ({
      apiVersion: 'v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'b' },
      roleRef: { kind: 'ClusterRole', name },
      subjects,
    });
    assert.deepEqual(
      reconciledBinding(binding('r', user('a')), binding('r', user('b')), autoupdate),
      {
        kind: 'update',
        object: binding('r', user('a'), user('b')),
      },
    );
    assert.deepEqual(
      reconciledBinding(binding('r', user('a')), binding('r', user('a')), autoupdate),
      { kind: 'unchanged' },
    );
    assert.deepEqual(
      reconciledBinding(binding('s', user('a')), binding('r', user('b')), autoupdate),
      {
        kind: 'recreate',
        object: binding('r', user('b')),
      },
    );
  });
});
