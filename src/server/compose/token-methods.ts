/**
 * Composes everything about bearer tokens: authentication methods, the issuer and its documents,
 * token reviews, and the controllers of tokens.
 *
 *   keys, flags, files ─▶ methods: service accounts, bootstrap tokens, issuers, webhook (in order)
 *                      ─▶ issuer ─▶ serviceaccounts/token, token secrets
 *
 * Elsewhere: the flags (token-options.ts) and the keys (token-keys.ts).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import type { TokenAuthenticator } from '../../authentication/authenticator.ts';
import { TokenCacheCounts } from '../../authentication/token-cache-counts.ts';
import { createBootstrapAuthenticator } from '../../authentication/bootstrap-authenticator.ts';
import { createIssuerAuthenticator } from '../../authentication/issuer-authenticator.ts';
import type { IssuerAuthenticator } from '../../authentication/issuer-authenticator.ts';
import type { IssuerConfig } from '../../authentication/issuer-config.ts';
import { readIssuers } from '../../authentication/issuer-config.ts';
import { accountExtraKeys } from '../../authentication/service-account-names.ts';
import { jwksOf } from '../../authentication/jwt-keys.ts';
import type { ObjectReader } from '../../authentication/object-reader.ts';
import { createAccountAuthenticator } from '../../authentication/service-account-authenticator.ts';
import { createTokenIssuer } from '../../authentication/service-account-issuer.ts';
import type { TokenIssuer } from '../../authentication/service-account-issuer.ts';
import { readTokenReviewServer } from '../../authentication/token-review-server.ts';
import { createVerificationLine } from '../../authentication/verification-line.ts';
import type { VerificationLine } from '../../authentication/verification-line.ts';
import { createWebhookTokens } from '../../authentication/webhook-token-authenticator.ts';
import type { QueueMeters } from '../../controllers/queue-meters.ts';
import { createBootstrapSigner } from '../../controllers/bootstrap-signer.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { Controller } from '../../controllers/controller.ts';
import { createDefaultAccounts, createRootCaMaps } from '../../controllers/default-accounts.ts';
import { createTokenCleaner } from '../../controllers/token-cleaner.ts';
import { createTokenSecrets } from '../../controllers/token-secrets.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { RootActor } from '../../../actors/root-actor.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { claimLanguage } from '../../authentication/claim-expressions.ts';
import type { ClaimLanguage } from '../../authentication/claim-expressions.ts';
import type { Language } from '../../cel/language.ts';
import type { Log } from './log.ts';
import { accountTokenSeries } from '../metrics/account-token-series.ts';
import { tokenCacheSeries } from '../metrics/token-cache-series.ts';
import type { MetricSeries } from '../metrics/metrics.ts';
import { OptionsError } from '../config/option-values.ts';
import type { TokenKeys } from './token-keys.ts';
import type { TokenDeadlines } from './token-deadlines.ts';
import type { TokenConfig } from '../config/token-options.ts';

export interface TokenPartsDeps {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly timers: Timers;
  /** For expressions that take long. */
  readonly turns: Turns;
  readonly prng: Prng;
  readonly log: Log;
  readonly streams: Streams;
  readonly keys: TokenKeys;
  /** Entries of the authentication configuration; undefined: there is none. */
  readonly jwt: readonly JsonValue[] | undefined;
  /** What their expressions are written in. */
  readonly language: Language;
}

export interface TokenParts {
  /** In the order in which they are asked. */
  readonly methods: readonly TokenAuthenticator[];
  readonly issuer: TokenIssuer;
  readonly objects: ObjectReader;
  /** The server's own audiences. */
  readonly audiences: readonly string[];
  readonly series: readonly MetricSeries[];
  /** Trusts other issuers from the end of these steps on: the configuration has been read again.
   * @throws OptionsError; then nothing has changed. */
  trustIssuers(jwt: readonly JsonValue[]): Steps<void>;
  /** The issuer's document, for a server that is reached at `address`. */
  discoveryDocument(address: string): JsonObject;
  readonly jwks: Promise<JsonObject>;
}

