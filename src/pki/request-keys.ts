/**
 * Which keys may be certified: those whose form says one of `accepted`, whole and byte for byte.
 *
 *     SEQUENCE { SEQUENCE { algorithm, parameters }, BIT STRING }      SubjectPublicKeyInfo
 *                └──────── one of `accepted` ─────┘
 *
 * Invariants: only such a key is given to the library of cryptography: parameters that a stranger
 * spells out are not even checked. A point of a curve is not compressed.
 * Bounds: RSA of `bitsMin` to `bitsMax` bits, its exponent odd and at most `exponentMax`.
 */
import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { lookup } from '../stdx/lookup.ts';
import { elementAt } from './der-bounds.ts';

const rsaBounds = { bitsMin: 1024, bitsMax: 8192, exponentMax: 2n ** 31n - 1n } as const;

const curvePrefix = '06072a8648ce3d0201';

/** The kind of key by the DER of its algorithm, in hexadecimal. */
const accepted: Readonly<Record<string, 'rsa' | 'ec' | 'ed25519'>> = lookup({
  '300d06092a864886f70d0101010500': 'rsa',
  [`3010${curvePrefix}06052b81040021`]: 'ec', // P-224
  [`3013${curvePrefix}06082a8648ce3d030107`]: 'ec', // P-256
  [`3010${curvePrefix}06052b81040022`]: 'ec', // P-384
  [`3010${curvePrefix}06052b81040023`]: 'ec', // P-521
  '300506032b6570': 'ed25519',
});

export type RequestKey =
  | { readonly kind: 'ok'; readonly key: KeyObject }
  | { readonly kind: 'invalid'; readonly problem: string };

/** `spki`: a SubjectPublicKeyInfo in DER.
 * @throws where the library can make no key of it. */
export function requestKeyOf(spki: Buffer): RequestKey {
  const invalid = (problem: string): RequestKey => ({ kind: 'invalid', problem });
  const outer = elementAt(spki, 0, spki.length);
  const algorithm = outer && elementAt(spki, outer.contentAt, outer.end);
  if (outer === undefined || algorithm === undefined) return invalid('it has no key');
  const form = spki.subarray(outer.contentAt, algorithm.end).toString('hex');
  const kind = accepted[form];
  if (kind === undefined) {
    const isCurve = form.includes(curvePrefix);
    if (isCurve) return invalid('the curve of its key is not P-224, P-256, P-384 or P-521 by name');
    return invalid('the key is of a kind that is not accepted: RSA, ECDSA and Ed25519 are');
  }
  const bits = elementAt(spki, algorithm.end, outer.end);
  if (kind === 'ec' && spki[(bits?.contentAt ?? 0) + 1] !== uncompressed) {
    return invalid('the point of its key is not an uncompressed one');
  }
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const problem = rsaProblem(key);
  return problem === undefined ? { kind: 'ok', key } : invalid(problem);
}

/** The first byte of such a point, behind the count of unused bits. */
const uncompressed = 4;

function rsaProblem({ asymmetricKeyDetails, asymmetricKeyType }: KeyObject): string | undefined {
  if (asymmetricKeyType !== 'rsa') return undefined;
  const { bitsMax, bitsMin, exponentMax } = rsaBounds;
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  if (modulusLength > bitsMax) return `the key is longer than ${bitsMax} bits`;
  if (modulusLength < bitsMin) return `the key is shorter than ${bitsMin} bits`;
  const isFit = publicExponent > 1n && publicExponent <= exponentMax && publicExponent % 2n === 1n;
  return isFit ? undefined : `the exponent of its key is not an odd one of 3 to ${exponentMax}`;
}
