/**
 * What a write makes of a large object is decided in parts, between which everybody else goes on:
 * in enough of them, and with the outcome that it has at once.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChangeCommand, CurrentObject, Proposal } from '../../actors/actors.ts';
import { KeptEncodings } from '../../src/apimachinery/kept-encodings.ts';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { jsonPatchSteps, readJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import type { CustomKind } from '../../src/apimachinery/scheme.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { definitionExpressions } from '../../src/apis/apiextensions/definition-expressions.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createLanguage } from '../../src/cel/language.ts';
import { createDecide } from '../../src/registry/decide.ts';
import { noAdmissionPhases } from '../../src/registry/write-guard.ts';
import type { WriteBody, WriteInput } from '../../src/registry/write-command.ts';
import { deepEqual } from '../../src/stdx/deep-equal.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

const built = buildScheme({ identity: kubernetes });
assert.ok(built.kind === 'ok');
const { scheme } = built;
const strategyOf = strategiesOf(kubernetes);
const decide = createDecide({ scheme, identity: kubernetes, strategyOf, operations: new Map() });

/** How many parts it takes, and what comes out. */
function parts<T>(steps: Iterator<undefined, T>): { readonly count: number; readonly value: T } {
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { count, value: step.value };
  }
}

const members = 200;
const dataOf = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: members }, (_, i) => [`key-${i}`, text]));

const applied = [
  {
    manager: 'first',
    operation: 'Apply',
    apiVersion: 'v1',
    time: '2024-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:data': Object.fromEntries(
        Object.keys(dataOf(''))
          .sort()
          .map((key) => [`f:${key}`, {}]),
      ),
    },
  },
];
const configMap = (text: string, metadata: JsonObject = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large', namespace: 'default', ...metadata },
  data: dataOf(text),
});
const birth = { uid: 'u', creationTimestamp: '2024-01-01T00:00:00Z' };
const current: CurrentObject = {
  object: configMap('a', { ...birth, managedFields: applied }),
  revision: 7n as Revision,
};

function commandOf(body: WriteBody, manager: string, inTurns: boolean): ChangeCommand {
  const input: WriteInput = {
    verb: body.verb,
    body,
    kind: { group: '', version: 'v1', resource: 'configmaps' },
    subresource: '',
    manager,
    user: undefined,
    asks: noAdmissionPhases,
    terms: undefined,
    uid: '',
    creationRefusal: undefined,
    inTurns,
  };
  const qualifiedResource = { group: '', resource: 'configmaps' };
  const nowMs = Date.UTC(2025, 0, 1);
  return { type: 'change', input, conditions: [], dryRun: false, qualifiedResource, nowMs };
}

const reading = { fieldValidation: 'Strict', noticed: [] } as const;
const operations = readJsonPatch(
  Array.from({ length: 2_000 }, (_, i) => ({
    op: 'replace',
    path: `/data/key-${i % members}`,
    value: `v${i}`,
  })),
);
assert.ok(operations.kind === 'ok');
const half = Object.fromEntries(Object.entries(dataOf('c')).slice(0, members / 2));
const bodies: readonly (readonly [
  title: string,
  manager: string,
  body: WriteBody,
  atLeast: number,
])[] = [
  ['an update', 'second', { verb: 'update', object: configMap('b') }, 14],
  [
    'a merge patch',
    'second',
    { verb: 'patch', patch: { kind: 'merge', patch: { data: dataOf('b') } }, ...reading },
    16,
  ],
  [
    'a strategic merge patch',
    'second',
    { verb: 'patch', patch: { kind: 'strategic', patch: { data: dataOf('b') } }, ...reading },
    16,
  ],
  [
    'a JSON patch',
    'second',
    { verb: 'patch', patch: { kind: 'json', patch: operations.patch }, ...reading },
    20,
  ],
  ['an apply', 'second', { verb: 'apply', intent: configMap('b'), force: true }, 9],
  [
    'an apply that takes things out',
    'first',
    { verb: 'apply', intent: { ...configMap('c'), data: half }, force: false },
    12,
  ],
  ['a conflict', 'second', { verb: 'apply', intent: configMap('b'), force: false }, 5],
];

const key = { group: '', resource: 'configmaps', namespace: 'default', name: 'large' };

