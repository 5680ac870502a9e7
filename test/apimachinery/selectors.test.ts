/** Label and field selectors against every row of the shared vectors, and their laws. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as fields from '../../src/apimachinery/selectors/field-selector.ts';
import type { FieldSelector } from '../../src/apimachinery/selectors/field-selector.ts';
import { parseLabelSelector } from '../../src/apimachinery/selectors/label-selector-parser.ts';
import * as labels from '../../src/apimachinery/selectors/label-selector.ts';
import type { Labels, LabelSelector } from '../../src/apimachinery/selectors/label-selector.ts';
import { newSelection } from '../../src/apimachinery/selectors/selection.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';

/** What has all of these. */
function ofLabels(set: Labels): LabelSelector {
  const required = Object.entries(set);
  return labels.labelSelectorOf(
    required.map(([key, value]) => ({ key, operator: '=', values: [value] })),
  );
}

function ofFields(set: Readonly<Record<string, string>>): FieldSelector {
  const required = Object.entries(set);
  return fields.fieldSelectorOf(
    required.map(([field, value]) => ({ field, operator: '=', value })),
  );
}

interface Call {
  readonly $call?: string;
  readonly $ref?: string;
  readonly args?: readonly unknown[];
}

interface LabelCorpus {
  readonly parse: readonly {
    readonly selector: string;
    readonly valid: boolean;
    readonly canonical?: string;
    readonly requirements?: readonly object[] | null;
  }[];
  readonly matches: readonly {
    readonly selector?: string;
    readonly matchLabels?: Labels;
    readonly labels: Labels;
    readonly match: boolean;
  }[];
  readonly requirements: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
    readonly errors: readonly { readonly type: string; readonly field: string }[] | null;
  }[];
  readonly toString: readonly {
    readonly requirements: readonly (RequirementRow | Call)[];
    readonly out: string;
  }[];
  readonly setToString: readonly { readonly set: Labels; readonly out: string }[];
  readonly matching_go: readonly {
    readonly Set: { readonly $map: Labels };
    readonly Sel: { readonly $elts: readonly Call[] };
    readonly Match: boolean;
  }[];
  readonly labels_conversion_go: readonly {
    readonly args: readonly [unknown, { readonly $map: Labels }, string];
  }[];
  readonly labelSelectorAsSelector_go: readonly { readonly var: string; readonly items: unknown }[];
}

