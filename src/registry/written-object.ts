/**
 * The answer to a write: the actor's outcome with its resourceVersion stamped in.
 *
 * A dry run has no revision of its own: the one it was decided on is shown, or none ("0" is never
 * a revision of an object) for an object that does not exist.
 */
import { stampForAnswer } from '../apimachinery/object-encoding.ts';
import { stampWritten } from '../apimachinery/written-stamps.ts';
import { withMember, withMetadata, without } from '../apimachinery/unstructured.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { revisionZero } from '../storage/storage.ts';
import type { FinalOutcome } from './execute-with-companions.ts';
import type { StoredObject, WriteResult } from './registry.ts';

/** Of a write that was neither refused nor kept back. */
export type SettledOutcome = Exclude<
  FinalOutcome,
  { kind: 'refused' } | { kind: 'condition-failed' }
>;

export function storedObject(
  outcome: SettledOutcome,
  namespace: string,
  name: string,
): StoredObject {
  const { revision } = outcome;
  return { namespace, name, revision: revision ?? revisionZero, bytes: shownBytes(outcome) };
}

export function writtenObject(
  outcome: SettledOutcome,
  namespace: string,
  name: string,
  created: boolean,
  warnings: readonly string[],
): WriteResult {
  const revision = outcome.revision ?? revisionZero;
  return { namespace, name, revision, bytes: shownBytes(outcome), created, warnings };
}

/** What these bytes would be read as. */
export function shownObject({ object, revision }: SettledOutcome): ApiObject {
  const { metadata } = object;
  const shown =
    revision === undefined
      ? without(metadata, 'resourceVersion')
      : withMember(metadata, 'resourceVersion', revision.toString());
  return withMetadata(object, shown);
}

function shownBytes({ kind, revision, bytes, metadataAt }: SettledOutcome): Uint8Array {
  if (revision === undefined) return bytes;
  return kind === 'created' || kind === 'replaced'
    ? stampWritten(bytes, metadataAt, revision)
    : stampForAnswer(bytes, metadataAt, revision);
}
