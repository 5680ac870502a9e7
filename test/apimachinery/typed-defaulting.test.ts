/** The engine of defaults and the check of values by schema, on types made up for the purpose. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { makeDefaulters, when } from '../../src/apimachinery/typed/defaulting.ts';
import type { DefaultTable } from '../../src/apimachinery/typed/defaulting.ts';
import { readTypes } from '../../src/apimachinery/typed/type-rows.ts';
import {
  makeTypedValidators,
  schemaErrorsMax,
} from '../../src/apimachinery/typed/validate-typed.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';

const types = readTypes(`
package t/v1
Kind kind
 spec 1 Spec
 status 2 Spec
Spec
 type 1 enum = A|B
 count 2 int32 ?
 zero 3 int32
 policy 4 Policy ?
 items 5 []Item
 byName 6 {}Item
 name 7 string
 mark 8 string
 - 9 Flat
 inner 10 Spec ?
Policy
 limit 1 string
Item
 protocol 1 enum default="TCP" = TCP|UDP
 port 2 int32 !
 target 3 IntOrString ?
Flat
 flat 1 string
`);
const schema = types.object('t/v1.Kind');

const table: DefaultTable = {
  fields: {
    't/v1.Spec': {
      type: 'A',
      count: 1,
      zero: 7,
      policy: when({ type: ['A', 'C'] }, {}),
      mark: '{labelDomain}/mark',
      name: (_spec, { root }) => root['kind'],
    },
    't/v1.Policy': { limit: '25%' },
    't/v1.Item': { target: (item) => item['port'] },
    't/v1.Flat': { flat: 'f' },
  },
  complete: {
    't/v1.Spec': (spec) =>
      spec['type'] === 'B' && spec['count'] === 1 ? { ...spec, count: 2 } : spec,
  },
};

function defaulted(object: JsonObject): JsonObject {
  return makeDefaulters([table], identityOf('kubernetes'))(schema)(object);
}

describe('defaults', () => {
  const spec = {
    type: 'A',
    count: 1,
    zero: 7,
    policy: { limit: '25%' },
    mark: 'kubernetes.io/mark',
    name: 'K',
    flat: 'f',
  };

  it('fill what is absent, the outer object before the inner one, inline types as the own fields', () => {
    assert.deepEqual(defaulted({ kind: 'K', spec: {} }), { kind: 'K', spec });
  });

  it('leave what is given, zero of a nullable field too', () => {
    const given = { ...spec, type: 'B', count: 0, policy: { limit: 'x' }, name: 'n' };
    assert.deepEqual(defaulted({ kind: 'K', spec: given }), { kind: 'K', spec: given });
  });

  it('take zero of a field that is not nullable for absent', () => {
    assert.deepEqual(defaulted({ kind: 'K', spec: { ...spec, zero: 0 } }), { kind: 'K', spec });
  });

  it('reach into lists and maps', () => {
    const filled = defaulted({
      kind: 'K',
      spec: { ...spec, items: [{ port: 1 }], byName: { a: { port: 2 } } },
    });
    const { items, byName } = filled['spec'] as JsonObject;
    assert.deepEqual(items, [{ port: 1, target: 1, protocol: 'TCP' }]);
    assert.deepEqual(byName, { a: { port: 2, target: 2, protocol: 'TCP' } });
  });

  it('complete an object once its own fields are there', () => {
    const filled = defaulted({ kind: 'K', spec: { type: 'B' } });
    assert.equal((filled['spec'] as JsonObject)['count'], 2);
    assert.equal((filled['spec'] as JsonObject)['policy'], undefined);
  });

  it('change nothing twice: the same object comes back', () => {
    const once = defaulted({ kind: 'K', spec: { items: [{ port: 1 }], inner: {} } });
    assert.equal(defaulted(once), once);
    assert(isJsonObject(once['spec']));
  });

  it('a row for a field that is not there, and a type in two tables, are refused', () => {
    const identity = identityOf('svc');
    const wrong: DefaultTable = { fields: { 't/v1.Policy': { nope: 1 } } };
    assert.throws(() => makeDefaulters([wrong], identity)(schema)({}), /Policy has a field nope/);
    assert.throws(() => makeDefaulters([table, table], identity), /one table has the defaults of/);
  });
});

describe('values by schema', () => {
  const kinds = readTypes(`
package v/v1
Kind kind
 metadata 1 Part
 spec 1 Part
 status 2 Part
Part
 must 1 string !
 list 2 []string !
 pointer 3 Leaf ! ?
 number 4 int32 !
 flag 5 boolean !
 choice 6 enum = A|B
 choices 7 []enum = A|B
 open 8 enum = A
 leaves 9 {}Leaf
 free 10 string !
Leaf
 choice 1 enum ! = A|B
`);
  const validate = makeTypedValidators({
    optional: new Set(['v.Part.free']),
    openValues: new Set(['v.Part.open']),
    packages: new Set(),
  })(kinds.object('v/v1.Kind'));
  const errors = (object: JsonObject) => validate(object).map(formatFieldError);

  it('required texts, lists and pointers are missed; numbers, booleans and the exempt are not', () => {
    const missing = ['must', 'list', 'pointer'].map((name) => `spec.${name}: Required value`);
    assert.deepEqual(errors({ spec: {} }), missing);
    assert.deepEqual(errors({ spec: { must: '', list: [], pointer: {} } }), [
      ...missing.slice(0, 2),
      'spec.pointer.choice: Required value',
    ]);
  });

  it('values that an enumeration does not know are named with those it does', () => {
    const spec = {
      must: 'x',
      list: ['x'],
      pointer: { choice: 'C' },
      choice: 'a',
      choices: ['A', 'C'],
      open: 'anything',
      leaves: { 'x/y': { choice: '' }, z: { choice: 'D' } },
    };
    const supported = 'supported values: "A", "B"';
    assert.deepEqual(errors({ spec }), [
      `spec.pointer.choice: Unsupported value: "C": ${supported}`,
      `spec.choice: Unsupported value: "a": ${supported}`,
      `spec.choices[1]: Unsupported value: "C": ${supported}`,
      'spec.leaves[x/y].choice: Required value',
      `spec.leaves[z].choice: Unsupported value: "D": ${supported}`,
    ]);
  });

  it('metadata and status are not looked at', () => {
    const spec = { must: 'x', list: ['x'], pointer: { choice: 'A' } };
    assert.deepEqual(errors({ spec, status: { choice: 'Z' }, metadata: {} }), []);
  });

  it('there are no more errors than a bound', () => {
    const choices = Array.from({ length: 1000 }, () => 'Z');
    assert.equal(errors({ spec: { choices } }).length, schemaErrorsMax);
  });
});
