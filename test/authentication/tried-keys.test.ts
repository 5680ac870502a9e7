/** A token without a key id is tried with so many keys: nobody is known yet when that is done. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import type { VerificationKey } from '../../src/authentication/jwt-keys.ts';
import { checkSignature, keysTriedMax, readToken } from '../../src/authentication/jwt-verify.ts';

const pairs = Array.from({ length: keysTriedMax + 2 }, () =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
);

function keysThatCount() {
  let tried = 0;
  const keys = pairs.map(({ publicKey }, at): VerificationKey => {
    return {
      id: `key-${at}`,
      algorithm: 'ES256',
      get publicKey() {
        tried += 1;
        return publicKey;
      },
    };
  });
  return { keys, tried: () => tried };
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function problemOf(signer: number, header: object, keys: readonly VerificationKey[]) {
  const input = `${encode({ alg: 'ES256', ...header })}.${encode({ sub: 'ann' })}`;
  const { privateKey } = pairs[signer] as (typeof pairs)[number];
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const token = `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
  const read = readToken(token);
  assert.ok(read !== undefined);
  const checked = await checkSignature(token, read, keys, (verification) => verification());
  return checked.kind === 'refused' ? checked.why : undefined;
}

describe('a token that names no key', () => {
  it('is good by any of the first keys', async () => {
    const { keys } = keysThatCount();
    assert.equal(await problemOf(keysTriedMax - 1, {}, keys), undefined);
  });

  // Before, it was tried with each of an issuer's 256.
  it('is tried with the first keys only', async () => {
    const { keys, tried } = keysThatCount();
    const why = await problemOf(keysTriedMax, {}, keys);
    assert.equal(why, `the signature is of none of the first ${keysTriedMax} keys`);
    assert.equal(tried(), keysTriedMax);
  });
});

describe('a token that names its key', () => {
  it('is tried with that key, wherever it stands', async () => {
    const { keys, tried } = keysThatCount();
    const last = pairs.length - 1;
    assert.equal(await problemOf(last, { kid: `key-${last}` }, keys), undefined);
    assert.equal(tried(), 1);
  });

  it('is good by no other', async () => {
    const { keys } = keysThatCount();
    assert.equal(
      await problemOf(0, { kid: 'key-1' }, keys),
      'the signature is of none of the keys',
    );
  });
});
