/**
 * Fills the Secrets for service account tokens, and removes them with their account.
 *
 *   type <domain>/service-account-token, annotated with the account's name
 *     account there  ─▶ data: token, namespace, ca.crt; annotation: the account's uid
 *     account gone   ─▶ the secret goes, too
 *
 * Only clients make such secrets. Invariants: a token that is in a secret stays, as long as it is
 * this account's; a secret that names the uid of another account than the one of its name is
 * removed; a write is bound to the revision it was made for.
 */
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { secretsResource, serviceAccountsResource } from '../authentication/object-reader.ts';
import type { TokenIssuer } from '../authentication/service-account-issuer.ts';
import { accountAnnotations } from '../authentication/service-account-names.ts';
import { deleteObject } from '../registry/delete.ts';
import type { ObjectTarget, RegistryDeps } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import { SplitMap } from '../stdx/split-map.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue, keysAtOnce } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';

export interface TokenSecretsDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly issuer: TokenIssuer;
  /** PEM; undefined: there is none to hand out. */
  readonly rootCa: string | undefined;
  readonly onError: (secret: string, error: unknown) => void;
}

export function createTokenSecrets(deps: TokenSecretsDeps): Controller {
  const { queues, registry, timers } = deps;
  const named = new NamedAccounts();
  return createKeyQueue({
    name: 'token-secrets',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    atOnceMax: keysAtOnce,
    sources: [
      { resource: secretsResource, keysOf: (namespace, name) => [`${namespace}/${name}`] },
      {
        resource: serviceAccountsResource,
        keysOf: (namespace, name) => named.secretsOf(namespace, name),
      },
    ],
    work: (key) => {
      const at = key.indexOf('/');
      return settle(deps, named, key.slice(0, at), key.slice(at + 1));
    },
    onError: deps.onError,
  });
}

/** Which secrets name which account. An account is looked at each time it changes, and there may
 * be a hundred thousand secrets beside it. */
class NamedAccounts {
  readonly #accounts = new SplitMap<string>();
  readonly #secrets = new SplitMap<SplitMap<true>>();

  /** Of an account, as keys: there may be very many. */
  secretsOf(namespace: string, account: string): Iterable<string> {
    return this.#secrets.get(`${namespace}/${account}`)?.keys() ?? [];
  }

  /** `account` undefined: the secret names none, or is gone. */
  note(namespace: string, name: string, account: string | undefined): void {
    const secret = `${namespace}/${name}`;
    const before = this.#accounts.get(secret);
    const now = account === undefined ? undefined : `${namespace}/${account}`;
    if (before === now) return;
    if (before !== undefined) this.#forget(secret, before);
    if (now === undefined) return;
    this.#accounts.set(secret, now);
    const those = this.#secrets.get(now) ?? new SplitMap<true>();
    this.#secrets.set(now, those);
    those.set(secret, true);
  }

  #forget(secret: string, account: string): void {
    this.#accounts.delete(secret);
    const those = this.#secrets.get(account);
    those?.delete(secret);
    if (those?.size === 0) this.#secrets.delete(account);
  }
}

async function settle(
  deps: TokenSecretsDeps,
  named: NamedAccounts,
  namespace: string,
  name: string,
): Promise<void> {
  const { identity, scheme } = deps.registry;
  const secret = tokenSecretAt(deps.registry, namespace, name);
  const annotations = accountAnnotations(identity);
  // It may name nobody: then it is nobody's to fill or to remove.
  const accountName = secret?.metadata.annotations?.[annotations.name] ?? '';
  named.note(namespace, name, accountName === '' ? undefined : accountName);
  const kind = scheme.findStorage(secretsResource);
  if (kind === undefined || secret === undefined || accountName === '') return;
  if (secret.metadata.deletionTimestamp !== undefined) return;
  const target = { kind, namespace, name };
  const wantedUid = secret.metadata.annotations?.[annotations.uid] ?? '';
  const uid = await accountUid(deps.registry, namespace, accountName);
  if (uid === undefined || (wantedUid !== '' && wantedUid !== uid)) {
    return remove(deps.registry, target, secret);
  }
  return fill(deps, target, secret, { name: accountName, uid });
}

function tokenSecretAt(
  { identity, streams }: RegistryDeps,
  namespace: string,
  name: string,
): ApiObject | undefined {
  const entry = streams.snapshot(secretsResource).get(namespace, name);
  if (entry?.fields['type'] !== identity.secretTypes.serviceAccountToken) return undefined;
  return decodeObject(entry.bytes);
}

/** An account that the cache does not have may have been made a moment ago, before its secret. */
async function accountUid(
  { streams }: RegistryDeps,
  namespace: string,
  name: string,
): Promise<string | undefined> {
  const look = (): string | undefined => {
    const entry = streams.snapshot(serviceAccountsResource).get(namespace, name);
    return entry && decodeObject(entry.bytes).metadata.uid;
  };
  const found = look();
  if (found !== undefined) return found;
  await streams.waitUntilCurrent();
  return look();
}

async function fill(
  { issuer, registry, rootCa }: TokenSecretsDeps,
  target: ObjectTarget,
  secret: ApiObject,
  account: { readonly name: string; readonly uid: string },
): Promise<void> {
  const data = part(secret, 'data');
  const { namespace, name } = target;
  const filled: Record<string, JsonObject[string]> = { ...data };
  if (rootCa !== undefined) filled['ca.crt'] = base64(rootCa);
  filled['namespace'] = base64(namespace);
  if (typeof data['token'] !== 'string' || data['token'] === '') {
    filled['token'] = base64(await issuer.legacyToken(namespace, account, name));
  }
  const uidKey = accountAnnotations(registry.identity).uid;
  const annotations = { ...secret.metadata.annotations, [uidKey]: account.uid };
  const next: ApiObject = {
    ...secret,
    metadata: { ...secret.metadata, annotations },
    data: filled,
  };
  if (deepEqual(next, secret)) return;
  const options = { dryRun: false, manager: 'token-controller' };
  const result = await updateObject(registry, target, next, undefined, options);
  if (result.kind === 'refused' && !passedOver.has(result.error.reason)) throw result.error;
}

async function remove(
  registry: RegistryDeps,
  target: ObjectTarget,
  { metadata }: ApiObject,
): Promise<void> {
  const { resourceVersion, uid } = metadata;
  const preconditions = { uid, resourceVersion };
  const result = await deleteObject(registry, target, { dryRun: false, preconditions });
  if (result.kind === 'refused' && !passedOver.has(result.error.reason)) throw result.error;
}

const passedOver: ReadonlySet<string> = new Set([StatusReason.conflict, StatusReason.notFound]);

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
