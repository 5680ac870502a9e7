/**
 * What OpenAPI says of types beyond the catalogue: discriminated unions, which enumerations are
 * closed, named constants that are defaults. Data.
 */
import type { JsonObject } from '../unstructured.ts';

/** Type without its version ▶ its union. */
const unions: Readonly<Record<string, JsonObject>> = {
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
};

export function unionsOf(typeName: string): JsonObject {
  const union = unions[typeName.replace(/\/[^.]+/, '')];
  return union === undefined ? {} : { 'x-kubernetes-unions': [union] };
}

/** Sets that the known values do not exhaust: anybody may add a condition type, a reason, a
 * finalizer, a type of secret, a name of a resource. A generated client must not refuse them. */
const openFields: ReadonlySet<string> = new Set([
  'reason',
  'finalizers',
  'core.Secret.type',
  'core.NodeAddress.type',
  'core.ResourceQuotaSpec.scopes',
  'certificates.CertificateSigningRequestSpec.signerName',
]);

export function isClosedEnum(typeName: string, field: string): boolean {
  if (openFields.has(field)) return false;
  if (field === 'type' && typeName.endsWith('Condition')) return false;
  return !openFields.has(`${typeName.replace(/\/[^.]+/, '')}.${field}`);
}

export const namedDefaults: Readonly<Record<string, string>> = {
  AzureSharedBlobDisk: 'Shared',
  AzureDataDiskCachingReadWrite: 'ReadWrite',
};
