/**
 * Keeps the ConfigMap that says since when uses of legacy tokens have been marked on their secrets:
 * whoever removes unused tokens must not count from a time before (spec 2, section 5.2).
 *
 *     not there, or no date ▶ today       a date ▶ left alone
 *
 * Elsewhere: the marks themselves (src/authentication/account-token-uses.ts).
 */
import { part, text } from '../../apimachinery/members.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { formatRfc3339, parseRfc3339 } from '../../apimachinery/time.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { ensureObject } from './ensured-object.ts';

/** The same under every identity: default roles name it. */
const name = 'kube-apiserver-legacy-service-account-token-tracking';

/** @throws StatusError or StorageError when it could not be written. */
export async function reconcileTokenTracking(
  registry: RegistryDeps,
  configMaps: KindInfo,
): Promise<void> {
  const since = formatRfc3339(registry.clock.nowMs()).slice(0, 'YYYY-MM-DD'.length);
  const metadata = { name, namespace: registry.identity.namespaces.system };
  const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { since } };
  await ensureObject(registry, configMaps, wanted, (current) =>
    isDate(text(part(current, 'data'), 'since')) ? undefined : { ...current, data: { since } },
  );
}

function isDate(day: string): boolean {
  return parseRfc3339(`${day}T00:00:00Z`) !== undefined;
}
