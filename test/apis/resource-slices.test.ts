/** Resource slices: every rule and bound, declared and by hand, and which of the two answers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError, required } from '../../src/apimachinery/field-error.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { readDeclarations } from '../../src/apimachinery/validation/declarative.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { migratedRules } from '../../src/apis/validation/migrated-rules.ts';
import type { Migration, Rules } from '../../src/apis/validation/migrated-rules.ts';
import { declaredResourceSliceRules } from '../../src/apis/resource/slice-declarations.ts';
import { resourceSliceProblems } from '../../src/apis/resource/slice-rules.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';

const pool = { name: 'a/b.c', generation: 1, resourceSliceCount: 1 };
const basic = {
  attributes: {
    model: { string: 'x'.repeat(64) },
    'd.io/version': { version: '1.2.3-rc.1+b' },
    count: { int: 0 },
    ready: { bool: false },
  },
  capacity: { memory: '1Gi' },
};
const right: JsonObject = {
  driver: 'd.example.com',
  pool,
  nodeName: 'n',
  devices: [{ name: 'one', basic }],
};

function slice(spec: JsonObject, version = 'v1alpha3'): ApiObject {
  const apiVersion = `resource.k8s.io/${version}`;
  return { apiVersion, kind: 'ResourceSlice', metadata: { name: 's' }, spec };
}

const byHand: Rules = resourceSliceProblems;
const declared: Rules = (object, current) =>
  declaredResourceSliceRules(object).validate(object, current);

/** `<type> <field>`: what both ways must agree on. */
function keys(rules: Rules, object: ApiObject, current?: ApiObject): readonly string[] {
  const found = rules(object, current).map(({ type, field }) => `${type} ${field}`);
  return [...new Set(found)].sort();
}

const device = (more: JsonObject): JsonObject => ({ ...right, devices: [{ name: 'a', ...more }] });
const attribute = (value: JsonObject, name = 'a'): JsonObject =>
  device({ basic: { attributes: { [name]: value } } });
const named = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ name: `d${at}`, basic: {} }));
const numbered = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, { int: at }]));
const terms = (...nodeSelectorTerms: JsonObject[]): JsonObject => {
  const { nodeName: _node, ...rest } = right;
  return { ...rest, nodeSelector: { nodeSelectorTerms } };
};
const expression = (more: JsonObject): JsonObject => ({
  matchExpressions: [{ key: 'k', ...more }],
});

