/**
 * The keys of an issuer: from its configuration document and its JWK set, kept and renewed.
 *
 *   known key id ─▶ kept keys; after `keptMs` they are fetched again, and nobody waits for it
 *   unknown id, or a signature of none of these keys
 *                ─▶ fetched again, but not within `cooldownMs` of the last time
 *
 * Invariants: the document must name the issuer it was fetched for; only HTTPS; one fetch at a
 * time; keys that were had stay good while the issuer cannot be reached. Symmetric keys
 * are left out.
 */
import { createPublicKey } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { exchangeJson } from './json-client.ts';
import { algorithmOf, rsaAlgorithms } from './jwt-keys.ts';
import type { VerificationKey } from './jwt-keys.ts';
import type { IssuerConfig } from './issuer-config.ts';

const issuerKeyTimes = {
  keptMs: 10 * 60_000,
  cooldownMs: 10_000,
  timeoutMs: 10_000,
  answerBytesMax: 1024 * 1024,
} as const;

const keysMax = 256;

export interface IssuerKeys {
  /** Of this key id, else all. Empty: none could be had. `failed`: what it has answered, of which
   * none has made the signature. */
  find(id: unknown, failed?: readonly VerificationKey[]): Promise<readonly VerificationKey[]>;
}

export function createIssuerKeys(
  config: IssuerConfig,
  clock: Clock,
  timers: Timers,
  onError: (error: unknown) => void,
): IssuerKeys {
  let kept: readonly VerificationKey[] = [];
  let fetchedMs = -Infinity;
  let triedMs = -Infinity;
  let fetching: Promise<void> | undefined;
  const renew = async (): Promise<void> => {
    triedMs = clock.monotonicMs();
    try {
      kept = await fetchKeys(config, timers);
      fetchedMs = clock.monotonicMs();
    } catch (error) {
      onError(error);
    }
  };
  const renewIfDue = (): void => {
    if (clock.monotonicMs() - triedMs < issuerKeyTimes.cooldownMs) return;
    fetching ??= renew().finally(() => (fetching = undefined));
  };
  return {
    async find(id, failed = []) {
      const known = (): readonly VerificationKey[] =>
        id === undefined ? kept : kept.filter((key) => key.id === id);
      const found = known();
      if (found.some((key) => !failed.includes(key))) {
        if (clock.monotonicMs() - fetchedMs > issuerKeyTimes.keptMs) renewIfDue();
        return found;
      }
      renewIfDue();
      await fetching;
      return known();
    },
  };
}

/** @throws Error. */
async function fetchKeys(
  { ca, discoveryUrl, url }: IssuerConfig,
  timers: Timers,
): Promise<readonly VerificationKey[]> {
  const base = url.endsWith('/') ? url.slice(0, -1) : url;
  const discovery = discoveryUrl ?? `${base}/.well-known/openid-configuration`;
  const document = await get(discovery, ca, timers);
  if (document['issuer'] !== url) throw new Error(`${discovery} is of another issuer`);
  const keysUrl = document['jwks_uri'];
  if (typeof keysUrl !== 'string' || !keysUrl.startsWith('https://') || !URL.canParse(keysUrl)) {
    throw new Error(`${discovery} names no place of keys`);
  }
  const set = await get(keysUrl, ca, timers);
  const keys = Array.isArray(set['keys']) ? (set['keys'] as readonly JsonValue[]) : [];
  const found = keys.slice(0, keysMax).flatMap((key) => (isJsonObject(key) ? readKey(key) : []));
  if (found.length === 0) throw new Error(`${keysUrl} holds no key that can be used`);
  return found;
}

async function get(url: string, ca: string | undefined, timers: Timers): Promise<JsonObject> {
  const { answerBytesMax, timeoutMs } = issuerKeyTimes;
  const exchange = { method: 'GET', timeoutMs, answerBytesMax } as const;
  const { body, status } = await exchangeJson({ url, ca }, exchange, timers);
  if (status !== 200 || !isJsonObject(body)) throw new Error(`${url} answered ${status}`);
  return body;
}

/** A key of an RSA pair that does not say its algorithm may have signed with any of them. */
function readKey(jwk: JsonObject): readonly VerificationKey[] {
  const { alg, kid, kty, use } = jwk;
  if ((kty !== 'RSA' && kty !== 'EC') || (use !== undefined && use !== 'sig')) return [];
  try {
    const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const own = algorithmOf(publicKey);
    if (own === undefined) return [];
    const possible = own === 'RS256' ? rsaAlgorithms : [own];
    const algorithms = possible.filter((name) => alg === undefined || alg === name);
    const id = typeof kid === 'string' ? kid : '';
    return algorithms.map((algorithm) => ({ id, algorithm, publicKey }));
  } catch {
    return [];
  }
}
