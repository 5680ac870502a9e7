/**
 * Authorization alone, in a process of its own: the union of authorizers over an RBAC index that
 * holds the default roles and 10,000 bindings, without HTTP, streams or a store.
 */
import assert from 'node:assert/strict';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { UserInfo } from '../../src/apimachinery/user-info.ts';
import { wellKnownGroups } from '../../src/apimachinery/user-info.ts';
import type { Attributes } from '../../src/authorization/authorizer.ts';
import { rbacDefaults } from '../../src/authorization/rbac/default-objects.ts';
import { rulesOf } from '../../src/authorization/rbac/policy-rules.ts';
import { createRbacAuthorizer } from '../../src/authorization/rbac/rbac-authorizer.ts';
import { createRbacIndex, rbacKey } from '../../src/authorization/rbac/rbac-index.ts';
import type { RbacIndex } from '../../src/authorization/rbac/rbac-index.ts';
import { bindingOf } from '../../src/authorization/rbac/rbac-objects.ts';
import { createUnion } from '../../src/authorization/union.ts';
import type { Awaitable } from '../../src/stdx/awaitable.ts';
import type { Step } from '../../src/stdx/turns.ts';
import { answerWith } from './inside.ts';

const bindingsCount = 10_000;

export type AuthorizationWork = 'spread' | 'refused' | 'crowded' | 'crowded-refused';

export interface AuthorizationRequest {
  readonly kind: 'authorization';
  readonly work: AuthorizationWork;
  readonly count: number;
}

export interface AuthorizationResult {
  /** Of processor time, all threads. */
  readonly cpuSeconds: number;
  readonly allowed: number;
}

const identity = identityOf('kubernetes');
const namespacesCount = 100;
const distinctRoles = 1000;

function indexWithDefaults(): RbacIndex {
  const index = createRbacIndex();
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = rbacDefaults(identity);
  for (const role of [...clusterRoles, ...roles]) {
    const { namespace = '', name = '' } = role.metadata;
    index.setRole(rbacKey(namespace, name), rulesOf(role));
  }
  for (const binding of [...clusterRoleBindings, ...roleBindings]) {
    index.setBinding(bindingOf(binding));
  }
  return index;
}

/** Each user has one binding, in a namespace of a hundred. */
function spreadIndex(): RbacIndex {
  const index = indexWithDefaults();
  for (let i = 0; i < bindingsCount; i += 1) {
    const subject = { kind: 'User', name: `user-${i}`, namespace: '' };
    const roleRef = { kind: 'ClusterRole', name: ['view', 'edit', 'admin'][i % 3] ?? '' };
    const namespace = `ns-${i % namespacesCount}`;
    index.setBinding({ namespace, name: `b-${i}`, roleRef, subjects: [subject] });
  }
  return index;
}

/** All bindings are of one group, to a thousand roles: every question may walk them all. */
function crowdedIndex(): RbacIndex {
  const index = indexWithDefaults();
  const none = { resourceNames: [], nonResourceURLs: [] };
  for (let i = 0; i < distinctRoles; i += 1) {
    const rule = { ...none, verbs: ['get'], apiGroups: ['x.example'], resources: [`r${i}`] };
    index.setRole(rbacKey('', `role-${i}`), [rule]);
  }
  for (let i = 0; i < bindingsCount; i += 1) {
    const subject = { kind: 'Group', name: 'everybody', namespace: '' };
    const roleRef = { kind: 'ClusterRole', name: `role-${i % distinctRoles}` };
    index.setBinding({ namespace: '', name: `b-${i}`, roleRef, subjects: [subject] });
  }
  return index;
}

/** What a server does in several turns is measured as one. */
function runAtOnce(step: Step): void {
  while (step(() => false));
}

function checkerOf(index: RbacIndex) {
  const rbac = createRbacAuthorizer(index, identity.groups.rbac, { run: runAtOnce });
  return createUnion({
    members: () => [rbac],
    onDecision: () => undefined,
    onError: (_member, error) => assert.fail(String(error)),
  });
}

const spread = checkerOf(spreadIndex());
const crowded = checkerOf(crowdedIndex());

const users: readonly UserInfo[] = Array.from({ length: bindingsCount }, (_, i) => ({
  name: `user-${i}`,
  uid: '',
  groups: ['team-a', 'team-b', 'everybody', wellKnownGroups.authenticated],
  extra: {},
}));

function attributesOf(i: number, resource: string, apiGroup = ''): Attributes {
  const at = i % bindingsCount;
  return {
    user: users[at] as UserInfo,
    verb: 'get',
    isResourceRequest: true,
    path: '',
    namespace: `ns-${at % namespacesCount}`,
    apiGroup,
    apiVersion: 'v1',
    resource,
    subresource: '',
    name: 'x',
  };
}

/** Steps that share no factor with the number of users, so that neighbours differ. */
const step = 7919;

const works: Readonly<Record<AuthorizationWork, (i: number) => Awaitable<boolean>>> = {
  spread: (i) => isAllowed(spread.check(attributesOf(i * step, 'pods'))),
  refused: (i) => isAllowed(spread.check(attributesOf(i * step, 'nodes'))),
  crowded: (i) =>
    isAllowed(crowded.check(attributesOf(i * step, `r${(i * step) % distinctRoles}`, 'x.example'))),
  'crowded-refused': (i) => isAllowed(crowded.check(attributesOf(i * step, 'none', 'x.example'))),
};

function isAllowed(decision: ReturnType<typeof spread.check>): Awaitable<boolean> {
  if (decision instanceof Promise) return decision.then(({ kind }) => kind === 'allow');
  return decision.kind === 'allow';
}

answerWith(async (request): Promise<AuthorizationResult> => {
  const { work, count } = request as AuthorizationRequest;
  const before = process.cpuUsage();
  let allowed = 0;
  for (let i = 0; i < count; i += 1) {
    const answer = works[work](i);
    // No promise is waited for where none is made.
    if (answer instanceof Promise ? await answer : answer) allowed += 1;
  }
  const used = process.cpuUsage(before);
  return { cpuSeconds: (used.user + used.system) / 1e6, allowed };
});

process.stdout.write('ready: 0\n');
process.on('SIGTERM', () => process.exit(0));
