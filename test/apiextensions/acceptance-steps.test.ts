/**
 * What is found out of schemas in steps, and known from then on, is what is found out at once: of
 * random and broken schemas, before and after each other, under every path and option.
 */
import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import {
  decodeObject,
  decodeShared,
  decodeSharedSteps,
  encodeObject,
} from '../../src/apimachinery/object-encoding.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import {
  expressionErrors,
  prepareAcceptance,
  structureErrors,
} from '../../src/apiextensions/acceptance/accept-schemas.ts';
import { factsOf } from '../../src/apiextensions/acceptance/schema-facts.ts';
import { versionsOf, versionSteps } from '../../src/apiextensions/acceptance/written-versions.ts';
import { versionSchemas } from '../../src/apiextensions/acceptance/version-schemas.ts';
import { compileCustomVersion } from '../../src/apiextensions/custom-version.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { metadataType } from './custom-writes.ts';
import { mutatedSchema, randomSchema, randomValue } from './random-schemas.ts';

const seeds = Array.from({ length: 150 }, (_, at) => at + 1);

function definitionOf(...schemas: readonly JsonObject[]): ApiObject {
  const versions = schemas.map((openAPIV3Schema, at) => ({
    name: `v${at + 1}`,
    served: true,
    storage: at === 0,
    schema: { openAPIV3Schema },
  }));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.check.example.org' },
    spec: { group: 'check.example.org', versions },
  };
}

const built = buildScheme({ identity: identityOf('kubernetes') });
const kind =
  built.kind === 'ok'
    ? built.scheme.findKind('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')
    : undefined;

/** As it is when it is judged; undefined: it is refused before. */
function read(definition: ApiObject): ApiObject | undefined {
  if (kind?.schema === undefined) return undefined;
  const conformed = conform(kind.schema, definition);
  return conformed.kind === 'ok' ? (conformed.object as ApiObject) : undefined;
}

/** Of objects that nothing is known of. */
const fresh = <T extends JsonValue>(value: T): T => structuredClone(value);

function errorsOf(next: ApiObject, current: ApiObject | undefined): readonly string[] {
  const errors: readonly FieldError[] = [
    ...structureErrors(next, current),
    ...structureErrors(next, current, false),
    ...finished(expressionErrors(next, current, testLanguage)),
  ];
  return errors.map(formatFieldError);
}

describe('the schemas of definitions', () => {
  it('are judged alike, whether or not they were looked through before', () => {
    for (const seed of seeds) {
      const prng = seededPrng(seed);
      const [one, other] = [randomSchema(prng), randomSchema(prng)];
      const broken = read(definitionOf(mutatedSchema(one, prng), one));
      const definitions = [definitionOf(one), broken, definitionOf(one, other)];
      for (const next of definitions) {
        if (next === undefined) continue;
        // What is stored was accepted once: it has no broken parts.
        for (const current of [undefined, definitionOf(one), definitionOf(one, other)]) {
          const plain = errorsOf(fresh(next), current && fresh(current));
          const known: ApiObject = fresh(next);
          const before: ApiObject | undefined = current && fresh(current);
          finished(prepareAcceptance(known, before));
          deepEqual(errorsOf(known, before), plain, `seed ${seed}`);
          // And once more, under another path: as a version among others.
          const among = definitionOf(versionSchemas(known)[0]?.schema ?? one, { type: 'array' });
          deepEqual(errorsOf(among, before), errorsOf(fresh(among), before), `seed ${seed}`);
        }
      }
    }
  });

  it('are looked through in steps, each of a part of them', () => {
    const field = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
    const properties = Object.fromEntries(
      Array.from({ length: 8_000 }, (_, i) => [`f${i}`, field]),
    );
    const next = definitionOf({ type: 'object', properties });
    const before = fresh(next);
    const steps = prepareAcceptance(next, before);
    let parts = 0;
    while (steps.next().done !== true) parts += 1;
    ok(parts >= 60, `${parts} parts`);
    const again = prepareAcceptance(next, before);
    for (parts = 0; again.next().done !== true; parts += 1);
    ok(parts < 10, 'what is known is not looked at again');
  });

  it('have patterns that are not even compiled where they are too many', () => {
    const patterned = (count: number): ApiObject => {
      const large = Array.from({ length: count }, (_, i) => ({ pattern: `${i}a{999}` }));
      const anyOf = [...large, { pattern: '(' }];
      return definitionOf({ type: 'object', properties: { a: { type: 'string', anyOf } } });
    };
    const judged = (definition: ApiObject): string => {
      finished(prepareAcceptance(definition, undefined));
      return errorsOf(definition, undefined).join();
    };
    match(judged(patterned(2)), /must be a valid regular expression/);
    match(errorsOf(patterned(2), undefined).join(), /must be a valid regular expression/);
    for (const errors of [judged(patterned(50)), errorsOf(patterned(50), undefined).join()]) {
      doesNotMatch(errors, /regular expression/);
    }
  });

  it('have facts that follow from their parts, wherever these stand', () => {
    const holding: readonly [JsonObject, JsonObject][] = [
      [{ $ref: '#' }, { isConvertible: false }],
      [{ type: 'text' }, { hasUnknownType: true }],
      [
        { default: 1, type: 'string' },
        { hasDefaults: true, requiresStructural: true },
      ],
      [{ maximum: 9223372036854775807n, type: 'integer' }, { hasLongNumbers: true }],
      [{ 'x-kubernetes-validations': [] }, { hasRules: true, requiresStructural: true }],
    ];
    for (const [inner, expected] of holding) {
      for (const outer of [{ items: inner }, { not: inner }, { anyOf: [{}, inner] }]) {
        const told = factsOf({ type: 'object', properties: { a: outer } });
        deepEqual({ ...told, ...expected }, told, stringifyJson(inner));
      }
    }
  });
});

