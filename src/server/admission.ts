/**
 * Who has a say in writes: what authorization says of roles and bindings, then the admission
 * plugins that the flags leave on.
 *
 * What it is not: the reviews (src/admission), or the order of a request (endpoints/filters).
 */
import { admissionGuards } from '../admission/chain.ts';
import type { AdmissionObjects } from '../admission/admission.ts';
import { createAdmissionPlugins } from '../admission/plugins.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { Authorization } from '../authorization/authorization.ts';
import { allGuards } from '../registry/write-guard.ts';
import type { GuardOf } from '../registry/write-guard.ts';
import type { Streams } from '../../streams/streams.ts';
import type { CompletedConfig } from './options.ts';
import { createObjectReader } from './token-methods.ts';

export interface WriteGuardDeps {
  readonly identity: Identity;
  readonly streams: Streams;
  readonly authorization: Authorization;
}

export function writeGuards(
  { admission, featureGates }: CompletedConfig,
  { authorization, identity, streams }: WriteGuardDeps,
): GuardOf {
  const reader = createObjectReader(streams);
  const objects: AdmissionObjects = {
    get: (resource, namespace, name) => reader.get(resource, namespace, name)?.object,
    current: () => reader.current(),
  };
  const audiences = featureGates.get('ServiceAccountNodeAudienceRestriction') ?? false;
  const plugins = createAdmissionPlugins(admission.plugins, identity, objects, { audiences });
  return allGuards([authorization.guardOf, admissionGuards(plugins, authorization)]);
}
