/**
 * An object of one version as another version of its kind shows it (spec 1, section 9).
 *
 * Invariants: pure. Versions without a conversion share their fields: only apiVersion changes.
 */
import type { KindInfo } from './scheme.ts';
import { withMember } from './unstructured.ts';
import type { ApiObject } from './unstructured.ts';

/** Thrown by a conversion that has to ask somebody else first: the registry does, and tries again.
 * Only of kinds whose definition has a conversion webhook. */
export class ConversionMissing extends Error {
  override readonly name = 'ConversionMissing';
  readonly object: ApiObject;
  readonly apiVersion: string;
  constructor(object: ApiObject, apiVersion: string) {
    super('the object has not been converted yet');
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** Both versions are of the resource that the conversions are of. */
export function objectAtVersion(
  object: ApiObject,
  apiVersion: string,
  conversions: KindInfo['conversions'],
): ApiObject {
  if (object.apiVersion === apiVersion) return object;
  const from = conversions?.get(object.apiVersion);
  const to = conversions?.get(apiVersion);
  const hub = from === to || from === undefined ? object : from.toHub(object);
  const shown = from === to || to === undefined ? hub : to.fromHub(hub);
  return labelled(shown, shown.kind, apiVersion);
}

/** With this kind and apiVersion, whatever the object says. */
export function labelled(object: ApiObject, kind: string, apiVersion: string): ApiObject {
  // Its encoding has them first in any case.
  if (object.kind === kind && object.apiVersion === apiVersion) return object;
  return withMember(withMember(object, 'kind', kind), 'apiVersion', apiVersion);
}
