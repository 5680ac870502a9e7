/**
 * Composes authentication: the part that is read from files before the store is followed, and the
 * part that needs the running server.
 *
 *     pki, files, keys  ▶  token methods  ▶  authentication, reviews, controllers
 *
 * Elsewhere: authorization, which the registry needs too (server-parts.ts has it).
 *
 * Invariant: whatever is wrong with a file or a flag ends the start before anything is served.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { CallerAuthentication } from '../../authentication/authenticator.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import type { Controller } from '../../controllers/controller.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { AuthenticationTrust } from '../../controllers/system/authentication-trust.ts';
import type { ReviewAnswerers } from '../../endpoints/request.ts';
import { accessReviews } from '../../endpoints/reviews/access-reviews.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { Histogram } from '../../stdx/histogram.ts';
import { buildAuthentication, fileTokens, readAuthenticationFiles } from './authentication.ts';
import { followAuthentication } from './authentication-reload.ts';
import type { AuthenticationFiles } from './authentication.ts';
import { createRbacControllers } from './authorization.ts';
import type { TlsMaterial } from './listeners.ts';
import type { Log } from './log.ts';
import type { HistogramSeries, MetricSeries } from '../metrics/metrics.ts';
import type { CompletedConfig } from '../config/options.ts';
import { proxyClientOf } from './front-proxy.ts';
import { ensurePki, rootCaOf, servingOf } from './pki.ts';
import type { Pki } from './pki.ts';
import type { ServerParts } from './server-parts.ts';
import { createSigningControllers, readSigningAuthorities } from './signing.ts';
import type { SigningAuthorities } from './signing.ts';
import { readTokenKeys } from './token-keys.ts';
import type { TokenKeys } from './token-keys.ts';
import { createTokenControllers, createTokenParts } from './token-methods.ts';
import type { TokenParts } from './token-methods.ts';
import { tokenReviews } from './token-serving.ts';

export interface AccessMaterial {
  readonly pki: Pki;
  readonly files: AuthenticationFiles;
  readonly keys: TokenKeys;
  readonly tls: TlsMaterial;
  /** What clients verify the server by, where it is known. */
  readonly rootCa: string | undefined;
  readonly signing: SigningAuthorities;
  /** What servers of APIServices are shown; undefined: nothing. */
  readonly proxyClient: KeyPair | undefined;
}

/** @throws OptionsError. */
export async function readAccessMaterial(
  config: CompletedConfig,
  identity: Identity,
  clock: Clock,
): Promise<AccessMaterial> {
  const { access, dataDir } = config;
  const pki = await ensurePki(config, identity, clock);
  const files = readAuthenticationFiles(access, pki, identity);
  return {
    pki,
    files,
    keys: readTokenKeys(config.tokens, dataDir, access.tlsCertificate?.keyFile),
    tls: { serving: servingOf(access, pki), clientCaPem: files.cas.current().handshakePem },
    rootCa: rootCaOf(access, pki),
    signing: await readSigningAuthorities(config.signing, pki, identity),
    proxyClient: proxyClientOf(access, pki),
  };
}

export interface AccessDeps {
  readonly material: AccessMaterial;
  readonly parts: ServerParts;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Other servers may run over the same store. */
  readonly shared: boolean;
}

export interface AccessParts {
  readonly authentication: CallerAuthentication;
  readonly reviews: ReviewAnswerers;
  readonly tokens: TokenParts;
  readonly series: readonly MetricSeries[];
  readonly trust: () => AuthenticationTrust;
  /** The configuration is not read again. */
  stop(): void;
  /** Where this server runs controllers. */
  controllers(registry: RegistryDeps): Controller;
}

/** @throws OptionsError. */
export function assembleAccess(config: CompletedConfig, deps: AccessDeps): AccessParts {
  const { parts, identity, clock, timers, log } = deps;
  const { files, keys, rootCa, signing } = deps.material;
  const { streams, authorization, language, registry } = parts;
  const tokens = createTokenParts(config.tokens, {
    identity,
    clock,
    timers,
    turns: registry.turns,
    prng: registry.prng,
    log,
    streams,
    keys,
    jwt: files.configuration?.jwt,
    language,
  });
  const configuration = followAuthentication(config.access, files, {
    identity,
    clock,
    timers,
    log,
    turns: registry.turns,
    trustIssuers: (jwt) => tokens.trustIssuers(jwt),
  });
  const methods = [fileTokens(files), ...tokens.methods];
  // Alone it has made them before it serves anybody; else whoever holds the controllers does.
  const defaults = authorization.usesRbac && deps.shared;
  const expirations = new Histogram(expirationBounds);
  const { anonymous } = configuration;
  const authenticationDeps = { anonymous, clock, identity, expirations };
  return {
    authentication: buildAuthentication(files, methods, authenticationDeps),
    reviews: new Map([
      ...tokenReviews(tokens, methods, identity, clock),
      ...accessReviews(authorization, registry.turns, clock),
    ]),
    tokens,
    trust: () => files.cas.current().trust,
    series: [...configuration.series, ...tokens.series, expirationSeries(expirations)],
    stop: () => configuration.stop(),
    controllers: (own) =>
      controllerManager([
        createTokenControllers({
          config: config.tokens,
          registry: own,
          timers,
          queues: deps.parts.queues,
          log,
          issuer: tokens.issuer,
          rootCa,
          root: deps.parts.root,
          tokens: deps.parts.tokens,
        }),
        createRbacControllers(own, { timers, log, defaults, chosen: config.tokens.controllers }),
        createSigningControllers({
          chosen: config.tokens.controllers,
          registry: own,
          timers,
          queues: deps.parts.queues,
          log,
          access: authorization,
          signing,
          lifeMs: config.signing.lifeMs,
        }),
      ]),
  };
}

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/** Of the reference: its alert for certificates that run out asks for them. */
const expirationBounds: readonly number[] = [
  0,
  ...[0.5, 1, 2, 6, 12].map((hours) => hours * hourSeconds),
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * daySeconds),
];

function expirationSeries(histogram: Histogram): HistogramSeries {
  return {
    name: 'apiserver_client_certificate_expiration_seconds',
    help: 'How long client certificates were still good when they were used.',
    readHistograms: () => [{ labels: {}, histogram }],
  };
}
