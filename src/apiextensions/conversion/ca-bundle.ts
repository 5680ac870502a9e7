/**
 * Whether a conversion webhook can be trusted by what its definition says of its CA: as in the
 * reference, which takes any PEM in which one certificate at least can be read.
 */
import { X509Certificate } from 'node:crypto';
import { pemTexts } from '../../apimachinery/codecs/pem.ts';

/** Blocks that are tried. Policy: behind so many that are none, no certificate is looked for. */
const blocksMax = 128;

/** `bundle`: PEM in base64, as a client configuration has it. */
export function isCaBundle(bundle: string): boolean {
  const pem = Buffer.from(bundle, 'base64').toString('latin1');
  return pemTexts(pem, blocksMax).some(
    ({ type, whole }) => type === 'CERTIFICATE' && isCertificate(whole),
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}
