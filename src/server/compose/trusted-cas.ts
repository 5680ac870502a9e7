/**
 * The CAs whose clients are known: the server's own, --client-ca-file, and of proxies
 * --requestheader-client-ca-file (spec 2, section 5.2). The files may change while it runs.
 *
 * Elsewhere: the watching of the files (tls-reload.ts).
 *
 * Invariants: what is in force was read whole, and every file of it holds certificates. A file may
 * hold hundreds, each of which takes a millisecond: while the server runs they are read in steps.
 */
import type {
  AuthenticationTrust,
  TrustedProxies,
} from '../../controllers/system/authentication-trust.ts';
import { certificatesIn } from '../../pki/certificates.ts';
import type { Certificate } from '../../pki/certificates.ts';
import type { FollowedFile } from '../../stdx/followed-files.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { AccessConfig, RequestHeaderConfig } from '../config/access-options.ts';
import { readOptionFile } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';

export interface TrustedCas {
  readonly clientRoots: readonly Certificate[];
  readonly proxyRoots: readonly Certificate[];
  /** Of clients and proxies: clients are told of them in the handshake. */
  readonly handshakePem: string;
  /** What servers behind this one are told. */
  readonly trust: AuthenticationTrust;
}

export interface CaStore {
  /** What is in force now; another object when it has changed. */
  current(): TrustedCas;
  /** Where it comes from, as it was read at first. */
  readonly files: readonly FollowedFile[];
  /** Of the same files; in force behind the last step. @throws OptionsError; then nothing has
   * changed. */
  take(contents: readonly Uint8Array[]): Steps<void>;
}

/** `ownProxy`: as whom this server itself passes requests on, where no flag says who may.
 * @throws OptionsError. */
export function readCaStore(
  access: AccessConfig,
  ownPem: string,
  ownProxy?: TrustedProxies,
): CaStore {
  const { clientCaFile, requestHeader } = access;
  const named: readonly NamedFile[] = [
    ...(clientCaFile === undefined ? [] : [{ flag: clientFlag, file: clientCaFile }]),
    ...(requestHeader === undefined ? [] : [{ flag: proxyFlag, file: requestHeader.clientCaFile }]),
  ];
  const files = named.map(({ flag, file }) => ({ file, bytes: readOptionFile(flag, file) }));
  const read = (contents: readonly Uint8Array[]): Steps<TrustedCas> => {
    const pemOf = (flag: string): string | undefined => {
      const at = named.findIndex((each) => each.flag === flag);
      return contents[at] && Buffer.from(contents[at]).toString('utf8');
    };
    return trustedCas(ownPem, pemOf(clientFlag), pemOf(proxyFlag), requestHeader, ownProxy);
  };
  let current = finished(read(files.map(({ bytes }) => bytes)));
  return {
    files,
    current: () => current,
    *take(contents) {
      current = yield* read(contents);
    },
  };
}

interface NamedFile {
  readonly flag: string;
  readonly file: string;
}

const clientFlag = 'client-ca-file';
const proxyFlag = 'requestheader-client-ca-file';

function* trustedCas(
  own: string,
  clients: string | undefined,
  proxies: string | undefined,
  requestHeader: RequestHeaderConfig | undefined,
  ownProxy: TrustedProxies | undefined,
): Steps<TrustedCas> {
  const ownRoots = yield* rootSteps(clientFlag, own);
  const added = clients === undefined ? [] : yield* rootSteps(clientFlag, clients);
  const proxyRoots = proxies === undefined ? [] : yield* rootSteps(proxyFlag, proxies);
  return {
    clientRoots: [...ownRoots, ...added],
    proxyRoots,
    handshakePem: [own, clients, proxies].filter((pem) => pem !== undefined).join('\n'),
    trust: {
      clientCaPem: `${own}\n${clients ?? ''}`,
      proxies: requestHeader ? trustedProxies(requestHeader, proxies ?? '') : ownProxy,
    },
  };
}

function trustedProxies(rules: RequestHeaderConfig, caPem: string): TrustedProxies {
  return {
    caPem,
    allowedNames: rules.allowedNames,
    usernameHeaders: rules.usernameHeaders.map(asWritten),
    uidHeaders: rules.uidHeaders.map(asWritten),
    groupHeaders: rules.groupHeaders.map(asWritten),
    extraHeaderPrefixes: rules.extraHeaderPrefixes.map(asWritten),
  };
}

/** `x-remote-user` ▶ `X-Remote-User`: clients compare the text. */
function asWritten(header: string): string {
  return header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** @throws OptionsError. */
export function rootsOf(flag: string, pem: string): readonly Certificate[] {
  return finished(rootSteps(flag, pem));
}

function* rootSteps(flag: string, pem: string): Steps<readonly Certificate[]> {
  const roots = yield* certificatesIn(pem);
  const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1;
  // Whoever writes the file has not come to its end.
  if (roots !== undefined && roots.length < begun) {
    throw new OptionsError(`--${flag}: the file holds a certificate that has no end`);
  }
  if (roots === undefined || roots.length === 0) {
    throw new OptionsError(`--${flag}: the file holds no certificates, or some that are broken`);
  }
  return roots;
}
