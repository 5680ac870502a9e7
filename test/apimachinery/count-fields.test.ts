/** How many fields of an object are owned one by one, and that it may not have too many. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  countFields,
  ownableFieldsMax,
} from '../../src/apimachinery/fieldmanager/typed/count-fields.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { ownedKind } from '../support/checks/field-ownership.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const map = (count: number): JsonObject =>
  Object.fromEntries(numbers(count).map((at) => [`k${at}`, 'v']));

function typeOf(apiVersion: string, kind: string) {
  const type = ownedKind(apiVersion, kind).typeAt(apiVersion);
  assert.ok(type, kind);
  return type;
}

const configMap = typeOf('v1', 'ConfigMap');
const pod = typeOf('v1', 'Pod');
const slice = typeOf('discovery.k8s.io/v1', 'EndpointSlice');

describe('fields that are owned one by one', () => {
  const rows: readonly (readonly [string, Parameters<typeof countFields>[0], JsonValue, number])[] =
    [
      ['every key of a map, and the map', configMap, { data: map(3) }, 5],
      ['items of an associative list, with what is in them', pod, podOf(2), 10],
      ['an atomic list is one', slice, { endpoints: numbers(100).map(() => map(3)) }, 2],
      ['nothing', configMap, {}, 1],
    ];
  for (const [what, type, value, count] of rows) {
    it(what, () => assert.equal(countFields(type, value), count));
  }

  it('counting ends soon behind the bound', () => {
    assert.equal(countFields(configMap, { data: map(100) }, 10), 11);
    assert.ok(countFields(configMap, { data: map(2 * ownableFieldsMax) }) > ownableFieldsMax);
  });
});

/** spec, containers, one container, its name, env; and each variable with its name. */
function podOf(variables: number): JsonObject {
  const env = numbers(variables).map((at) => ({ name: `v${at}` }));
  return { spec: { containers: [{ name: 'a', env }] } };
}
