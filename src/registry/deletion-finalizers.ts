/**
 * Which of the collector's two finalizers a deleted object gets (spec 1, sections 2.7 and 3.1).
 *
 *   Foreground   foregroundDeletion   it goes after the dependents that block it
 *   Orphan       orphan               it goes after its dependents have forgotten it
 *   Background   neither              it goes at once, its dependents after it
 *
 * In order of weight: what the request says, what the object already carries, what its kind does.
 *
 * The garbage collector acts on these finalizers. Pure.
 */
import type { DeleteOptions, PropagationPolicy } from '../apimachinery/delete-options.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { withMember, without } from '../apimachinery/unstructured.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';

type Names = Identity['finalizers'];

/** The object with the finalizers that it keeps when it is deleted with these options; the same
 * object if nothing changes. */
export function withDeletionFinalizers(
  object: ApiObject,
  kind: KindInfo,
  options: DeleteOptions,
  names: Names,
): ApiObject {
  const held = object.metadata.finalizers ?? [];
  const policy = policyOf(held, kind, options, names);
  const next = held.filter((name) => name !== names.orphan && name !== names.foreground);
  if (policy === 'Orphan') next.push(names.orphan);
  if (policy === 'Foreground') next.push(names.foreground);
  if (next.length === held.length && next.every((name) => held.includes(name))) return object;
  return withFinalizers(object, next);
}

/** An empty list is written as no member. */
export function withFinalizers(object: ApiObject, finalizers: readonly string[]): ApiObject {
  const metadata: ObjectMeta =
    finalizers.length === 0
      ? without(object.metadata, 'finalizers')
      : withMember(object.metadata, 'finalizers', finalizers);
  return { ...object, metadata };
}

function policyOf(
  held: readonly string[],
  kind: KindInfo,
  options: DeleteOptions,
  names: Names,
): PropagationPolicy {
  if (kind.dependents === 'none') return 'Background';
  // The old form: `false` asks for deletion, without saying which.
  if (options.orphanDependents !== undefined) {
    return options.orphanDependents ? 'Orphan' : 'Background';
  }
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  const own = held.find((name) => name === names.orphan || name === names.foreground);
  if (own !== undefined) return own === names.orphan ? 'Orphan' : 'Foreground';
  return kind.dependents === 'orphan' ? 'Orphan' : 'Background';
}
