/**
 * The keys of an issuer: from its configuration document and its JWK set, kept and renewed.
 *
 *   known key id ─▶ kept keys; after `keptMs` they are fetched again, and nobody waits for it
 *   unknown id, or a signature of none of these keys
 *                ─▶ fetched again, but not within `cooldownMs` of the last time
 *
 * Invariants: the document must name the issuer it was fetched for; only HTTPS; one fetch at a
 * time; keys that were had stay good while the issuer cannot be reached, and no longer when its
 * set is without them, be it empty; a key that stays is the same object. Symmetric keys are left
 * out.
 * Bounds: `keysMax` keys, none larger than `jwkCharsMax`.
 */
import { createPublicKey } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Clock } from '../stdx/clock.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { exchangeJson } from './json-client.ts';
import type { JsonExchangePorts } from './json-client.ts';
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

/** Of the number of an RSA key, in characters: a longer one has more than the 16,384 bits with
 * which OpenSSL verifies, and would be read for nothing. */
const jwkCharsMax = 2732;

export interface IssuerKeys {
  /** Of this key id, else all. Empty: none could be had. `failed`: what it has answered, of which
   * none has made the signature. */
  find(id: unknown, failed?: ReadonlySet<VerificationKey>): Promise<readonly VerificationKey[]>;
}

export interface IssuerKeysPorts extends JsonExchangePorts {
  readonly clock: Clock;
}

export function createIssuerKeys(
  config: IssuerConfig,
  { clock, ...ports }: IssuerKeysPorts,
  onError: (error: unknown) => void,
): IssuerKeys {
  let kept: readonly VerificationKey[] = [];
  let fetchedMs = -Infinity;
  let triedMs = -Infinity;
  let fetching: Promise<void> | undefined;
  const renew = async (): Promise<void> => {
    triedMs = clock.monotonicMs();
    try {
      kept = withKnown(await fetchKeys(config, ports), kept);
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
    async find(id, failed) {
      const known = (): readonly VerificationKey[] =>
        id === undefined ? kept : kept.filter((key) => key.id === id);
      const found = known();
      if (found.some((key) => failed?.has(key) !== true)) {
        if (clock.monotonicMs() - fetchedMs > issuerKeyTimes.keptMs) renewIfDue();
        return found;
      }
      renewIfDue();
      await fetching;
      return known();
    },
  };
}

/** A key that was there before stays what it is to those who have tried it. */
function withKnown(
  fetched: readonly VerificationKey[],
  before: readonly VerificationKey[],
): readonly VerificationKey[] {
  const nameOf = ({ algorithm, id }: VerificationKey): string => `${algorithm} ${id}`;
  const known = new Map(before.map((key) => [nameOf(key), key]));
  return fetched.map((key) => {
    const same = known.get(nameOf(key));
    return same?.publicKey.equals(key.publicKey) === true ? same : key;
  });
}

/** @throws Error. */
async function fetchKeys(
  { ca, discoveryUrl, url }: IssuerConfig,
  ports: JsonExchangePorts,
): Promise<readonly VerificationKey[]> {
  const base = url.endsWith('/') ? url.slice(0, -1) : url;
  const discovery = discoveryUrl ?? `${base}/.well-known/openid-configuration`;
  const document = await get(discovery, ca, ports);
  if (document['issuer'] !== url) throw new Error(`${discovery} is of another issuer`);
  const keysUrl = document['jwks_uri'];
  if (typeof keysUrl !== 'string' || !keysUrl.startsWith('https://') || !URL.canParse(keysUrl)) {
    throw new Error(`${discovery} names no place of keys`);
  }
  const { keys } = await get(keysUrl, ca, ports);
  if (!Array.isArray(keys)) throw new Error(`${keysUrl} holds no set of keys`);
  return runToEnd(ports.turns, readKeys((keys as readonly JsonValue[]).slice(0, keysMax)));
}

/** Each key takes a tenth of a millisecond. */
function* readKeys(keys: readonly JsonValue[]): Steps<readonly VerificationKey[]> {
  const found: VerificationKey[] = [];
  for (const key of keys) {
    if (isJsonObject(key)) found.push(...readKey(key));
    yield;
  }
  return found;
}

async function get(
  url: string,
  ca: string | undefined,
  ports: JsonExchangePorts,
): Promise<JsonObject> {
  const { answerBytesMax, timeoutMs } = issuerKeyTimes;
  const exchange = { method: 'GET', timeoutMs, answerBytesMax } as const;
  const { body, status } = await exchangeJson({ url, ca }, exchange, ports);
  if (status !== 200 || !isJsonObject(body)) throw new Error(`${url} answered ${status}`);
  return body;
}

/** A key of an RSA pair that does not say its algorithm may have signed with any of them. */
function readKey(jwk: JsonObject): readonly VerificationKey[] {
  const { alg, kid, kty, use } = jwk;
  if ((kty !== 'RSA' && kty !== 'EC') || (use !== undefined && use !== 'sig')) return [];
  const numbers = [jwk['n'], jwk['e'], jwk['x'], jwk['y']];
  if (numbers.some((text) => typeof text === 'string' && text.length > jwkCharsMax)) return [];
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
