/** Conforming: what each type accepts, what becomes of it, and what is said of the rest. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { conform, unknownFieldsMax } from '../../src/apimachinery/typed/conform.ts';
import {
  duplicateFields,
  strictProblemsMax,
} from '../../src/apimachinery/typed/field-validation.ts';
import { typedDocument } from '../../src/apimachinery/typed/field-validation.ts';
import { readTypes } from '../../src/apimachinery/typed/type-rows.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';

const types = readTypes(`
package t/v1
All
 text 1 string
 must 2 string !
 may 3 string ?
 small 4 int32
 large 5 int64
 mayCount 6 int32 ?
 flag 7 boolean
 real 8 double
 bytes 9 bytes
 amount 10 Quantity ?
 port 11 IntOrString ?
 time 12 Time
 micro 13 MicroTime
 raw 14 RawExtension
 any 15 any
 choice 16 enum = A|B
 texts 17 []string
 needed 18 []string !
 inners 19 []Inner
 labels 20 {}string
 secrets 21 {}bytes
 limits 22 {}Quantity
 times 23 {}Time
 pointer 24 Inner ?
 self 25 All ?
 lists 26 {}[]string
Inner
 name 1 string
 count 2 int32
Holder
 inner 1 Filled
 divisor 2 Quantity
 - 3 Flat
Filled
 must 1 string !
 on 2 boolean !
 deep 3 Inner
Flat
 flat 1 string
Choice
 either 1 Either ?
Either union
 - 1 boolean !
 - 2 Inner ! ?
 - 3 []string !
`);

const all = types.object('t/v1.All');

function value(text: string): JsonObject {
  const decoded = decodeJson(Buffer.from(text));
  assert(decoded.kind === 'value');
  return decoded.value as JsonObject;
}

/** `must` is there in any result; tests of other fields do not repeat it. */
function conformed(document: JsonObject, type = 't/v1.All'): JsonObject {
  const result = conform(types.object(type), document);
  assert(result.kind === 'ok', JSON.stringify(result));
  if (type !== 't/v1.All') return result.object;
  const { must, ...rest } = result.object;
  return must === '' ? rest : result.object;
}

function problem(document: JsonObject): string {
  const result = conform(all, document);
  assert(result.kind === 'refused', JSON.stringify(result));
  return result.problem;
}

