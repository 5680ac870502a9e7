/**
 * A key service as the rest sees it: a program on this machine that encrypts and decrypts seeds
 * with keys that it does not give away.
 *
 * Elsewhere: the way to it (client.ts), and what is done with the seeds (service-key.ts).
 *
 * Invariants: a call resolves, within the service's timeout, and never rejects: what it failed of
 * is in the answer. What a service says is bounded before anything is kept of it.
 */
import { quote } from '../../apimachinery/quote.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import type { SealedSeed, ServiceStatus } from './messages.ts';

export const keyServiceLimits = {
  /** Of a seed, encrypted. */
  sealedBytesMax: 1024,
  keyIdBytesMax: 1024,
  /** Names and values together. */
  annotationsBytesMax: 32 * 1024,
  /** Of an answer as it comes: what is above those is refused unread. */
  answerBytesMax: 128 * 1024,
  /** Of the words of a service that are told to the operator. */
  wordsCharsMax: 256,
} as const;

export type ServiceAnswer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** `code`: a status of gRPC, by its name. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export interface KeyService {
  status(): Promise<ServiceAnswer<ServiceStatus>>;
  encrypt(plain: Buffer): Promise<ServiceAnswer<SealedSeed>>;
  /** `sealed`: as sealedSeedBytes() makes it. */
  decrypt(sealed: Buffer): Promise<ServiceAnswer<Buffer>>;
  /** Calls under way fail. */
  close(): void;
}

export type KeyIdProblem = 'empty' | 'too_long';

export function keyIdProblem(keyId: string): KeyIdProblem | undefined {
  if (keyId === '') return 'empty';
  return Buffer.byteLength(keyId) > keyServiceLimits.keyIdBytesMax ? 'too_long' : undefined;
}

/** Why it is not kept; undefined: nothing is wrong with it. */
export function sealedSeedProblem(seed: SealedSeed): string | undefined {
  const { annotationsBytesMax, keyIdBytesMax, sealedBytesMax } = keyServiceLimits;
  const { annotations, ciphertext, keyId } = seed;
  if (ciphertext.length === 0) return 'the encrypted seed is empty';
  if (ciphertext.length > sealedBytesMax) {
    return `the encrypted seed has ${ciphertext.length} bytes, at most ${sealedBytesMax}`;
  }
  const wrong = keyIdProblem(keyId);
  if (wrong === 'empty') return 'the key id is empty';
  if (wrong !== undefined) return `the key id has more than ${keyIdBytesMax} bytes`;
  let bytes = 0;
  for (const [name, value] of annotations) {
    bytes += Buffer.byteLength(name) + value.length;
    if (!isDomainName(name)) return `annotation ${words(name)} is no full domain name`;
  }
  if (bytes <= annotationsBytesMax) return undefined;
  return `the annotations have ${bytes} bytes, at most ${annotationsBytesMax}`;
}

/** What a service says, as it may stand in a line of the log. */
export function words(text: string): string {
  const { wordsCharsMax } = keyServiceLimits;
  return quote(text.length > wordsCharsMax ? `${text.slice(0, wordsCharsMax)}...` : text);
}

function isDomainName(name: string): boolean {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  const labels = bare.split('.');
  if (labels.length < 2 || checkDns1123Subdomain(bare).length > 0) return false;
  return labels.every((label) => checkDns1123Label(label).length === 0);
}
