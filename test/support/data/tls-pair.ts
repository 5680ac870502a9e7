/** A self-signed pair made for the tests; the PEM files stay with the sources. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const pem = (name: string): string =>
  readFileSync(path.join(process.cwd(), 'test', 'support', 'data', name), 'utf8');

export const tlsPair = {
  certificatePem: pem('tls-certificate.pem'),
  keyPem: pem('tls-key.pem'),
} as const;

/** The same as options of node's servers. */
export const tlsServerOptions = { cert: tlsPair.certificatePem, key: tlsPair.keyPem } as const;
