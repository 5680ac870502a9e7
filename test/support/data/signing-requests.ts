/** PKCS#10 requests as clients make them, and the objects that carry them. */
// First: it readies the library.
import '../../../src/pki/certificates.ts';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509';
import type { JsonGeneralName } from '@peculiar/x509';

const algorithms = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
  pss: {
    name: 'RSA-PSS',
    hash: 'SHA-256',
    saltLength: 32,
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
  sha1: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-1',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
  ed25519: { name: 'Ed25519' },
} as const;

export interface RequestShape {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly names?: readonly JsonGeneralName[];
  readonly key?: keyof typeof algorithms;
  /** It asks to be a CA. */
  readonly ca?: boolean;
}

export interface MadeRequest {
  readonly requestPem: string;
  readonly keyPem: string;
  /** As it stands in spec.request. */
  readonly base64: string;
}

export async function makeRequest(shape: RequestShape): Promise<MadeRequest> {
  const { commonName, organizations = [], names = [], key = 'ecdsa', ca = false } = shape;
  const algorithm = algorithms[key];
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: [...organizations.map((name) => ({ O: [name] })), { CN: [commonName] }],
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])]),
      ...(ca ? [new BasicConstraintsExtension(true, undefined, true)] : []),
    ],
  });
  const requestPem = `${made.toString('pem')}\n`;
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    requestPem,
    keyPem: ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n'),
    base64: Buffer.from(requestPem).toString('base64'),
  };
}

export const clientUsages = ['client auth', 'digital signature'];

/** Of spec and name; the rest is the server's. */
export function requestObject(
  name: string,
  request: string,
  signerName: string,
  usages: readonly string[] = clientUsages,
  more: object = {},
) {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request, signerName, usages, ...more },
  };
}

/** For all who only need some. */
export const somebody: RequestShape = { commonName: 'somebody' };
