/**
 * PKCS#10: what somebody asks to be certified, and the certificate that a CA makes of it. Beside
 * certificates.ts the other half of the door of @peculiar/x509.
 *
 *     PEM ▶ readSigningRequest ▶ subject, names, key, proven by its signature ▶ issueCertificate
 *
 * Elsewhere: the decision whether to issue one (controllers/signing).
 *
 * Invariants: a request is signed by the key that it is for. Of a request a certificate gets the
 * subject as it stands, the key, and names of hosts, addresses, mail and URIs; whatever other
 * extension it asks for is left out. Nothing that is issued is a CA.
 * Bounds: `requestLengthMax` characters, those of der-bounds.ts, keys as in request-keys.ts.
 */
import 'reflect-metadata';
import { verify } from 'node:crypto';
import type { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Extension, JsonGeneralName, Name, PublicKey } from '@peculiar/x509';
import { readPem } from '../apimachinery/codecs/pem.ts';
import { lookup } from '../stdx/lookup.ts';
import { messageOf } from '../stdx/message-of.ts';
import { createTextCache } from '../stdx/text-cache.ts';
import { isPair, signingKeyOf } from './certificate-authority.ts';
import { readCertificates } from './certificates.ts';
import type { KeyPair } from './certificate-authority.ts';
import { namesWithTexts } from './subject-texts.ts';
import { boundsOf, elementAt } from './der-bounds.ts';
import { requestKeyOf } from './request-keys.ts';

const requestLengthMax = 64 * 1024;

export interface SigningRequest {
  /** The last one, where there are several; '' when there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  readonly subject: Name;
  readonly publicKey: PublicKey;
}

export type SigningRequestRead =
  | { readonly kind: 'ok'; readonly request: SigningRequest }
  | { readonly kind: 'invalid'; readonly problem: string };

/** What was read, by its PEM: validation, admission, the approver and the signer all read it. */
const alreadyRead = createTextCache<SigningRequestRead>(16 * requestLengthMax);

export function readSigningRequest(pem: string): SigningRequestRead {
  let read = alreadyRead.get(pem);
  if (read === undefined) {
    read = readAnew(pem);
    if (pem.length <= requestLengthMax) alreadyRead.keep(pem, read);
  }
  return read;
}

const notARequest = 'it is not a PKCS#10 certificate request';

function readAnew(pem: string): SigningRequestRead {
  const invalid = (problem: string): SigningRequestRead => ({ kind: 'invalid', problem });
  if (pem.length > requestLengthMax) {
    return invalid(`must be no more than ${requestLengthMax} characters of PEM`);
  }
  const [block] = readPem(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') {
    return invalid('PEM block type must be CERTIFICATE REQUEST');
  }
  const bounds = boundsOf(block.bytes);
  if (bounds.kind === 'beyond') return invalid(bounds.problem);
  if (bounds.kind === 'malformed') return invalid(notARequest);
  try {
    const parsed = new Pkcs10CertificateRequest(Buffer.from(block.bytes));
    const subject = new Uint8Array(parsed.subjectName.toArrayBuffer());
    if (!namesWithTexts(subject)) return invalid('its subject has a name that is no text');
    const problem = signatureProblem(parsed, block.bytes);
    return problem === undefined ? { kind: 'ok', request: requestOf(parsed) } : invalid(problem);
  } catch {
    return invalid(notARequest);
  }
}

function requestOf(parsed: Pkcs10CertificateRequest): SigningRequest {
  const found = parsed.getExtension(subjectAlternativeName);
  const names = found instanceof SubjectAlternativeNameExtension ? found.names.items : [];
  const ofType = (type: string): readonly string[] =>
    names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonName: parsed.subjectName.getField('CN').at(-1) ?? '',
    organizations: parsed.subjectName.getField('O'),
    dnsNames: ofType('dns'),
    addresses: ofType('ip'),
    emails: ofType('email'),
    uris: ofType('url'),
    subject: parsed.subjectName,
    publicKey: parsed.publicKey,
  };
}

const subjectAlternativeName = '2.5.29.17';

const signedWith: Readonly<Record<string, string>> = lookup({
  rsa: 'RSASSA-PKCS1-v1_5',
  ec: 'ECDSA',
  ed25519: 'Ed25519',
});
/** Nobody trusts anything for this signature, which shows that the key is there: SHA-1 will do. */
const hashes: readonly string[] = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];

/** Why the request does not show that whoever made it has the key. */
function signatureProblem(
  { publicKey, signature, signatureAlgorithm }: Pkcs10CertificateRequest,
  der: Uint8Array,
): string | undefined {
  const read = requestKeyOf(Buffer.from(publicKey.rawData));
  if (read.kind === 'invalid') return read.problem;
  const { key } = read;
  // The library's types say less than there is.
  const { hash, name } = signatureAlgorithm as {
    readonly name?: string;
    readonly hash?: { readonly name: string };
  };
  const fits = name === signedWith[key.asymmetricKeyType ?? ''];
  const isEdwards = key.asymmetricKeyType === 'ed25519';
  if (!fits || (!isEdwards && !hashes.includes(hash?.name ?? ''))) {
    return 'it is signed with an algorithm that is not accepted';
  }
  const signed = signedPart(der);
  const digest = isEdwards ? null : (hash?.name ?? '').replace('-', '');
  const proven = signed !== undefined && verify(digest, signed, key, Buffer.from(signature));
  return proven ? undefined : 'its signature is not one of its key';
}

