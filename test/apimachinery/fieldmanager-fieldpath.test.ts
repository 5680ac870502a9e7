/** Path elements, field sets and the order of values: every shared row, and the laws of sets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parseJsonText, stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import {
  anyElement,
  including,
  mergePatterns,
  patternOf,
} from '../../src/apimachinery/fieldmanager/fieldpath/field-filter.ts';
import type { FieldSet } from '../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';
import {
  difference,
  emptySet,
  forEachPath,
  intersection,
  isEmptySet,
  leaves,
  recursiveDifference,
  setsEqual,
  union,
} from '../../src/apimachinery/fieldmanager/fieldpath/field-set.ts';
import { canonicalFields } from '../../src/apimachinery/fieldmanager/fieldpath/fields-v1.ts';
import type { PathElement } from '../../src/apimachinery/fieldmanager/fieldpath/path-element.ts';
import {
  compareElements,
  displayPath,
  formatPathElement,
  keyElement,
  parsePathElement,
  sortElements,
} from '../../src/apimachinery/fieldmanager/fieldpath/path-element.ts';
import {
  canonicalText,
  compareText,
  compareValues,
} from '../../src/apimachinery/fieldmanager/value/ordering.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';
import { hasPath, setOfPath } from '../support/data/field-paths.ts';
import { readCorpus } from '../support/data/corpora.ts';

interface Call {
  readonly $call?: string;
  readonly args?: readonly unknown[];
  readonly path?: readonly string[];
  readonly fieldsV1?: JsonValue;
}

interface Corpus {
  readonly fieldsV1Golden: readonly string[];
  readonly fieldsV1Errors: readonly { name: string; input: string }[];
  readonly fieldsV1Parse: readonly { name: string; input: string }[];
  readonly pathElementRoundTrip: readonly { stringValue: string; pathElement: Element }[];
  readonly pathElementErrors: readonly string[];
  readonly pathElementOk: readonly { stringValue: string; pathElement: Element }[];
  readonly set_SetInsertHas: readonly { set: Call; check: Call; expectMembership: boolean }[];
  readonly set_SetEquals: readonly { a: Call; b: Call; equal: boolean }[];
  readonly set_SetLeaves: readonly { name: string; input: Call; expected: Call }[];
  readonly set_SetDifference: readonly {
    name: string;
    a: Call;
    b: Call;
    expectDifference: Call;
    expectRecursiveDifference: Call;
  }[];
  readonly set_FilterByPattern: readonly {
    name: string;
    input: Call;
    filter: Call;
    expect: Call;
  }[];
  readonly pathString: readonly { name: string; fp: Call; expect: string }[];
  readonly valueJSONErrors: readonly { name: string; input: string }[];
  readonly valueJSONValid: readonly {
    name: string;
    input: string | { $bytes: string };
    canonical: string;
  }[];
  readonly valueLess: readonly { name: string; a: JsonValue; b: JsonValue; eq?: boolean }[];
}

interface Element {
  readonly f?: string;
  readonly i?: number;
  readonly v?: JsonValue;
  readonly k?: Readonly<Record<string, JsonValue>>;
}

/** Rows that cannot apply, by name, with the reason. */
const notApplicable: ReadonlyMap<string, string> = new Map([
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((n): [string, string] => [
    `Invalid-${n}`,
    'one side is a value that is no JSON at all; here every value is JSON',
  ]),
  ['byteOrderMark', 'bytes that are not UTF-8 do not get this far: the decoder refuses them'],
]);

const corpus = readCorpus<Corpus>('structured-merge-diff/fieldpath-cases.json');
const show = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

function setOf(call: Call): FieldSet {
  if (call.fieldsV1 !== undefined) {
    const set = canonicalFields(call.fieldsV1);
    assert.ok(set, show(call));
    return set;
  }
  assert.equal(call.$call, 'NewSet', show(call));
  const paths = (call.args ?? []).map((arg) => pathOf(arg as Call));
  return paths.reduce((set, path) => union(set, setOfPath(path)), emptySet);
}

function pathOf(call: Call): readonly string[] {
  if (call.path !== undefined) return call.path;
  assert.equal(call.$call, 'MakePathOrDie', show(call));
  return (call.args ?? []).map((arg) => stepOf(arg));
}

function stepOf(step: unknown): string {
  if (step === 'v1') return 'v:"v1"';
  if (typeof step === 'string') return `f:${step}`;
  if (typeof step === 'number') return `i:${step}`;
  const { $elts } = step as { $elts?: readonly { Name: string; Value: JsonValue }[] };
  if ($elts !== undefined) return keyElement($elts.map(({ Name, Value }) => [Name, Value]));
  assert.equal((step as Call).$call, 'MatchAnyPathElement');
  return anyElement;
}

function plain(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(plain);
  const call = value as Call;
  if (call.$call === 'float64') return (call.args as readonly JsonValue[])[0] as JsonValue;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v as JsonValue)]));
}

