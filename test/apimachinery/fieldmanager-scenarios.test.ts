/** Every shared scenario of apply and update: objects, conflicts and ownership after each step. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { FieldFilter } from '../../src/apimachinery/fieldmanager/fieldpath/field-filter.ts';
import type { FieldSet } from '../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';
import {
  emptySet,
  forEachPath,
  isEmptySet,
  leaves,
  recursiveDifference,
  union,
} from '../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';
import { canonicalFields } from '../../src/apimachinery/fieldmanager/fieldpath/fields-v1.ts';
import { applyIntent } from '../../src/apimachinery/fieldmanager/merge/apply.ts';
import type {
  Managers,
  VersionedValue,
  VersionRules,
} from '../../src/apimachinery/fieldmanager/merge/managers.ts';
import { updateManagers } from '../../src/apimachinery/fieldmanager/merge/update.ts';
import { deducedType } from '../../src/apimachinery/fieldmanager/schema/deduced.ts';
import { structuralType } from '../../src/apimachinery/fieldmanager/schema/structural.ts';
import type { MergeType } from '../../src/apimachinery/fieldmanager/schema/merge-type.ts';
import { compareValuesOf } from '../../src/apimachinery/fieldmanager/typed/compare.ts';
import { extractItems } from '../../src/apimachinery/fieldmanager/typed/items.ts';
import { mergeValues } from '../../src/apimachinery/fieldmanager/typed/merge.ts';
import { claimedFields } from '../../src/apimachinery/fieldmanager/typed/to-field-set.ts';
import {
  formatValidationErrors,
  validateValue,
} from '../../src/apimachinery/fieldmanager/typed/validate.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { corpusPath, noVectors, readCorpus } from '../support/data/corpora.ts';
import { setOfPath } from '../support/data/field-paths.ts';
import { readMergeSchema } from '../support/data/merge-schema.ts';

interface Call {
  readonly $call: string;
  readonly args: readonly unknown[];
}

interface Operation {
  readonly op: string;
  readonly manager: string;
  readonly apiVersion: string;
  readonly object: JsonValue;
  readonly conflicts?: readonly { manager: string; path: readonly string[] }[];
  readonly parser?: string;
}

interface Scenario {
  readonly func: string;
  readonly name: string;
  readonly parser: string;
  readonly converter: string | null;
  readonly ops: readonly Operation[];
  readonly apiVersion: string | null;
  readonly expectObject?: JsonValue;
  readonly expectError?: boolean;
  readonly expectManaged?: Readonly<
    Record<string, { readonly apiVersion: string; readonly fieldsV1: JsonValue }>
  >;
  readonly IgnoredFields?: Readonly<Record<string, JsonValue>>;
  readonly IgnoreFilterGo?: Readonly<Record<string, Call>>;
}

interface Corpus {
  readonly parsers: Readonly<
    Record<string, { schema: string; type: string | null; sameVersion: boolean }>
  >;
  readonly cases: readonly Scenario[];
}

interface StructuralSchemas {
  readonly schemas: Readonly<Record<string, { rootType: string; openAPIV3Schema: JsonObject }>>;
}

const corpus = readCorpus<Corpus>('structured-merge-diff/merge-cases.json');
const structural = readCorpus<StructuralSchemas>('structured-merge-diff/crd-schemas.json');

type TypeAt = (version: string) => MergeType;

function parserOf(name: string): TypeAt {
  if (name === 'DeducedParser') return () => deducedType;
  const row = corpus.parsers[name];
  assert.ok(row, name);
  const schema = readMergeSchema(row.schema);
  return (version) => schema.type(row.type ?? version);
}

type Convert = (from: VersionedValue, version: string) => JsonValue | undefined;

/** In version n every one-letter key below the first level is that letter n times. */
const repeating: Convert = ({ value }, version) => {
  const times = Number(/^v(\d+)$/.exec(version)?.[1]);
  if (Number.isNaN(times)) return undefined;
  const repeat = (node: JsonValue): JsonValue => {
    if (!isJsonObject(node) || Object.keys(node).length === 0) return null;
    // Keys that become the same: the last one in order counts.
    const sorted = Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([key, below]) => [key.charAt(0).repeat(times), repeat(below ?? null)]),
    );
  };
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, below]) => [key, repeat(below ?? null)]),
  );
};

