/** CBOR of single items and of watch frames: vectors of RFC 8949, refusals, random values. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cborEvents } from '../../src/apimachinery/cbor-events.ts';
import { cborDepthMax } from '../../src/apimachinery/codecs/cbor-decode.ts';
import { decodeCbor, encodeCbor, encodeCborSteps } from '../../src/apimachinery/codecs/cbor.ts';
import type { Decoded } from '../../src/apimachinery/codecs/json.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { newExpired } from '../../src/apimachinery/status-error.ts';
import { readTypes } from '../../src/apimachinery/typed/type-rows.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { framePreambles, withoutPreamble } from '../../src/endpoints/watch-preamble.ts';
import { jsonEvents } from '../support/data/json-events.ts';

const prefix = 'd9d9f7';
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const encoded = (value: JsonValue): string => hexOf(encodeCbor(value)).slice(prefix.length);
const decodeHex = (hex: string) => decodeCbor(Buffer.from(hex, 'hex'));

function valueOf(hex: string): JsonValue {
  const decoded = decodeHex(hex);
  assert.ok(decoded.kind === 'value', refusalOf(decoded));
  return decoded.value;
}

function problemOf(hex: string): string {
  const decoded = decodeHex(hex);
  assert.ok(decoded.kind === 'refused', `${hex} was read as ${stringifyJson(oneValue(decoded))}`);
  assert.equal(decoded.error.code, 400);
  return decoded.error.message;
}

const refusalOf = (decoded: Decoded): string =>
  decoded.kind === 'refused' ? decoded.error.message : '';

const oneValue = (decoded: Decoded): JsonValue => (decoded.kind === 'value' ? decoded.value : null);

/** Examples of RFC 8949, appendix A, that are what the encoder writes, too. */
const bothWays: readonly (readonly [string, JsonValue])[] = [
  ['00', 0],
  ['01', 1],
  ['0a', 10],
  ['17', 23],
  ['1818', 24],
  ['1819', 25],
  ['1864', 100],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['20', -1],
  ['29', -10],
  ['3863', -100],
  ['3903e7', -1000],
  ['fb3ff199999999999a', 1.1],
  ['f93e00', 1.5],
  ['fb7e37e43c8800759c', 1e300],
  ['fa7f7fffff', 3.4028234663852886e38],
  ['f90001', 5.960464477539063e-8],
  ['f90400', 0.00006103515625],
  ['fbc010666666666666', -4.1],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['40', ''],
  ['80', []],
  ['83010203', [1, 2, 3]],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
  [
    '98190102030405060708090a0b0c0d0e0f101112131415161718181819',
    Array.from({ length: 25 }, (_, at) => at + 1),
  ],
  ['a0', {}],
  // The appendix's text strings in the major type that the reference writes.
  ['4161', 'a'],
  ['4449455446', 'IETF'],
  ['42225c', '"\\'],
  ['42c3bc', '\u00fc'],
  ['43e6b0b4', '\u6c34'],
  ['44f0908591', '\ud800\udd51'],
  ['a24161014162820203', { a: 1, b: [2, 3] }],
  ['824161a141624163', ['a', { b: 'c' }]],
  ['a243416d74214346756ef5', { Amt: -2, Fun: true }],
  // Around the edges of what a double and 64 bits hold.
  ['1b001fffffffffffff', Number.MAX_SAFE_INTEGER],
  ['3b001ffffffffffffe', -Number.MAX_SAFE_INTEGER],
  ['1b0020000000000000', 2n ** 53n],
  ['3b001fffffffffffff', -(2n ** 53n)],
  ['1b7fffffffffffffff', 2n ** 63n - 1n],
  ['3b7fffffffffffffff', -(2n ** 63n)],
  // Halves at the end of the normal and of the subnormal ones, and the singles next to them.
  ['f903ff', 1023 * 2 ** -24],
  ['fa33000000', 2 ** -25],
  ['19ffe0', 65504],
  ['fa387ff000', 2 ** -15 * (1 + 0x7ff000 / 2 ** 23)],
];

