/** Objects of kinds that users define are judged in parts, once, before they are decided on. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CustomVersion } from '../../src/apiextensions/custom-schema.ts';
import { customStrategy } from '../../src/apiextensions/serving/custom-strategy.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { versionsOf } from './custom-writes.ts';

const rule = "self.all(x, self.filter(y, y == x).size() < 2 && x.matches('^[a-z0-9]+$'))";
const names = { type: 'array', maxItems: 400, items: { type: 'string', maxLength: 8 } };
const definition = {
  spec: {
    group: 'example.org',
    names: { kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { names: { ...names, 'x-kubernetes-validations': [{ rule }] } },
              },
              status: { type: 'object', properties: { on: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

const status = { name: 'status' } as KindInfo['subresources'][number];
const kind = { version: 'v1', storageVersion: 'v1', subresources: [status] } as unknown as KindInfo;

/** Of eight thousand instructions each. */
const largePatterns = Array.from(
  { length: 20 },
  (_, at) => `^${`(a${at}|[b-y]{1,60}z?){0,9}`.repeat(14)}$`,
);

function strategyOf(of: object = definition) {
  const version = versionsOf(of as typeof definition).get('v1') as CustomVersion;
  let atOnce = 0;
  const counted: CustomVersion = {
    ...version,
    validate(write) {
      atOnce += 1;
      return version.validate(write);
    },
  };
  const strategy = customStrategy({ kind, version: counted });
  return { strategy, atOnce: () => atOnce };
}

function widget(count: number, more: object = {}): ApiObject {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
    spec: { names: Array.from({ length: count }, (_, i) => `n${Math.min(i, 199)}`) },
    ...more,
  };
}

function partsOf(steps: Iterator<undefined> | undefined): number {
  assert.ok(steps !== undefined, 'it is judged in parts');
  let parts = 1;
  while (steps.next().done !== true) parts += 1;
  return parts;
}

describe('the strategy of a kind that a user has defined', () => {
  it('judges a creation in parts, and what the parts found is what the decision finds', () => {
    for (const more of [{}, { status: { on: 'no' } }]) {
      const { atOnce, strategy } = strategyOf();
      const submitted = widget(201, more);
      assert.ok(partsOf(strategy.prepareValidation?.(submitted, undefined)) > 1);
      const prepared = strategy.prepareForCreate(submitted);
      assert.equal(prepared['status'], undefined);
      const errors = strategy.validate(prepared);
      assert.equal(atOnce(), 0);
      const plain = strategyOf().strategy;
      assert.equal(errors.length, 1);
      assert.deepEqual(errors, plain.validate(plain.prepareForCreate(widget(201, more))));
    }
  });

  it('judges an update in parts, and another one of the same object anew', () => {
    const { atOnce, strategy } = strategyOf();
    const [next, current] = [widget(200), widget(100)];
    assert.ok(partsOf(strategy.prepareValidation?.(next, current)) > 1);
    assert.deepEqual(strategy.validateUpdate(next, current), []);
    assert.equal(atOnce(), 0);
    assert.deepEqual(strategy.validateUpdate(next, widget(3)), []);
    assert.equal(atOnce(), 1);
  });

  it('judges a write to a status in parts, with the rules of the whole object', () => {
    const { atOnce, strategy } = strategyOf();
    const [next, current] = [widget(201, { status: { on: true } }), widget(100)];
    assert.ok(partsOf(strategy.prepareStatusValidation?.(next, current)) > 1);
    const errors = strategy.validateStatusUpdate(next, current);
    assert.equal(atOnce(), 0);
    assert.equal(errors.length, 1);
    assert.deepEqual(errors, strategyOf().strategy.validateStatusUpdate(next, current));
    assert.equal(strategy.prepareStatusValidation?.(widget(10), widget(10)), undefined);
  });

  it('judges a small object at once, and a status by itself', () => {
    const { atOnce, strategy } = strategyOf();
    assert.equal(strategy.prepareValidation?.(widget(10), undefined), undefined);
    assert.deepEqual(strategy.validate(widget(10)), []);
    const next = widget(200, { status: { on: 'no' } });
    partsOf(strategy.prepareValidation?.(next, widget(200)));
    assert.ok(strategy.validateStatusUpdate(next, widget(200)).length > 0);
    assert.equal(atOnce(), 2);
  });

  it('judges a small object in parts where its schema has large patterns, one in each at most', () => {
    const type = 'string';
    const properties = largePatterns.map((pattern, at) => [`p${at}`, { type, pattern }] as const);
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: Object.fromEntries(properties) } },
    };
    const spec = { ...definition.spec, versions: [{ name: 'v1', schema: { openAPIV3Schema } }] };
    const { strategy } = strategyOf({ spec });
    const small = widget(0, { spec: Object.fromEntries(properties.map(([name]) => [name, 'b'])) });
    assert.ok(partsOf(strategy.prepareValidation?.(small, undefined)) > largePatterns.length);
    assert.deepEqual(strategy.validate(strategy.prepareForCreate(small)), []);
  });
});