/** Names that end in the version end in the other one. */
const renaming: Convert = ({ value, version: from }, version) => {
  const rename = (node: JsonValue): JsonValue => {
    if (Array.isArray(node)) return (node as readonly JsonValue[]).map(rename);
    if (!isJsonObject(node)) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, below]) => [
        key.endsWith(from) ? key.slice(0, -from.length) + version : key,
        rename(below ?? null),
      ]),
    );
  };
  return rename(value);
};

const converters: Readonly<Record<string, Convert>> = {
  'repeatingConverter{nestedTypeParser}': repeating,
  converter: renaming,
};

function filtersOf(scenario: Scenario): ReadonlyMap<string, FieldFilter> {
  const sets: [string, FieldSet][] = [
    ...Object.entries(scenario.IgnoredFields ?? {}).map(([version, fields]): [string, FieldSet] => [
      version,
      canonicalFields(fields) ?? emptySet,
    ]),
    ...Object.entries(scenario.IgnoreFilterGo ?? {}).map(([version, call]): [string, FieldSet] => {
      assert.equal(call.$call, 'fieldpath.NewExcludeSetFilter');
      const paths = (call.args[0] as Call).args as readonly Call[];
      const steps = paths.map((path) => (path.args as readonly string[]).map((s) => `f:${s}`));
      return [version, steps.map(setOfPath).reduce(union, emptySet)];
    }),
  ];
  return new Map(
    sets.map(([version, set]) => [version, (owned) => recursiveDifference(owned, set)]),
  );
}

/** The object, its version, and who owns what. */
class State {
  live: VersionedValue | undefined;
  managers: Managers = new Map();
  #typeAt: TypeAt;
  readonly #convert: Convert;
  readonly #rules: VersionRules;

