/**
 * CertificateSigningRequests as the controllers of this folder look at them, and how they write
 * their conditions.
 *
 *     created ─▶ Approved | Denied ─▶ certificate | Failed ─▶ removed after a while
 *
 * Elsewhere: the decisions (approver.ts, signer.ts, cleaner.ts).
 *
 * Invariant: a write names the revision that it was decided on; after a conflict the request is
 * read again.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import { parseRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { updateObject } from '../../registry/update.ts';

export interface Condition {
  readonly type: string;
  /** 0 when it says none. */
  readonly updatedMs: number;
}

export interface RequestedCertificate {
  readonly object: ApiObject;
  readonly name: string;
  readonly createdMs: number;
  readonly signerName: string;
  readonly requestPem: string;
  readonly usages: readonly string[];
  readonly expirationSeconds: number | undefined;
  readonly requester: UserInfo;
  /** Those that hold. */
  readonly conditions: readonly Condition[];
  /** PEM; '' while there is none. */
  readonly certificatePem: string;
}

export function requestsResource({ identity }: RegistryDeps): KindInfo['storage'] {
  return { group: identity.fill('certificates.{domain}'), resource: 'certificatesigningrequests' };
}

/** Undefined: it is not there (any more). */
export function requestNamed(
  registry: RegistryDeps,
  name: string,
): RequestedCertificate | undefined {
  const entry = registry.streams.snapshot(requestsResource(registry)).get('', name);
  return entry === undefined ? undefined : requestOf(decodeObject(entry.bytes));
}

export function requestOf(object: ApiObject): RequestedCertificate {
  const spec = part(object, 'spec');
  const status = part(object, 'status');
  const seconds = spec['expirationSeconds'];
  return {
    object,
    name: object.metadata.name ?? '',
    createdMs: timeOf(object.metadata, 'creationTimestamp'),
    signerName: text(spec, 'signerName'),
    requestPem: bytesOf(spec, 'request'),
    usages: texts(spec, 'usages'),
    expirationSeconds: typeof seconds === 'number' ? seconds : undefined,
    requester: requesterOf(spec),
    conditions: objects(status, 'conditions')
      .filter((condition) => condition['status'] === 'True')
      .map((condition) => ({
        type: text(condition, 'type'),
        updatedMs: timeOf(condition, 'lastUpdateTime'),
      })),
    certificatePem: bytesOf(status, 'certificate'),
  };
}

export function holds({ conditions }: RequestedCertificate, type: string): boolean {
  return conditions.some((condition) => condition.type === type);
}

/** As the server wrote it into the request when it was made. */
function requesterOf(spec: JsonObject): UserInfo {
  const extra = part(spec, 'extra');
  return {
    name: text(spec, 'username'),
    uid: text(spec, 'uid'),
    groups: texts(spec, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, texts(extra, key)])),
  };
}

/** What an approver or a signer adds to a request. */
export interface Finding {
  readonly subresource: 'approval' | 'status';
  readonly condition?:
    { readonly type: string; readonly reason: string; readonly message: string } | undefined;
  readonly certificatePem?: string | undefined;
}

export async function record(
  registry: RegistryDeps,
  { object, name }: RequestedCertificate,
  { certificatePem, condition, subresource }: Finding,
  manager: string,
): Promise<void> {
  const kind = registry.scheme.findStorage(requestsResource(registry));
  if (kind === undefined) return;
  const status = part(object, 'status');
  const added = condition === undefined ? [] : [{ ...condition, status: 'True' }];
  const certificate =
    certificatePem === undefined
      ? {}
      : { certificate: Buffer.from(certificatePem).toString('base64') };
  const conditions = [...objects(status, 'conditions'), ...added];
  const next: ApiObject = { ...object, status: { ...status, ...certificate, conditions } };
  const target = { kind, namespace: '', name };
  const options = { dryRun: false, manager };
  const result = await updateObject(registry, target, next, subresource, options);
  if (result.kind === 'ok' || skippedReasons.has(result.error.reason)) return;
  throw result.error;
}

/** It was changed, which comes back as a change, or it is gone. */
export const skippedReasons: ReadonlySet<string> = new Set([
  StatusReason.conflict,
  StatusReason.notFound,
]);

function bytesOf(object: JsonObject, name: string): string {
  return Buffer.from(text(object, name), 'base64').toString('latin1');
}

function timeOf(object: JsonObject, name: string): number {
  return parseRfc3339(text(object, name)) ?? 0;
}