describe('a value becomes what its type is', () => {
  const kept: readonly (readonly [string, string])[] = [
    ['text', '"a"'],
    ['may', '""'],
    ['small', '2147483647'],
    ['small', '-2147483648'],
    ['large', '9223372036854775807'],
    ['large', '-9223372036854775808'],
    ['large', '9007199254740993'],
    ['mayCount', '0'],
    ['flag', 'true'],
    ['real', '0.5'],
    ['bytes', '"AAE="'],
    ['amount', '"500m"'],
    ['port', '80'],
    ['port', '"http"'],
    ['time', '"2020-01-02T03:04:05Z"'],
    ['micro', '"2020-01-02T03:04:05.000006Z"'],
    ['raw', '{"a":null,"b":[{}]}'],
    ['any', '[null,1,{"x":[]}]'],
    ['choice', '"C"'],
    ['texts', '["a",""]'],
    ['needed', '[]'],
    ['inners', '[{"name":"a"},{}]'],
    ['labels', '{"a":"","__proto__":"x"}'],
    ['secrets', '{"a":""}'],
    ['times', '{"a":null}'],
    ['pointer', '{}'],
  ];
  it('what has its form already is the very same object', () => {
    for (const [name, text] of kept) {
      const document = value(`{"must":"x","${name}":${text}}`);
      const result = conform(all, document);
      assert(result.kind === 'ok', name);
      assert.equal(result.object, document, `${name}: ${text}`);
    }
  });

  const changed: readonly (readonly [string, string, JsonValue | undefined])[] = [
    ['text', '""', undefined],
    ['small', '0', undefined],
    ['flag', 'false', undefined],
    ['texts', '[]', undefined],
    ['labels', '{}', undefined],
    ['real', '9007199254740993', 9007199254740992],
    ['bytes', '"AA\\nE=\\r\\n"', 'AAE='],
    ['bytes', '"AAF="', 'AAE='],
    ['amount', '"1024Mi"', '1Gi'],
    ['amount', '0.1', '100m'],
    ['amount', '2', '2'],
    ['amount', '" 1 "', '1'],
    ['time', '"2020-01-02T04:04:05.678+01:00"', '2020-01-02T03:04:05Z'],
    ['micro', '"2020-01-02T03:04:05Z"', '2020-01-02T03:04:05.000000Z'],
    ['micro', '"2020-01-02T03:04:05.1234567Z"', '2020-01-02T03:04:05.123456Z'],
    ['texts', '["a",null]', ['a', '']],
    ['inners', '[null,{"name":""}]', [{}, {}]],
    ['labels', '{"a":null,"b":"c"}', { a: '', b: 'c' }],
    ['secrets', '{"a":null}', { a: '' }],
    ['limits', '{"cpu":1.5,"memory":"1Gi","x":null}', { cpu: '1500m', memory: '1Gi', x: '0' }],
    ['lists', '{"a":null}', { a: [] }],
    ['self', '{"must":"x","small":0}', { must: 'x' }],
  ];
  for (const [name, text, expected] of changed) {
    it(`${name}: ${text} becomes ${JSON.stringify(expected)}`, () => {
      const document = value(`{"${name}":${text}}`);
      const before = structuredClone(document);
      const object = conformed(document);
      assert.deepEqual(object, expected === undefined ? {} : { [name]: expected });
      assert.deepEqual(document, before, 'the document stays as it is');
    });
  }

  it('null is the same as absent, for every type', () => {
    for (const name of all.members.keys()) assert.deepEqual(conformed({ [name]: null }), {}, name);
  });

  it('what a type always has is there: objects, required scalars, quantities', () => {
    const empty = { inner: { must: '', on: false, deep: {} }, divisor: '0' };
    assert.deepEqual(conformed({}, 't/v1.Holder'), empty);
    assert.deepEqual(conformed({ inner: { on: true }, flat: 'f' }, 't/v1.Holder'), {
      ...empty,
      inner: { must: '', on: true, deep: {} },
      flat: 'f',
    });
  });

  it('a union takes each of its forms and no other', () => {
    for (const either of [true, { name: 'a' }, ['a']]) {
      assert.deepEqual(conformed({ either }, 't/v1.Choice'), { either });
    }
    const refused = conform(types.object('t/v1.Choice'), { either: 7 });
    assert.deepEqual(refused, {
      kind: 'refused',
      problem: 'either: expected boolean or object or list, found the number 7',
      unquotedProblem: 'either: expected boolean or object or list, found a number',
    });
  });
});

describe('a wrong type is refused with its path, what it should be and what it is', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['{"text":1}', 'text: expected a string, found the number 1'],
    ['{"small":"1"}', 'small: expected an integer of 32 bits, found "1"'],
    ['{"small":2147483648}', 'small: expected an integer of 32 bits, found the number 2147483648'],
    ['{"small":1.5}', 'small: expected an integer of 32 bits, found the number 1.5'],
    [
      '{"large":9223372036854775808}',
      'large: expected an integer of 64 bits, found the number 9223372036854775808',
    ],
    ['{"large":0.5}', 'large: expected an integer of 64 bits, found the number 0.5'],
    ['{"flag":"true"}', 'flag: expected a boolean, found "true"'],
    ['{"real":"1"}', 'real: expected a number, found "1"'],
    ['{"bytes":"AAE"}', 'bytes: expected base64 text, found "AAE"'],
    ['{"bytes":"A-_="}', 'bytes: expected base64 text, found "A-_="'],
    ['{"bytes":"A==="}', 'bytes: expected base64 text, found "A==="'],
    ['{"amount":"1.1.M"}', 'amount: expected a quantity such as 500m, 2 or 1Gi, found "1.1.M"'],
    ['{"amount":true}', 'amount: expected a quantity such as 500m, 2 or 1Gi, found true'],
    ['{"port":1.5}', 'port: expected an integer of 32 bits or a string, found the number 1.5'],
    [
      '{"time":"2020-02-30T00:00:00Z"}',
      'time: expected an RFC 3339 time, found "2020-02-30T00:00:00Z"',
    ],
    ['{"time":0}', 'time: expected an RFC 3339 time, found the number 0'],
    ['{"micro":""}', 'micro: expected an RFC 3339 time, found ""'],
    ['{"texts":"a"}', 'texts: expected a list, found "a"'],
    ['{"texts":["a",{}]}', 'texts[1]: expected a string, found an object'],
    ['{"labels":[]}', 'labels: expected an object, found a list'],
    ['{"labels":{"a.b/c":1}}', 'labels.a.b/c: expected a string, found the number 1'],
    [
      '{"self":{"inners":[{},{"count":[]}]}}',
      'self.inners[1].count: expected an integer of 32 bits, found a list',
    ],
    ['{"pointer":"x"}', 'pointer: expected an object, found "x"'],
  ];
  for (const [document, expected] of rows) {
    it(document, () => assert.equal(problem(value(document)), expected));
  }

  it('a long value is cut off', () => {
    assert(problem({ small: 'x'.repeat(10_000) }).length < 200);
  });
});

