/**
 * Broken bodies through the whole way in: decoding, conforming, defaults, validation, and out again.
 * Never an exception, no memory kept; every refusal is a StatusError of 4xx. SLUICE_FUZZ_BODIES (20,000) says how many;
 * the seed is fixed, and a failure prints the number of its body.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeJson, encodeJson } from '../../src/apimachinery/codecs/json.ts';
import type { Decoded } from '../../src/apimachinery/codecs/json.ts';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import { typedDocument } from '../../src/apimachinery/typed/field-validation.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { collectGarbage } from '../support/checks/heap.ts';
import { corpusPath } from '../support/data/corpora.ts';
import { randomObject } from '../support/data/random-objects.ts';

const bodiesCount = Number(process.env['SLUICE_FUZZ_BODIES'] ?? 20_000);

const identity = identityOf('kubernetes');
const built = buildScheme({ identity });
assert(built.kind === 'ok');
const { scheme } = built;
const strategyOf = strategiesOf(identity);

interface Seed {
  readonly kind: KindInfo;
  readonly format: 'json' | 'yaml' | 'pb' | 'cbor';
  readonly bytes: Uint8Array;
}

const folder = path.dirname(corpusPath('fixtures-1.33/core.v1.Pod.json'));
const fixtures: readonly Seed[] = readdirSync(folder).flatMap((file): Seed[] => {
  const format = path.extname(file).slice(1) as Seed['format'];
  const name = file.slice(0, -format.length - 1);
  const kind = scheme.kinds.find(
    (each) => name === `${each.group === '' ? 'core' : each.group}.${each.version}.${each.kind}`,
  );
  if (kind === undefined) return [];
  const seed: Seed = { kind, format, bytes: readFileSync(path.join(folder, file)) };
  return format === 'json' ? [seed, inCbor(seed)] : [seed];
});

/** Of our own making: an object of every kind with half of its fields, in each form. */
const random: readonly Seed[] = scheme.kinds.flatMap((kind): Seed[] => {
  if (kind.schema === undefined) return [];
  const header = { apiVersion: formatGroupVersion(kind), kind: kind.kind };
  const object = randomObject(kind.schema, header, { prng: seededPrng(1), density: 0.5 });
  const json: Seed = { kind, format: 'json', bytes: encodeJson(object) };
  const pb: Seed = { kind, format: 'pb', bytes: encodeProtobuf(kind.schema, object) };
  return [json, { ...json, format: 'yaml' }, pb, inCbor(json)];
});

const seeds: readonly Seed[] = [...fixtures, ...random];

/** There are no fixtures of the reference in it. */
function inCbor({ kind, bytes }: Seed): Seed {
  const decoded = decodeJson(bytes);
  assert(decoded.kind === 'value');
  return { kind, format: 'cbor', bytes: encodeCbor(decoded.value, kind.schema) };
}

/** YAML takes twenty times as long as the others, so it gets a tenth of the bodies. */
function pickSeed(prng: Prng): Seed {
  const slow = randomBelow(prng, 10) === 0;
  const among = seeds.filter(({ format }) => (format === 'yaml') === slow);
  return among[randomBelow(prng, among.length)] as Seed;
}

/** What is likely to mean something where it lands. */
const tokens = [
  'null',
  '0',
  '-1',
  '1e400',
  '99999999999999999999',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
]
  .concat([
    '"":',
    '"__proto__":',
    '\\ud800',
    '\n',
    '- ',
    '*a',
    '&a',
    '!!binary',
    '\u0000',
    '\u00ff',
    // CBOR: open ends, the tag, lengths and numbers that no body holds, a not-a-number.
    '\u005f',
    '\u009f',
    '\u00bf',
    '\u00d9\u00d9\u00f7',
    '\u00d6',
    '\u00bb\u000f\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff',
    '\u001b\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff',
    '\u00f9\u007e\u0000',
    'I__proto__',
  ])
  .map((text) => Buffer.from(text, 'latin1'));