function elementOf(row: Element): PathElement {
  if (row.f !== undefined) return { kind: 'field', name: row.f };
  if (row.i !== undefined) return { kind: 'index', index: row.i };
  if (row.k !== undefined) {
    const fields = Object.entries(row.k).map(([k, v]) => [k, plain(v)] as const);
    return { kind: 'key', fields };
  }
  return { kind: 'value', value: plain(row.v ?? null) };
}

const formatted = (set: FieldSet): string => stringifyJson(set);

/** Undefined when it is malformed, as JSON or as a set. */
function parsed(text: string): FieldSet | undefined {
  try {
    return canonicalFields(parseJsonText(text));
  } catch {
    return undefined;
  }
}

describe('the shared rows of field paths', () => {
  it('a golden set is read and written without a change', () => {
    for (const golden of corpus.fieldsV1Golden) {
      const set = parsed(golden);
      assert.ok(set);
      assert.equal(formatted(set), golden);
    }
  });

  for (const { name, input } of corpus.fieldsV1Errors) {
    it(`is no set: ${name}`, () => assert.equal(parsed(input), undefined));
  }

  for (const { name, input } of corpus.fieldsV1Parse) {
    it(`is a set: ${name}`, () => assert.notEqual(parsed(input), undefined));
  }

  for (const { stringValue, pathElement } of corpus.pathElementRoundTrip) {
    it(`element ${stringValue} is read and written without a change`, () => {
      const read = parsePathElement(stringValue);
      assert.deepEqual(read, elementOf(pathElement));
      assert.equal(formatPathElement(read), stringValue);
    });
  }

  for (const text of corpus.pathElementErrors) {
    it(`is no element: ${show(text)}`, () => assert.equal(parsePathElement(text), undefined));
  }

  for (const { stringValue, pathElement } of corpus.pathElementOk) {
    it(`element ${stringValue} is read, and canonical once written`, () => {
      const parsed = parsePathElement(stringValue) as PathElement;
      assert.deepEqual(parsed, elementOf(pathElement));
      assert.deepEqual(parsePathElement(formatPathElement(parsed)), parsed);
    });
  }

  for (const [i, row] of corpus.set_SetInsertHas.entries()) {
    it(`membership ${i}: ${show(row.check.path)}`, () => {
      assert.equal(hasPath(setOf(row.set), pathOf(row.check)), row.expectMembership);
    });
  }

  for (const [i, row] of corpus.set_SetEquals.entries()) {
    it(`equality ${i}`, () => {
      assert.equal(setsEqual(setOf(row.a), setOf(row.b)), row.equal);
      assert.equal(setsEqual(setOf(row.b), setOf(row.a)), row.equal);
    });
  }

  for (const row of corpus.set_SetLeaves) {
    it(`leaves: ${row.name}`, () =>
      assert.deepEqual(leaves(setOf(row.input)), setOf(row.expected)));
  }

  for (const row of corpus.set_SetDifference) {
    it(`difference: ${row.name}`, () => {
      const [a, b] = [setOf(row.a), setOf(row.b)];
      assert.deepEqual(difference(a, b), setOf(row.expectDifference));
      assert.deepEqual(recursiveDifference(a, b), setOf(row.expectRecursiveDifference));
    });
  }

  for (const row of corpus.set_FilterByPattern) {
    it(`filter: ${row.name}`, () => {
      const patterns = (row.filter.args as readonly Call[]).map((matcher) =>
        patternOf((matcher.args ?? []).map(stepOf)),
      );
      const filter = including(patterns.reduce(mergePatterns));
      assert.deepEqual(filter(setOf(row.input)), setOf(row.expect));
    });
  }

  for (const row of corpus.pathString) {
    it(`a path as people read it: ${row.name}`, () => {
      assert.equal(displayPath(pathOf(row.fp)), row.expect);
    });
  }

  for (const { name, input } of corpus.valueJSONErrors) {
    it(`is no JSON: ${name}`, () => assert.throws(() => parseJsonText(input), SyntaxError));
  }

  for (const row of corpus.valueJSONValid) {
    it(`is JSON: ${row.name}`, { skip: notApplicable.get(row.name) ?? false }, () => {
      assert.equal(canonicalText(parseJsonText(row.input as string)), row.canonical);
    });
  }

  for (const row of corpus.valueLess) {
    it(`order: ${row.name}`, { skip: notApplicable.get(row.name) ?? false }, () => {
      const order = Math.sign(compareValues(row.a, row.b));
      assert.equal(order, row.eq === true ? 0 : -1);
      assert.equal(Math.sign(compareValues(row.b, row.a)) + order, 0);
      assert.equal(canonicalText(row.a) === canonicalText(row.b), row.eq === true);
    });
  }
});

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const element = fc.oneof(
  fc.string({ maxLength: 3 }).map((name) => `f:${name}`),
  scalar.map((value) => `v:${canonicalText(value)}`),
  fc.nat(3).map((index) => `i:${index}`),
  fc
    .dictionary(fc.string({ minLength: 1, maxLength: 2 }), scalar, { maxKeys: 2 })
    .map((fields) => keyElement(Object.entries(fields).sort(([a], [b]) => compareText(a, b)))),
);
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const fieldSet = fc
  .array(path, { maxLength: 8 })
  .map((paths) => paths.reduce((set, p) => union(set, setOfPath(p)), emptySet));