/** Examples that are read, and written in another way. */
const readOnly: readonly (readonly [string, JsonValue])[] = [
  ['f90000', 0],
  ['f93c00', 1],
  ['f97bff', 65504],
  ['fa47c35000', 100_000],
  ['f9c400', -4],
  ['6161', 'a'],
  ['6449455446', 'IETF'],
  ['63e6b0b4', '\u6c34'],
  ['a26161016162820203', { a: 1, b: [2, 3] }],
  ['5f42616243636465ff', 'abcde'],
  ['7f657374726561646d696e67ff', 'streaming'],
  ['9fff', []],
  ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
  ['83019f0203ff820405', [1, [2, 3], [4, 5]]],
  ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
  ['826161bf61626163ff', ['a', { b: 'c' }]],
  ['bf6346756ef563416d7421ff', { Fun: true, Amt: -2 }],
  ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
  ['c11a514b67b0', '2013-03-21T20:04:00Z'],
  ['c1fb41d452d9ec200000', '2013-03-21T20:04:00.5Z'],
  ['c120', '1969-12-31T23:59:59Z'],
  ['d818456449455446', 'dIETF'],
  ['d82076687474703a2f2f7777772e6578616d706c652e636f6d', 'http://www.example.com'],
  ['d54401fffefd', 'Af_-_Q'],
  ['d64401fffefd', 'Af/+/Q=='],
  ['d74401020304', '01020304'],
  ['d66161', 'a'],
  ['1800', 0],
  ['1b0000000000000001', 1],
  [`${prefix}a14161${prefix}01`, { a: 1 }],
];

const refusals: readonly (readonly [string, RegExp])[] = [
  ['', /at byte 0: the body ends inside a data item/],
  ['1bffffffffffffffff', /beyond 64 bits with a sign/],
  ['3bffffffffffffffff', /beyond 64 bits with a sign/],
  ['c249010000000000000000', /big numbers/],
  ['c349010000000000000000', /big numbers/],
  ['f97c00', /not finite/],
  ['f97e00', /not finite/],
  ['f9fc00', /not finite/],
  ['fa7f800000', /not finite/],
  ['fa7fc00000', /not finite/],
  ['fb7ff8000000000000', /not finite/],
  ['fbfff0000000000000', /not finite/],
  ['f7', /only false, true and null/],
  ['f0', /only false, true and null/],
  ['f8ff', /only false, true and null/],
  ['a201020304', /at byte 1: a key is not a string/],
  ['a1f601', /a key is not a string/],
  ['a2416101416102', /at byte 4: the key "a" comes twice/],
  ['a2416101616102', /the key "a" comes twice/],
  ['bf416101416102ff', /the key "a" comes twice/],
  ['a2495f5f70726f746f5f5f01495f5f70726f746f5f5f02', /the key "__proto__" comes twice/],
  ['0001', /at byte 1: something follows the data item/],
  ['a14161', /the body ends/],
  ['8201', /the body ends/],
  ['9f01', /the body ends/],
  ['bf416101', /the body ends/],
  ['5bffffffffffffffff00', /beyond 64 bits/],
  ['5b0fffffffffffffff00', /the body ends/],
  ['9b0fffffffffffffff00', /the body ends/],
  ['bb0fffffffffffffff', /the body ends/],
  ['4401', /the body ends/],
  ['1c', /additional information 28/],
  ['1f', /additional information 31/],
  ['df00', /additional information 31/],
  ['ff', /where none began/],
  ['81ff', /where none began/],
  ['bf4161ff', /where none began/],
  ['5f6161ff', /strings of its own kind only/],
  ['5f5f4161ffff', /strings of its own kind only/],
  ['5f00ff', /strings of its own kind only/],
  ['41ff', /at byte 0: a string is not valid UTF-8/],
  ['61ff', /a string is not valid UTF-8/],
  ['7f61c361bcff', /a string is not valid UTF-8/],
  ['c04161', /not RFC 3339/],
  ['c00a', /not RFC 3339/],
  ['c14161', /not a number of seconds/],
  ['c1fb7e37e43c8800759c', /not a number of seconds/],
  ['c11b7fffffffffffffff', /not a number of seconds/],
];

