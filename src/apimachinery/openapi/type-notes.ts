/**
 * What OpenAPI says of types beyond the catalogue: discriminated unions, which enumerations are
 * closed, named constants that are defaults. Data.
 */
import { lookup } from '../../stdx/lookup.ts';
import type { JsonObject } from '../unstructured.ts';

/** Type without its version ▶ its union. */
const unions: Readonly<Record<string, JsonObject>> = lookup({
  'flowcontrol.LimitResponse': {
    discriminator: 'type',
    'fields-to-discriminateBy': { queuing: 'Queuing' },
  },
  'flowcontrol.PriorityLevelConfigurationSpec': {
    discriminator: 'type',
    'fields-to-discriminateBy': { exempt: 'Exempt', limited: 'Limited' },
  },
  'flowcontrol.Subject': {
    discriminator: 'kind',
    'fields-to-discriminateBy': { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' },
  },
});

export function unionsOf(typeName: string): JsonObject {
  const union = unions[typeName.replace(/\/[^.]+/, '')];
  return union === undefined ? {} : { 'x-kubernetes-unions': [union] };
}

/** What components report: they may know more values than this release. */
const reported: ReadonlySet<string> = new Set([
  'reason',
  'core.NodeAddress.type',
  'certificates.CertificateSigningRequestSpec.signerName',
]);

/** Whether the values that are known are all there can be: a generated client refuses others.
 * `openValues` names fields whose values nobody lists: `core.Secret.type`. */
export function isClosedEnum(
  typeName: string,
  field: string,
  openValues: ReadonlySet<string>,
): boolean {
  if (reported.has(field)) return false;
  if (field === 'type' && typeName.endsWith('Condition')) return false;
  const name = `${typeName.replace(/\/[^.]+/, '')}.${field}`;
  return !reported.has(name) && !openValues.has(name);
}

export const namedDefaults: Readonly<Record<string, string>> = lookup({
  AzureSharedBlobDisk: 'Shared',
  AzureDataDiskCachingReadWrite: 'ReadWrite',
});