const rows: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  ['a right slice', right, []],
  ['no driver', { ...right, driver: '' }, ['FieldValueRequired spec.driver']],
  ['a driver in capitals', { ...right, driver: 'D.io' }, []],
  ['a driver that is no domain', { ...right, driver: 'a_b' }, ['FieldValueInvalid spec.driver']],
  [
    'a driver of 64 characters',
    { ...right, driver: `${'a'.repeat(60)}.com` },
    ['FieldValueTooLong spec.driver'],
  ],
  [
    'a pool with an empty part',
    { ...right, pool: { ...pool, name: 'a//b' } },
    ['FieldValueInvalid spec.pool.name'],
  ],
  ['a pool of 253 characters', { ...right, pool: { ...pool, name: `${'a/'.repeat(126)}a` } }, []],
  [
    'a pool of 255 characters',
    { ...right, pool: { ...pool, name: `${'a/'.repeat(127)}a` } },
    ['FieldValueTooLong spec.pool.name'],
  ],
  [
    'no slices in the pool, a negative generation',
    { ...right, pool: { name: 'p', generation: -1, resourceSliceCount: 0 } },
    ['FieldValueInvalid spec.pool.generation', 'FieldValueInvalid spec.pool.resourceSliceCount'],
  ],
  ['a node and all nodes', { ...right, allNodes: true }, ['FieldValueInvalid spec']],
  [
    'no node',
    { ...right, nodeName: '' },
    ['FieldValueInvalid spec.nodeName', 'FieldValueRequired spec'],
  ],
  ['a bad node', { ...right, nodeName: 'N' }, ['FieldValueInvalid spec.nodeName']],
  [
    'not every device for itself',
    { ...right, perDeviceNodeSelection: false },
    ['FieldValueInvalid spec.perDeviceNodeSelection'],
  ],
  ['one term', terms({}), []],
  ['no term', terms(), ['FieldValueRequired spec.nodeSelector.nodeSelectorTerms']],
  ['two terms', terms({}, {}), ['FieldValueInvalid spec.nodeSelector.nodeSelectorTerms']],
  [
    'In nothing',
    terms(expression({ operator: 'In' })),
    ['FieldValueRequired spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values'],
  ],
  [
    'Exists with a value',
    terms(expression({ operator: 'Exists', values: ['a'] })),
    ['FieldValueForbidden spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values'],
  ],
  [
    'another operator, a bad key',
    terms(expression({ key: '-', operator: 'Like' })),
    [
      'FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].key',
      'FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].operator',
    ],
  ],
  [
    'a field of nodes that cannot be selected',
    terms({ matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }),
    ['FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchFields[0].key'],
  ],
  ['128 devices', { ...right, devices: named(128) }, []],
  ['129 devices', { ...right, devices: named(129) }, ['FieldValueTooMany spec.devices']],
  [
    'the same device twice',
    { ...right, devices: [...named(1), ...named(1)] },
    ['FieldValueDuplicate spec.devices[1].name'],
  ],
  [
    'a device without a name',
    device({ name: '', basic: {} }),
    ['FieldValueInvalid spec.devices[0].name'],
  ],
  [
    'a device with dots',
    device({ name: 'a.b', basic: {} }),
    ['FieldValueInvalid spec.devices[0].name'],
  ],
  ['a device that is nothing', device({}), ['FieldValueRequired spec.devices[0].basic']],
  ['32 attributes', device({ basic: { attributes: numbered(32) } }), []],
  [
    '31 attributes and 2 capacities',
    device({ basic: { attributes: numbered(31), capacity: { x: '1', y: '1' } } }),
    ['FieldValueInvalid spec.devices[0].basic'],
  ],
  ['no value', attribute({}), ['FieldValueRequired spec.devices[0].basic.attributes[a]']],
  [
    'two values',
    attribute({ int: 0, bool: false }),
    ['FieldValueInvalid spec.devices[0].basic.attributes[a]'],
  ],
  [
    'a text of 65 characters',
    attribute({ string: 'x'.repeat(65) }),
    ['FieldValueTooLong spec.devices[0].basic.attributes[a].string'],
  ],
  [
    'a version of two numbers',
    attribute({ version: '1.2' }),
    ['FieldValueInvalid spec.devices[0].basic.attributes[a].version'],
  ],
  [
    'a version of 65 characters',
    attribute({ version: `1.2.3-${'x'.repeat(59)}` }),
    ['FieldValueTooLong spec.devices[0].basic.attributes[a].version'],
  ],
  [
    'a name of an attribute with two slashes',
    attribute({ int: 1 }, 'a/b/c'),
    ['FieldValueInvalid spec.devices[0].basic.attributes[a/b/c]'],
  ],
  [
    'a capacity that is no identifier',
    device({ basic: { capacity: { 'a-b': '1' } } }),
    ['FieldValueInvalid spec.devices[0].basic.capacity[a-b]'],
  ],
  [
    'a taint without effect',
    device({ basic: { taints: [{ key: 'k' }] } }),
    ['FieldValueRequired spec.devices[0].basic.taints[0].effect'],
  ],
];

describe('a resource slice', () => {
  for (const [title, spec, errors] of rows) {
    it(`${title}: by hand and declared`, () => {
      assert.deepEqual(keys(byHand, slice(spec)), errors);
      assert.deepEqual(keys(declared, slice(spec)), errors);
    });
  }

  it('keeps its driver, the name of its pool and its node; the generation changes', () => {
    const next = slice({
      ...right,
      driver: 'e.io',
      nodeName: 'm',
      pool: { ...pool, name: 'q', generation: 0 },
    });
    for (const rules of [byHand, declared]) {
      assert.deepEqual(keys(rules, next, slice(right)), [
        'FieldValueInvalid spec.driver',
        'FieldValueInvalid spec.nodeName',
        'FieldValueInvalid spec.pool.name',
      ]);
      const newer = slice({ ...right, pool: { ...pool, generation: 2 }, devices: [] });
      assert.deepEqual(keys(rules, newer, slice(right)), []);
    }
  });

  it('of a newer version has what its devices are beside their names', () => {
    const spec = { ...right, devices: [{ name: 'a', attributes: { '-': {} } }] };
    for (const rules of [byHand, declared]) {
      assert.deepEqual(keys(rules, slice(spec, 'v1beta2')), [
        'FieldValueInvalid spec.devices[0].attributes[-]',
        'FieldValueRequired spec.devices[0].attributes[-]',
      ]);
    }
  });
});

const odd: readonly JsonValue[] = ['', 'A', 'x/y', -1, 0, 99, true, false, [], {}, ['a']];

