/**
 * The files of TLS, read again when they change: the serving certificate with its key, and the CAs
 * of clients (spec 2, section 5.2). Certificates are renewed by writing files, without a restart.
 *
 *     --tls-cert-file, --tls-private-key-file ─┐
 *     --client-ca-file,                        ├─▶ new connections are served with them
 *     --requestheader-client-ca-file ──────────┴─▶ requests are judged by them, whatever the
 *                                                  connection
 *
 * Invariants: certificate and key are taken together or not at all, so it does not matter which is
 * written first. What cannot be used changes nothing, is logged once, and is looked at again.
 * Connections that are open keep the certificate that they were made with; a client whose CA has
 * been removed from the file is unauthenticated from its next request on.
 */
import { servingProblem } from '../../pki/certificate-authority.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import type { Timers } from '../../stdx/clock.ts';
import { followFiles } from '../../stdx/followed-files.ts';
import { runStepwise } from '../../stdx/stepwise.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { AccessConfig } from '../config/access-options.ts';
import type { TlsMaterial } from './listeners.ts';
import type { Log } from './log.ts';
import type { CaStore } from './trusted-cas.ts';

export interface TlsReloadDeps {
  readonly timers: Timers;
  readonly log: Log;
}

/** `onChange`: what it throws leaves the last pair in force. Without flags there is none. */
export function followServing(
  { tlsCertificate }: AccessConfig,
  serving: KeyPair,
  { log, timers }: TlsReloadDeps,
  onChange: (serving: KeyPair) => void,
): { stop(): void } {
  if (tlsCertificate === undefined) return { stop: () => undefined };
  const { certFile, keyFile } = tlsCertificate;
  return followFiles({
    files: [
      { file: certFile, bytes: Buffer.from(serving.certificatePem) },
      { file: keyFile, bytes: Buffer.from(serving.keyPem) },
    ],
    timers,
    onChange([certificate, key]) {
      const pair = { certificatePem: String(certificate), keyPem: String(key) };
      const problem = servingProblem(pair);
      if (problem !== undefined) throw new Error(`${certFile}, ${keyFile}: ${problem}`);
      onChange(pair);
      log.info({ file: certFile }, 'new connections are served with the changed certificate');
    },
    onError(error) {
      log.error({ err: error }, 'the changed serving certificate is not in force');
    },
  });
}

export interface TlsPorts {
  /** @throws when it cannot be used; then nothing has changed. */
  changeTls(tls: TlsMaterial): void;
}

export interface FollowedTls extends TlsReloadDeps {
  readonly turns: Turns;
  readonly tls: TlsMaterial;
  readonly cas: CaStore;
  readonly ports: TlsPorts;
  /** Is called with the certificate that is served now. */
  readonly onServing: (tls: TlsMaterial) => void;
}

export function followTls(
  access: AccessConfig,
  { cas, log, onServing, ports, timers, tls, turns }: FollowedTls,
): { stop(): void } {
  let current = tls;
  let isStopped = false;
  const serve = (next: TlsMaterial): void => {
    ports.changeTls(next);
    current = next;
  };
  const serving = followServing(access, tls.serving, { log, timers }, (pair) => {
    serve({ ...current, serving: pair });
    onServing(current);
  });
  const clients = followFiles({
    files: cas.files,
    timers,
    async onChange(contents) {
      await runStepwise(turns, cas.take(contents), () => isStopped);
      // The library reads all of them once more, in one piece.
      await turns.pause(wholeTurnMs);
      if (isStopped) return;
      serve({ ...current, clientCaPem: cas.current().handshakePem });
      log.info({}, 'the changed CAs of clients are in force');
    },
    onError(error) {
      log.error({ err: error }, 'the changed CAs of clients are not in force');
    },
  });
  return {
    stop() {
      isStopped = true;
      serving.stop();
      clients.stop();
    },
  };
}