describe('a decision about a large object', () => {
  for (const [title, manager, body, atLeast] of bodies) {
    it(`${title}: comes in parts, to what it comes to at once`, () => {
      const whole = decide(key, commandOf(body, manager, false), current, []);
      assert.ok(!('next' in whole), 'a small one is decided at once');
      const inTurns = decide(key, commandOf(body, manager, true), current, []);
      assert.ok('next' in inTurns);
      const { count, value } = parts<Proposal>(inTurns);
      // Of a large one it is found out beforehand what the actor would find.
      const found =
        whole.kind === 'replace' ? { isSame: deepEqual(whole.object, current.object) } : {};
      assert.deepEqual(value, { ...whole, ...found });
      assert.ok(count >= atLeast, `${count} parts`);
    });
  }

  it('an apply that takes things out beside many managers: each two of them are a part', () => {
    const others = Array.from({ length: 50 }, (_, at) => ({
      ...applied[0],
      manager: `m${at}`,
      fieldsV1: { 'f:data': { [`f:key-${at + 100}`]: {} } },
    }));
    const managedFields = [...applied, ...others];
    const owned = { ...current, object: configMap('a', { ...birth, managedFields }) };
    const body: WriteBody = {
      verb: 'apply',
      intent: { ...configMap('c'), data: half },
      force: true,
    };
    const whole = decide(key, commandOf(body, 'first', false), owned, []);
    const inTurns = decide(key, commandOf(body, 'first', true), owned, []);
    assert.ok('next' in inTurns && 'object' in whole);
    const { count, value } = parts<Proposal>(inTurns);
    assert.deepEqual('object' in value && value.object, whole.object);
    // What each of them keeps is a part, and so is what two of them own.
    assert.ok(count > 120, `${count} parts`);
  });

  it('is in parts for a small body, too', () => {
    const small: WriteBody = {
      verb: 'patch',
      patch: { kind: 'merge', patch: { data: { one: 'more' } } },
      ...reading,
    };
    const large = { ...current, encodedBytes: 1024 * 1024 };
    assert.ok('next' in decide(key, commandOf(small, 'second', false), large, []));
  });

  it('is in parts for 8 KiB where versions have other fields: each conversion is a part', () => {
    const scalers = { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' };
    const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 3 } };
    const metrics = Array.from({ length: 90 }, () => ({ type: 'Resource', resource: cpu }));
    const managers = ['autoscaling/v1', 'autoscaling/v2'].map((apiVersion, at) => ({
      ...applied[0],
      manager: `m${at}`,
      apiVersion,
      fieldsV1: { 'f:metadata': { 'f:labels': { [`f:l${at}`]: {} } } },
    }));
    const labels = { l0: 'a', l1: 'b' };
    const metadata = { ...birth, name: 'large', labels, managedFields: managers };
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, metrics };
    const kind = 'HorizontalPodAutoscaler';
    const object: ApiObject = { apiVersion: 'autoscaling/v2', kind, metadata, spec };
    const encodedBytes = encodeObject(object).bytes.length;
    assert.ok(encodedBytes > 8 * 1024 && encodedBytes < 16 * 1024);
    const patch = { kind: 'merge', patch: { metadata: { labels: { l2: 'c' } } } } as const;
    const command = commandOf({ verb: 'patch', patch, ...reading }, 'third', false);
    const input = { ...(command.input as WriteInput), kind: scalers };
    const inTurns = decide(key, { ...command, input }, { ...current, object, encodedBytes }, []);
    assert.ok('next' in inTurns);
    const { count, value } = parts<Proposal>(inTurns);
    assert.equal(value.kind, 'replace');
    assert.ok(count >= 14, `${count} parts`);
    const small = { ...current, object, encodedBytes: 4 * 1024 };
    assert.ok(!('next' in decide(key, { ...command, input }, small, [])));
  });

  it('is in parts for what a webhook has converted, whatever it was made of', () => {
    const found = scheme.findResource('', 'v1', 'configmaps');
    assert.ok(found);
    const webhook = {
      id: 'w',
      convert: () => Promise.reject(new Error('nobody asks')),
      remember: () => Promise.resolve(),
    };
    const custom = { webhook } as Partial<CustomKind> as CustomKind;
    const converting = { ...scheme, findResource: () => ({ ...found, custom }) };
    const decides = createDecide({
      scheme: converting,
      identity: kubernetes,
      strategyOf,
      operations: new Map(),
    });
    const command = commandOf({ verb: 'update', object: configMap('b') }, 'second', false);
    const older = { ...current, object: { ...current.object, apiVersion: 'v0' } };
    assert.ok('next' in decides(key, command, older, []));
  });

  it('operations of a JSON patch: some hundred in a part', () => {
    const document: JsonValue = { data: dataOf('a') };
    const { count, value } = parts(jsonPatchSteps(document, operations.patch));
    assert.deepEqual(value, finished(jsonPatchSteps(document, operations.patch)));
    assert.equal(count, 5);
  });

  it('one operation of a JSON patch that puts in many values: its walks are parts', () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, '']));
    const read = readJsonPatch([{ op: 'add', path: '/data', value: many }]);
    assert.ok(read.kind === 'ok');
    const { count, value } = parts(jsonPatchSteps({}, read.patch));
    assert.deepEqual(value, { kind: 'ok', value: { data: many } });
    assert.equal(count, 3);
  });
});