/** One member somewhere is replaced, removed or doubled. */
function mutated(value: JsonValue, prng: Prng): JsonValue {
  if (randomBelow(prng, 4) === 0) return odd[randomBelow(prng, odd.length)] ?? '';
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const at = randomBelow(prng, items.length + 1);
    if (at === items.length) return [...items, ...items];
    return items.map((item, i) => (i === at ? mutated(item, prng) : item));
  }
  if (!isJsonObject(value)) return odd[randomBelow(prng, odd.length)] ?? '';
  const names = Object.keys(value);
  const name = names[randomBelow(prng, names.length)];
  if (name === undefined) return value;
  const { [name]: member, ...rest } = value;
  return randomBelow(prng, 5) === 0 ? rest : { ...rest, [name]: mutated(member ?? null, prng) };
}

const schema = fieldTypes(identityOf('kubernetes')).object('resource/v1alpha3.ResourceSlice');

describe('both ways of validating', () => {
  it('find the same on 3000 broken slices', () => {
    const prng = seededPrng(7);
    const stored = slice(right);
    let wrong = 0;
    for (let run = 0; run < 3000; run += 1) {
      const start = run % 2 === 0 ? right : terms(expression({ operator: 'In', values: ['v'] }));
      const broken = mutated(start, prng);
      if (!isJsonObject(broken)) continue;
      const decoded = conform(schema, slice(broken));
      // Values of wrong types are refused before anything is validated.
      if (decoded.kind === 'refused') continue;
      const next = decoded.object as ApiObject;
      const current = run % 3 === 0 ? stored : undefined;
      const found = keys(byHand, next, current);
      assert.deepEqual(keys(declared, next, current), found, JSON.stringify(next));
      if (found.length > 0) wrong += 1;
    }
    assert(wrong > 300, `${wrong} were wrong`);
  });
});

interface Seen {
  readonly migration: Migration;
  readonly mismatches: string[];
  readonly panics: string[];
}

function seen(compare: boolean, takeover: boolean): Seen {
  const mismatches: string[] = [];
  const panics: string[] = [];
  const report = {
    mismatch: (_resource: string, details: object) => mismatches.push(JSON.stringify(details)),
    panic: (_resource: string, error: unknown) => panics.push(String(error)),
  };
  return { migration: { compare, takeover, report }, mismatches, panics };
}

/** A declaration that is wrong: the driver is not asked for, and three devices are the most. */
const wrongly = readDeclarations('spec.devices maxItems=3', {});

describe('a migrated kind', () => {
  const rulesOf = (migration: Migration, own: Rules = declared) =>
    migratedRules({ resource: 'slices', handwritten: byHand, declared: own }, migration);
  const wrong: Rules = (object, current) => wrongly.validate(object, current);
  const broken = slice({ ...right, driver: '', devices: named(4) });

  for (const [compare, takeover, answer, mismatches] of [
    [false, false, 'spec.driver: Required value', 0],
    [false, true, 'spec.driver: Required value', 0],
    [true, false, 'spec.driver: Required value', 1],
    [true, true, 'spec.devices: Too many: 4: must have at most 3 items', 1],
  ] as const) {
    it(`comparing ${compare}, taking over ${takeover}: who answers, what is reported`, () => {
      const { migration, ...reported } = seen(compare, takeover);
      const errors = rulesOf(migration, wrong).validateCreate?.(broken) ?? [];
      assert.deepEqual(errors.map(formatFieldError), [answer]);
      assert.equal(reported.mismatches.length, mismatches);
      assert.deepEqual(reported.panics, []);
    });
  }

  it('says what only one side has found', () => {
    const { migration, mismatches } = seen(true, false);
    rulesOf(migration, wrong).validateUpdate?.(broken, broken);
    assert.deepEqual(mismatches, [
      JSON.stringify({
        onlyDeclared: ['FieldValueTooMany spec.devices'],
        onlyHandwritten: ['FieldValueRequired spec.driver'],
      }),
    ]);
  });

  it('reports nothing when both agree', () => {
    const { migration, ...reported } = seen(true, true);
    assert.equal(rulesOf(migration).validateCreate?.(broken).length, 1);
    assert.deepEqual(reported, { mismatches: [], panics: [] });
  });

  it('goes by the hand-written rules when the declared ones throw, and reports it', () => {
    const { migration, ...reported } = seen(true, true);
    const errors = rulesOf(migration, () => {
      throw new Error('no');
    }).validateCreate?.(broken);
    assert.deepEqual(errors, [required('spec.driver')]);
    assert.deepEqual(reported, { mismatches: [], panics: ['Error: no'] });
  });
});

describe('declarations', () => {
  it('that cannot be read are a broken build', () => {
    assert.throws(() => readDeclarations('spec.driver requred', {}), /marker requred/);
    assert.throws(() => readDeclarations('spec.driver format=x', {}), /format x/);
    assert.throws(() => readDeclarations('spec.driver', {}), /says something/);
  });
});
