/** Checks a certificate and its key; errors have the reference's texts. */
import { X509Certificate, createPrivateKey } from 'node:crypto';

/** Undefined: they belong together. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const certificates = pemBlocks(certificate);
  const leaf = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (leaf === undefined) return withoutCertificate(certificates.map(({ type }) => type));
  const keys = pemBlocks(key);
  const own = keys.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (own === undefined) return withoutKey(keys.map(({ type }) => type));
  const read = attempt(() => new X509Certificate(leaf.pem));
  if (read === undefined) return 'x509: malformed certificate';
  const secret = attempt(() => createPrivateKey(own.pem));
  if (secret === undefined) return 'tls: failed to parse private key';
  if (read.publicKey.asymmetricKeyType !== secret.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  return read.checkPrivateKey(secret) ? undefined : 'tls: private key does not match public key';
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

interface PemBlock {
  readonly type: string;
  readonly pem: string;
}

function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  const begin = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const type = found[1] ?? '';
    const end = `-----END ${type}-----`;
    const at = text.indexOf(end, begin.lastIndex);
    if (at < 0) break;
    blocks.push({ type, pem: text.slice(found.index, at + end.length) });
    begin.lastIndex = at + end.length;
  }
  return blocks;
}

function withoutCertificate(types: readonly string[]): string {
  const failed = 'tls: failed to find';
  if (types.length === 0) return `${failed} any PEM data in certificate input`;
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY') === true) {
    return (
      `${failed} certificate PEM data in certificate input, but did find a private key; ` +
      'PEM inputs may have been switched'
    );
  }
  return (
    `${failed} "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the ` +
    `following types: [${types.join(' ')}]`
  );
}

function withoutKey(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  return (
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping ' +
    `PEM blocks of the following types: [${types.join(' ')}]`
  );
}
