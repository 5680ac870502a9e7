import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJsonText } from '../../src/apimachinery/codecs/lossless.ts';
import {
  decodeMessage,
  MalformedProtobuf,
  protobufDepthMax,
} from '../../src/apimachinery/codecs/protobuf-decode.ts';
import { encodeMessage } from '../../src/apimachinery/codecs/protobuf-encode.ts';
import {
  decodeProtobuf,
  encodeProtobuf,
  openEnvelope,
  protobufMagic,
  protobufSteps,
  sealEnvelope,
} from '../../src/apimachinery/codecs/protobuf.ts';
import { protobufEvents } from '../../src/apimachinery/protobuf-events.ts';
import { wholeList } from '../../src/apimachinery/lists/list-form.ts';
import { protobufList } from '../../src/apimachinery/lists/protobuf-list.ts';
import { newBadRequest } from '../../src/apimachinery/status-error.ts';
import { metaTypes, statusType } from '../../src/apimachinery/typed/meta-types.ts';
import { readTypes } from '../../src/apimachinery/typed/type-rows.ts';
import type {
  FieldSchema,
  ObjectSchema,
  TypeSchema,
} from '../../src/apimachinery/typed/type-schema.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { framePreambles, withoutPreamble } from '../../src/endpoints/watch-preamble.ts';

const types = readTypes(
  `
package test/v1
Thing kind
 text 1 string
 mustText 2 string !
 maybeText 3 string ?
 int 4 int32
 maybeInt 5 int32 ?
 long 6 int64
 maybeLong 7 int64 ?
 flag 8 boolean
 maybeFlag 9 boolean ?
 ratio 10 double ?
 blob 11 bytes
 amount 12 Quantity ?
 port 13 IntOrString ?
 at 14 Time ?
 when 15 MicroTime ?
 extra 16 RawExtension ?
 anything 17 Raw ?
 texts 18 []string
 longs 19 []int64
 inner 20 Inner
 maybeInner 21 Inner ?
 inners 22 []Inner
 map 23 {}string
 blobs 24 {}bytes
 innerMap 25 {}Inner
 lists 26 {}[]string
 wrapped 27 []string wrapped
 amounts 28 {}Quantity
 - 29 Flat
 either 30 Either ?
 self 31 Thing ?
 times 32 []Time
Inner
 name 1 string !
 count 2 int32
Flat
 flatText 1 string
 flatInner 2 Inner ?
Either union
 - 1 boolean
 - 2 Inner ?
 - 3 []string
Raw raw
`,
);
const thing = types.object('test/v1.Thing');

/** Values in the form that decoding gives: nothing that would be left out as zero. */
function valueOf(schema: TypeSchema, depth: number): fc.Arbitrary<JsonValue> {
  switch (schema.kind) {
    case 'list':
      return fc.array(valueOf(schema.items, depth), { minLength: 1, maxLength: 3 });
    case 'map':
      return fc
        .dictionary(key(), valueOf(schema.values, depth), { minKeys: 1, maxKeys: 3 })
        .map((map) => map as JsonValue);
    case 'union':
      return fc.oneof(
        fc.constant(true),
        ...schema.alternatives.slice(1).map((form) => valueOf(form.type, depth)),
      );
    case 'object':
      return objectOf(schema, depth - 1);
    case 'scalar':
      return scalarOf(schema.scalar);
  }
}

function key(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('__proto__', 'constructor', 'ﬀ', '😀'),
  );
}

function scalarOf(scalar: string): fc.Arbitrary<JsonValue> {
  switch (scalar) {
    case 'string':
      return fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
    case 'int32':
      return fc.integer().filter((value) => value !== 0);
    case 'int64':
      return fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .filter((value) => value !== 0n)
        .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
    case 'boolean':
      return fc.constant(true);
    case 'double':
      // JSON has no negative zero.
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case 'bytes':
      return fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'Quantity':
      return fc.constantFrom('1', '500m', '10Gi');
    case 'IntOrString':
      return fc.oneof(fc.integer(), fc.string());
    case 'Time':
      return seconds().map((at) => `${at.slice(0, 19)}Z`);
    case 'MicroTime':
      return seconds().map((at) => `${at.slice(0, 19)}.123456Z`);
    default:
      return fc
        .jsonValue()
        .filter((value) => value !== null)
        .map((value) => parseJsonText(JSON.stringify(value)));
  }
}