  constructor(scenario: Scenario) {
    this.#typeAt = parserOf(scenario.parser);
    this.#convert = converters[scenario.converter ?? ''] ?? (({ value }) => value);
    const filters = filtersOf(scenario);
    this.#rules = {
      has: (version) => this.live === undefined || this.convert(this.live, version) !== undefined,
      typeAt: (version) => this.#typeAt(version),
      convert: (from, version) => this.convert(from, version),
      writable: (set, version) => filters.get(version)?.(set) ?? set,
    };
  }

  convert(from: VersionedValue, version: string): VersionedValue | undefined {
    const value = from.version === version ? from.value : this.#convert(from, version);
    return value === undefined ? undefined : { value, version };
  }

  liveAt(version: string): VersionedValue {
    if (this.live === undefined) return { value: null, version };
    return this.convert(this.live, version) as VersionedValue;
  }

  run(op: Operation): void {
    const { op: name, manager, apiVersion: version, object } = op;
    switch (name) {
      case 'ChangeParser':
        this.#typeAt = parserOf(op.parser as string);
        return;
      case 'Update':
        return this.#update(object, version, manager);
      case 'ExtractApply':
        return this.#apply(op, this.#extracted(op), true);
      default:
        return this.#apply(op, object, name === 'ForceApply');
    }
  }

  #update(object: JsonValue, version: string, manager: string): void {
    const errors = validateValue(this.#typeAt(version), object, { allowDuplicates: true });
    assert.deepEqual(errors, []);
    const next = { value: object, version };
    const live = this.liveAt(version);
    const change = { live, next, writer: manager };
    this.managers = finished(updateManagers(this.#rules, change, this.managers));
    this.live = next;
  }

  #extracted({ manager, apiVersion: version, object }: Operation): JsonValue {
    if (this.live === undefined) return object;
    const type = this.#typeAt(version);
    const owned = this.managers.get(manager);
    const fields = leaves(owned?.set ?? emptySet);
    const extracted = extractItems(type, this.liveAt(version).value, fields);
    return mergeValues(type, extracted, object) ?? null;
  }

  #apply(op: Operation, object: JsonValue, force: boolean): void {
    const { manager, apiVersion: version } = op;
    const errors = validateValue(this.#typeAt(version), object);
    if (errors.length > 0) throw new RefusedError(formatValidationErrors(errors));
    const intent = { value: object, version, manager, force };
    const steps = applyIntent(this.#rules, this.liveAt(version), intent, this.managers);
    const outcome = finished(steps);
    if (outcome.kind === 'conflicts') {
      const found: string[] = [];
      for (const [other, set] of outcome.conflicts) {
        forEachPath(set, (path) => found.push(JSON.stringify({ manager: other, path })));
      }
      const wanted = (op.conflicts ?? []).map(({ manager: m, path }) =>
        JSON.stringify({ manager: m, path }),
      );
      assert.deepEqual(found.sort(), wanted.sort());
      return;
    }
    assert.equal(op.conflicts, undefined, 'conflicts were expected');
    this.live = { value: outcome.value, version };
    this.managers = outcome.managers;
  }
}

class RefusedError extends Error {}

/** The rows write some numbers inside keys as calls. */
function plainNumbers(fields: JsonValue): FieldSet | undefined {
  const text = JSON.stringify(fields).replace(
    /\{\\"\$call\\":\\"float64\\",\\"args\\":\[(\d+)\]\}/g,
    '$1',
  );
  return canonicalFields(JSON.parse(text) as JsonValue);
}

function check(scenario: Scenario): void {
  const state = new State(scenario);
  const run = () => scenario.ops.forEach((op) => state.run(op));
  if (scenario.expectError === true) {
    assert.throws(run, RefusedError);
    return;
  }
  run();
  if (scenario.expectObject !== undefined) {
    assert.deepEqual(state.liveAt(scenario.apiVersion as string).value, scenario.expectObject);
  }
  if (scenario.expectManaged !== undefined) {
    const managed = [...state.managers].map(([manager, { set, version }]) => [
      manager,
      { apiVersion: version, fieldsV1: set },
    ]);
    const wanted = Object.entries(scenario.expectManaged).map(([manager, owned]) => [
      manager,
      { ...owned, fieldsV1: plainNumbers(owned.fieldsV1) },
    ]);
    assert.deepEqual(Object.fromEntries(managed), Object.fromEntries(wanted));
  }
  for (const { set } of state.managers.values()) assert.equal(isEmptySet(set), false);
}

describe('the shared scenarios', () => {
  for (const scenario of corpus.cases) {
    it(`${scenario.func}: ${scenario.name}`, () => check(scenario));
  }
});

describe('the shared schemas', () => {
  for (const [name, row] of Object.entries(structural.schemas)) {
    it(`${name}: an OpenAPI schema gives the same claims as the schema it stands for`, () => {
      const described = structuralType(row.openAPIV3Schema);
      const original = readMergeSchema(corpus.parsers[name]!.schema).type(row.rootType);
      const objects = corpus.cases
        .filter((c) => c.parser === name || c.ops.some((op) => op.parser === name))
        .flatMap((c) => c.ops.map((op) => op.object))
        .filter((object) => isJsonObject(object))
        .filter((object) => validateValue(original, object).length === 0);
      for (const [i, object] of objects.entries()) {
        assert.deepEqual(validateValue(described, object), []);
        assert.deepEqual(claimedFields(described, object), claimedFields(original, object));
        const other = objects[i + 1] ?? {};
        assert.deepEqual(
          compareValuesOf(described, object, other),
          compareValuesOf(original, object, other),
        );
      }
    });
  }

  it(
    'the schema of the built-in kinds of an early release is read, every type of it',
    { skip: noVectors },
    () => {
      const text = readFileSync(
        corpusPath('structured-merge-diff/testdata/k8s-schema.yaml'),
        'utf8',
      );
      const schema = readMergeSchema(text);
      assert.ok(schema.names.length > 100);
      for (const name of schema.names) {
        const { map, list, scalar } = schema.type(name);
        assert.ok(map ?? list ?? scalar, name);
        for (const [, field] of map?.fields ?? []) assert.ok(field.type);
      }
    },
  );
});