describe('a version of a large definition', () => {
  it('says of objects what one of a small definition says, once it is prepared', () => {
    for (const seed of seeds) {
      const prng = seededPrng(seed);
      const schema = randomSchema(prng);
      if (structureErrors(definitionOf(schema), undefined).length > 0) continue;
      const versionOf = (isLarge: boolean) => {
        const entry = fresh({ name: 'v1', schema: { openAPIV3Schema: schema } });
        const kind = { group: 'check.example.org', kind: 'X', version: 'v1', isLarge };
        const given = { ...kind, preserveUnknownFields: false, selectable: [] };
        const source = { ...given, entry: () => entry };
        return compileCustomVersion(source, { language: testLanguage, metadataType });
      };
      const [small, large] = [versionOf(false), versionOf(true)];
      equal(small.prepare(), undefined);
      const steps = large.prepare();
      ok(steps !== undefined);
      finished(steps);
      equal(large.prepare(), undefined, 'it is prepared once');
      deepEqual(large.mergeType, small.mergeType);
      for (let i = 0; i < 3; i += 1) {
        const value = randomValue(schema, prng) as JsonObject;
        const object = { apiVersion: 'check.example.org/v1', kind: 'X', ...value };
        const next = { ...object, metadata: { name: 'x' } } as ApiObject;
        deepEqual(large.conform(next, 'body'), small.conform(next, 'body'));
        deepEqual(large.defaults(next), small.defaults(next));
        const write = { next, part: '' } as const;
        deepEqual(large.validate(write), small.validate(write), `seed ${seed}`);
      }
    }
  });
});

describe('a large object', () => {
  const objectOf = (letters: number): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', managedFields: [{ fieldsV1: { 'f:data': {} }, manager: 'm' }] },
    data: { a: 'x'.repeat(letters) },
  });

  it('is decoded once for all who read the same bytes, and each time of others', () => {
    const { bytes } = encodeObject(objectOf(200_000));
    const [first, second] = [decodeShared(bytes), decodeShared(bytes)];
    equal(first, second);
    deepEqual(first, decodeObject(bytes));
    notEqual(decodeShared(Uint8Array.from(bytes)), first);
  });

  it('is decoded each time where it is small', () => {
    const { bytes } = encodeObject(objectOf(10));
    notEqual(decodeShared(bytes), decodeShared(bytes));
  });

  it('is decoded in parts, and no further where somebody else has decoded it', () => {
    const { bytes } = encodeObject(objectOf(200_000));
    const steps = decodeSharedSteps(bytes);
    ok(steps.next().done !== true);
    const object = decodeShared(bytes);
    deepEqual(steps.next(), { done: true, value: object });
    equal(finished(decodeSharedSteps(bytes)), object);
  });
});

describe('many versions', () => {
  it('are written out a few at a time', () => {
    const schemas = Array.from({ length: 40 }, (_, at) => ({
      type: 'string',
      pattern: `^a{${at}}$`,
      description: 'd'.repeat(32 * 1024),
    }));
    const steps = versionSteps(definitionOf(...schemas));
    let parts = 1;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) parts += 1;
    ok(parts >= 10, `${String(parts)} parts`);
    deepEqual(step.value, versionsOf(definitionOf(...schemas)));
    equal(step.value.patterns.length, schemas.length);
    notEqual(step.value.digest, versionsOf(definitionOf(...schemas.slice(1))).digest);
  });
});
