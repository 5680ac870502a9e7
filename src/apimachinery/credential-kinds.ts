/**
 * Kinds that hold credentials. What is said of them, in an error or in an audit event, quotes no
 * value: errors are kept in logs, and a value may be copied into any field by a patch.
 *
 * Invariant: kinds of the same name in other groups are treated alike; that hides a value too many.
 */
const credentialKinds: ReadonlySet<string> = new Set(['Secret', 'TokenReview', 'TokenRequest']);

export function isCredentialKind(kind: string): boolean {
  return credentialKinds.has(kind);
}

/** `resource/subresource`, of whatever group. */
const credentialResources: ReadonlySet<string> = new Set([
  'secrets/',
  'tokenreviews/',
  'serviceaccounts/token',
]);

export function isCredentialResource(resource: string, subresource: string): boolean {
  return credentialResources.has(`${resource}/${subresource}`);
}
