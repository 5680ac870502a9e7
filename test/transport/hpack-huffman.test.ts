import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodedBytesMax, decodeHuffman } from '../../src/transport/http2/hpack/huffman.ts';

/** All bytes from 0 to 255, as another implementation encodes them. */
const everyByte = [
  'ffc7fffd8fffffe2fffffe3fffffe4fffffe5fffffe6fffffe7fffffe8ffffeafffffff3fffffa7fffffabff',
  'ffffdfffffebfffffecfffffedfffffeefffffefffffff0ffffff1ffffff2fffffffbfffffcffffffd3fffff',
  'd7fffffdbfffffdffffffe3fffffe7fffffebfffffed4fe3f9ffaffcabf1febfafefe7fdfd2cbb00089969b7',
  '1d79fb9f7fff20ffbff3ff50ddbd7f061c58f265cd9f469d5af66dddbf871e5f9cff7ff7fffc3ff9ffe45fff',
  '4719242cb34e6e9d68a6a3d7dac426defe3cfaf7fffbfe7ffbffdffffffcfffe6ffff4bfff9ffffa3fffd3ff',
  'ff53fffd5ffffb3fffeb7fffdaffffb7ffff73fffeeffffdeffffebffffbfffffd9ffffdbfffebffffe0ffff',
  'eeffffc3ffff8bffff1ffffe4fffee7fffb1ffff97fffd9ffffcdffff9fffffbffffdafffeeffff4ffffb7ff',
  'fee7fffe8ffffd3fffdeffffd5fffeeffffbdffffe1fffdfffff7fffff5ffffecffff07fff87fffe0ffff17f',
  'ffedffff87ffff77fffeffffeaffff8bfffe3ffff93ffff87fffcbffff37ffff1fffff83ffffe1fffebfffe3',
  'ffff3fffff2ffffa3ffffd9fffff17ffffc7fffff27ffffdefffffbffffff2fffff8fffffb7fff97fff8ffff',
  'fe6fffffc1fffff87ffffe7fffffc5ffffe5fffe4ffff2fffffd1fffff4ffffffefffffe3fffffc9fffff97f',
  'ffb3ffffcffffb7fffcdffff4ffff9ffffd1ffffcffffeaffffafffffddffffeffffff4fffff5fffffabffff',
  'a7ffffd7fffff9bffffecfffffb7fffff3fffffe8fffffd3fffffabfffff5fffffff7ffffecfffffdbfffffb',
  'bfffff7ffffff0fffffbbf',
].join('');

/** Undefined: it is no text. */
function decoded(hex: string): Buffer | undefined {
  const bytes = Buffer.from(hex, 'hex');
  const into = Buffer.alloc(decodedBytesMax(bytes.length));
  const length = decodeHuffman(bytes, 0, bytes.length, into);
  return length < 0 ? undefined : into.subarray(0, length);
}

describe('a text by the Huffman code', () => {
  it('is decoded, whatever bytes it has', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    assert.deepEqual(decoded(everyByte), all);
    assert.equal(decoded('f1e3c2e5f23a6ba0ab90f4ff')?.toString(), 'www.example.com');
    assert.equal(decoded('')?.toString(), '');
  });

  it('has room even if all its codes are the shortest', () => {
    assert.equal(decoded('00'.repeat(1000))?.toString(), '0'.repeat(1600));
    assert.equal(decoded('00'.repeat(5))?.toString(), '0'.repeat(8));
  });

  it('ends with up to seven ones', () => {
    // The codes of '0' and '&': 00000, 11111000.
    assert.equal(decoded('07')?.toString(), '0');
    assert.equal(decoded('f8')?.toString(), '&');
    assert.equal(decoded('f8ff'), undefined);
    assert.equal(decoded('07ff'), undefined);
    assert.equal(decoded('ff'), undefined);
    assert.equal(decoded('00'), undefined);
    assert.equal(decoded('06'), undefined);
    assert.equal(decoded('03'), undefined);
  });

  it('has no symbol for its end', () => {
    assert.equal(decoded('ffffffff'), undefined);
    assert.equal(decoded('fffffffc'), undefined);
    assert.equal(decoded('07ffffffff'), undefined);
    assert.equal(decoded('ffffffff07'), undefined);
  });
});
