/**
 * Changes by the server itself (its controllers): from the current object to the wanted one.
 *
 *   the cache's object ──change──▶ what it should be ──▶ a write on that very version ──▶ done
 *          ▲                                                        │ it has changed meanwhile
 *          └──────────── the cache, when it is current ◀────────────┘
 *
 * Clients' changes take another way: the object's actor decides them on the current state. A
 * command is data and cannot hold a function; so the function is applied here, and the write is
 * bound to the version that it was applied to.
 *
 * Invariants: a state that `change` has not seen is never overwritten; a change without effect
 * writes nothing. Bound: `attemptsMax` attempts on an object that keeps changing.
 */
import { decodeObject, decodeSharedSteps, isLarge } from '../apimachinery/object-encoding.ts';
import { objectAtVersion } from '../apimachinery/object-version.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import { isConflict, newConflict, newNotFound } from '../apimachinery/status-error.ts';
import { without } from '../apimachinery/unstructured.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { wholeTurnMs } from '../stdx/turns.ts';
import type { CurrentObject } from '../../actors/actors.ts';
import type { Entry } from '../../streams/streams.ts';
import type { WriteOptions } from './create.ts';
import { executeChange } from './execute-change.ts';
import type { Subresource } from './execute-change.ts';
import { tracked } from './field-ownership.ts';
import { preconditionConflict, preconditionsOf } from './preconditions.ts';
import type { Preconditions } from './preconditions.ts';
import type { ObjectTarget, RegistryDeps, Result } from './registry.ts';
import { ok, refused } from './registry.ts';
import { writerOf } from './update.ts';
import { produced } from './production.ts';
import type { Production } from './production.ts';
import { toDecidedVersion } from './versions.ts';
import type { DecisionScope, WriteInput } from './write-command.ts';

const attemptsMax = 16;

export interface ObjectChange {
  /** Returns the wanted object, with its resourceVersion; the object itself, or undefined, if
   * nothing is to be changed. */
  readonly change: (object: ApiObject) => ApiObject | undefined;
  readonly options: WriteOptions;
  readonly subresource?: Subresource;
  /** The uid and version of the object that is meant; absent: any. */
  readonly expected?: Preconditions | undefined;
  /** `update`: validated like an update. `overwrite`: not validated, because the change only
   * removes something and must always be possible. `overwrite-unowned`: and without field
   * ownership. */
  readonly how: 'update' | 'overwrite' | 'overwrite-unowned';
}

/** Returns whether something was written; NotFound if there is no object. */
export async function changeObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  { change, expected, how, options, subresource }: ObjectChange,
): Promise<Result<boolean>> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const isFirst = attempt === 0;
    if (!isFirst) await deps.streams.waitUntilCurrent();
    const entry = deps.streams.snapshot(target.kind.storage).get(target.namespace, target.name);
    const current =
      entry !== undefined && isLarge(entry.bytes)
        ? await runToEnd(deps.turns, decodedSteps(entry, target))
        : entry && decoded(entry, target);
    const problem =
      current === undefined
        ? newNotFound(target.kind, target.name)
        : expected && preconditionConflict(expected, asCurrent(current), target);
    if (current === undefined || problem !== undefined) {
      if (isFirst) continue;
      return refused(problem ?? newNotFound(target.kind, target.name));
    }
    const object = change(current);
    if (object === undefined || object === current) return ok(false);
    const verb = how;
    if (entry !== undefined && isLarge(entry.bytes)) await deps.turns.pause(wholeTurnMs);
    const body = {
      verb,
      object: { ...object, metadata: boundToCurrent(object, current) },
    } as const;
    const result = await executeChange(deps, target, {
      body,
      options,
      subresource,
      mayCreate: false,
    });
    if (result.kind === 'ok') return ok(true);
    if (!isConflict(result.error)) return result;
  }
  return refused(newConflict(target.kind, target.name));
}

function decoded({ bytes }: Entry, { kind }: ObjectTarget): ApiObject {
  return objectAtVersion(decodeObject(bytes), formatGroupVersion(kind), kind.conversions);
}

function* decodedSteps({ bytes }: Entry, { kind }: ObjectTarget): Steps<ApiObject> {
  const object = yield* decodeSharedSteps(bytes);
  return objectAtVersion(object, formatGroupVersion(kind), kind.conversions);
}

function asCurrent(object: ApiObject): CurrentObject {
  const { resourceVersion = '0' } = object.metadata;
  return { object, revision: BigInt(resourceVersion) as NonNullable<CurrentObject['revision']> };
}

/** Whatever was changed of it: the object that was seen, as it was seen. */
function boundToCurrent({ metadata }: ApiObject, current: ApiObject): ObjectMeta {
  const { resourceVersion, uid } = current.metadata;
  return { ...metadata, uid, resourceVersion };
}

/** The object as it was sent, where it is still the one that was seen. */
export function decideOverwrite(
  scope: DecisionScope,
  target: ObjectTarget,
  sent: ApiObject,
  input: WriteInput,
  current: CurrentObject,
): Production {
  const conflict = preconditionConflict(preconditionsOf(sent), current, target);
  if (conflict !== undefined) return refused(conflict);
  const { kind } = target;
  const metadata = without(sent.metadata, 'resourceVersion');
  const next = toDecidedVersion({ ...sent, metadata }, kind);
  if (input.verb === 'overwrite-unowned') return produced(next);
  return produced(tracked(scope, kind, writerOf(input), next, current.object));
}