interface RequirementRow {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const labelRows = readCorpus<LabelCorpus>('selectors/labels.json');

function parsed(text: string): LabelSelector {
  const selector = parseLabelSelector(text);
  assert.ok(!(selector instanceof StatusError), `${text}: ${String(selector)}`);
  return selector;
}

function requirement(row: RequirementRow): labels.LabelRequirement {
  const made = labels.newLabelRequirement(row.key, row.operator, row.values);
  assert.ok('key' in made, JSON.stringify(made));
  return made;
}

const goOperators: Readonly<Record<string, string>> = {
  'selection.In': 'in',
  'selection.NotIn': 'notin',
  'selection.Exists': 'exists',
  'selection.DoesNotExist': '!',
  'selection.GreaterThan': 'gt',
};

/** A row's getRequirement(key, operator, set, t). Undefined for the upstream zero value. */
function fromCall(call: Call): labels.LabelRequirement | undefined {
  if (call.$ref !== undefined) return undefined;
  const [key, operator, set] = call.args as [string, Call, Call | null];
  const values = (set?.args ?? []) as readonly string[];
  return requirement({ key, operator: goOperators[operator.$ref ?? ''] ?? '', values });
}

describe('label selector', () => {
  for (const row of labelRows.parse) {
    it(`${row.valid ? 'reads' : 'refuses'} ${JSON.stringify(row.selector)}`, () => {
      const selector = parseLabelSelector(row.selector);
      assert.equal(!(selector instanceof StatusError), row.valid);
      if (selector instanceof StatusError) {
        assert.equal(selector.reason, 'BadRequest');
        return;
      }
      if (row.canonical !== undefined) assert.equal(selector.text, row.canonical);
      if (row.requirements) assert.deepEqual(selector.requirements, row.requirements);
    });
  }

  for (const row of labelRows.matches) {
    const name = row.selector ?? JSON.stringify(row.matchLabels);
    it(`${name} on ${JSON.stringify(row.labels)}: ${row.match}`, () => {
      const selector =
        row.selector === undefined ? ofLabels(row.matchLabels ?? {}) : parsed(row.selector);
      assert.equal(selector.matches(row.labels), row.match);
    });
  }

  for (const row of labelRows.requirements) {
    it(`requirement ${row.key} ${row.operator}: ${row.errors ? 'refused' : 'made'}`, () => {
      const made = labels.newLabelRequirement(row.key, row.operator, row.values);
      const found = 'key' in made ? [] : made.map(({ type, field }) => ({ type, field }));
      const expected = (row.errors ?? []).map(({ type, field }) => ({
        type: `FieldValue${type}`,
        field,
      }));
      assert.deepEqual(found, expected);
    });
  }

  // One upstream row formats a requirement that was never made; here that cannot be expressed.
  const expressible = labelRows.toString.filter((row) => row.requirements.every((r) => 'key' in r));
  it('has one row of the vectors that cannot be expressed', { skip: noVectors }, () => {
    assert.equal(labelRows.toString.length - expressible.length, 1);
  });
  for (const row of expressible) {
    it(`is written ${row.out}`, () => {
      const made = (row.requirements as RequirementRow[]).map(requirement);
      assert.equal(labels.labelSelectorOf(made).text, row.out);
    });
  }

  for (const row of labelRows.setToString) {
    it(`of a set is written ${JSON.stringify(row.out)}`, () =>
      assert.equal(ofLabels(row.set).text, row.out));
  }

  labelRows.matching_go.forEach((row, i) => {
    it(`matching row ${i}: ${row.Match}`, () => {
      const made = row.Sel.$elts.map(fromCall);
      const known = made.filter((r) => r !== undefined);
      const matches =
        known.length === made.length && labels.labelSelectorOf(known).matches(row.Set.$map);
      assert.equal(matches, row.Match);
    });
  });

  for (const { args } of labelRows.labels_conversion_go) {
    it(`of a set and its text ${args[2]} select the same`, () => {
      const [, { $map: set }, text] = args;
      assert.equal(ofLabels(set).text, parsed(text).text);
      assert.ok(parsed(text).matches(set));
    });
  }

  const refused: [string, RegExp][] = [
    ['x=a||y=b', /^unable to parse requirement: values\[0\]\[x\]: Invalid value: "a\|\|y"/],
    ['a b', /found 'b', expected: in, notin, =, ==, !=, gt, lt/],
    ['x in a', /found 'a' expected: '\('/],
    ['x,', /^found '', expected: identifier after ','$/],
    ['-x=a', /^unable to parse requirement: <nil>: Invalid value: "-x"/],
    ['x=a_', /values\[0\]\[x\]: Invalid value: "a_"/],
    ['x>one', /must be an integer/],
  ];
  for (const [text, message] of refused) {
    it(`says why ${text} is refused`, () => {
      const error = parseLabelSelector(text);
      assert.ok(error instanceof StatusError);
      assert.match(error.message, message);
    });
  }

  it('does not take inherited names for labels', () => {
    assert.equal(parsed('constructor').matches({}), false);
    assert.equal(parsed('toString!=x').matches({}), true);
  });

  it('compares integers of 64 bits as numbers, however they are written', () => {
    const any = fc.oneof(fc.bigInt(-(2n ** 65n), 2n ** 65n), fc.bigInt(-12n, 12n));
    const written = fc.tuple(any, fc.nat({ max: 3 }), fc.boolean()).map(([n, zeros, isSigned]) => {
      const sign = n < 0n ? '-' : isSigned ? '+' : '';
      return sign + '0'.repeat(zeros) + String(n < 0n ? -n : n);
    });
    // A value with a sign in front is none that a selector may have.
    const limit = fc.bigInt(0n, 2n ** 63n - 1n);
    fc.assert(
      fc.property(written, fc.oneof(limit, fc.bigInt(0n, 12n)), (text, than) => {
        const value = BigInt(text.replace('+', ''));
        const fits = BigInt.asIntN(64, value) === value;
        const selects = (operator: string): boolean =>
          labels
            .labelSelectorOf([requirement({ key: 'n', operator, values: [String(than)] })])
            .matches({ n: text });
        assert.equal(selects('gt'), fits && value > than);
        assert.equal(selects('lt'), fits && value < than);
      }),
    );
  });

  it('pins the labels that must have one value', () => {
    const pinned = (text: string) => [...parsed(text).pins];
    assert.deepEqual(pinned('a=1,b==2,c in (3),d='), [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['d', ''],
    ]);
    assert.deepEqual(pinned('a!=1,b in (1,2),c notin (3),d,!e,f>1,g<2'), []);
    assert.deepEqual(pinned('a,a=1,a in (2)'), [['a', '1']]);
    assert.deepEqual([...labels.noLabel.pins], []);
  });

  it('parses its canonical text to itself', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?$/);
    const value = fc.oneof(part, fc.constant(''), fc.constantFrom('in', 'notin'));
    const key = fc.oneof(part, fc.constantFrom('in', 'notin', 'example.com/x'));
    const one = fc.oneof(
      fc.tuple(key, fc.constantFrom('=', '==', '!='), fc.tuple(value)),
      fc.tuple(key, fc.constantFrom('in', 'notin'), fc.array(value, { minLength: 1 })),
      fc.tuple(key, fc.constantFrom('exists', '!'), fc.constant([])),
      fc.tuple(key, fc.constantFrom('gt', 'lt'), fc.tuple(fc.nat().map(String))),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 6 }), (rows) => {
        const made = rows.map(([k, operator, values]) => requirement({ key: k, operator, values }));
        const selector = labels.labelSelectorOf(made);
        assert.deepEqual(parsed(selector.text).requirements, selector.requirements);
      }),
    );
  });

  it('answers any text with a selector or a 400', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'ax1=!<>(), \t\\'.split(''), 'in', 'notin'),
    });
    fc.assert(
      fc.property(text, (selector) => {
        const result = parseLabelSelector(selector);
        if (result instanceof StatusError) assert.equal(result.code, 400);
        else assert.deepEqual(parsed(result.text).requirements, result.requirements);
      }),
    );
  });
});

