/** What conversion webhooks have answered: what stays, and for how long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRememberedConversions } from '../../src/apiextensions/serving/remembered-conversions.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { collectGarbage } from '../support/checks/heap.ts';

const large = 3 * 1024 * 1024;

const named = (at: number): string => `${at} ${'x'.repeat(large)}`;
const lampOf = (at: number): ApiObject => ({
  apiVersion: 'shop.example/v1',
  kind: 'Lamp',
  metadata: { name: `l${at}` },
});

test('more than there is room for are found for as long as somebody holds them', async () => {
  const remembered = createRememberedConversions();
  const held = Array.from({ length: 30 }, (_, at) => lampOf(at));
  for (const [at, lamp] of held.entries()) remembered.set(named(at), lamp);
  await nextTurn();
  collectGarbage();
  for (const [at, lamp] of held.entries()) assert.equal(remembered.get(named(at)), lamp);
});

test('those that nobody holds go when there is no room for them', async () => {
  const remembered = createRememberedConversions();
  for (let at = 0; at < 30; at += 1) remembered.set(named(at), lampOf(at));
  await nextTurn();
  collectGarbage();
  const found = Array.from({ length: 30 }, (_, at) => remembered.get(named(at)));
  const there = found.flatMap((lamp, at) => (lamp === undefined ? [] : [at]));
  assert.deepEqual(there, [23, 24, 25, 26, 27, 28, 29]);
});
