/**
 * The keys of records: what others encrypted is read, what these encrypt others read, and nothing
 * that was altered or belongs elsewhere is taken.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { recordKey } from '../../src/encryption/record-keys.ts';
import type { KeyKind } from '../../src/encryption/record-keys.ts';

const secret = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
const bound = '/secrets/default/a\0live';
const text = Buffer.from('{"kind":"Secret"}');

const kinds: readonly (readonly [KeyKind, readonly number[]])[] = [
  ['aesgcm', [16, 24, 32]],
  ['aescbc', [16, 24, 32]],
  ['secretbox', [32]],
];

/** Test vector of NaCl itself (tests/secretbox.c): key, nonce, what it makes of a message. */
const naclVector = {
  key: '1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389',
  nonce: '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37',
  message:
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c' +
    '61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f' +
    '21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
  box:
    'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1' +
    '186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab9321645' +
    '48e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b' +
    '1f654cb45a74e355a5',
};

/** Test case 3 of the specification of GCM (McGrew and Viega). */
const gcmVector = {
  key: 'feffe9928665731c6d6a8f9467308308',
  nonce: 'cafebabefacedbaddecaf888',
  message:
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6' +
    'b525b16aedf5aa0de657ba637b391aafd255',
  made:
    '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84' +
    'aa051ba30b396a0aac973d58e091473f5985' +
    '4d5c2af327cd64a62cf35abd2ba6fab4',
};

describe('keys of records', () => {
  for (const [kind, lengths] of kinds) {
    for (const length of lengths) {
      it(`${kind} with ${length} bytes gives back what it was given, never the same bytes`, async () => {
        const key = await recordKey(kind, 'one', secret.subarray(0, length));
        assert.equal(key.label, `k8s:enc:${kind}:v1:one:`);
        for (const size of [0, 1, 15, 16, 17, 1000, 100_000]) {
          const plain = Buffer.alloc(size, 'sluice');
          const made = key.encrypt(plain, bound);
          assert.deepEqual(Buffer.from(key.decrypt(made, bound) ?? 'none'), plain);
          assert.notDeepEqual(made, key.encrypt(plain, bound));
          assert.equal(size > 15 && Buffer.from(made).includes('sluicesluice'), false);
        }
      });
    }

    it(`${kind} takes nothing from another key, and nothing that is cut`, async () => {
      const key = await recordKey(kind, 'one', secret);
      const other = await recordKey(kind, 'one', Buffer.from(secret).reverse());
      const made = key.encrypt(text, bound);
      const read = other.decrypt(made, bound);
      assert.notDeepEqual(read && Buffer.from(read), text);
      for (let end = 0; end < made.length; end += 1) {
        const cut = key.decrypt(made.subarray(0, end), bound);
        assert.notDeepEqual(cut && Buffer.from(cut), text);
      }
    });
  }

  for (const kind of ['aesgcm', 'secretbox'] as const) {
    it(`${kind} takes nothing in which a bit was changed`, async () => {
      const key = await recordKey(kind, 'one', secret);
      const made = Buffer.from(key.encrypt(text, bound));
      for (let bit = 0; bit < made.length * 8; bit += 1) {
        const altered = Buffer.from(made);
        altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
        assert.equal(key.decrypt(altered, bound), undefined, `bit ${bit}`);
      }
    });
  }

  it('aesgcm takes nothing that was made for another record', async () => {
    const key = await recordKey('aesgcm', 'one', secret);
    const made = key.encrypt(text, bound);
    assert.equal(key.decrypt(made, '/secrets/default/b\0live'), undefined);
    assert.equal(key.decrypt(made, '/secrets/default/a\0finalizing'), undefined);
  });

  it('aesgcm reads the test vector of its specification', async () => {
    const key = await recordKey('aesgcm', 'one', Buffer.from(gcmVector.key, 'hex'));
    const read = key.decrypt(Buffer.from(gcmVector.nonce + gcmVector.made, 'hex'), '');
    assert.equal(Buffer.from(read ?? []).toString('hex'), gcmVector.message);
  });

  it('secretbox reads the test vector of NaCl', async () => {
    const key = await recordKey('secretbox', 'one', Buffer.from(naclVector.key, 'hex'));
    const box = Buffer.from(naclVector.nonce + naclVector.box, 'hex');
    const read = key.decrypt(box, bound);
    assert.equal(Buffer.from(read ?? []).toString('hex'), naclVector.message);
  });

  it('openssl reads what aescbc writes, and the reverse', async () => {
    const key = await recordKey('aescbc', 'one', secret);
    const made = Buffer.from(key.encrypt(text, bound));
    const openssl = (direction: '-d' | '-e', start: Buffer, input: Uint8Array): Buffer => {
      const options = ['-K', secret.toString('hex'), '-iv', start.toString('hex')];
      return execFileSync('openssl', ['enc', direction, '-aes-256-cbc', ...options], { input });
    };
    assert.deepEqual(openssl('-d', made.subarray(0, 16), made.subarray(16)), text);
    const start = Buffer.alloc(16, 7);
    const theirs = Buffer.concat([start, openssl('-e', start, text)]);
    assert.deepEqual(Buffer.from(key.decrypt(theirs, bound) ?? []), text);
  });
});