describe('CBOR', () => {
  for (const [hex, value] of bothWays) {
    it(`${hex} is ${stringifyJson(value)}, both ways`, () => {
      assert.deepEqual(valueOf(hex), value);
      assert.equal(encoded(value), hex);
    });
  }

  for (const [hex, value] of readOnly) {
    it(`${hex} is read as ${stringifyJson(value)}`, () => {
      assert.deepEqual(valueOf(hex), value);
    });
  }

  for (const [hex, problem] of refusals) {
    it(`${hex === '' ? 'nothing' : hex} is refused`, () => {
      assert.match(problemOf(hex), problem);
    });
  }

  it(`nests ${cborDepthMax} levels and no deeper; arrays, maps and tags count`, () => {
    for (const level of ['81', 'a14161', '9f', 'd818']) {
      const end = level === '9f' ? 'ff' : '';
      const nested = (depth: number) => `${level.repeat(depth)}01${end.repeat(depth)}`;
      valueOf(nested(cborDepthMax));
      assert.match(problemOf(nested(cborDepthMax + 1)), /nests deeper than 64 levels/);
    }
  });

  it('everything sent begins with the self-described tag, which may be absent on the way in', () => {
    assert.equal(hexOf(encodeCbor({ a: 1 })), `${prefix}a1416101`);
    assert.deepEqual(valueOf(`${prefix}a1416101`), valueOf('a1416101'));
  });

  it('sorts keys by the bytes of their encoding, whatever the order of the object', () => {
    const keys = ['b', 'aa', 'a', '', '\u{1f600}', '\uff00a', 'x'.repeat(24), 'y'.repeat(23)];
    const object = Object.fromEntries(keys.map((key) => [key, 1]));
    const reversed = Object.fromEntries(keys.toReversed().map((key) => [key, 1]));
    assert.equal(encoded(object), encoded(reversed));
    const read = Object.keys(valueOf(encoded(object)) as object);
    const wanted = ['', 'a', 'b', 'aa', '\uff00a', '\u{1f600}', 'y'.repeat(23), 'x'.repeat(24)];
    assert.deepEqual(read, wanted);
  });

  it('a number beyond 64 bits becomes a float, undefined is left out, as in JSON', () => {
    assert.equal(encoded(2n ** 64n), 'fa5f800000');
    assert.equal(encoded({ a: undefined, b: 1 }), 'a1416201');
    assert.equal(encoded(-0), '00');
    assert.equal(encoded(NaN), 'f6');
  });

  it('a key named __proto__ is a key', () => {
    const value = valueOf('a1495f5f70726f746f5f5fa1416101');
    assert.deepEqual(Object.keys(value as object), ['__proto__']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(encoded(value), 'a1495f5f70726f746f5f5fa1416101');
  });
});

const types = readTypes(`
package test/v1
Thing
 blob 1 bytes ?
 blobs 2 {}bytes
 list 3 []bytes
 inner 4 Thing ?
 text 5 string
`);
const thing = types.object('test/v1.Thing');

describe('CBOR of typed bytes', () => {
  it('is the bytes under tag 22, in fields, maps, lists and below', () => {
    const object = {
      blob: 'AQI=',
      blobs: { a: '' },
      list: ['/w=='],
      inner: { blob: 'AA==' },
      text: 'AQI=',
    };
    const bytes = encodeCbor(object, thing);
    const parts = [
      ...['44626c6f62', 'd6420102'],
      ...['446c697374', '81', 'd641ff'],
      ...['4474657874', '44', '4151493d'],
      ...['45626c6f6273', 'a1', '4161', 'd640'],
      ...['45696e6e6572', 'a1', '44626c6f62', 'd64100'],
    ];
    assert.equal(hexOf(bytes), `${prefix}a5${parts.join('')}`);
    assert.deepEqual(valueOf(hexOf(bytes)), object);
  });

  it('stays text when it is no canonical base64, so that nothing is lost', () => {
    for (const blob of ['AQI', 'not base64!', 'AB==', ' ']) {
      const bytes = encodeCbor({ blob }, thing);
      assert.deepEqual(valueOf(hexOf(bytes)), { blob });
    }
  });
});

const anything = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('__proto__', 'constructor', '\u0000', 'x'.repeat(300), '\u00e9'.repeat(70_000)),
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.maxSafeInteger().map((n) => n + 0),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
    fc.array(tie('value'), { maxLength: 30 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value')),
  ),
})).value;

const plain = (value: JsonValue): string => stringifyJson(value);
const sorted = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return (value as JsonValue[]).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(
    names.map((name) => [name, sorted((value as Record<string, JsonValue>)[name] as JsonValue)]),
  );
};

