/**
 * What a signer may write into a certificate field: one or more X.509 certificates in PEM, and no
 * other block beside them. Nobody asks here who signed what.
 */
import { X509Certificate } from 'node:crypto';
import { pemTexts } from '../../apimachinery/codecs/pem.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { invalid } from '../../apimachinery/field-error.ts';
import { quote } from '../../apimachinery/quote.ts';

/** Certificates of a chain: ten times what is in use. Policy: a longer one is refused. */
const blocksMax = 128;

/** Certificates are shown by this in errors. */
const shown = '<certificate data>';

/** `value` in base64, as bytes are written; empty is none. */
export function certificateProblems(field: string, value: string): readonly FieldError[] {
  if (value === '') return [];
  const text = Buffer.from(value, 'base64').toString('latin1');
  const blocks = pemTexts(text, blocksMax + 1);
  if (blocks.length === 0) {
    return [invalid(field, shown, 'must contain at least one CERTIFICATE PEM block')];
  }
  if (blocks.length > blocksMax) {
    return [invalid(field, shown, `must contain at most ${blocksMax} PEM blocks`)];
  }
  for (const { body, type, whole } of blocks) {
    if (type !== 'CERTIFICATE') {
      const why = `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
      return [invalid(field, shown, why)];
    }
    if (body.includes(':')) return [invalid(field, shown, 'no PEM block headers are permitted')];
    if (!isCertificate(whole))
      return [invalid(field, shown, 'holds a block that is no certificate')];
  }
  return [];
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== '';
  } catch {
    return false;
  }
}
