/**
 * The methods of authentication as the flags say, from the files that they name
 * (spec 2, section 5.2).
 *
 *     proxy ▶ client certificate ▶ bearer token: the administrator's, the token file's, then the
 *     token methods that are handed in ▶ anonymous
 *
 * Invariants: a file that cannot be read, or holds anything that is not understood, ends the start
 * with one line that names the flag; no secret is in that line.
 */
import { saysWho } from '../../aggregation/remote-user.ts';
import type {
  Authenticator,
  CallerAuthentication,
  TokenAuthenticator,
} from '../../authentication/authenticator.ts';
import { readAuthenticationConfiguration } from '../../authentication/configuration.ts';
import type { ConfiguredAuthentication } from '../../authentication/configuration.ts';
import { bearerTokens } from '../../authentication/bearer.ts';
import { clientCertificates } from '../../authentication/client-certificate.ts';
import { secretDigest } from '../../authentication/constant-time.ts';
import { isProxyHeader, requestHeaderProxy } from '../../authentication/request-header.ts';
import type { ProxyRules } from '../../authentication/request-header.ts';
import { readTokenFile, staticTokens } from '../../authentication/token-file.ts';
import { createAuthentication } from '../../authentication/union.ts';
import type { AnonymousRule } from '../../authentication/union.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import type { Clock } from '../../stdx/clock.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Histogram } from '../../stdx/histogram.ts';
import type { AccessConfig } from '../config/access-options.ts';
import { readOptionFile, readOptionText } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import { ownProxy } from './front-proxy.ts';
import type { Pki } from './pki.ts';
import { readCaStore } from './trusted-cas.ts';
import type { CaStore } from './trusted-cas.ts';

/** What the files say, read before anything is started. */
export interface AuthenticationFiles {
  readonly cas: CaStore;
  readonly proxy: ProxyRules | undefined;
  readonly staticUsers: ReadonlyMap<string, Pki['adminUser']>;
  readonly configuration: ReadConfigurationFile | undefined;
  readonly anonymous: AnonymousRule;
}

export interface ReadConfigurationFile {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly jwt: readonly JsonValue[];
}

/** @throws OptionsError. */
export function readAuthenticationFiles(
  access: AccessConfig,
  pki: Pki,
  identity: Identity,
): AuthenticationFiles {
  const cas = readCaStore(access, pki.authority.certificatePem, ownProxy(access, pki));
  const file = access.authenticationConfigFile;
  const bytes = file === undefined ? undefined : readOptionFile('authentication-config', file);
  const configured = finished(configurationOf(access, bytes, identity));
  return {
    cas,
    proxy: proxyRules(access, () => cas.current().proxyRoots),
    staticUsers: staticUsersOf(access, pki),
    configuration:
      file === undefined || bytes === undefined ? undefined : { file, bytes, jwt: configured.jwt },
    anonymous: configured.anonymous,
  };
}

export interface UsedConfiguration {
  readonly jwt: readonly JsonValue[];
  readonly anonymous: AnonymousRule;
}

/** What is in force with this configuration file and the flags; undefined: there is no file. Yields
 * where others may have a turn. @throws OptionsError. */
export function* configurationOf(
  access: AccessConfig,
  bytes: Uint8Array | undefined,
  identity: Identity,
): Steps<UsedConfiguration> {
  if (bytes === undefined) return { jwt: [], anonymous: anonymousRule(access, undefined) };
  const read = yield* readAuthenticationConfiguration(bytes, identity);
  if (read.kind === 'ok') {
    return { jwt: read.value.jwt, anonymous: anonymousRule(access, read.value) };
  }
  const file = access.authenticationConfigFile ?? '';
  throw new OptionsError(`--authentication-config: ${file}: ${read.problem}`);
}

export interface AuthenticationDeps {
  readonly anonymous: () => AnonymousRule;
  readonly clock: Clock;
  readonly identity: Identity;
  /** Of client certificates, in seconds until then. */
  readonly expirations: Histogram;
}

export function buildAuthentication(
  files: AuthenticationFiles,
  tokenMethods: readonly TokenAuthenticator[],
  { anonymous, clock, expirations, identity }: AuthenticationDeps,
): CallerAuthentication {
  const { cas, proxy } = files;
  const clientRoots = () => cas.current().clientRoots;
  const methods: readonly Authenticator[] = [
    ...(proxy === undefined ? [] : [requestHeaderProxy(proxy, clock)]),
    clientCertificates(clientRoots, clock, identity, (seconds) => expirations.observe(seconds)),
    bearerTokens(tokenMethods),
  ];
  return createAuthentication({
    methods,
    anonymous,
    // Where no proxy is believed as well: a server behind this one may believe what it is passed.
    isCredentialHeader: (name) =>
      saysWho(name) || (proxy !== undefined && isProxyHeader(proxy.headers, name)),
  });
}

/** The methods that know the tokens of files; others follow them. */
export function fileTokens({ staticUsers }: AuthenticationFiles): TokenAuthenticator {
  return staticTokens(staticUsers);
}

function staticUsersOf({ tokenAuthFile }: AccessConfig, { adminToken, adminUser }: Pki) {
  const admin = [secretDigest(adminToken), adminUser] as const;
  if (tokenAuthFile === undefined) return new Map([admin]);
  const read = readTokenFile(readOptionText('token-auth-file', tokenAuthFile));
  if (read.kind === 'invalid') {
    throw new OptionsError(`--token-auth-file: ${tokenAuthFile}:${read.line}: ${read.problem}`);
  }
  return new Map([...read.users, admin]);
}

function proxyRules(
  { requestHeader }: AccessConfig,
  roots: ProxyRules['roots'],
): ProxyRules | undefined {
  if (requestHeader === undefined) return undefined;
  return {
    roots,
    allowedNames: requestHeader.allowedNames,
    headers: {
      username: requestHeader.usernameHeaders,
      uid: requestHeader.uidHeaders,
      group: requestHeader.groupHeaders,
      extraPrefix: requestHeader.extraHeaderPrefixes,
    },
  };
}

/** On by default, but not where a request without credentials could do everything. */
function anonymousRule(
  { anonymousAuth, authorization }: AccessConfig,
  configuration: ConfiguredAuthentication | undefined,
): AnonymousRule {
  const configured = configuration?.anonymous;
  if (configured !== undefined) {
    if (anonymousAuth === undefined) return configured;
    throw new OptionsError(
      '--anonymous-auth cannot be given where the authentication configuration has `anonymous`',
    );
  }
  const allowed = anonymousAuth ?? !authorization.modes.includes('AlwaysAllow');
  return { kind: allowed ? 'everywhere' : 'nowhere' };
}