/** The first element of the outer sequence, which has to be all there is. */
function signedPart(der: Uint8Array): Uint8Array | undefined {
  const outer = elementAt(der, 0, der.length);
  if (outer === undefined || outer.end !== der.length) return undefined;
  const inner = elementAt(der, outer.contentAt, outer.end);
  return inner === undefined ? undefined : der.subarray(outer.contentAt, inner.end);
}

/** A CA that is ready to sign. */
export interface SigningAuthority {
  readonly certificate: X509Certificate;
  readonly notAfterMs: number;
  readonly key: webcrypto.CryptoKey;
  readonly algorithm: { readonly name: string; readonly hash: string };
}

/** @throws what is wrong with the pair, as the message of an Error. */
export async function openAuthority(pair: KeyPair): Promise<SigningAuthority> {
  const certificates = readCertificates(pair.certificatePem) ?? [];
  if (certificates.length !== 1) {
    throw new Error(`expected 1 certificate, found ${certificates.length}`);
  }
  if (!isPair(pair)) throw new Error('these are no certificate with its key');
  if (certificates[0]?.isCa !== true) throw new Error('the certificate is not one of a CA');
  const { key, algorithm } = await signingKeyOf(pair.keyPem);
  const certificate = new X509Certificate(pair.certificatePem);
  return { certificate, notAfterMs: certificate.notAfter.getTime(), key, algorithm };
}

export interface Grant {
  /** As CertificateSigningRequests name them. */
  readonly usages: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const keyUsages: Readonly<Record<string, KeyUsageFlags>> = lookup({
  signing: KeyUsageFlags.digitalSignature,
  'digital signature': KeyUsageFlags.digitalSignature,
  'content commitment': KeyUsageFlags.nonRepudiation,
  'key encipherment': KeyUsageFlags.keyEncipherment,
  'key agreement': KeyUsageFlags.keyAgreement,
  'data encipherment': KeyUsageFlags.dataEncipherment,
  'cert sign': KeyUsageFlags.keyCertSign,
  'crl sign': KeyUsageFlags.cRLSign,
  'encipher only': KeyUsageFlags.encipherOnly,
  'decipher only': KeyUsageFlags.decipherOnly,
});

const purposes: Readonly<Record<string, string>> = lookup({
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
});

export type Issued =
  | { readonly kind: 'issued'; readonly certificatePem: string }
  /** And never will be: the request holds what a certificate cannot. */
  | { readonly kind: 'unsignable'; readonly why: string };

/** A usage that is not known is not given. */
export async function issueCertificate(
  request: SigningRequest,
  grant: Grant,
  authority: SigningAuthority,
): Promise<Issued> {
  try {
    const { algorithm: signingAlgorithm, certificate, key: signingKey } = authority;
    const issued = await X509CertificateGenerator.create({
      subject: request.subject,
      issuer: certificate.subjectName,
      notBefore: new Date(grant.notBeforeMs),
      notAfter: new Date(grant.notAfterMs),
      publicKey: request.publicKey,
      signingKey,
      signingAlgorithm,
      extensions: await extensionsOf(request, grant.usages, certificate),
    });
    return { kind: 'issued', certificatePem: `${issued.toString('pem').trim()}\n` };
  } catch (error) {
    return { kind: 'unsignable', why: messageOf(error) };
  }
}

async function extensionsOf(
  request: SigningRequest,
  usages: readonly string[],
  issuer: X509Certificate,
): Promise<Extension[]> {
  const flags = usages.reduce((all, usage) => all | (keyUsages[usage] ?? 0), 0);
  const extended = [...new Set(usages.flatMap((usage) => purposes[usage] ?? []))];
  const names = alternativeNames(request);
  const hasSubject = request.subject.toJSON().length > 0;
  const ownId = issuer.getExtension(SubjectKeyIdentifierExtension)?.keyId;
  return [
    ...(flags === 0 ? [] : [new KeyUsagesExtension(flags, true)]),
    ...(extended.length === 0 ? [] : [new ExtendedKeyUsageExtension(extended)]),
    new BasicConstraintsExtension(false, undefined, true),
    ownId === undefined
      ? await AuthorityKeyIdentifierExtension.create(issuer.publicKey)
      : new AuthorityKeyIdentifierExtension(ownId),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names, !hasSubject)]),
  ];
}

function alternativeNames(request: SigningRequest): JsonGeneralName[] {
  const { addresses, dnsNames, emails, uris } = request;
  return [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...emails.map((value) => ({ type: 'email' as const, value })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
}
