/**
 * uWebSockets.js over TLS: HTTP/1.1 without client certificates.
 *
 * What it cannot do (20.30), so that whoever needs it is served by node (choose.ts): it tells
 * nobody the certificate of a peer, has no lowest version but 1.2, and no HTTP/2. Handshakes that
 * fail are not told either.
 *
 * Sessions are resumed by tickets, TLS 1.2 and 1.3. That is safe: a session holds no caller, for
 * each request brings its own token; the keys of tickets live as long as the port, so a port that
 * is opened with another certificate knows none of them.
 *
 * Invariant: the library reads certificate and key from files only; they are its owner's alone,
 * and gone when the port is there.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import type { TlsOptions } from '../http-exchange.ts';
import type { UwsApp, UwsBinding } from './uws-binding.ts';

/** Ciphers of TLS 1.2 with forward secrecy and authenticated encryption. All ciphers of 1.3 have
 * both. */
const ciphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Why uWebSockets.js cannot serve these options; undefined: it can. */
export function uwsRefusal({ clientCaPem, minVersion }: TlsOptions): string | undefined {
  if (clientCaPem !== undefined) return 'the uws transport knows no client certificates';
  if (minVersion === 'TLSv1.3') return 'the uws transport cannot refuse TLS 1.2';
  return undefined;
}

/** @throws when certificate and key cannot be used, or for what only node can do. */
export function createSecureApp(uws: UwsBinding, tls: TlsOptions): UwsApp {
  const why = uwsRefusal(tls);
  if (why !== undefined) throw new Error(why);
  const { certificatePem, keyPem, scratchDirectory = tmpdir() } = tls;
  // The library does not say what is wrong with them.
  createSecureContext({ cert: certificatePem, key: keyPem });
  const directory = mkdtempSync(path.join(scratchDirectory, '.tls-'));
  const file = (name: string, pem: string): string => {
    const where = path.join(directory, name);
    writeFileSync(where, pem, { mode: 0o600 });
    return where;
  };
  try {
    return uws.SSLApp({
      cert_file_name: file('certificate.pem', certificatePem),
      key_file_name: file('key.pem', keyPem),
      ssl_ciphers: ciphers,
      // Connections give their buffers back between records: most of them are quiet watches.
      ssl_prefer_low_memory_usage: true,
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
