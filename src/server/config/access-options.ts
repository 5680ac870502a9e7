/**
 * Flags of the secure port and of authentication, and those of authorization with them (spec 2,
 * sections 5.2-5.5).
 *
 * The files that they name are read at start, and a mistake in one fails there.
 *
 * Invariants: a configuration that would serve less safely than it says is refused: plain HTTP
 * beyond loopback, TLS below 1.2, half a key pair, no port at all.
 */
import { isIP } from 'node:net';
import type { AuthorizationOptions } from '../../authorization/authorization.ts';
import { authorizationOptionTable, completeAuthorization } from './authorization-options.ts';
import { boolean, fail, list, nonEmpty, oneOf, optional, OptionsError } from './option-values.ts';
import { port } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

const tlsVersions = { VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' } as const;
export type TlsVersion = (typeof tlsVersions)[keyof typeof tlsVersions];

/** HTTPS for callers with tokens. */
export interface TokenPort {
  /** 0: the system chooses. */
  readonly number: number;
  /** Nobody has asked for it: it is not served where it is not to be had. */
  readonly ifFree: boolean;
}

export interface AccessConfig {
  /** Undefined: not served. 0: the system chooses. At least one of the two is served. */
  readonly httpPort: number | undefined;
  readonly securePort: number | undefined;
  readonly tokenPort: TokenPort | undefined;
  /** Undefined: made in the data directory. */
  readonly tlsCertificate: TlsCertificateFiles | undefined;
  readonly tlsMinVersion: TlsVersion;
  /** Beside the CA in the data directory. */
  readonly clientCaFile: string | undefined;
  readonly tokenAuthFile: string | undefined;
  readonly requestHeader: RequestHeaderConfig | undefined;
  /** What servers of APIServices are shown. Undefined: what is made in the data directory, unless
   * `requestHeader` says who is to be believed. */
  readonly proxyClient: KeyFiles | undefined;
  /** Undefined: as the authentication configuration says, else allowed unless all is allowed. */
  readonly anonymousAuth: boolean | undefined;
  readonly authenticationConfigFile: string | undefined;
  readonly authorization: AuthorizationOptions;
}

export interface KeyFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsCertificateFiles extends KeyFiles {
  /** Of whom clients learn who has signed it; undefined: from somebody else. */
  readonly rootCaFile: string | undefined;
}

export interface RequestHeaderConfig {
  readonly clientCaFile: string;
  /** Empty: any certificate of that CA. */
  readonly allowedNames: readonly string[];
  /** Lower case; the first one that is there counts. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export const accessOptionTable = [
  { flag: 'bind-address', value: 'ADDRESS', default: '127.0.0.1', help: 'Address to listen on.' },
  {
    flag: 'secure-port',
    value: 'PORT|off',
    default: '6443',
    help: 'Port for HTTPS, HTTP/1.1 and HTTP/2; 0 picks a free one.',
  },
  {
    flag: 'token-port',
    value: 'PORT|auto|off',
    default: 'auto',
    help: 'Port for HTTPS without client certificates, faster; auto: the one after --secure-port.',
  },
  {
    flag: 'http-port',
    value: 'PORT|off',
    default: '8080',
    help: 'Port for plain HTTP, on loopback only; 0 picks a free one.',
  },
  {
    flag: 'insecure-allow-remote-http',
    value: 'true|false',
    default: 'false',
    help: 'Serve plain HTTP beyond this machine: tokens can be read on the way.',
  },
  {
    flag: 'tls-cert-file',
    value: 'FILE',
    default: '',
    help: 'Serving certificate and its chain, PEM; empty makes one in the data directory.',
  },
  {
    flag: 'tls-private-key-file',
    value: 'FILE',
    default: '',
    help: 'The key of --tls-cert-file, PEM.',
  },
  {
    flag: 'root-ca-file',
    value: 'FILE',
    default: '',
    help: 'The CAs of --tls-cert-file, PEM, for kubeconfigs and kube-root-ca.crt.',
  },
  {
    flag: 'tls-min-version',
    value: Object.keys(tlsVersions).join('|'),
    default: 'VersionTLS12',
    help: 'Oldest TLS version that is accepted.',
  },
  {
    flag: 'client-ca-file',
    value: 'FILE',
    default: '',
    help: 'CAs whose client certificates are users, beside the CA in the data directory.',
  },
  {
    flag: 'token-auth-file',
    value: 'FILE',
    default: '',
    help: 'CSV of static tokens: token, user name, user UID, "group,group".',
  },
  {
    flag: 'requestheader-client-ca-file',
    value: 'FILE',
    default: '',
    help: 'CAs of authenticating proxies; empty: proxy headers are ignored.',
  },
  {
    flag: 'requestheader-allowed-names',
    value: 'NAME,...',
    default: '',
    help: 'Common names that a proxy may have; empty: any of its CA.',
  },
  {
    flag: 'requestheader-username-headers',
    value: 'NAME,...',
    default: 'X-Remote-User',
    help: 'Where a proxy puts the user name.',
  },
  {
    flag: 'requestheader-uid-headers',
    value: 'NAME,...',
    default: 'X-Remote-Uid',
    help: 'Where a proxy puts the unique ID.',
  },
  {
    flag: 'requestheader-group-headers',
    value: 'NAME,...',
    default: 'X-Remote-Group',
    help: 'Where a proxy puts the groups, one a header.',
  },
  {
    flag: 'requestheader-extra-headers-prefix',
    value: 'PREFIX,...',
    default: 'X-Remote-Extra-',
    help: 'What the headers begin with in which a proxy puts extra fields.',
  },
  {
    flag: 'proxy-client-cert-file',
    value: 'FILE',
    default: '',
    help: 'What servers of APIServices are shown, PEM; empty makes one in the data directory.',
  },
  {
    flag: 'proxy-client-key-file',
    value: 'FILE',
    default: '',
    help: 'The key of --proxy-client-cert-file, PEM.',
  },
  {
    flag: 'anonymous-auth',
    value: 'true|false',
    default: '',
    help: 'Serve requests without credentials; empty: true, but false with AlwaysAllow.',
  },
  {
    flag: 'authentication-config',
    value: 'FILE',
    default: '',
    help: 'An AuthenticationConfiguration.',
  },
  ...authorizationOptionTable,
] as const satisfies readonly OptionSpec[];

type AccessFlag = (typeof accessOptionTable)[number]['flag'];
type Raw = RawValues<AccessFlag>;

/** @throws OptionsError. */
export function completeAccess(raw: Raw): AccessConfig {
  const httpPort = port(raw, 'http-port');
  const securePort = port(raw, 'secure-port');
  if (httpPort === undefined && securePort === undefined) {
    throw new OptionsError('--http-port, --secure-port: one of them has to be served');
  }
  if (httpPort !== undefined) checkPlainHttp(raw);
  return {
    httpPort,
    securePort,
    tokenPort: tokenPortOf(raw, securePort),
    tlsCertificate: tlsCertificateOf(raw),
    tlsMinVersion: tlsVersions[oneOf(raw, 'tls-min-version', tlsNames)],
    clientCaFile: optional(raw, 'client-ca-file'),
    tokenAuthFile: optional(raw, 'token-auth-file'),
    requestHeader: requestHeaderOf(raw),
    proxyClient: proxyClientOf(raw),
    anonymousAuth: raw['anonymous-auth'] === '' ? undefined : boolean(raw, 'anonymous-auth'),
    authenticationConfigFile: optional(raw, 'authentication-config'),
    authorization: completeAuthorization(raw),
  };
}

function tokenPortOf(raw: Raw, securePort: number | undefined): TokenPort | undefined {
  if (raw['token-port'] !== 'auto') {
    const number = port(raw, 'token-port');
    if (number === undefined) return undefined;
    if (securePort !== undefined) return { number, ifFree: false };
    throw new OptionsError('--token-port: it is served beside --secure-port only');
  }
  if (securePort === undefined || securePort === 65_535) return undefined;
  return { number: securePort === 0 ? 0 : securePort + 1, ifFree: true };
}

const tlsNames = Object.keys(tlsVersions) as (keyof typeof tlsVersions)[];

/** Credentials would cross the network for everybody to read. */
function checkPlainHttp(raw: Raw): void {
  const address = raw['bind-address'];
  if (isLoopback(address) || boolean(raw, 'insecure-allow-remote-http')) return;
  throw new OptionsError(
    `--bind-address: plain HTTP is not served on ${address}: give --http-port=off, ` +
      'or --insecure-allow-remote-http=true where the network is trusted',
  );
}

function isLoopback(address: string): boolean {
  if (address === 'localhost' || address === '::1') return true;
  return isIP(address) === 4 && address.startsWith('127.');
}

function tlsCertificateOf(raw: Raw): AccessConfig['tlsCertificate'] {
  const certFile = optional(raw, 'tls-cert-file');
  const keyFile = optional(raw, 'tls-private-key-file');
  const rootCaFile = optional(raw, 'root-ca-file');
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile, rootCaFile };
  if (certFile === undefined && keyFile === undefined) {
    if (rootCaFile === undefined) return undefined;
    throw new OptionsError('--root-ca-file: it is for --tls-cert-file: give that, too');
  }
  throw new OptionsError('--tls-cert-file, --tls-private-key-file: give both or neither');
}

function proxyClientOf(raw: Raw): KeyFiles | undefined {
  const certFile = optional(raw, 'proxy-client-cert-file');
  const keyFile = optional(raw, 'proxy-client-key-file');
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  throw new OptionsError('--proxy-client-cert-file, --proxy-client-key-file: give both or neither');
}

function requestHeaderOf(raw: Raw): RequestHeaderConfig | undefined {
  const clientCaFile = optional(raw, 'requestheader-client-ca-file');
  const allowedNames = list(raw, 'requestheader-allowed-names');
  if (clientCaFile === undefined) {
    if (allowedNames.length === 0) return undefined;
    const why = 'a proxy is known by its certificate: give --requestheader-client-ca-file';
    throw new OptionsError(`--requestheader-allowed-names: ${why}`);
  }
  nonEmpty(raw, 'requestheader-username-headers');
  return {
    clientCaFile,
    allowedNames,
    usernameHeaders: headerNames(raw, 'requestheader-username-headers'),
    uidHeaders: headerNames(raw, 'requestheader-uid-headers'),
    groupHeaders: headerNames(raw, 'requestheader-group-headers'),
    extraHeaderPrefixes: headerNames(raw, 'requestheader-extra-headers-prefix'),
  };
}

function headerNames(raw: Raw, flag: AccessFlag): readonly string[] {
  return list(raw, flag).map((name) => {
    if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return name.toLowerCase();
    return fail(flag, name, 'a header name');
  });
}