describe('label selector object', { skip: noVectors }, () => {
  const rows = labelRows.labelSelectorAsSelector_go.find((r) => r.var === 'tc')?.items as {
    readonly in: { MatchLabels?: Labels; MatchExpressions?: readonly object[] } | null;
    readonly out?: { readonly $call: string; readonly args: readonly string[] };
    readonly expectErr?: boolean;
  }[];
  rows.forEach((row, i) => {
    it(`row ${i}: ${row.expectErr ? 'refused' : JSON.stringify(row.out)}`, () => {
      const expressions = (row.in?.MatchExpressions ?? []) as {
        Key: string;
        Operator: { $ref: string };
        Values: string[];
      }[];
      const spec =
        row.in === null
          ? undefined
          : {
              matchLabels: row.in.MatchLabels,
              matchExpressions: expressions.map((e) => ({
                key: e.Key,
                operator: e.Operator.$ref.replace('LabelSelectorOp', ''),
                values: e.Values,
              })),
            };
      const made = labels.labelSelectorFromSpec(spec);
      if (row.expectErr) {
        assert.ok(Array.isArray(made));
        return;
      }
      assert.ok('matches' in made);
      if (row.out?.$call === 'labels.Nothing') assert.ok(!made.matches({}) && !made.isEmpty);
      else if (row.out?.$call === 'labels.Everything') assert.ok(made.isEmpty && made.matches({}));
      else assert.equal(made.text, parsed(row.out?.args[0] ?? '').text);
    });
  });
});

interface FieldCorpus {
  readonly splitTerms: readonly { readonly in: string; readonly terms: string[] | null }[];
  readonly splitTerm: readonly {
    readonly in: string;
    readonly lhs: string;
    readonly op: string;
    readonly rhs: string;
    readonly ok: boolean;
  }[];
  readonly escape: readonly { readonly raw: string; readonly escaped: string }[];
  readonly unescapeInvalid: readonly string[];
  readonly parse: readonly {
    readonly selector: string;
    readonly valid: boolean;
    readonly canonical?: string;
  }[];
  readonly matches: readonly {
    readonly selector?: string;
    readonly set?: Labels;
    readonly fields: Labels;
    readonly match: boolean;
  }[];
}

const fieldRows = readCorpus<FieldCorpus>('selectors/fields.json');

function parsedFields(text: string): FieldSelector {
  const selector = fields.parseFieldSelector(text);
  assert.ok(!(selector instanceof StatusError), `${text}: ${String(selector)}`);
  return selector;
}

