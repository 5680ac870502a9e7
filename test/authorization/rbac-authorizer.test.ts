import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UserInfo } from '../../src/apimachinery/user-info.ts';
import { tooManyRules, userRulesMax } from '../../src/authorization/authorizer.ts';
import type { Attributes, Decision } from '../../src/authorization/authorizer.ts';
import { rulesOf } from '../../src/authorization/rbac/policy-rules.ts';
import type { PolicyRule } from '../../src/authorization/rbac/policy-rules.ts';
import { createRbacAuthorizer } from '../../src/authorization/rbac/rbac-authorizer.ts';
import type { RbacAuthorizer } from '../../src/authorization/rbac/rbac-authorizer.ts';
import { createRbacIndex } from '../../src/authorization/rbac/rbac-index.ts';
import type { RbacIndex } from '../../src/authorization/rbac/rbac-index.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Step } from '../../src/stdx/turns.ts';
import type { Binding, Subject } from '../../src/authorization/rbac/rbac-objects.ts';
import { bindingOf } from '../../src/authorization/rbac/rbac-objects.ts';
import {
  resourceAttributes,
  pathAttributes,
  userNamed,
} from '../support/data/access-attributes.ts';

const group = 'rbac.authorization.k8s.io';

function rule(fields: Partial<PolicyRule>): PolicyRule {
  return {
    verbs: [],
    apiGroups: [],
    resources: [],
    resourceNames: [],
    nonResourceURLs: [],
    ...fields,
  };
}

function binding(namespace: string, name: string, role: string, ...subjects: Subject[]): Binding {
  const [kind = '', roleName = ''] = role.split(' ');
  return { namespace, name, roleRef: { kind, name: roleName }, subjects };
}

const user = (name: string): Subject => ({ kind: 'User', name, namespace: '' });
const groupOf = (name: string): Subject => ({ kind: 'Group', name, namespace: '' });

/** Each step in a turn of its own. */
const turns = {
  run: (step: Step): void => void setImmediate(() => step(() => true) && turns.run(step)),
};

function authorizerOf(index: RbacIndex): RbacAuthorizer {
  return createRbacAuthorizer(index, group, turns);
}

/** There at once. */
function decisionOf(rbac: RbacAuthorizer, attributes: Attributes): Decision {
  const decision = rbac.authorize(attributes);
  assert.ok(!(decision instanceof Promise), 'there at once');
  return decision;
}

function allows(index: RbacIndex, attributes: Attributes): boolean {
  return decisionOf(authorizerOf(index), attributes).kind === 'allow';
}

