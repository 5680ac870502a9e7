/**
 * The writes of garbage collection. Each holds only for the very state it was decided on: uid and
 * resourceVersion are preconditions, so what has changed meanwhile is looked at again instead.
 *
 * It knows no graph.
 */
import type { PropagationPolicy } from '../apimachinery/delete-options.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';
import { changeObject } from '../registry/change-object.ts';
import { deleteObject } from '../registry/delete.ts';
import { withFinalizers } from '../registry/deletion-finalizers.ts';
import type { ObjectTarget, RegistryDeps, Result } from '../registry/registry.ts';
import type { Entry } from '../../streams/streams.ts';

/** Under which name it owns what it writes, which is nothing that stays. */
const manager = 'garbage-collector';

/** An object as it was when the decision was made. */
export interface Observed {
  readonly kind: KindInfo;
  readonly entry: Entry;
  readonly uid: string;
}

export async function deleteObserved(
  registry: RegistryDeps,
  observed: Observed,
  propagationPolicy: PropagationPolicy,
): Promise<boolean> {
  const preconditions = preconditionsOf(observed);
  const options = { dryRun: false, preconditions, propagationPolicy };
  return settled(await deleteObject(registry, targetOf(observed), options));
}

export function forgetOwners(
  registry: RegistryDeps,
  observed: Observed,
  uids: ReadonlySet<string>,
): Promise<boolean> {
  return replace(registry, observed, (object) => withoutOwners(object, uids));
}

export function releaseFinalizer(
  registry: RegistryDeps,
  observed: Observed,
  finalizer: string,
): Promise<boolean> {
  return replace(registry, observed, (object) => {
    const held = object.metadata.finalizers ?? [];
    return withFinalizers(
      object,
      held.filter((name) => name !== finalizer),
    );
  });
}

/** Not validated again: what is taken away makes nothing worse, and has to be possible. */
async function replace(
  registry: RegistryDeps,
  observed: Observed,
  change: (object: ApiObject) => ApiObject,
): Promise<boolean> {
  const result = await changeObject(registry, targetOf(observed), {
    change,
    options: { dryRun: false, manager },
    expected: preconditionsOf(observed),
    how: 'overwrite',
  });
  return settled(result);
}

function withoutOwners(object: ApiObject, uids: ReadonlySet<string>): ApiObject {
  const { ownerReferences = [], ...rest } = object.metadata;
  const kept = ownerReferences.filter(({ uid }) => !uids.has(uid));
  const metadata: ObjectMeta = kept.length === 0 ? rest : { ...rest, ownerReferences: kept };
  return { ...object, metadata };
}

function targetOf({ kind, entry: { namespace, name } }: Observed): ObjectTarget {
  return { kind, namespace, name };
}

function preconditionsOf({ entry, uid }: Observed): { uid: string; resourceVersion: string } {
  return { uid, resourceVersion: entry.revision.toString() };
}

/** False: it was not the object that the decision was about any more; it is looked at again. */
function settled(result: Result<unknown>): boolean {
  if (result.kind === 'ok' || nothingLeft.has(result.error.reason)) return true;
  if (result.error.reason === StatusReason.conflict) return false;
  throw result.error;
}

/** Gone already; and what may not be deleted at all will not be the next time either. */
const nothingLeft: ReadonlySet<string> = new Set([StatusReason.notFound, StatusReason.forbidden]);
