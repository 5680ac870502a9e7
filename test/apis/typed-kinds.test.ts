/** The schemas of the built-in kinds at work: the reference's own objects, random ones, broken ones. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { decodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { identityNames, identityOf } from '../../src/apimachinery/identity.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { defaultersOf } from '../../src/apis/defaults/defaulters.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { schemaExemptionsOf } from '../../src/apis/schema-exemptions.ts';
import { rulesByResource } from './rules-by-resource.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { corpusPath, noVectors, readCorpus } from '../support/data/corpora.ts';
import { randomObject } from '../support/data/random-objects.ts';

const identity = identityOf('kubernetes');
const types = fieldTypes(identity);
const defaultsOf = defaultersOf(identity);

const folder = path.dirname(corpusPath('fixtures-1.33/core.v1.Pod.json'));
const fixtures = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => {
    const name = file.slice(0, -'.json'.length);
    const kind = catalogue.find(
      (row) =>
        name ===
        `${row.group === '' ? 'core' : identity.fill(row.group)}.${row.version}.${row.kind}`,
    );
    return kind === undefined ? [] : [{ name, schema: types.object(kind.type) }];
  });

const withoutMetadata = ({ metadata: _metadata, ...rest }: JsonObject) => rest;

describe('objects of the reference with every field filled', () => {
  it('are there', { skip: noVectors }, () => assert(fixtures.length > 80, String(fixtures.length)));

  for (const { name, schema } of fixtures) {
    it(`${name} has its form already, from JSON, YAML and Protobuf`, () => {
      const read = (extension: string) => readFileSync(path.join(folder, `${name}.${extension}`));
      const decoded = [
        decodeJson(read('json')),
        decodeYaml(read('yaml')),
        decodeProtobuf(read('pb'), () => schema),
      ];
      for (const each of decoded) {
        assert(each.kind === 'value');
        const document = each.value as JsonObject;
        const result = conform(schema, document);
        assert(result.kind === 'ok', stringifyJson(result));
        assert.deepEqual(result.unknownFields, []);
        assert.deepEqual(withoutMetadata(result.object), withoutMetadata(document));
      }
    });
  }
});

/** Their schemas refer to themselves: random ones are cut off somewhere, and are wrong there. */
const endless = 'customresourcedefinitions';

describe('random objects of every kind', () => {
  for (const row of catalogue.filter(({ resource }) => resource !== endless)) {
    it(`${row.type}: conforming and filling twice is doing it once`, () => {
      const schema = types.object(row.type);
      const defaults = defaultsOf(schema);
      for (let seed = 1; seed <= 4; seed += 1) {
        const prng = seededPrng(seed);
        const document = randomObject(
          schema,
          { apiVersion: 'v1', kind: row.kind },
          { prng, density: seed / 5 },
        );
        const first = conform(schema, document);
        assert(first.kind === 'ok', stringifyJson(first));
        assert.deepEqual(first.unknownFields, []);
        const again = conform(schema, first.object);
        assert(again.kind === 'ok');
        assert.equal(again.object, first.object);
        const filled = defaults(first.object);
        assert.deepEqual(defaults(filled), filled);
        const refilled = conform(schema, filled);
        assert(refilled.kind === 'ok', stringifyJson(refilled));
        assert.deepEqual(refilled.object, filled, 'defaults have the form that conforming gives');
      }
    });
  }
});

describe('what the schema says of values', () => {
  const config = parseRuntimeConfig('api/all=true');
  assert(config.kind === 'ok');
  const built = buildScheme({
    identity,
    runtimeConfig: config.value,
    featureGates: new Set(['DynamicResourceAllocation']),
  });
  assert(built.kind === 'ok');
  const { scheme } = built;
  const strategyOf = strategiesOf(identity);

  const { cases } = readCorpus<{
    readonly cases: readonly {
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly stub: JsonObject;
    }[];
  }>('object-stubs/cases.json');
  for (const { group, version, resource, stub } of cases) {
    const kind = scheme.findResource(group, version, resource);
    if (kind === undefined) continue;
    it(`refuses no minimal object: ${group}/${version}/${resource}`, () => {
      assert(kind.schema !== undefined && kind.defaults !== undefined);
      const result = conform(kind.schema, { ...stub, kind: kind.kind, apiVersion: version });
      assert(result.kind === 'ok', stringifyJson(result));
      const object = kind.defaults(result.object) as Parameters<
        ReturnType<typeof strategyOf>['validate']
      >[0];
      assert.deepEqual(strategyOf(kind).validate(object), []);
    });
  }

  it('each exemption is for a field that is there, required or an enumeration', () => {
    const all = types.names().flatMap((name) => {
      const type = types.find(name);
      return type?.kind === 'object' ? [type] : [];
    });
    const names = (holds: (field: (typeof all)[number]['fields'][number]) => boolean) =>
      new Set(
        all.flatMap(({ name, fields }) =>
          fields
            .filter(holds)
            .map(
              (field) =>
                `${name.slice(0, name.indexOf('/'))}.${name.slice(name.lastIndexOf('.') + 1)}.${field.name}`,
            ),
        ),
      );
    const required = names((field) => field.required);
    for (const name of schemaExemptionsOf(builtInKinds).optional) assert(required.has(name), name);
    const enumerations = names(({ type }) => {
      const item = type.kind === 'list' ? type.items : type;
      return item.kind === 'scalar' && item.values !== undefined;
    });
    for (const name of schemaExemptionsOf(builtInKinds).openValues)
      assert(enumerations.has(name), name);
  });

  it('rules and defaults are for resources and types that are there, under either identity', () => {
    const resources = new Set(catalogue.map((row) => `${row.group}/${row.resource}`));
    for (const name of identityNames) {
      for (const key of Object.keys(rulesByResource(identityOf(name))))
        assert(resources.has(key), key);
      assert.doesNotThrow(() => defaultersOf(identityOf(name))(types.object('core/v1.Pod')));
    }
  });
});