/** One to four changes: a bit, a byte, a token, a slice gone, doubled or moved, the end cut off. */
function mutated(bytes: Uint8Array, prng: Prng): Uint8Array {
  let body = Buffer.from(bytes);
  for (let left = 1 + randomBelow(prng, 4); left > 0 && body.length > 0; left -= 1) {
    const at = randomBelow(prng, body.length);
    const end = Math.min(body.length, at + 1 + randomBelow(prng, 40));
    const to = randomBelow(prng, body.length);
    const slice = body.subarray(at, end);
    switch (randomBelow(prng, 7)) {
      case 0:
        body[at] = (body[at] as number) ^ (1 << randomBelow(prng, 8));
        break;
      case 1:
        body[at] = randomBelow(prng, 256);
        break;
      case 2:
        body = Buffer.concat([body.subarray(0, at), body.subarray(end)]);
        break;
      case 3:
        body = Buffer.concat([body.subarray(0, to), slice, body.subarray(to)]);
        break;
      case 4: {
        const token = tokens[randomBelow(prng, tokens.length)] as Buffer;
        body = Buffer.concat([body.subarray(0, at), token, body.subarray(at)]);
        break;
      }
      case 5: {
        const token = tokens[randomBelow(prng, tokens.length)] as Buffer;
        body = Buffer.concat([body.subarray(0, at), token, body.subarray(end)]);
        break;
      }
      default:
        // Rarely: most of the body would never be read.
        if (randomBelow(prng, 8) === 0) body = body.subarray(0, at);
    }
  }
  return body;
}

function decode({ kind, format }: Seed, body: Uint8Array): Decoded {
  if (format === 'pb') return decodeProtobuf(body, () => kind.schema);
  if (format === 'cbor') return decodeCbor(body);
  const options = { findDuplicates: true };
  return format === 'json' ? decodeJson(body, options) : decodeYaml(body, options);
}

type Outcome = 'undecodable' | 'mistyped' | 'invalid' | 'valid';

function refusal(error: unknown): void {
  assert(error instanceof StatusError);
  assert(error.code >= 400 && error.code < 500, String(error.code));
}

function run(seed: Seed, body: Uint8Array): Outcome {
  const { kind } = seed;
  const decoded = decode(seed, body);
  if (decoded.kind === 'refused') {
    refusal(decoded.error);
    return 'undecodable';
  }
  if (!isJsonObject(decoded.value)) return 'undecodable';
  const typed = typedDocument(decoded.value, kind, 'Warn', decoded.duplicates ?? []);
  if (typed.kind === 'refused') {
    refusal(typed.error);
    return 'mistyped';
  }
  for (const warning of typed.warnings) assert.equal(typeof warning, 'string');
  const errors = strategyOf(kind).validate(typed.object);
  // What has its types can be written, and read again as the same.
  const written = Buffer.from(encodeJson(typed.object));
  const again = decodeJson(written);
  assert(again.kind === 'value' && written.equals(encodeJson(again.value)));
  assert(kind.schema !== undefined);
  encodeProtobuf(kind.schema, typed.object);
  const inCbor = encodeCbor(typed.object, kind.schema);
  // What came in JSON may nest deeper than CBOR is read.
  if (seed.format === 'cbor') {
    const read = decodeCbor(inCbor);
    assert(read.kind === 'value');
    assert(Buffer.from(inCbor).equals(encodeCbor(read.value, kind.schema)));
  }
  return errors.length > 0 ? 'invalid' : 'valid';
}

/** With what buffers hold. */
function heapBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What the later three quarters of the bodies may leave behind. */
const heapGrowthBytesMax = 16 * 1024 * 1024;

describe(`${bodiesCount} mutated bodies`, () => {
  it('there are seeds of every format', () => {
    for (const format of ['json', 'yaml', 'pb', 'cbor']) {
      assert(seeds.some((seed) => seed.format === format));
    }
  });

  it('are objects or are refused; none does harm', () => {
    const prng = seededPrng(20_251_121);
    const outcomes = new Map<string, number>();
    let warm = 0;
    for (let i = 0; i < bodiesCount; i += 1) {
      if (i === Math.floor(bodiesCount / 4)) warm = heapBytes();
      const seed = pickSeed(prng);
      const body = mutated(seed.bytes, prng);
      try {
        const outcome = `${seed.format} ${run(seed, body)}`;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      } catch (cause) {
        const shown = Buffer.from(body).toString('base64');
        throw new Error(`body ${i}, ${seed.format} of ${seed.kind.kind}: ${shown}`, { cause });
      }
    }
    const grown = heapBytes() - warm;
    assert(grown < heapGrowthBytesMax, `${grown} bytes were kept`);
    // Every gate has been reached from every format, or the mutations are too coarse.
    for (const format of ['json', 'yaml', 'pb', 'cbor']) {
      assert(outcomes.has(`${format} undecodable`), format);
      assert(outcomes.has(`${format} valid`) || outcomes.has(`${format} invalid`), format);
    }
    assert(outcomes.has('json mistyped') && outcomes.has('yaml mistyped'));
  });
});
