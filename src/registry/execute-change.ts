/**
 * Sends a change to the object's actor and reads its outcome.
 *
 * The actor decides, with decide.ts, on the object as it then is.
 */
import { unreachable } from '../stdx/assert.ts';
import { wholeTurnMs } from '../stdx/turns.ts';
import { objectKey } from '../storage/keys.ts';
import { executeWithCompanions } from './execute-with-companions.ts';
import type { FinalOutcome } from './execute-with-companions.ts';
import { conditionRefusal, creationConditions } from './creation-conditions.ts';
import type { WriteOptions } from './create.ts';
import type { ObjectTarget, RegistryDeps, Result, WriteResult } from './registry.ts';
import { ok, refused } from './registry.ts';
import { changeCommand } from './write-command.ts';
import { operations } from './write-guard.ts';
import { deliverNotes, writeTerms } from './write-terms.ts';
import type { WriteBody } from './write-command.ts';
import { writtenObject } from './written-object.ts';
import type { SettledOutcome } from './written-object.ts';

/** The subresource: status, or one that the kind's strategy names; undefined: the object itself. */
export type Subresource = string | undefined;

export interface Change {
  readonly body: WriteBody;
  readonly options: WriteOptions;
  readonly subresource: Subresource;
  /** The change may create a missing object. */
  readonly mayCreate: boolean;
}

export async function executeChange(
  deps: RegistryDeps,
  target: ObjectTarget,
  change: Change,
): Promise<Result<WriteResult>> {
  const changed = await changeOutcome(deps, target, change);
  if (changed.kind === 'refused') return changed;
  const { value } = changed;
  const { name, namespace } = target;
  return ok(writtenObject(value, namespace, name, value.kind === 'created', value.warnings));
}

/** What became of the change, for who shows something else than the bytes of the object. */
export async function changeOutcome(
  deps: RegistryDeps,
  target: ObjectTarget,
  { body, mayCreate, options, subresource }: Change,
): Promise<Result<SettledOutcome>> {
  const { creationRefusal, dryRun, inTurns = false, manager = '', request, user } = options;
  const { kind, name, namespace } = target;
  const write = { kind, namespace, name, subresource };
  // The guards of an operation have been asked about the posted object.
  const isGuarded = user !== undefined && body.verb !== 'operation';
  const ofWhat = mayCreate ? operations.updateOrCreate : operations.update;
  const guard = isGuarded ? deps.guardOf?.(user, write, ofWhat) : undefined;
  const current = guard?.current(request?.exchange);
  if (current !== undefined) await current;
  const command = changeCommand(deps, target, body, {
    subresource: subresource ?? '',
    manager,
    user,
    asks: guard?.asks,
    terms: guard && writeTerms(deps.clock, dryRun, request),
    dryRun,
    mayCreate,
    creationRefusal,
    conditions: mayCreate ? creationConditions(kind, namespace) : [],
    inTurns,
  });
  const key = objectKey(kind.storage, namespace, name);
  const outcome = await executeWithCompanions(deps, target, dryRun, () =>
    deps.actors.execute(key, command, undefined, request),
  );
  // The commit's own turn has the followers of the change in it.
  if (inTurns) await deps.turns.pause(wholeTurnMs);
  deliverNotes(request, outcome.notes);
  if (outcome.kind === 'refused') request?.warnings.push(...(outcome.error.warnings ?? []));
  return settled(outcome, target);
}

function settled(outcome: FinalOutcome, target: ObjectTarget): Result<SettledOutcome> {
  switch (outcome.kind) {
    case 'created':
    case 'replaced':
    case 'unchanged':
    case 'marked':
    case 'removed':
      return ok(outcome);
    case 'refused':
      return outcome;
    case 'condition-failed':
      return refused(conditionRefusal(target, target.name, outcome));
    default:
      return unreachable(outcome);
  }
}
