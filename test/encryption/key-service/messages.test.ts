/** The messages of key services: as another implementation reads and writes them, and broken. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import {
  decryptRequest,
  encryptRequest,
  readDecryptResponse,
  readEncryptResponse,
  readSealedSeed,
  readStatusResponse,
  sealedSeedBytes,
} from '../../../src/encryption/key-service/messages.ts';

function readAll(bytes: Uint8Array): [number, string][] {
  const reader = new BinaryReader(bytes);
  const fields: [number, string][] = [];
  while (reader.pos < reader.len) {
    const [number] = reader.tag();
    fields.push([number, Buffer.from(reader.bytes()).toString('latin1')]);
  }
  return fields;
}

const bytes = fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each));
const text = fc.string({ unit: 'grapheme', maxLength: 300 });

describe('messages of a key service', () => {
  it('are read by others as they were meant', () => {
    fc.assert(
      fc.property(bytes, text, bytes, (ciphertext, keyId, value) => {
        const sealed = sealedSeedBytes({ ciphertext, keyId, annotations: [['a.b', value]] });
        const [first, second, entry, uid] = readAll(decryptRequest(sealed, 'uid'));
        assert.deepEqual(first, [1, ciphertext.toString('latin1')]);
        assert.deepEqual(second, [3, Buffer.from(keyId).toString('latin1')]);
        assert.deepEqual(readAll(Buffer.from(entry?.[1] ?? '', 'latin1')), [
          [1, 'a.b'],
          [2, value.toString('latin1')],
        ]);
        assert.deepEqual(uid, [2, 'uid']);
        assert.deepEqual(readAll(encryptRequest(ciphertext, 'uid'))[0], first);
        const again = readSealedSeed(sealed);
        assert.deepEqual(again, { ciphertext, keyId, annotations: [['a.b', value]] });
      }),
    );
  });

  it('are read as others write them, with fields that nobody knows', () => {
    const writer = new BinaryWriter()
      .tag(9, 0)
      .uint64(2n ** 63n)
      .tag(8, 1)
      .fixed64(1n);
    writer.tag(1, 2).string('v1').tag(7, 5).fixed32(3).tag(1, 2).string('v2');
    writer.tag(2, 2).string('ok').tag(3, 2).string('kéy').tag(100_000, 2).bytes(Buffer.alloc(300));
    const status = readStatusResponse(Buffer.from(writer.finish()));
    assert.deepEqual(status, { version: 'v2', healthz: 'ok', keyId: 'kéy' });
    const entry = (name: string): Uint8Array => new BinaryWriter().tag(1, 2).string(name).finish();
    const answer = new BinaryWriter().tag(3, 2).bytes(entry('b.c')).tag(3, 2).bytes(entry('a.b'));
    answer.tag(2, 2).string('k').tag(1, 2).bytes(Buffer.from('sealed'));
    const sealed = readEncryptResponse(Buffer.from(answer.finish()));
    assert.deepEqual(
      sealed.annotations.map(([name]) => name),
      ['a.b', 'b.c'],
    );
    assert.equal(sealed.ciphertext.toString(), 'sealed');
    assert.equal(sealed.keyId, 'k');
    assert.equal(readDecryptResponse(Buffer.alloc(0)).length, 0);
  });

  it('are refused where they are none, and nothing but an Error comes of it', () => {
    for (const wrong of ['0a05aa', '0b', '0aff', 'ffffffffffffffffffffff', '1a01ff', '0a']) {
      assert.throws(() => readStatusResponse(Buffer.from(wrong, 'hex')), Error, wrong);
    }
    const readers = [readStatusResponse, readEncryptResponse, readDecryptResponse, readSealedSeed];
    fc.assert(
      fc.property(bytes, (any) => {
        for (const read of readers) {
          try {
            read(any);
          } catch (error) {
            assert.ok(error instanceof Error);
            assert.match(error.message, /^(a field|a number|a text) /);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
