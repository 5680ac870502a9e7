/** Every field of every kind through the codec, against bytes that the reference has written. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import {
  decodeProtobuf,
  encodeProtobuf,
  encodeProtobufSteps,
  openEnvelope,
} from '../../src/apimachinery/codecs/protobuf.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { watchEventParts } from '../../src/apimachinery/protobuf-events.ts';
import type { ObjectSchema, TypeCatalogue } from '../../src/apimachinery/typed/type-schema.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { corpusPath, noVectors } from '../support/data/corpora.ts';

const identity = identityOf('kubernetes');
const types: TypeCatalogue = fieldTypes(identity);
const folder = path.dirname(corpusPath('fixtures-1.33/core.v1.Pod.json'));
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.pb'))
  .map((file) => file.slice(0, -'.pb'.length));

/** Packages of the types whose kinds have no row in the catalogue. */
const packages: Readonly<Record<string, string>> = {
  'admission.k8s.io': 'admission',
  'apidiscovery.k8s.io': 'apidiscovery',
  '': 'core',
};

function schemaOf(apiVersion: string, kind: string): ObjectSchema | undefined {
  const slash = apiVersion.lastIndexOf('/');
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  const row = catalogue.find(
    (k) => identity.fill(k.group) === group && k.version === version && k.kind === kind,
  );
  const candidates = [
    row?.type,
    `${packages[group] ?? group}/${version}.${kind}`,
    `meta/${version}.${kind}`,
  ];
  for (const name of candidates) {
    const found = name === undefined ? undefined : types.find(name);
    if (found?.kind === 'object') return found;
  }
  return undefined;
}

function read(name: string, extension: string): Buffer {
  return readFileSync(path.join(folder, `${name}.${extension}`));
}

function readJson(name: string): JsonObject {
  const decoded = decodeJson(read(name, 'json'));
  assert.ok(decoded.kind === 'value');
  return decoded.value as JsonObject;
}

/** The envelope of an event holds bytes of any form, here JSON; it is not an object's. */
const notObjects = new Set(['core.v1.WatchEvent']);

describe('fixtures of the reference', () => {
  it('are there', { skip: noVectors }, () => {
    assert.equal(names.length, 96);
  });

  for (const name of names.filter((each) => !notObjects.has(each))) {
    it(`${name}: Protobuf gives the JSON`, () => {
      const decoded = decodeProtobuf(read(name, 'pb'), schemaOf);
      assert.ok(decoded.kind === 'value', JSON.stringify(decoded));
      assert.deepEqual(decoded.value, readJson(name));
    });

    it(`${name}: JSON gives the Protobuf, byte for byte`, () => {
      const object = readJson(name);
      const schema = schemaOf(String(object['apiVersion']), String(object['kind']));
      assert.ok(schema !== undefined);
      assert.equal(hex(encodeProtobuf(schema, object)), hex(read(name, 'pb')));
      assert.equal(hex(finished(encodeProtobufSteps(schema, object, 0))), hex(read(name, 'pb')));
    });
  }

  it(
    'core.v1.WatchEvent: type and raw object give the message inside the envelope, byte for byte',
    { skip: noVectors },
    () => {
      const { type, object } = readJson('core.v1.WatchEvent');
      const encoded = Buffer.concat(
        watchEventParts(String(type), [Buffer.from(JSON.stringify(object))]),
      );
      const { raw } = openEnvelope(read('core.v1.WatchEvent', 'pb'));
      assert.equal(hex(encoded), hex(raw));
    },
  );

  it('cut anywhere are refused or end between two fields', { skip: noVectors }, () => {
    for (const name of ['core.v1.Pod', 'batch.v1.CronJob']) {
      const { raw } = openEnvelope(read(name, 'pb'));
      const whole = read(name, 'pb');
      for (let length = 0; length < whole.length; length += 7) {
        const decoded = decodeProtobuf(whole.subarray(0, length), schemaOf);
        if (decoded.kind === 'refused') assert.equal(decoded.error.code, 400);
        else assert.ok(length > raw.length, `${name} cut at ${length} was read`);
      }
    }
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/(.{32})/g, '$1\n');
}