function members(set: FieldSet): ReadonlySet<string> {
  const found = new Set<string>();
  forEachPath(set, (p) => found.add(JSON.stringify(p)));
  return found;
}

describe('the laws of field sets', () => {
  it('union, intersection and difference are those of the members', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const [left, right] = [members(a), members(b)];
        assert.deepEqual(members(union(a, b)), new Set([...left, ...right]));
        assert.deepEqual(
          members(intersection(a, b)),
          new Set([...left].filter((m) => right.has(m))),
        );
        assert.deepEqual(
          members(difference(a, b)),
          new Set([...left].filter((m) => !right.has(m))),
        );
        assert.equal(isEmptySet(difference(a, a)), true);
      }),
    );
  });

  it('what takes nothing from a set and adds nothing to it gives back the very set', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        for (const combine of [union, intersection, difference, recursiveDifference]) {
          const combined = combine(a, b);
          const changes = !isDeepStrictEqual(members(combined), members(a));
          assert.ok(changes || isEmptySet(a) || combined === a, combine.name);
        }
      }),
    );
  });

  it('a set has its members and no other path', () => {
    fc.assert(
      fc.property(fieldSet, path, (set, p) => {
        assert.equal(hasPath(set, p), members(set).has(JSON.stringify(p)));
      }),
    );
  });

  it('a set is the same after it has been written and read, and canonical', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const text = formatted(set);
        const read = parsed(text);
        assert.ok(read);
        assert.equal(formatted(read), text);
        assert.ok(setsEqual(set, read));
      }),
    );
  });

  it('the order of elements is total', () => {
    fc.assert(
      fc.property(element, element, element, (a, b, c) => {
        assert.equal(Math.sign(compareElements(a, b)) + Math.sign(compareElements(b, a)), 0);
        assert.equal(compareElements(a, b) === 0, a === b);
        if (compareElements(a, b) <= 0 && compareElements(b, c) <= 0) {
          assert.ok(compareElements(a, c) <= 0);
        }
      }),
    );
  });

  it('elements are sorted in that order: items with one key, values of a set, and any others', () => {
    const named = fc.string({ unit: 'binary', maxLength: 3 });
    const lists = [
      fc.array(named.map((name) => keyElement([['name', name]]))),
      fc.array(named.map((name) => formatPathElement({ kind: 'value', value: name }))),
      fc.array(element),
    ];
    fc.assert(
      fc.property(fc.oneof(...lists), fc.boolean(), (elements, isMember) => {
        const all = isMember ? ['.', ...elements] : elements;
        const expected = [...all].sort((a, b) => compareElements(a, b));
        assert.deepEqual(sortElements([...all]), expected);
      }),
    );
  });

  it('texts are in the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const expected = Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
        assert.equal(Math.sign(compareText(a, b)), expected);
      }),
    );
  });

  it('elements of an unknown kind are dropped, and a set without another has none', () => {
    assert.deepEqual(parsed('{"x:a":{},"f:b":{"y:c":{}}}'), { 'f:b': {} });
    assert.deepEqual(parsed('{".":{},"f:a":{"f:b":{},".":{}}}'), {
      'f:a': { '.': {}, 'f:b': {} },
    });
  });

  it('what would take long to read is malformed', () => {
    const deep = `v:${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    assert.equal(canonicalFields({ 'f:a': { [deep]: {} } }), undefined);
    const names = Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]);
    const wide = JSON.stringify(Object.fromEntries(names));
    assert.equal(canonicalFields({ 'f:a': { [`v:${wide}`]: {} } }), undefined);
    assert.equal(canonicalFields({ 'f:a': { [`k:${wide}`]: {} } }), undefined);
    const keyed = (items: number, keys: number): FieldSet =>
      Object.fromEntries(
        Array.from({ length: items }, (_, item) => {
          const fields = Array.from({ length: keys }, (_, key) => [`k${key}`, item]);
          return [`k:${JSON.stringify(Object.fromEntries(fields))}`, {}];
        }),
      );
    assert.equal(canonicalFields({ 'f:a': keyed(4000, 10) }), undefined);
    const most = { 'f:a': keyed(714, 6) };
    assert.deepEqual(canonicalFields(most), most);
  });

  it('brackets and commas in the text of a key are no parts of it', () => {
    const name = `"\\${'[{,'.repeat(100)}`;
    const set = { 'f:a': { [`k:${JSON.stringify({ name })}`]: {} } };
    assert.deepEqual(canonicalFields(set), set);
  });
});