/** @throws OptionsError. */
export function createTokenParts(config: TokenConfig, deps: TokenPartsDeps): TokenParts {
  const { clock, identity, keys, prng, streams } = deps;
  const issuers = config.issuers.length > 0 ? config.issuers : [defaultIssuer(identity)];
  const audiences = config.apiAudiences.length > 0 ? config.apiAudiences : issuers;
  const [issuer = ''] = issuers;
  const objects = createObjectReader(streams);
  const { extendExpiration, lookup, maxExpirationSeconds } = config;
  const limits = { extendExpiration, maxExpirationSeconds };
  const signatures = createVerificationLine(deps.timers);
  const cacheCounts = new TokenCacheCounts(clock);
  const accounts = createAccountAuthenticator({
    identity,
    clock,
    keys: keys.verifying,
    issuers,
    audiences,
    lookup,
    objects,
    signatures,
    cacheCounts,
  });
  const bootstrap = createBootstrapAuthenticator({ identity, clock, objects });
  const claims = claimLanguage(deps.language, identity);
  const trusted = trustedIssuers({ ...deps, signatures, cacheCounts }, issuers, audiences, claims);
  const webhook = webhookOf(config, { ...deps, cacheCounts }, audiences);
  return {
    methods: [
      accounts,
      ...(config.bootstrapTokens ? [bootstrap] : []),
      ...(trusted === undefined ? [] : [trusted]),
      ...(webhook === undefined ? [] : [webhook]),
    ],
    issuer: createTokenIssuer({
      identity,
      clock,
      prng,
      key: keys.signing,
      issuer,
      audiences,
      ...limits,
    }),
    objects,
    audiences,
    series: [...accountTokenSeries(accounts.counts), ...tokenCacheSeries(cacheCounts)],
    *trustIssuers(jwt) {
      trusted?.trust(yield* issuersOf(jwt, issuers, claims));
    },
    discoveryDocument: (address) => ({
      issuer,
      jwks_uri: config.jwksUri ?? `https://${address}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [
        ...new Set(keys.verifying.map(({ algorithm }) => algorithm)),
      ].sort(),
    }),
    jwks: jwksOf(keys.verifying),
  };
}

/** In a cluster it is the name of this very server. */
function defaultIssuer({ name }: Identity): string {
  return `https://${name}.default.svc.cluster.local`;
}

interface Counted {
  readonly cacheCounts: TokenCacheCounts;
}

interface Signed {
  readonly signatures: VerificationLine;
}

function trustedIssuers(
  { identity, jwt, log, ...ports }: TokenPartsDeps & Counted & Signed,
  own: readonly string[],
  audiences: readonly string[],
  claims: ClaimLanguage,
): IssuerAuthenticator | undefined {
  if (jwt === undefined) return undefined;
  const issuers = finished(issuersOf(jwt, own, claims));
  const onError = (issuer: string, error: unknown): void => {
    log.warn({ issuer, err: error }, 'the keys of an issuer could not be had');
  };
  const { cacheCounts, clock, signatures, timers, turns } = ports;
  return createIssuerAuthenticator({
    issuers,
    clock,
    timers,
    turns,
    audiences,
    credentialIdKey: accountExtraKeys(identity).credentialId,
    signatures,
    cacheCounts,
    onError,
  });
}

/** @throws OptionsError. */
function* issuersOf(
  jwt: readonly JsonValue[],
  own: readonly string[],
  claims: ClaimLanguage,
): Steps<readonly IssuerConfig[]> {
  const read = yield* readIssuers(jwt, own, claims);
  if (read.kind === 'ok') return read.issuers;
  throw new OptionsError(`--authentication-config: ${read.problem}`);
}

function webhookOf(
  { webhook }: TokenConfig,
  { cacheCounts, clock, identity, timers, turns }: TokenPartsDeps & Counted,
  audiences: readonly string[],
): TokenAuthenticator | undefined {
  if (webhook === undefined) return undefined;
  const { cacheTtlMs, configFile, version } = webhook;
  try {
    const server = readTokenReviewServer(configFile);
    const ports = { identity, clock, timers, turns, cacheCounts };
    return createWebhookTokens({ ...ports, server, version, cacheTtlMs, audiences });
  } catch (error) {
    const why = messageOf(error);
    throw new OptionsError(`--authentication-token-webhook-config-file: ${why}`);
  }
}

/** What is in the caches, each state decoded once. */
export function createObjectReader(streams: Streams): ObjectReader {
  const decoded = new WeakMap<Entry, ApiObject>();
  return {
    get(resource, namespace, name) {
      const entry = streams.snapshot(resource).get(namespace, name);
      if (entry === undefined) return undefined;
      const object = decoded.get(entry) ?? decodeObject(entry.bytes);
      decoded.set(entry, object);
      return { object, timerState: entry.timer?.state };
    },
    isWaiting: (resource) => streams.isWaiting(resource),
    current: () => streams.waitUntilCurrent().catch(() => undefined),
  };
}

export interface TokenControllersDeps {
  readonly root: RootActor;
  readonly tokens: TokenDeadlines;
  readonly config: TokenConfig;
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly log: Log;
  readonly issuer: TokenIssuer;
  /** PEM of who signs the serving certificate; undefined: nobody does. */
  readonly rootCa: string | undefined;
}

/** Those that were chosen, and the actors of bootstrap tokens, which always run. */
export function createTokenControllers(deps: TokenControllersDeps): Controller {
  const { config, issuer, log, queues, registry, root, rootCa, timers, tokens } = deps;
  const on = config.controllers;
  const failed =
    (what: string) =>
    (name: string, error: unknown): void =>
      log.warn({ err: error, name }, `${what}; it is tried again`);
  const base = { registry, timers, queues };
  const running: Controller[] = [
    tokens.controller({ ...base, root, onError: failed('a bootstrap token could not be timed') }),
  ];
  if (on.has('serviceaccount')) {
    const onError = failed('a namespace has no default account yet');
    running.push(createDefaultAccounts({ ...base, onError }));
  }
  if (on.has('root-ca-cert-publisher') && rootCa !== undefined) {
    const onError = failed('a namespace has no root CA yet');
    running.push(createRootCaMaps({ ...base, rootCa, onError }));
  }
  if (on.has('serviceaccount-token')) {
    const onError = failed('a token secret could not be put in order');
    running.push(createTokenSecrets({ ...base, issuer, rootCa, onError }));
  }
  if (on.has('tokencleaner')) {
    const onError = failed('an expired bootstrap token could not be removed');
    running.push(createTokenCleaner({ ...base, onError }));
  }
  if (on.has('bootstrapsigner')) {
    const onError = failed('the public client configuration could not be signed');
    running.push(createBootstrapSigner({ ...base, onError }));
  }
  return controllerManager(running);
}