describe('a rule', () => {
  const rows: readonly [string, Partial<PolicyRule>, Attributes, boolean][] = [
    [
      'a verb of it',
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
      resourceAttributes('get /pods'),
      true,
    ],
    [
      'another verb',
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
      resourceAttributes('list /pods'),
      false,
    ],
    [
      'every verb',
      { verbs: ['*'], apiGroups: [''], resources: ['pods'] },
      resourceAttributes('impersonate /pods'),
      true,
    ],
    [
      'another group',
      { verbs: ['*'], apiGroups: [''], resources: ['*'] },
      resourceAttributes('get apps/deployments'),
      false,
    ],
    [
      'every group',
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      resourceAttributes('get apps/deployments'),
      true,
    ],
    [
      'a subresource is not its resource',
      { verbs: ['*'], apiGroups: [''], resources: ['pods'] },
      resourceAttributes('get /pods/log'),
      false,
    ],
    [
      'a named subresource',
      { verbs: ['*'], apiGroups: [''], resources: ['pods/log'] },
      resourceAttributes('get /pods/log'),
      true,
    ],
    [
      'nor the resource its subresource',
      { verbs: ['*'], apiGroups: [''], resources: ['pods/log'] },
      resourceAttributes('get /pods'),
      false,
    ],
    [
      'every resource covers subresources',
      { verbs: ['*'], apiGroups: [''], resources: ['*'] },
      resourceAttributes('get /pods/log'),
      true,
    ],
    [
      'a subresource of everything',
      { verbs: ['*'], apiGroups: ['apps'], resources: ['*/scale'] },
      resourceAttributes('update apps/deployments/scale'),
      true,
    ],
    [
      'not another of everything',
      { verbs: ['*'], apiGroups: ['apps'], resources: ['*/scale'] },
      resourceAttributes('update apps/deployments/status'),
      false,
    ],
    [
      'not the resource itself',
      { verbs: ['*'], apiGroups: ['apps'], resources: ['*/scale'] },
      resourceAttributes('update apps/deployments'),
      false,
    ],
    [
      'pods/* is no wildcard',
      { verbs: ['*'], apiGroups: [''], resources: ['pods/*'] },
      resourceAttributes('get /pods/log'),
      false,
    ],
    [
      'a name of it',
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      resourceAttributes('get /pods', 'a'),
      true,
    ],
    [
      'another name',
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      resourceAttributes('get /pods', 'b'),
      false,
    ],
    [
      'names do not limit what has none: it is refused',
      { verbs: ['create'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      resourceAttributes('create /pods'),
      false,
    ],
    [
      'a list of one name',
      { verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      resourceAttributes('list /pods', 'a'),
      true,
    ],
    [
      'resources do not speak of paths',
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      pathAttributes('get /healthz'),
      false,
    ],
    [
      'a path',
      { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      pathAttributes('get /healthz'),
      true,
    ],
    [
      'a path below it',
      { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      pathAttributes('get /healthz/ping'),
      false,
    ],
    [
      'a path by its beginning',
      { verbs: ['get'], nonResourceURLs: ['/healthz/*'] },
      pathAttributes('get /healthz/ping'),
      true,
    ],
    [
      'every path',
      { verbs: ['get'], nonResourceURLs: ['*'] },
      pathAttributes('get /metrics'),
      true,
    ],
    [
      'a wildcard in the middle is none',
      { verbs: ['get'], nonResourceURLs: ['/a/*/b'] },
      pathAttributes('get /a/x/b'),
      false,
    ],
    [
      'paths do not speak of resources',
      { verbs: ['*'], nonResourceURLs: ['*'] },
      resourceAttributes('get /pods'),
      false,
    ],
    [
      'case counts',
      { verbs: ['get'], apiGroups: [''], resources: ['Pods'] },
      resourceAttributes('get /pods'),
      false,
    ],
  ];
  for (const [title, fields, attributes, expected] of rows) {
    it(`${expected ? 'allows' : 'does not allow'}: ${title}`, () => {
      const index = createRbacIndex();
      index.setRole('/r', [rule(fields)]);
      index.setBinding(binding('', 'b', 'ClusterRole r', user('u')));
      assert.equal(allows(index, { ...attributes, user: userNamed('u') }), expected);
    });
  }
});

describe('a binding', () => {
  const readPods = [rule({ verbs: ['get'], apiGroups: [''], resources: ['pods'] })];
  const getPod = (who: UserInfo, namespace: string): Attributes => ({
    ...resourceAttributes('get /pods', 'a'),
    user: who,
    namespace,
  });

  it('of a namespace grants there and nowhere else, whichever kind of role it names', () => {
    for (const role of ['Role r', 'ClusterRole r']) {
      const index = createRbacIndex();
      index.setRole(role.startsWith('Role') ? 'ns1/r' : '/r', readPods);
      index.setBinding(binding('ns1', 'b', role, user('u')));
      assert.equal(allows(index, getPod(userNamed('u'), 'ns1')), true, role);
      assert.equal(allows(index, getPod(userNamed('u'), 'ns2')), false, role);
      assert.equal(allows(index, getPod(userNamed('u'), '')), false, role);
    }
  });

  it('does not reach a role of another namespace', () => {
    const index = createRbacIndex();
    index.setRole('ns2/r', readPods);
    index.setBinding(binding('ns1', 'b', 'Role r', user('u')));
    assert.equal(allows(index, getPod(userNamed('u'), 'ns1')), false);
    assert.equal(allows(index, getPod(userNamed('u'), 'ns2')), false);
  });

  it('of the cluster does not take a role of a namespace', () => {
    const index = createRbacIndex();
    index.setRole('/r', readPods);
    index.setBinding(binding('', 'b', 'Role r', user('u')));
    assert.equal(allows(index, getPod(userNamed('u'), 'ns1')), false);
  });

  it('tells a user from a group of the same name', () => {
    const index = createRbacIndex();
    index.setRole('/r', readPods);
    index.setBinding(binding('', 'b', 'ClusterRole r', groupOf('x')));
    assert.equal(allows(index, getPod(userNamed('x'), 'ns')), false);
    assert.equal(allows(index, getPod(userNamed('u', 'x'), 'ns')), true);
    assert.equal(allows(index, getPod(userNamed('u', 'X'), 'ns')), false);
  });

  it('names a service account in its own namespace unless it says another', () => {
    const index = createRbacIndex();
    index.setRole('/r', readPods);
    const subjects = [{ kind: 'ServiceAccount', name: 'web' }];
    const object = {
      apiVersion: 'v1',
      kind: 'RoleBinding',
      roleRef: { kind: 'ClusterRole', name: 'r' },
      subjects,
    };
    index.setBinding(bindingOf({ ...object, metadata: { name: 'b', namespace: 'ns1' } }));
    assert.equal(allows(index, getPod(userNamed('system:serviceaccount:ns1:web'), 'ns1')), true);
    assert.equal(allows(index, getPod(userNamed('system:serviceaccount:ns2:web'), 'ns1')), false);
    index.setBinding(bindingOf({ ...object, metadata: { name: 'c' } }));
    assert.equal(allows(index, getPod(userNamed('system:serviceaccount::web'), '')), false);
  });

  it('to a role that is not there grants nothing, says so, and hides no other binding', () => {
    const index = createRbacIndex();
    index.setBinding(binding('', 'a', 'ClusterRole gone', user('u')));
    const rbac = authorizerOf(index);
    assert.deepEqual(decisionOf(rbac, getPod(userNamed('u'), 'ns')), {
      kind: 'no-opinion',
      reason: `RBAC: clusterrole.${group} "gone" not found`,
    });
    index.setRole('/r', readPods);
    index.setBinding(binding('', 'b', 'ClusterRole r', user('u')));
    assert.equal(decisionOf(rbac, getPod(userNamed('u'), 'ns')).kind, 'allow');
  });

  it('is told in the reason', () => {
    const index = createRbacIndex();
    index.setRole('/r', readPods);
    index.setBinding(binding('', 'b', 'ClusterRole r', user('u')));
    index.setBinding(
      binding('ns', 'c', 'ClusterRole r', { kind: 'ServiceAccount', name: 's', namespace: 'ns' }),
    );
    const rbac = authorizerOf(index);
    assert.equal(
      decisionOf(rbac, getPod(userNamed('u'), 'ns')).reason,
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "u"',
    );
    assert.equal(
      decisionOf(rbac, getPod(userNamed('system:serviceaccount:ns:s'), 'ns')).reason,
      'RBAC: allowed by RoleBinding "c/ns" of ClusterRole "r" to ServiceAccount "s/ns"',
    );
  });

  it('that is changed or removed takes its grants along', () => {
    const index = createRbacIndex();
    index.setRole('/r', readPods);
    index.setBinding(binding('', 'b', 'ClusterRole r', user('u'), user('v')));
    index.setBinding(binding('', 'b', 'ClusterRole r', user('v')));
    assert.equal(allows(index, getPod(userNamed('u'), 'ns')), false);
    assert.equal(allows(index, getPod(userNamed('v'), 'ns')), true);
    index.removeBinding('', 'b');
    assert.equal(allows(index, getPod(userNamed('v'), 'ns')), false);
    assert.equal(index.bindingsCount, 0);
  });

  it('is one of several: the cluster, then the namespace, each by name', () => {
    const index = createRbacIndex();
    index.setRole('/r', readPods);
    index.setRole('/s', readPods);
    index.setBinding(binding('ns', 'a', 'ClusterRole r', user('u')));
    index.setBinding(binding('', 'y', 'ClusterRole r', user('u')));
    index.setBinding(binding('', 'x', 'ClusterRole s', user('u')));
    const { reason } = decisionOf(authorizerOf(index), getPod(userNamed('u'), 'ns'));
    assert.match(reason, /ClusterRoleBinding "x"/);
  });
});

describe('the rules of a user', () => {
  it('are those of the cluster and of the namespace, as they stand in the roles', () => {
    const index = createRbacIndex();
    const urls = rule({ verbs: ['get'], nonResourceURLs: ['/healthz'] });
    const pods = rule({ verbs: ['get'], apiGroups: [''], resources: ['pods'] });
    index.setRole('/r', [urls, pods]);
    index.setRole('ns/s', [pods]);
    index.setBinding(binding('', 'b', 'ClusterRole r', user('u')));
    index.setBinding(binding('ns', 'c', 'Role s', user('u')));
    index.setBinding(binding('ns', 'd', 'Role gone', user('u')));
    assert.deepEqual(authorizerOf(index).rulesFor(userNamed('u'), 'ns'), {
      resourceRules: [pods, pods],
      nonResourceRules: [urls],
      incomplete: false,
      evaluationError: `role.${group} "gone" not found`,
    });
  });

  it('are listed up to a bound, and then the list says so; what they allow has none', () => {
    const index = createRbacIndex();
    const named = (i: number) => rule({ verbs: ['get'], resources: [`r${i}`] });
    for (let at = 0; at < 12; at += 1) {
      index.setRole(
        `ns/r${at}`,
        Array.from({ length: 900 }, (_, i) => named(at * 900 + i)),
      );
      index.setBinding(binding('ns', `b${at}`, `Role r${at}`, user('u')));
    }
    const authorizer = authorizerOf(index);
    const listed = authorizer.rulesFor(userNamed('u'), 'ns');
    assert.equal(listed.resourceRules.length, userRulesMax);
    assert.deepEqual([listed.incomplete, listed.evaluationError], [true, tooManyRules]);
    const granted = finished(authorizer.grantedRules(userNamed('u'), 'ns'));
    assert.equal(granted.rules.length, 10_800);
  });

  it('ignore what is no list of texts', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Role',
      metadata: {},
      rules: [{ verbs: '*', resources: [1, 'pods'] }, 7],
    };
    assert.deepEqual(rulesOf(object), [rule({ resources: ['pods'] })]);
  });
});

describe('a user of many bindings', () => {
  const index = createRbacIndex();
  for (let at = 0; at < 20_000; at += 1) {
    index.setBinding(binding('ns', `a${at}`, `Role gone${at}`, user('u')));
  }
  const asked: Attributes = {
    ...resourceAttributes('get /pods', 'x'),
    user: userNamed('u'),
    namespace: 'ns',
  };

  it('is decided on in turns with others, also where no role is there', async () => {
    const late = authorizerOf(index).authorize(asked);
    assert.ok(late instanceof Promise, 'in turns');
    assert.match((await late).reason, /role.* "gone0" not found/);
  });

  it('is told up to a bound what they allow', () => {
    assert.equal(authorizerOf(index).rulesFor(asked.user, 'ns').incomplete, true);
  });
});

describe('a user of many rules', () => {
  const names = (from: number): readonly string[] =>
    Array.from({ length: 10_000 }, (_, i) => `n${from + i}`);
  const crowded = (): RbacIndex => {
    const index = createRbacIndex();
    for (let at = 0; at < 20; at += 1) {
      const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
      index.setRole(`ns/r${at}`, [rule({ ...pods, resourceNames: names(at * 10_000) })]);
      index.setBinding(binding('ns', `b${String(at).padStart(2, '0')}`, `Role r${at}`, user('u')));
    }
    index.setBinding(binding('ns', 'a', 'Role gone', user('u')));
    return index;
  };
  const asked = (name: string): Attributes => ({
    ...resourceAttributes('get /pods', name),
    user: userNamed('u'),
    namespace: 'ns',
  });

  it('is decided on in turns with others, and as at once', async () => {
    const rbac = authorizerOf(crowded());
    assert.equal(decisionOf(rbac, asked('n0')).kind, 'allow');
    const late = rbac.authorize(asked('n199999'));
    assert.ok(late instanceof Promise, 'in turns');
    assert.deepEqual(await late, {
      kind: 'allow',
      reason: 'RBAC: allowed by RoleBinding "b19/ns" of Role "r19" to User "u"',
    });
    assert.deepEqual(await rbac.authorize(asked('other')), {
      kind: 'no-opinion',
      reason: `RBAC: role.${group} "gone" not found`,
    });
  });
});
