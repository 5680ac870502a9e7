/**
 * Nobody may grant rights that they do not have: RBAC's check of writes of roles and bindings (spec
 * 2, section 5.6; verbs `escalate` and `bind` of section 5.5).
 *
 *     role       may `escalate` it?  ▶ yes | its rules within the writer's own? ▶ yes | 403
 *                aggregationRule, now or before ▶ the writer has everything? | 403
 *     binding    may `bind` the role? ▶ yes | the role's rules within the writer's own? ▶ yes | 403
 *
 * It is asked also where RBAC is not among the modes, and does not look at who gets the grant.
 *
 * Invariants: members of system:masters are not asked about. A write that changes only what
 * garbage collection changes is not measured: else objects could not go. A role that is not there
 * cannot be bound without `bind`: nobody knows what it would grant.
 *
 * Bounds: rule-cover.ts. Where there are more than `rulesAtOnce` rules other requests have their
 * turn in between. A refusal names `shownSinglesMax` single rules.
 */
import { changesOwnersAlone } from '../../apimachinery/owner-changes.ts';
import {
  newForbidden,
  newNotFound,
  newServiceUnavailable,
} from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { startedAtOnce } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { Attributes } from '../authorizer.ts';
import { rulesOf } from './policy-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { GrantedRules, RbacAuthorizer } from './rbac-authorizer.ts';
import { referredRole } from './rbac-index.ts';
import type { RbacIndex } from './rbac-index.ts';
import { roleRefOf } from './rbac-objects.ts';
import {
  compactRules,
  describeRule,
  quoteList,
  singleRulesCount,
  uncoveredSteps,
} from './rule-cover.ts';

/** Rules that somebody has, and single rules that are measured by them, in one turn. */
const rulesAtOnce = 500;

const shownSinglesMax = 1000;

export interface EscalationDeps {
  readonly turns: Pick<Turns, 'run'>;
  readonly rbac: Pick<RbacAuthorizer, 'grantedRules'>;
  readonly index: Pick<RbacIndex, 'rules'>;
  readonly rbacGroup: string;
}

/** A write of a role or a binding. `next` undefined: a deletion, which grants nothing. */
interface Grant {
  readonly user: UserInfo;
  readonly namespace: string;
  readonly resource: GroupResource;
  readonly next: ApiObject | undefined;
  readonly current: ApiObject | undefined;
}

/** Whether the authorizers allow this. Undefined: they are being asked, and so is this again. */
type Ask = (attributes: Attributes) => boolean | undefined;

/** One check against escalation, for the resources that it names. */
export interface EscalationCheck {
  readonly name: string;
  /** `<group>/<resource>`. */
  readonly resources: readonly string[];
  concerns(user: UserInfo, write: Pick<Grant, 'resource'>): boolean;
  validate(grant: Grant, pass: { readonly ask: Ask }): Awaitable<StatusError | undefined>;
}

export function escalationCheck(deps: EscalationDeps): EscalationCheck {
  return {
    name: 'RBACEscalation',
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].map(
      (resource) => `${deps.rbacGroup}/${resource}`,
    ),
    concerns: (user, { resource }) =>
      resource.group === deps.rbacGroup && !user.groups.includes(wellKnownGroups.masters),
    validate({ current, namespace, next, resource, user }, { ask }) {
      if (next === undefined) return undefined;
      const writer = { user, namespace, resource: resource.resource };
      const may: May = (verb, of, name) => ask(attributesOf(deps, writer, verb, of, name));
      return checkWrite(deps, writer, may, next, current);
    },
  };
}

interface Writer {
  readonly user: UserInfo;
  readonly namespace: string;
  readonly resource: string;
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
): Awaitable<StatusError | undefined> {
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
): Awaitable<StatusError | undefined> {
  const { name = '' } = next.metadata;
  const escalate = may('escalate', writer.resource, name);
  if (escalate !== false) return escalate ? undefined : unanswered;
  const aggregates =
    next['aggregationRule'] !== undefined || current?.['aggregationRule'] !== undefined;
  return after(uncovered(deps, writer, rulesOf(next)), (why) => {
    if (why !== undefined) return forbidden(deps, writer, name, why);
    if (!aggregates) return undefined;
    return after(uncovered(deps, writer, everything), (missing) => {
      if (missing === undefined) return undefined;
      const needed = 'must have cluster-admin privileges to use the aggregationRule';
      return forbidden(deps, writer, name, needed);
    });
  });
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
): Awaitable<StatusError | undefined> {
  const ref = roleRefOf(next);
  const resource = ref.kind === 'Role' ? 'roles' : 'clusterroles';
  const bind = may('bind', resource, ref.name);
  if (bind !== false) return bind ? undefined : unanswered;
  const role = referredRole(ref, writer.namespace);
  const rules = role === undefined ? undefined : deps.index.rules(role);
  if (rules === undefined) return newNotFound({ group: deps.rbacGroup, resource }, ref.name);
  return after(uncovered(deps, writer, rules), (why) =>
    why === undefined ? undefined : forbidden(deps, writer, next.metadata.name ?? '', why),
  );
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
  { rbac, turns }: EscalationDeps,
  { user, namespace }: Writer,
  rules: readonly PolicyRule[],
): Awaitable<string | undefined> {
  const work = missingSteps(rbac.grantedRules(user, namespace), rules);
  return after(startedAtOnce(turns, work), ({ missing, errors }) =>
    missing.length === 0 ? undefined : problemOf(user, missing, errors),
  );
}

interface Missing {
  readonly missing: readonly PolicyRule[];
  /** Bindings that lead to no role. */
  readonly errors: readonly string[];
}

function* missingSteps(granted: Steps<GrantedRules>, rules: readonly PolicyRule[]): Steps<Missing> {
  const owned = yield* granted;
  let count = owned.rules.length;
  for (const rule of rules) count += singleRulesCount(rule);
  if (count > rulesAtOnce) yield;
  return { missing: yield* uncoveredSteps(owned.rules, rules), errors: owned.errors };
}

function problemOf(
  user: UserInfo,
  missing: readonly PolicyRule[],
  errors: readonly string[],
): string {
  const some = missing.slice(0, shownSinglesMax);
  const shown = [...new Set(compactRules(some).map(describeRule))].sort();
  if (missing.length > some.length) shown.push(`and ${missing.length - some.length} more`);
  const who = `user ${quote(user.name)} (groups=${quoteList(user.groups)})`;
  const unresolved = errors.length === 0 ? '' : `; resolution errors: [${errors.join(', ')}]`;
  return (
    `${who} is attempting to grant RBAC permissions not currently held:\n` +
    `${shown.join('\n')}${unresolved}`
  );
}