function seconds(): fc.Arbitrary<string> {
  const range = { min: new Date('1970-01-02T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
  return fc.date({ ...range, noInvalidDate: true }).map((date) => date.toISOString());
}

function objectOf(schema: ObjectSchema, depth: number): fc.Arbitrary<JsonObject> {
  const members: Record<string, fc.Arbitrary<JsonValue>> = {};
  const always: string[] = [];
  const add = (field: FieldSchema): void => {
    if (field.inline && field.type.kind === 'object') {
      field.type.fields.forEach(add);
      return;
    }
    if (field.type === schema && depth <= 0) return;
    members[field.name] = valueOf(field.type, depth);
    // What is not nullable is always on the wire, and a message or required text comes back.
    const isMessage = field.type.kind === 'object' && !field.nullable;
    if (isMessage || field.required) always.push(field.name);
  };
  schema.fields.forEach(add);
  return fc.record(members, { requiredKeys: always });
}

/** fast-check makes objects without a prototype, and -0 is 0 in JSON. */
function plain(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return (value as JsonValue[]).map(plain);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as JsonObject).map(([k, v]) => [k, plain(v)]);
    return Object.fromEntries(entries) as unknown;
  }
  return value;
}

describe('messages', () => {
  it('come back as they were, whatever the object', () => {
    fc.assert(
      fc.property(objectOf(thing, 2), (object) => {
        const bytes = encodeMessage(thing, object);
        assert.deepEqual(plain(decodeMessage(thing, bytes)), plain(object));
      }),
      { numRuns: 400 },
    );
  });

  it('do not depend on the order of keys', () => {
    fc.assert(
      fc.property(objectOf(thing, 1), (object) => {
        // The two that hold any JSON keep its text, so there the order stays.
        const known = { ...object, extra: undefined, anything: undefined, self: undefined };
        assert.deepEqual(
          encodeMessage(thing, reversed(known) ?? null),
          encodeMessage(thing, known),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('write map entries in order of their UTF-8, not their UTF-16', () => {
    const one = encodeMessage(thing, { map: { '😀': 'a', ﬀ: 'b' } });
    const text = Buffer.from(one).toString('utf8');
    assert.ok(text.indexOf('ﬀ') < text.indexOf('😀'));
  });

  it('write scalars and messages that are absent, but nothing that is nullable', () => {
    const inner = types.object('test/v1.Inner');
    assert.deepEqual([...encodeMessage(inner, {})], [0x0a, 0, 0x10, 0]);
    const decoded = decodeMessage(thing, encodeMessage(thing, {}));
    assert.deepEqual(decoded, { mustText: '', inner: { name: '' } });
  });

  it('hold what a type cannot hold as zero, without failing', () => {
    const wrong = { text: 5, int: 2 ** 40, long: 'x', texts: 'x', inner: [], at: 'soon', map: [1] };
    const bytes = encodeMessage(thing, wrong);
    assert.deepEqual(decodeMessage(thing, bytes), decodeMessage(thing, encodeMessage(thing, {})));
  });

  it('tell nothing, an empty value and a value apart where Protobuf does', () => {
    const object = { maybeText: '', maybeInt: 0, maybeFlag: false, blob: '', blobs: { a: '' } };
    const decoded = decodeMessage(thing, encodeMessage(thing, object)) as JsonObject;
    assert.equal(decoded['maybeText'], '');
    assert.equal(decoded['maybeInt'], 0);
    assert.equal(decoded['maybeFlag'], false);
    assert.deepEqual(decoded['blobs'], { a: '' });
    assert.equal(Object.hasOwn(decoded, 'int'), false);
  });

  it('skip unknown fields of every wire type, groups included', () => {
    const known = encodeMessage(types.object('test/v1.Inner'), { name: 'a', count: 1 });
    const unknown = [
      ...[0x80 | ((90 << 3) & 0x7f), 90 >> 4, 5],
      ...[0xd1, 0x05, 1, 2, 3, 4, 5, 6, 7, 8],
      ...[0xd2, 0x05, 2, 9, 9],
      ...[0xd3, 0x05, 0x08, 1, 0xd4, 0x05],
      ...[0xd5, 0x05, 1, 2, 3, 4],
    ];
    const bytes = Uint8Array.from([...unknown, ...known, ...unknown]);
    assert.deepEqual(decodeMessage(types.object('test/v1.Inner'), bytes), { name: 'a', count: 1 });
  });

  it('merge a message that comes twice, let the last scalar win, and read packed numbers', () => {
    const twice = Uint8Array.from([
      ...[0xa2, 0x01, 3, 0x0a, 1, 0x61],
      ...[0xa2, 0x01, 2, 0x10, 7],
      ...[0x20, 1, 0x20, 2],
      ...[0x9a, 0x01, 3, 1, 2, 3],
    ]);
    assert.deepEqual(decodeMessage(thing, twice), {
      inner: { name: 'a', count: 7 },
      int: 2,
      longs: [1, 2, 3],
    });
  });
});

function reversed(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).reverse();
  return Object.fromEntries(entries.map(([k, v]) => [k, reversed(v)]));
}

describe('hostile bytes', () => {
  const malformed = (bytes: readonly number[], schema = thing) =>
    assert.throws(() => decodeMessage(schema, Uint8Array.from(bytes)), MalformedProtobuf);

  it('that lie about a length are refused', () => {
    malformed([0x0a, 5, 0x61]);
    malformed([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    // An inner length that fits the body, but not the message around it.
    malformed([0xa2, 0x01, 2, 0x0a, 4, 0x61, 0x61, 0x61, 0x61]);
    malformed([0xba, 0x01, 3, 0x0a, 5, 0x61, 0x61, 0x61, 0x61, 0x61]);
    malformed([0x20]);
    malformed([0x20, 0x80]);
  });

  it('hold a lone text of any length, and none that another length only looks like', () => {
    for (let length = 0; length < 400; length += 1) {
      const amount = length === 0 ? '0' : '1'.repeat(length);
      const read = decodeMessage(thing, encodeMessage(thing, { amount })) as JsonObject;
      assert.equal(read['amount'], amount);
    }
    const beside = Uint8Array.from([0x62, 5, 0x0a, 1, 0x31, 0x10, 7]);
    assert.equal((decodeMessage(thing, beside) as JsonObject)['amount'], '1', 'not alone');
    const other = Uint8Array.from([0x62, 5, 0x12, 3, 0x31, 0x31, 0x31]);
    assert.deepEqual(
      decodeMessage(thing, other),
      decodeMessage(thing, Uint8Array.from([0x62, 0])),
      'of another field',
    );
    // A text of 126 bytes, were the two bytes of the length 1,280 a length and a tag.
    const text = [...Buffer.alloc(126, 'a')];
    const more = Array.from({ length: 383 }, () => [0x0a, 1, 0x61]).flat();
    malformed([0x62, 0x80, 0x0a, 126, ...text, 0x0a, 2, 0x61, 0x61, ...more]);
    // One that ends behind the message around it, where the body goes on.
    malformed([0xfa, 0x01, 4, 0x62, 5, 0x0a, 3, 0x61, 0x61, 0x61]);
    malformed([0x62, 5, 0x0a, 3, 0x61, 0x61]);
  });

  it('with a wrong wire type, a bad tag, bad text or bad raw JSON are refused', () => {
    malformed([0x08, 1]);
    malformed([0x00, 1]);
    malformed([0x0f]);
    malformed([0x0a, 2, 0xc3, 0x28]);
    malformed([0x82, 0x01, 3, 0x0a, 1, 0x7b]);
    malformed([0x6a, 2, 0x08, 7]);
    for (const sign of [0x7f, 0xff]) malformed([0x52, 8, 0, 0, 0, 0, 0, 0, 0xf0, sign]);
    malformed([0x52, 8, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
  });

  it('that give the key of an entry in another wire type give no key', () => {
    const entry = [0x08, 1, 0x12, 1, 0x62];
    const read = decodeMessage(thing, Uint8Array.from([0xba, 0x01, entry.length, ...entry]));
    assert.deepEqual(read, { map: { '': 'b' } });
  });

  it('that nest deeper than the limit are refused', () => {
    const nest = (levels: number): Uint8Array => {
      let bytes: Uint8Array = new Uint8Array(0);
      for (let level = 0; level < levels; level += 1) {
        bytes = Buffer.concat([Uint8Array.of(0xfa, 0x01), lengthOf(bytes), bytes]);
      }
      return bytes;
    };
    decodeMessage(thing, nest(protobufDepthMax));
    assert.throws(() => decodeMessage(thing, nest(protobufDepthMax + 1)), /nest deeper/);
    assert.throws(
      () => decodeMessage(thing, new Uint8Array(100_000).fill(0xd3)),
      MalformedProtobuf,
      'groups nest without a bound',
    );
  });

  it('of many fields that make no value, in a group or not, are refused', () => {
    const large = 1024 * 1024;
    const repeated = (unit: readonly number[]) => Buffer.alloc(large, Buffer.from(unit));
    const group = Buffer.concat([Uint8Array.of(0xfb, 0x7f), repeated([0xf8, 0x7f, 0x01])]);
    const rows = {
      'unknown numbers': repeated([0xf8, 0x7f, 0x01]),
      'unknown bytes': repeated([0xfa, 0x7f, 0x00]),
      'an empty message again and again': repeated([0xa2, 0x01, 0x00]),
      'a group': group,
    };
    for (const [title, raw] of Object.entries(rows)) {
      const body = sealEnvelope({ apiVersion: 'test/v1', kind: 'Thing', raw });
      const decoded = decodeProtobuf(body, () => thing);
      assert.equal(decoded.kind === 'refused' && decoded.error.code, 413, title);
      assert.deepEqual(finished(protobufSteps(body, () => thing)), decoded, title);
    }
  });

  it('read in steps are as those read at once, and large ones take several', () => {
    const texts = Array.from({ length: 2_000 }, (_, i) => `text ${i} ${'x'.repeat(100)}`);
    const map = Object.fromEntries(texts.map((text, i) => [`key-${i}`, text]));
    const inner = { map };
    const object = { text: 'a', mustText: 'b', texts, map, inners: [{ texts }, { texts }] };
    const body = sealEnvelope({
      apiVersion: 'test/v1',
      kind: 'Thing',
      raw: encodeMessage(thing, { ...object, inner }),
    });
    const steps = protobufSteps(body, () => thing);
    let count = 0;
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        assert.deepEqual(
          step.value,
          decodeProtobuf(body, () => thing),
        );
        break;
      }
      count += 1;
    }
    assert.ok(count > 5, `${count} steps`);
  });

  it('are either read or refused, never more', () => {
    const whole = encodeProtobuf(thing, {
      kind: 'Thing',
      apiVersion: 'test/v1',
      texts: ['a', 'b'],
    });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.uint8Array(), (at, byte, tail) => {
        const bytes = Buffer.concat([whole, tail]);
        bytes[at] = byte;
        const decoded = decodeProtobuf(bytes, () => thing);
        if (decoded.kind === 'refused') assert.equal(decoded.error.code, 400);
      }),
      { numRuns: 3000 },
    );
  });
});

function lengthOf(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  let rest = bytes.length;
  for (; rest >= 0x80; rest >>= 7) out.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...out, rest]);
}

describe('the envelope', () => {
  const sealed = sealEnvelope({ apiVersion: 'v1', kind: 'Thing', raw: Uint8Array.of(0x20, 1) });

  it('carries apiVersion and kind beside the message', () => {
    assert.deepEqual([...sealed.subarray(0, 4)], [...protobufMagic]);
    const { apiVersion, kind, raw } = openEnvelope(sealed);
    assert.deepEqual(
      { apiVersion, kind, raw: [...raw] },
      { apiVersion: 'v1', kind: 'Thing', raw: [0x20, 1] },
    );
  });

  it('is refused with another magic, an encoding, or a kind that is not expected', () => {
    const refusal = (bytes: Uint8Array, known = true): string => {
      const decoded = decodeProtobuf(bytes, () => (known ? thing : undefined));
      assert.ok(decoded.kind === 'refused');
      assert.equal(decoded.error.code, 400);
      return decoded.error.message;
    };
    assert.match(
      refusal(Uint8Array.from([0x6b, 0x38, 0x73, 0x01, ...sealed.subarray(4)])),
      /6b 38 73 00/,
    );
    assert.match(refusal(Buffer.from('{"kind":"Thing"}')), /6b 38 73 00/);
    assert.match(refusal(new Uint8Array(0)), /6b 38 73 00/);
    assert.match(
      refusal(Buffer.concat([protobufMagic, Buffer.from('\x1a\x04gzip')])),
      /contentEncoding/,
    );
    assert.match(refusal(sealed, false), /"Thing"/);
  });

  it('of a list holds metadata and items at the numbers of its type', () => {
    const meta = { kind: 'L', apiVersion: 'v1', resourceVersion: '7', remainingItemCount: 3 };
    for (const version of ['v1', 'v1beta1']) {
      const schema = metaTypes.object(`meta/${version}.PartialObjectMetadataList`);
      const itemSchema = metaTypes.object('meta/v1.PartialObjectMetadata');
      const item = encodeMessage(itemSchema, { metadata: { name: 'a' } });
      const form = protobufList(schema, itemSchema, meta, () => null);
      const { raw } = openEnvelope(wholeList(form, [item, item]));
      assert.deepEqual(decodeMessage(schema, raw), {
        metadata: { resourceVersion: '7', remainingItemCount: 3 },
        items: [{ metadata: { name: 'a' } }, { metadata: { name: 'a' } }],
      });
    }
  });

  it('of a Status says what its JSON says', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'NotFound',
      details: { name: 'a', kind: 'pods', causes: [{ reason: 'x', field: 'spec' }] },
      code: 404,
    };
    const decoded = decodeProtobuf(encodeProtobuf(statusType, status), () => statusType);
    assert.deepEqual(decoded, { kind: 'value', value: status });
  });
});

describe('watch frames', () => {
  const options = { apiVersion: 'test/v1', kind: 'Thing', domain: 'd.io', schema: thing };
  const frames = protobufEvents({ ...options, show: (bytes) => bytes });
  const open = (frame: Uint8Array): { type: string; object: JsonObject } => {
    const length = Buffer.from(frame).readUInt32BE(0);
    assert.equal(frame.length, 4 + length);
    // Bare: readers know what a frame is.
    const message = decodeMessage(watchEvent, frame.subarray(4));
    const event = message as { type: string; object: { raw: string } };
    const schema = event.type === 'ERROR' ? statusType : thing;
    const decoded = decodeProtobuf(Buffer.from(event.object.raw, 'base64'), () => schema);
    assert.ok(decoded.kind === 'value');
    return { type: event.type, object: decoded.value as JsonObject };
  };
  const watchEvent = readTypes(
    '\npackage m/v1\nWatchEvent\n type 1 string\n object 2 Raw\nRaw\n raw 1 bytes\n',
  ).object('m/v1.WatchEvent');

  it('hold the event, a bookmark with its mark, an error with its Status', () => {
    const bytes = Buffer.from('{"kind":"Thing","apiVersion":"test/v1","metadata":{},"text":"a"}');
    const entry = { namespace: '', name: 'a', revision: 7n, bytes };
    const event = open(frames.event('MODIFIED', entry));
    assert.equal(event.type, 'MODIFIED');
    assert.equal(event.object['text'], 'a');
    assert.equal(open(frames.bookmark(8n, true)).type, 'BOOKMARK');
    const error = open(frames.error(newBadRequest('no')));
    assert.deepEqual([error.type, error.object['code']], ['ERROR', 400]);
  });

  it('are equal for equal ids, and begin with a zero byte', () => {
    assert.equal(frames.id, protobufEvents({ ...options, show: (bytes) => bytes }).id);
    assert.equal(frames.bookmark(8n, false)[0], 0);
  });
});

describe('the preamble of a Protobuf watch', () => {
  const recording = (preambleSent: boolean) => {
    const written: number[] = [];
    let aborted = false;
    return {
      written,
      aborted: () => aborted,
      stream: {
        write: (chunk: Uint8Array) => written.push(...chunk) > 0,
        onDrain: () => undefined,
        end: () => undefined,
        abort: () => (aborted = true),
        closed: false,
        preambleSent,
      },
    };
  };

  it('is the first byte of the first frame, so the body is the same with it', () => {
    for (const sent of [true, false]) {
      const { written, stream } = recording(sent);
      if (sent) stream.write(framePreambles.protobuf.bytes);
      const sink = withoutPreamble(stream, framePreambles.protobuf.bytes);
      sink.write(Uint8Array.of(0, 0, 0, 1, 9));
      sink.write(Uint8Array.of(0, 0, 0, 1, 8));
      assert.deepEqual(written, [0, 0, 0, 1, 9, 0, 0, 0, 1, 8]);
    }
  });

  it('cuts the stream when the first frame is too long for it', () => {
    const { written, stream, aborted } = recording(true);
    withoutPreamble(stream, framePreambles.protobuf.bytes).write(Uint8Array.of(1, 0, 0, 0));
    assert.deepEqual([written, aborted()], [[], true]);
  });
});
