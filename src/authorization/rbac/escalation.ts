/**
 * Nobody may grant what they do not have: the say of RBAC in writes of roles and bindings
 * (spec 2, section 5.6; verbs `escalate` and `bind` of section 5.5).
 *
 *     role       may `escalate` it?  ▶ yes | its rules within the writer's own? ▶ yes | 403
 *                aggregationRule, now or before ▶ the writer has everything? | 403
 *     binding    may `bind` the role? ▶ yes | the role's rules within the writer's own? ▶ yes | 403
 *
 * What it is not: a look at who gets the grant. It is asked also where RBAC is not among the modes.
 *
 * Invariants: members of system:masters are not asked about. A write that changes only what
 * garbage collection changes is not measured: else objects could not go. A role that is not there
 * cannot be bound without `bind`: nobody knows what it would grant.
 */
import { changesOwnersAlone } from '../../apimachinery/owner-changes.ts';
import {
  newForbidden,
  newNotFound,
  newServiceUnavailable,
} from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { AccessChecker, Attributes } from '../authorizer.ts';
import { rulesOf } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { RbacAuthorizer } from './rbac-authorizer.ts';
import { referredRole } from './rbac-index.ts';
import type { RbacIndex } from './rbac-index.ts';
import { roleRefOf } from './rbac-objects.ts';
import { compactRules, describeRule, quoteList, uncoveredRules } from './rule-cover.ts';

export interface EscalationDeps {
  readonly access: AccessChecker;
  readonly rbac: Pick<RbacAuthorizer, 'grantedRules'>;
  readonly index: Pick<RbacIndex, 'rules'>;
  readonly rbacGroup: string;
}

/** What is written: the kind's resource as it is stored, and where. */
export interface GuardedTarget {
  readonly kind: { readonly storage: { readonly group: string; readonly resource: string } };
  readonly namespace: string;
}

export interface EscalationGuard {
  current(): undefined;
  mutate(object: ApiObject): ApiObject;
  /** `next` undefined: a deletion, which grants nothing. */
  validate(
    next: ApiObject | undefined,
    current: ApiObject | undefined,
  ): StatusError | undefined | Promise<StatusError | undefined>;
}

/** A write asks for two rights at most: of the role it names, and once more when that changed. */
const askingMax = 4;

export function escalationGuards(
  deps: EscalationDeps,
): (user: UserInfo, target: GuardedTarget) => EscalationGuard | undefined {
  return (user, { kind: { storage }, namespace }) => {
    if (storage.group !== deps.rbacGroup) return undefined;
    if (user.groups.includes(wellKnownGroups.masters)) return undefined;
    const writer = { user, namespace, resource: storage.resource };
    return {
      current: () => undefined,
      mutate: (object) => object,
      validate: (next, current) =>
        next === undefined ? undefined : validated(deps, writer, next, current, new Map()),
    };
  };
}

interface Writer {
  readonly user: UserInfo;
  readonly namespace: string;
  readonly resource: string;
}