describe('unknown fields', () => {
  it('are dropped wherever they are, and named with their path', () => {
    const document = value(
      '{"must":"x","Text":1,"self":{"must":"x","nope":null,"inners":[{"name":"a","x":{"y":1}}]},"raw":{"any":1}}',
    );
    const result = conform(all, document);
    assert.deepEqual(result, {
      kind: 'ok',
      object: { must: 'x', self: { must: 'x', inners: [{ name: 'a' }] }, raw: { any: 1 } },
      unknownFields: ['Text', 'self.nope', 'self.inners[0].x'],
    });
  });

  it('are named up to a bound, and dropped beyond it', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, i]));
    const result = conform(all, { must: 'x', ...many });
    assert(result.kind === 'ok');
    assert.deepEqual(result.object, { must: 'x' });
    assert.equal(result.unknownFields.length, unknownFieldsMax);
  });

  it('a key named __proto__ is no field and reaches no prototype', () => {
    const result = conform(all, value('{"must":"x","__proto__":{"text":"y"}}'));
    assert(result.kind === 'ok');
    assert.deepEqual(result.unknownFields, ['__proto__']);
    assert.equal(result.object['text'], undefined);
  });
});

describe('field validation', () => {
  const schema = fieldTypes(identityOf('kubernetes')).object('apps/v1.Deployment');
  const type = { group: 'apps', version: 'v1', kind: 'Deployment', schema };
  const document = value(
    '{"metadata":{"name":"d","lable":{}},"spec":{"replicaz":1,"template":{"spec":{"containers":[{"name":"c","imag":"i"}]}}}}',
  );
  const problems = [
    'unknown field "metadata.lable"',
    'unknown field "spec.replicaz"',
    'unknown field "spec.template.spec.containers[0].imag"',
    'duplicate field "spec.replicas"',
  ];

  it('Warn gives one warning each, Ignore none, and both drop the fields', () => {
    const noticed = duplicateFields(['spec.replicas']);
    const warned = typedDocument(document, type, 'Warn', noticed);
    assert(warned.kind === 'ok');
    assert.deepEqual(warned.warnings, problems);
    assert.deepEqual(warned.object.metadata, { name: 'd' });
    const ignored = typedDocument(document, type, 'Ignore', noticed);
    assert(ignored.kind === 'ok');
    assert.deepEqual(ignored.warnings, []);
    assert.deepEqual(ignored.object, warned.object);
    assert.equal(ignored.object.apiVersion, 'apps/v1');
  });

  it('Strict refuses with all of them in one message', () => {
    const refused = typedDocument(document, type, 'Strict', duplicateFields(['spec.replicas']));
    assert(refused.kind === 'refused');
    assert.equal(refused.error.code, 400);
    assert.equal(refused.error.reason, 'BadRequest');
    assert.equal(
      refused.error.message,
      `Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ${problems.join(', ')}`,
    );
  });

  it('a wrong type is refused at every level, and alone', () => {
    for (const mode of ['Ignore', 'Warn', 'Strict'] as const) {
      const refused = typedDocument({ spec: { replicas: 'x' }, nope: 1 }, type, mode, ['a']);
      assert(refused.kind === 'refused');
      assert.equal(
        refused.error.message,
        'Deployment in version "v1" cannot be handled as a Deployment: ' +
          'spec.replicas: expected an integer of 32 bits, found "x"',
      );
    }
  });

  it('many problems are counted beyond a bound', () => {
    const duplicates = Array.from({ length: strictProblemsMax + 5 }, (_, i) => `f${i}`);
    const refused = typedDocument({}, type, 'Strict', duplicateFields(duplicates));
    assert(refused.kind === 'refused');
    assert.match(refused.error.message, /"f99", and 5 more$/);
  });
});
