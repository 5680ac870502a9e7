/**
 * Which object a writer means: by its uid, by its version, or whichever is there.
 *
 * Invariants: pure. A stale resourceVersion, or another uid, is a Conflict.
 */
import { isCredentialKind } from '../apimachinery/credential-kinds.ts';
import { invalid } from '../apimachinery/field-error.ts';
import { newConflict, newInvalid } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { CurrentObject } from '../../actors/actors.ts';
import type { ObjectTarget } from './registry.ts';

export interface Preconditions {
  readonly uid: string | undefined;
  /** '' and '0' mean: none. */
  readonly resourceVersion: string | undefined;
}

export function preconditionsOf(object: ApiObject): Preconditions {
  return { uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion };
}

export function hasVersion({ resourceVersion: version }: Preconditions): boolean {
  return version !== undefined && version !== '' && version !== '0';
}

export function namesUid(preconditions: Preconditions): boolean {
  return (preconditions.uid ?? '') !== '';
}

/** The object that the client means is not the current one, or there is none. */
export function uidConflict(
  { kind, name }: ObjectTarget,
  expected: string,
  found: string,
): StatusError {
  // A patch may have copied a credential there.
  const meant = isCredentialKind(kind.kind) ? 'another' : expected;
  const uids = `UID in precondition: ${meant}, UID in object meta: ${found}`;
  return newConflict(kind, name, `Precondition failed: ${uids}`);
}

/** Undefined when the current object is the one that the client meant. */
export function preconditionConflict(
  expected: Preconditions,
  current: CurrentObject,
  target: ObjectTarget,
): StatusError | undefined {
  const other = otherObject(expected, current, target);
  if (other !== undefined) return other;
  if (hasVersion(expected) && expected.resourceVersion !== current.revision?.toString()) {
    return newConflict(target.kind, target.name);
  }
  return undefined;
}

/** The client meant another object of this name. */
export function otherObject(
  expected: Preconditions,
  current: CurrentObject,
  target: ObjectTarget,
): StatusError | undefined {
  const uid = current.object.metadata.uid ?? '';
  const meant = expected.uid ?? '';
  return meant === '' || meant === uid ? undefined : uidConflict(target, meant, uid);
}

/** Why an object that must not be overwritten unseen is not: the write names no version. Asked of
 * writes over an existing object only: a PUT that creates has no version to name. */
export function missingVersion(
  { kind, name }: ObjectTarget,
  { metadata }: ApiObject,
): StatusError | undefined {
  const { resourceVersion } = metadata;
  if (kind.allowUnconditionalUpdate || hasVersion({ uid: undefined, resourceVersion })) {
    return undefined;
  }
  const why = 'must be specified for an update';
  const error = invalid('metadata.resourceVersion', resourceVersion ?? '', why);
  // The kind's place is taken by its resource, and the number is in hexadecimal digits.
  return newInvalid({ group: kind.group, kind: kind.resource }, name, [{ ...error, shown: '0x0' }]);
}
