/**
 * As whom this server passes requests on to servers of APIServices: by the certificate that the
 * flags name, else by one that it has made itself.
 *
 *     --proxy-client-cert-file        that one, which --requestheader-client-ca-file should know
 *     neither of the two              its own, and it tells those servers whom to believe
 *     --requestheader-client-ca-file  alone: none, because nobody would believe its own
 *
 * Elsewhere: how they are told (src/controllers/system/authentication-trust.ts), and the files of
 * this server (pki.ts).
 */
import { userHeaders } from '../../aggregation/remote-user.ts';
import type { TrustedProxies } from '../../controllers/system/authentication-trust.ts';
import { isPair } from '../../pki/certificate-authority.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import type { Timers } from '../../stdx/clock.ts';
import { followFiles } from '../../stdx/followed-files.ts';
import type { AccessConfig } from '../config/access-options.ts';
import { readOptionText } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import type { Log } from './log.ts';
import type { Pki } from './pki.ts';

/** Whom servers behind this one are told to believe; undefined: somebody else, or nobody. */
export function ownProxy(access: AccessConfig, { frontProxy }: Pki): TrustedProxies | undefined {
  if (access.requestHeader !== undefined || access.proxyClient !== undefined) return undefined;
  return {
    caPem: frontProxy.authorityPem,
    allowedNames: [frontProxy.commonName],
    usernameHeaders: [userHeaders.user],
    uidHeaders: [userHeaders.uid],
    groupHeaders: [userHeaders.group],
    extraHeaderPrefixes: [userHeaders.extraPrefix],
  };
}

/** What they are shown; undefined: nothing. @throws OptionsError. */
export function proxyClientOf(access: AccessConfig, pki: Pki): KeyPair | undefined {
  const { proxyClient, requestHeader } = access;
  if (proxyClient === undefined) {
    return requestHeader === undefined ? pki.frontProxy.client : undefined;
  }
  const pair = {
    certificatePem: readOptionText('proxy-client-cert-file', proxyClient.certFile),
    keyPem: readOptionText('proxy-client-key-file', proxyClient.keyFile),
  };
  if (isPair(pair)) return pair;
  const problem = 'no certificate with its key';
  throw new OptionsError(`--proxy-client-cert-file, --proxy-client-key-file: ${problem}`);
}

/** The files of the flags, read again when they change. */
export function followProxyClient(
  { proxyClient }: AccessConfig,
  first: KeyPair | undefined,
  { log, timers }: { readonly log: Log; readonly timers: Timers },
  onChange: (pair: KeyPair) => void,
): { stop(): void } {
  if (proxyClient === undefined || first === undefined) return { stop: () => undefined };
  const { certFile, keyFile } = proxyClient;
  return followFiles({
    files: [
      { file: certFile, bytes: Buffer.from(first.certificatePem) },
      { file: keyFile, bytes: Buffer.from(first.keyPem) },
    ],
    timers,
    onChange([certificate, key]) {
      const pair = { certificatePem: String(certificate), keyPem: String(key) };
      if (!isPair(pair)) throw new Error(`${certFile}, ${keyFile}: no certificate with its key`);
      onChange(pair);
      log.info({ file: certFile }, 'servers of APIServices are shown the changed certificate');
    },
    onError(error) {
      log.error({ err: error }, 'the changed certificate for servers of APIServices is not used');
    },
  });
}