describe('field selector', () => {
  for (const row of fieldRows.splitTerms) {
    it(`${JSON.stringify(row.in)} has terms ${JSON.stringify(row.terms)}`, () =>
      assert.deepEqual(fields.splitFieldTerms(row.in), row.terms ?? []));
  }
  for (const row of fieldRows.splitTerm) {
    it(`term ${JSON.stringify(row.in)} is ${row.ok ? 'cut' : 'refused'}`, () => {
      const expected = row.ok ? { field: row.lhs, operator: row.op, value: row.rhs } : undefined;
      assert.deepEqual(fields.splitFieldTerm(row.in), expected);
    });
  }
  for (const row of fieldRows.escape) {
    it(`escapes ${JSON.stringify(row.raw)} and back`, () => {
      assert.equal(fields.escapeFieldValue(row.raw), row.escaped);
      assert.equal(fields.unescapeFieldValue(row.escaped), row.raw);
    });
  }
  for (const text of [...fieldRows.unescapeInvalid, 'a,b', 'a=b']) {
    it(`does not unescape ${JSON.stringify(text)}`, () =>
      assert.equal(typeof fields.unescapeFieldValue(text), 'object'));
  }
  for (const row of fieldRows.parse) {
    it(`${row.valid ? 'reads' : 'refuses'} ${row.selector}`, () => {
      const selector = fields.parseFieldSelector(row.selector);
      assert.equal(!(selector instanceof StatusError), row.valid);
      if (!(selector instanceof StatusError)) assert.equal(selector.text, row.canonical);
    });
  }
  for (const row of fieldRows.matches) {
    it(`${row.selector ?? JSON.stringify(row.set)}: ${row.match}`, () => {
      const selector =
        row.selector === undefined ? ofFields(row.set ?? {}) : parsedFields(row.selector);
      assert.equal(
        selector.matches((name) => row.fields[name] ?? ''),
        row.match,
      );
    });
  }

  it('pins what must have one value', () => {
    const { pins } = parsedFields('metadata.name=a,spec.nodeName==b,status.phase!=c');
    assert.deepEqual([...pins].sort(), [
      ['metadata.name', 'a'],
      ['spec.nodeName', 'b'],
    ]);
  });

  it('is refused for a field the kind does not offer', () => {
    const check = (text: string, known: string[]): string | undefined =>
      fields.checkFieldSelector(parsedFields(text), new Set(known))?.message;
    assert.equal(check('metadata.name=a,metadata.namespace=b', []), undefined);
    assert.equal(check('status.phase=a', ['status.phase']), undefined);
    const nowhere = fields.checkFieldSelector(
      parsedFields('metadata.name=a,metadata.namespace=b'),
      new Set(),
      false,
    );
    assert.equal(nowhere?.message, 'field label not supported: metadata.namespace');
    assert.equal(check('x=a', ['status.phase']), 'field label not supported: x');
    assert.equal(
      check('x=a', []),
      '"x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it('parses its canonical text to itself', () => {
    const name = fc.stringMatching(/^[a-z.]{1,6}$/);
    const value = fc.string({ unit: fc.constantFrom(...'ab\\,=! 수'.split('')) });
    const row = fc.record({ field: name, operator: fc.constantFrom('=', '!='), value });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const { text } = fields.fieldSelectorOf(rows);
        const once = parsedFields(text);
        assert.deepEqual(parsedFields(once.text).requirements, once.requirements);
        const plain = (rs: readonly unknown[]): string[] => rs.map((r) => JSON.stringify(r)).sort();
        assert.deepEqual(plain(once.requirements), plain(rows));
      }),
    );
  });
});

describe('selection', () => {
  const pod = {
    namespace: 'ns',
    name: 'a',
    labels: { app: 'web' },
    fields: { 'status.phase': 'Running' },
  };
  const cases: [string, string, boolean][] = [
    ['', '', true],
    ['app=web', '', true],
    ['', 'metadata.name=a,metadata.namespace=ns', true],
    ['app=web', 'status.phase=Running', true],
    ['app=db', 'status.phase=Running', false],
    ['app=web', 'status.phase=Failed', false],
    ['', 'spec.nodeName=', true],
    ['', 'constructor=', true],
  ];
  for (const [label, field, match] of cases) {
    it(`labels ${label} and fields ${field}: ${match}`, () => {
      const selection = newSelection(parsed(label), parsedFields(field));
      assert.equal(selection.matches(pod), match);
    });
  }

  it('has the same id exactly when it selects by the same terms', () => {
    const id = (label: string, field: string): string =>
      newSelection(parsed(label), parsedFields(field)).id;
    assert.equal(id('', ''), '');
    assert.equal(id('b=1, a in (y,x)', 'q=1,p=2'), id('a in (x,y,x),b=1', 'p=2,q=1'));
    assert.notEqual(id('a=1', ''), id('', 'a=1'));
    assert.notEqual(newSelection(labels.noLabel, fields.everyField).id, '');
  });
});