describe('random values', () => {
  it('survive the way through CBOR, every digit of them', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const decoded = decodeCbor(encodeCbor(value));
        assert.ok(decoded.kind === 'value', refusalOf(decoded));
        assert.equal(plain(sorted(decoded.value)), plain(sorted(value)));
        // What is read and written again has the same bytes.
        assert.equal(encoded(decoded.value), encoded(value));
        // In parts they are the same, whatever memory was reckoned with.
        for (const about of [0, 1, 100_000]) {
          const parts = finished(encodeCborSteps(value, undefined, about));
          assert.equal(hexOf(parts).slice(prefix.length), encoded(value));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a string in more pieces than a body may hold values is refused, and so are many such', () => {
    const pieces = (count: number): string => `7f${'6161'.repeat(count)}ff`;
    assert.equal(decodeHex(pieces(20_000)).kind, 'value');
    for (const hex of [pieces(26_000), `9a00000002${pieces(13_000)}${pieces(13_000)}`]) {
      const decoded = decodeHex(hex);
      assert.match(refusalOf(decoded), /more than 25000 members and items/);
    }
  });

  it('any bytes are read or refused, never more', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const decoded = decodeCbor(bytes);
        if (decoded.kind === 'refused') assert.equal(decoded.error.code, 400);
        else assert.equal(decodeCbor(encodeCbor(decoded.value)).kind, 'value');
      }),
      { numRuns: 5000 },
    );
  });
});

describe('watch frames in CBOR', () => {
  const json = jsonEvents({ apiVersion: 'v1', kind: 'Pod', domain: 'k8s.io' });
  const frames = cborEvents(json, thing, undefined);
  const entry = (text: string) => ({
    namespace: 'n',
    name: 'a',
    revision: 7n,
    bytes: Buffer.from(text),
  });
  const eventOf = (frame: Uint8Array) => valueOf(hexOf(frame));

  it('are items with a tagged object in them, byte for byte', () => {
    const frame = frames.event('ADDED', entry('{"blob":"AQI=","big":9007199254740993}'));
    const object = `${prefix}a2436269671b002000000000000144626c6f62d6420102`;
    const type = '4474797065454144444544';
    assert.equal(hexOf(frame), `${prefix}a2${type}466f626a656374${object}`);
  });

  it('say what the JSON frames say, errors and bookmarks too, under an id of their own', () => {
    const parse = (line: Uint8Array) => JSON.parse(Buffer.from(line).toString()) as JsonValue;
    const { bookmark, error, event } = json;
    const gone = newExpired('too old');
    assert.deepEqual(eventOf(frames.bookmark(9n, true)), parse(bookmark(9n, true)));
    assert.deepEqual(eventOf(frames.error(gone)), parse(error(gone)));
    const one = entry('{"text":"\u6c34"}');
    assert.deepEqual(eventOf(frames.event('DELETED', one)), parse(event('DELETED', one)));
    assert.equal(frames.id, `cbor/${json.id}`);
  });

  it('of a large object are written in one piece of memory, and hold no more', () => {
    const large = entry(
      JSON.stringify({ texts: Array.from({ length: 300 }, () => 'x'.repeat(999)) }),
    );
    const { allocUnsafeSlow } = Buffer;
    const taken: number[] = [];
    Buffer.allocUnsafeSlow = (bytes) => {
      taken.push(bytes);
      return allocUnsafeSlow(bytes);
    };
    let frame: Uint8Array;
    try {
      frame = frames.event('MODIFIED', large);
    } finally {
      Buffer.allocUnsafeSlow = allocUnsafeSlow;
    }
    assert.deepEqual(
      taken.filter((bytes) => bytes > 64 * 1024),
      [frame.buffer.byteLength],
    );
    assert.ok(frame.buffer.byteLength < large.bytes.length * 1.01);
  });

  it('begin with what may have been sent with the head', () => {
    const { bytes } = framePreambles.cbor;
    const sent: Uint8Array[] = [bytes];
    const stream = {
      write: (chunk: Uint8Array) => sent.push(chunk) > 0,
      onDrain: () => undefined,
      end: () => undefined,
      abort: () => assert.fail('aborted'),
      closed: false,
      preambleSent: true,
    };
    const sink = withoutPreamble(stream, bytes);
    const all = ['1', '2'].map((text) => frames.event('ADDED', entry(`{"text":"${text}"}`)));
    for (const frame of all) sink.write(frame);
    assert.deepEqual(Buffer.concat(sent), Buffer.concat(all));
  });
});
