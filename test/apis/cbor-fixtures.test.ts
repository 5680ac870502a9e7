/** Every field of every kind through CBOR: the fixtures of the reference, and random objects. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import type { TypeSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { corpusPath, noVectors } from '../support/data/corpora.ts';
import { randomObject } from '../support/data/random-objects.ts';

const built = buildScheme({ identity: identityOf('kubernetes') });
assert(built.kind === 'ok');
const { kinds } = built.scheme;
const folder = path.dirname(corpusPath('fixtures-1.33/core.v1.Pod.json'));
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

/** The value again, and the same bytes from it. */
function roundTrip(value: JsonValue, type: TypeSchema | undefined): Uint8Array {
  const bytes = encodeCbor(value, type);
  const decoded = decodeCbor(bytes);
  assert.ok(decoded.kind === 'value', stringifyJson(value));
  assert.deepEqual(decoded.value, value);
  assert.deepEqual(encodeCbor(decoded.value, type), bytes);
  return bytes;
}

describe('fixtures in CBOR', () => {
  it('are there', { skip: noVectors }, () => assert.ok(files.length > 90, String(files.length)));

  for (const file of files) {
    it(`${file}: JSON, CBOR and back`, () => {
      const decoded = decodeJson(readFileSync(path.join(folder, file)));
      assert.ok(decoded.kind === 'value');
      const name = file.slice(0, -'.json'.length);
      const kind = kinds.find(
        (k) => name === `${k.group === '' ? 'core' : k.group}.${k.version}.${k.kind}`,
      );
      roundTrip(decoded.value, undefined);
      roundTrip(decoded.value, kind?.schema);
    });
  }

  it('hold their bytes as bytes', { skip: noVectors }, () => {
    const schema = kinds.find((kind) => kind.kind === 'Secret')?.schema;
    const decoded = decodeJson(readFileSync(path.join(folder, 'core.v1.Secret.json')));
    assert.ok(decoded.kind === 'value');
    const { data } = decoded.value as { data: Record<string, string> };
    const bytes = Buffer.from(roundTrip(decoded.value, schema));
    for (const text of Object.values(data)) {
      assert.equal(bytes.includes(Buffer.from(text)), false, 'base64 text is not on the wire');
      const raw = Buffer.from(text, 'base64');
      assert.ok(bytes.includes(Buffer.concat([Uint8Array.of(0xd6, 0x40 + raw.length), raw])));
    }
  });
});

describe('random full objects in CBOR', () => {
  for (const kind of kinds) {
    it(`${kind.kind} of ${kind.group}/${kind.version} survives`, () => {
      const prng = seededPrng(kind.kind.length);
      assert.ok(kind.schema !== undefined);
      const labels = { apiVersion: formatGroupVersion(kind), kind: kind.kind };
      for (const density of [0.3, 0.6, 1]) {
        roundTrip(randomObject(kind.schema, labels, { prng, density }), kind.schema);
      }
    });
  }
});