/** Tried again when an authorizer that has to ask elsewhere has answered. */
function validated(
  deps: EscalationDeps,
  writer: Writer,
  next: ApiObject,
  current: ApiObject | undefined,
  answers: ReadonlyMap<string, boolean>,
): StatusError | undefined | Promise<StatusError | undefined> {
  const open = new Map<string, Promise<boolean>>();
  const may: May = (verb, resource, name) => {
    const key = `${verb} ${resource} ${name}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const decision = deps.access.check(attributesOf(deps, writer, verb, resource, name));
    if (!(decision instanceof Promise)) return decision.kind === 'allow';
    open.set(
      key,
      decision.then(({ kind }) => kind === 'allow'),
    );
    return undefined;
  };
  const refusal = checkWrite(deps, writer, may, next, current);
  const [asked] = open;
  if (asked === undefined || answers.size >= askingMax) return refusal;
  const [key, answer] = asked;
  return answer.then((allowed) =>
    validated(deps, writer, next, current, new Map([...answers, [key, allowed]])),
  );
}

/** Undefined: it has to be asked elsewhere. */
type May = (verb: string, resource: string, name: string) => boolean | undefined;

function attributesOf(
  { rbacGroup }: EscalationDeps,
  { user, namespace }: Writer,
  verb: string,
  resource: string,
  name: string,
): Attributes {
  return {
    user,
    verb,
    isResourceRequest: true,
    path: '',
    namespace,
    apiGroup: rbacGroup,
    apiVersion: '*',
    resource,
    subresource: '',
    name,
  };
}

const unanswered = newServiceUnavailable('whether this may be granted could not be found out');

function checkWrite(
  deps: EscalationDeps,
  writer: Writer,
  may: May,
  next: ApiObject,
  current: ApiObject | undefined,
): StatusError | undefined {
  if (current !== undefined && changesOwnersAlone(next, current)) return undefined;
  const isBinding = writer.resource.endsWith('bindings');
  return isBinding
    ? checkBinding(deps, writer, may, next)
    : checkRole(deps, writer, may, next, current);
}

function checkRole(
  deps: EscalationDeps,
  writer: Writer,
  may: May,
  next: ApiObject,
  current: ApiObject | undefined,
): StatusError | undefined {
  const { name = '' } = next.metadata;
  const escalate = may('escalate', writer.resource, name);
  if (escalate !== false) return escalate ? undefined : unanswered;
  const why = uncovered(deps, writer, rulesOf(next));
  if (why !== undefined) return forbidden(deps, writer, name, why);
  const aggregates =
    next['aggregationRule'] !== undefined || current?.['aggregationRule'] !== undefined;
  if (!aggregates || uncovered(deps, writer, everything) === undefined) return undefined;
  const needed = 'must have cluster-admin privileges to use the aggregationRule';
  return forbidden(deps, writer, name, needed);
}

const nothing = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
const everything: readonly PolicyRule[] = [
  { ...nothing, verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { ...nothing, verbs: ['*'], nonResourceURLs: ['*'] },
];

function checkBinding(
  deps: EscalationDeps,
  writer: Writer,
  may: May,
  next: ApiObject,
): StatusError | undefined {
  const ref = roleRefOf(next);
  const resource = ref.kind === 'Role' ? 'roles' : 'clusterroles';
  const bind = may('bind', resource, ref.name);
  if (bind !== false) return bind ? undefined : unanswered;
  const role = referredRole(ref, writer.namespace);
  const rules = role === undefined ? undefined : deps.index.rules(role);
  if (rules === undefined) return newNotFound({ group: deps.rbacGroup, resource }, ref.name);
  const why = uncovered(deps, writer, rules);
  return why === undefined ? undefined : forbidden(deps, writer, next.metadata.name ?? '', why);
}

function forbidden(
  { rbacGroup }: EscalationDeps,
  { resource }: Writer,
  name: string,
  why: string,
): StatusError {
  return newForbidden({ group: rbacGroup, resource }, name, why);
}

/** Why these rules cannot be granted by the writer. */
function uncovered(
  { rbac }: EscalationDeps,
  { user, namespace }: Writer,
  rules: readonly PolicyRule[],
): string | undefined {
  const owned = rbac.grantedRules(user, namespace);
  const missing = uncoveredRules(owned.rules, rules);
  if (missing.length === 0) return undefined;
  const shown = [...new Set(compactRules(missing).map(describeRule))].sort();
  const who = `user ${quote(user.name)} (groups=${quoteList(user.groups)})`;
  const errors =
    owned.errors.length === 0 ? '' : `; resolution errors: [${owned.errors.join(', ')}]`;
  return (
    `${who} is attempting to grant RBAC permissions not currently held:\n` +
    `${shown.join('\n')}${errors}`
  );
}
