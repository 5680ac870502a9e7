/**
 * The status of a definition: which names are accepted, whether it is served, and how far its
 * deletion is. Reasons and messages are those that clients of the reference know.
 *
 * Invariants: pure. A condition's time changes with its status only; a status that says the same is
 * the very same object, so that nothing is written. A definition that was established stays so.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { isCaBundle } from '../conversion/ca-bundle.ts';
import type { ApprovalState } from '../custom-schema.ts';
import { isTrue, namesOf } from '../serving/definition-summary.ts';
import type { DefinitionNames } from '../serving/definition-summary.ts';
import { acceptNames } from './names.ts';
import type { TakenNames } from './names.ts';

export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The first of two steps: names, and that nothing but them was missing. */
export function withNaming(
  definition: ApiObject,
  others: TakenNames,
  approval: ApprovalState | undefined,
  nowMs: number,
): ApiObject {
  const status = part(definition, 'status');
  const requested = namesOf(part(part(definition, 'spec'), 'names'));
  const before = namesOf(part(status, 'acceptedNames'));
  const { accepted, conflict } = acceptNames(requested, before, others);
  const naming: DefinitionCondition =
    conflict === undefined
      ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found')
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  const established = isTrue(status, 'Established')
    ? []
    : [conflict === undefined ? beforeServing(definition) : notAccepted];
  const approved: readonly DefinitionCondition[] =
    approval === undefined ? [] : [{ type: 'KubernetesAPIApprovalPolicyConformant', ...approval }];
  const named = withStatus(definition, { acceptedNames: namesObject(accepted) });
  return withDefinitionConditions(named, [naming, ...established, ...approved], nowMs);
}

/** The second: it is served from now on, if its objects can be converted. */
export function withEstablishment(definition: ApiObject, nowMs: number): ApiObject {
  const status = part(definition, 'status');
  if (!isTrue(status, 'NamesAccepted') || isTrue(status, 'Established')) return definition;
  if (!canBeConverted(definition)) return definition;
  const message = 'the initial names have been accepted';
  const says = condition('Established', 'True', 'InitialNamesAccepted', message);
  return withDefinitionConditions(definition, [says], nowMs);
}

const notAccepted = condition('Established', 'False', 'NotAccepted', 'not all names are accepted');

function beforeServing(definition: ApiObject): DefinitionCondition {
  if (canBeConverted(definition)) {
    return condition('Established', 'False', 'Installing', 'the initial names have been accepted');
  }
  const message = 'The conversion webhook CABundle is invalid';
  return condition('Established', 'False', 'InvalidCABundle', message);
}

/** Its webhook has no CA of its own, or one that can be read. Whoever issues it may come later. */
function canBeConverted(definition: ApiObject): boolean {
  const webhook = part(part(part(definition, 'spec'), 'conversion'), 'webhook');
  const bundle = text(part(webhook, 'clientConfig'), 'caBundle');
  return bundle === '' || isCaBundle(bundle);
}

export const deletionConditions = {
  pending: terminating(
    'True',
    'InstanceDeletionPending',
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  ),
  inProgress: terminating(
    'True',
    'InstanceDeletionInProgress',
    'CustomResource deletion is in progress',
  ),
  completed: terminating('False', 'InstanceDeletionCompleted', 'removed all instances'),
  neverEstablished: terminating('False', 'NeverEstablished', 'resource was never established'),
  builtIn: terminating(
    'False',
    'OverlappingBuiltInResource',
    'instances overlap with built-in resources in storage',
  ),
  failed: (why: string) =>
    terminating('True', 'InstanceDeletionFailed', `could not issue all deletes: ${why}`),
  remaining: (why: string) =>
    terminating(
      'True',
      'InstanceDeletionCheck',
      `could not confirm zero CustomResources remaining: ${why}`,
    ),
} as const;

function terminating(
  status: 'True' | 'False',
  reason: string,
  message: string,
): DefinitionCondition {
  return condition('Terminating', status, reason, message);
}

function condition(
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
): DefinitionCondition {
  return { type, status, reason, message };
}

/** Each takes the place of the one of its type, or comes behind the others. */
export function withDefinitionConditions(
  definition: ApiObject,
  findings: readonly DefinitionCondition[],
  nowMs: number,
): ApiObject {
  const before = objects(part(definition, 'status'), 'conditions');
  const all = [...before];
  for (const { type, status, reason, message } of findings) {
    const at = all.findIndex((each) => each['type'] === type);
    const was = all[at];
    const since = was?.['status'] === status ? was['lastTransitionTime'] : undefined;
    const lastTransitionTime = since ?? formatRfc3339(nowMs);
    const says = { lastTransitionTime, message, reason, status, type };
    if (was === undefined) all.push(says);
    else if (!deepEqual(was, says)) all[at] = says;
  }
  const same = all.length === before.length && all.every((each, i) => each === before[i]);
  return same ? definition : withStatus(definition, { conditions: all });
}

function withStatus(definition: ApiObject, members: JsonObject): ApiObject {
  const status = part(definition, 'status');
  const same = Object.entries(members).every(([name, value]) => deepEqual(status[name], value));
  return same ? definition : { ...definition, status: { ...status, ...members } };
}

function namesObject(names: DefinitionNames): JsonObject {
  const { categories, kind, listKind, plural, shortNames, singular } = names;
  return {
    ...(categories.length === 0 ? {} : { categories }),
    kind,
    ...(listKind === '' ? {} : { listKind }),
    plural,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(singular === '' ? {} : { singular }),
  };
}