describe('rules of a definition', () => {
  const definition = (rules: readonly string[]): ApiObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.example.com' },
    spec: {
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { a: { type: 'string', maxLength: 5 } },
                  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
                },
              },
            },
          },
        },
      ],
    },
  });

  it('are compiled in parts, once, and are judged as without', () => {
    const rules = [...Array.from({ length: 40 }, (_, i) => `self.a != 'x${i}'`), 'self.b', '1 +'];
    const language = createLanguage({ release: 33, costs: costTables.kubernetes });
    const [plain, prepared] = [definitionExpressions(language), definitionExpressions(language)];
    const expected = plain.validateCreate?.(definition(rules));
    assert.equal(expected?.length, 2);
    const object = definition(rules);
    const work = prepared.prepareValidation?.(object, undefined);
    assert.ok(work !== undefined && parts(work).count > 10);
    assert.deepEqual(prepared.validateCreate?.(object), expected);
    assert.equal(prepared.prepareValidation?.(object, undefined), undefined, 'it is done');
    const after = { ...object, metadata: { ...object.metadata, labels: { a: 'b' } } };
    assert.deepEqual(prepared.validateUpdate?.(after, object), []);
  });
});

describe('large items of a list', () => {
  const stateOf = (text: string) => {
    const { bytes } = encodeObject(configMap(text));
    return { namespace: 'default', name: 'large', revision: 3n, bytes: Uint8Array.from(bytes) };
  };

  it('are made in parts before they are asked for, and kept', () => {
    const encodings = new KeptEncodings(16 * 1024 * 1024);
    let made = 0;
    const upper = (bytes: Uint8Array): Uint8Array => {
      made += 1;
      return Buffer.from(Buffer.from(bytes).toString().toUpperCase());
    };
    const prepare = encodings.preparer('upper', function* ({ bytes }) {
      yield;
      return upper(bytes);
    });
    const itemOf = encodings.encoder('upper', upper);
    const [small, large] = [stateOf('a'), stateOf('a'.repeat(1000))];
    assert.equal(prepare(small), undefined, 'a small one is made when it is asked for');
    const work = prepare(large);
    assert.ok(work !== undefined);
    assert.equal(parts(work).count, 2);
    assert.deepEqual(Buffer.from(itemOf(large)), Buffer.from(upper(large.bytes)));
    assert.equal(made, 2, 'the second one is that of this test');
    assert.equal(prepare(large), undefined, 'it is there');
    assert.equal(encodings.madeCount, 1);
  });

  it('are made in parts where nothing is kept, too: who makes them has them', () => {
    const encodings = new KeptEncodings(0);
    const large = stateOf('a'.repeat(1000));
    const prepare = encodings.preparer('upper', function* ({ bytes }) {
      yield;
      return bytes;
    });
    const work = prepare(large);
    assert.ok(work !== undefined);
    assert.equal(parts(work).count, 2);
    assert.equal(encodings.bytes, 0);
    assert.equal(encodings.holds('upper', large), false);
  });
});

it('work that is finished at once is what its parts come to', () => {
  const three = function* (): Generator<undefined, number> {
    yield;
    yield;
    return 3;
  };
  assert.equal(finished(three()), 3);
});
