/**
 * The order that a strategic merge patch gives a keyed list, against a restatement of what clients
 * see of the reference: one that works step by step on an array with a fixed number of places, and
 * looks for every item from the front.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { patchLimits } from '../../src/apimachinery/patch/patch-result.ts';
import { strategicMergeSteps } from '../../src/apimachinery/patch/strategic-merge-patch.ts';
import { noRules } from '../../src/apimachinery/patch/strategic-schema.ts';
import type { StrategicSchema } from '../../src/apimachinery/patch/strategic-schema.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { applyStrategicMergePatch } from '../support/checks/strategic-merge.ts';

const rules: StrategicSchema = (field) => {
  if (field === 'items') return { strategies: ['merge'], mergeKey: 'k', inside: noRules };
  if (field === 'words') return { strategies: ['merge'], mergeKey: undefined, inside: noRules };
  return noRules(field);
};

interface Item {
  readonly k: number;
  readonly v?: string;
  readonly $patch?: string;
}

function patched(original: JsonObject, patch: JsonObject): JsonObject {
  const result = applyStrategicMergePatch(original, patch, rules);
  assert.equal(result.kind, 'ok', JSON.stringify(result));
  return (result as { value: JsonObject }).value;
}

function patchedItems(
  original: readonly Item[] | undefined,
  patch: readonly Item[] | undefined,
  order?: readonly number[],
): readonly Item[] {
  const given = order === undefined ? {} : { '$setElementOrder/items': order.map((k) => ({ k })) };
  const document = (original === undefined ? {} : { items: original }) as unknown as JsonObject;
  const change = { ...(patch === undefined ? {} : { items: patch }), ...given };
  const { items } = patched(document, change as unknown as JsonObject);
  return items as unknown as readonly Item[];
}

const keysOf = (items: readonly Item[]): readonly number[] => items.map(({ k }) => k);

/** The places of a list that cannot grow: what goes lets the rest move up, and what comes takes the
 * first place behind the rest while there is one, and stands beside the list after that. */
interface Places {
  readonly places: Item[];
  readonly beside: Item[];
  used: number;
}

function takeOut(list: Places, key: number): void {
  for (let at = 0; at < list.used; at += 1) {
    if (list.places[at]?.k !== key) continue;
    for (let next = at; next + 1 < list.used; next += 1) {
      list.places[next] = list.places[next + 1] as Item;
    }
    list.used -= 1;
    at -= 1;
  }
}

function put(list: Places, item: Item): void {
  const all = [...list.places.slice(0, list.used), ...list.beside];
  const at = all.findIndex(({ k }) => k === item.k);
  if (at === -1 && list.used < list.places.length) list.places[list.used++] = item;
  else if (at === -1) list.beside.push(item);
  else if (at < list.used) list.places[at] = { ...list.places[at], ...item };
  else list.beside[at - list.used] = { ...list.beside[at - list.used], ...item };
}

/** Those that `order` names among the others: an item of the others goes first where both it and
 * the next of the named ones have a place in `known`, and its place is before. */
function arranged(items: readonly Item[], order: readonly number[], known: readonly number[]) {
  const named = order.flatMap((key) => items.filter(({ k }) => k === key));
  const others = items.filter(({ k }) => !order.includes(k));
  others.sort((a, b) => known.indexOf(a.k) - known.indexOf(b.k));
  const result: Item[] = [];
  while (named.length > 0 && others.length > 0) {
    const [left, right] = [known.indexOf(others[0]?.k ?? -1), known.indexOf(named[0]?.k ?? -1)];
    const first = left >= 0 && right >= 0 && left < right ? others : named;
    result.push(first.shift() as Item);
  }
  return [...result, ...named, ...others];
}

function restated(original: readonly Item[], patch: readonly Item[], order?: readonly number[]) {
  const list: Places = { places: [...original], beside: [], used: original.length };
  for (const item of patch) if (item.$patch === 'delete') takeOut(list, item.k);
  const kept = keysOf(list.places.slice(0, list.used));
  const named = patch.filter(({ $patch }) => $patch === undefined);
  for (const item of named) put(list, item);
  const merged = [...list.places.slice(0, list.used), ...list.beside];
  const ordered = arranged(merged, keysOf(named), kept);
  return order === undefined ? ordered : arranged(ordered, order, keysOf(list.places));
}

const key = fc.integer({ min: 0, max: 7 });
const keys = fc.uniqueArray(key, { maxLength: 7 });
const lists = fc
  .record({ original: keys, gone: keys, named: keys, ordered: fc.option(keys), at: fc.nat() })
  .map(({ original, gone, named, ordered, at }) => {
    const wanted = named.filter((k) => !gone.includes(k));
    const patch: Item[] = wanted.map((k) => ({ k, v: 'new' }));
    const deletes = gone.map((k): Item => ({ k, $patch: 'delete' }));
    patch.splice(at % (patch.length + 1), 0, ...deletes);
    // Every item of the patch stands in the order, as clients send it; others may stand between.
    const more = (ordered ?? []).filter((k) => !named.includes(k) && !gone.includes(k));
    const order = ordered === null ? undefined : [...wanted];
    for (const [i, k] of more.entries()) order?.splice((at + i * i) % (order.length + 1), 0, k);
    return { original: original.map((k): Item => ({ k, v: 'old' })), patch, order };
  });

describe('lists of strategic merge patches', () => {
  it('the order of what is merged is the one clients know, with and without an order given', () => {
    fc.assert(
      fc.property(lists, ({ original, patch, order }) => {
        const expected = restated(original, patch, order);
        assert.deepEqual(patchedItems(original, patch, order), expected);
      }),
      { numRuns: Number(process.env['SLUICE_PATCH_RUNS'] ?? 3000) },
    );
  });

  const gone = (k: number): Item => ({ k, $patch: 'delete' });
  const rows: readonly {
    readonly title: string;
    readonly original?: readonly Item[];
    readonly patch?: readonly Item[];
    readonly order?: readonly number[];
    readonly expected: readonly number[];
  }[] = [
    {
      title: 'what is new takes the place of what has gone',
      original: [{ k: 1 }, { k: 2, v: 'b' }, { k: 4, v: 'c' }],
      patch: [{ k: 3 }, gone(1)],
      order: [2, 3],
      expected: [2, 4, 3],
    },
    {
      title: 'the first of the new takes it, and the others follow',
      original: [
        { k: 1, v: 'a' },
        { k: 4, v: 'c' },
      ],
      patch: [{ k: 2 }, { k: 3 }, gone(1)],
      order: [2, 3],
      expected: [4, 2, 3],
    },
    { title: 'an order alone', original: [{ k: 1 }, { k: 2 }], order: [2, 1], expected: [2, 1] },
    {
      title: 'an order of some',
      original: [{ k: 1 }, { k: 2 }, { k: 3 }],
      order: [3, 1],
      expected: [2, 3, 1],
    },
    {
      title: 'an order that names what is not there',
      original: [{ k: 1 }, { k: 2 }],
      order: [5, 2],
      expected: [1, 2],
    },
    {
      title: 'a new list',
      patch: [{ k: 1 }, gone(7), { k: 2 }],
      order: [1, 2],
      expected: [1, 2],
    },
    {
      title: 'an empty order says nothing',
      original: [{ k: 2 }, { k: 1 }],
      patch: [gone(2)],
      order: [],
      expected: [1],
    },
    {
      title: 'all that there was is deleted',
      original: [{ k: 1 }, { k: 2 }],
      patch: [gone(2), { k: 3 }, gone(1)],
      order: [3],
      expected: [3],
    },
    {
      title: '$patch: replace leaves what is named',
      original: [{ k: 1 }, { k: 2 }],
      patch: [{ k: 3 }, { k: 0, $patch: 'replace' }, { k: 2 }],
      order: [3, 2],
      expected: [3, 2],
    },
    {
      title: 'what is deleted and named is new',
      original: [{ k: 1, v: 'old' }, { k: 2 }],
      patch: [{ k: 1 }, gone(1)],
      expected: [1, 2],
    },
  ];
  for (const { title, original, patch, order, expected } of rows) {
    it(title, () => assert.deepEqual(keysOf(patchedItems(original, patch, order)), expected));
  }

  const refusals: readonly [string, JsonObject, RegExp][] = [
    [
      'an order against that of the patch',
      { items: [{ k: 1 }, { k: 2 }], '$setElementOrder/items': [{ k: 2 }, { k: 1 }] },
      /order in patch list doesn't match/,
    ],
    [
      'an item that its order does not have',
      { items: [{ k: 5 }], '$setElementOrder/items': [{ k: 2 }] },
      /order in patch list doesn't match/,
    ],
    ['an order that is no list', { '$setElementOrder/items': 'k' }, /must be a list/],
    ['a delete without a key', { items: [{ $patch: 'delete' }] }, /declared merge key: k/],
    ['an item without a key', { items: [{ v: 'x' }] }, /declared merge key: k/],
    ['$patch: merge of an item', { items: [{ k: 1, $patch: 'merge' }] }, /unknown \$patch/],
    ['$patch: merge of a map', { $patch: 'merge' }, /unknown \$patch/],
    ['names to retain that are no list', { $retainKeys: 'a' }, /must be a list/],
    ['a member beside those to retain', { a: 1, $retainKeys: ['b'] }, /not among its/],
    ['scalars to delete that are no list', { '$deleteFromPrimitiveList/words': 'a' }, /a list/],
  ];
  for (const [title, patch, expected] of refusals) {
    it(`${title} is refused`, () => {
      const original = { items: [{ k: 1 }, { k: 2 }], words: ['a'] };
      const result = applyStrategicMergePatch(original, patch, rules);
      assert.ok(result.kind === 'refused', JSON.stringify(result));
      assert.match(result.problem, expected);
    });
  }

  const words: readonly [string, JsonObject, readonly string[]][] = [
    [
      'scalars are deleted, added and put in order',
      {
        words: ['d'],
        '$setElementOrder/words': ['c', 'd', 'a'],
        '$deleteFromPrimitiveList/words': ['b'],
      },
      ['c', 'd', 'a'],
    ],
    ['scalars are put in order', { '$setElementOrder/words': ['b', 'a'] }, ['b', 'a', 'c']],
    ['scalars that are there stay once', { words: ['b', 'a'] }, ['b', 'a', 'c']],
    ['a new scalar stands first', { words: ['z'] }, ['z', 'a', 'b', 'c']],
  ];
  for (const [title, patch, expected] of words) {
    it(title, () => {
      assert.deepEqual(patched({ words: ['a', 'b', 'c'] }, patch), { words: expected });
    });
  }

  it('a directive for what is not there leaves nothing', () => {
    for (const directive of ['delete', 'replace']) {
      const patch: JsonValue = { map: { $patch: directive, a: 1 }, n: 1 };
      assert.deepEqual(patched({}, patch), { n: 1 });
      const inside = { items: [{ k: 1, $patch: directive }, { k: 2 }] };
      assert.deepEqual(patched({}, inside), { items: [{ k: 2 }] });
    }
    assert.deepEqual(patched({ map: { b: 1 } }, { map: { $patch: 'replace', a: 1 } }), {
      map: { a: 1 },
    });
    assert.deepEqual(patched({ map: { b: 1 } }, { map: { $patch: 'delete' } }), { map: {} });
  });
});

describe('a patch that names one item of a list again and again', () => {
  const again = (count: number): JsonObject => ({
    items: Array.from({ length: count }, (_, at) => ({ k: 1, map: { [`a${at}`]: at } })),
  });
  const wide = (count: number): JsonObject => {
    const members = Array.from({ length: count }, (_, at) => [`m${at}`, at] as const);
    return { items: [{ k: 1, map: Object.fromEntries(members) }] };
  };

  it('merges them one after the other', () => {
    const { items } = patched({ items: [{ k: 1, map: { b: 1 } }] }, again(3));
    assert.deepEqual(items, [{ k: 1, map: { b: 1, a0: 0, a1: 1, a2: 2 } }]);
  });

  it('is refused where it walks over more than a patch may', () => {
    const original = wide(1000);
    const few = Math.floor(patchLimits.walkedValuesMax / 2000);
    assert.equal(applyStrategicMergePatch(original, again(few), rules).kind, 'ok');
    const refused = applyStrategicMergePatch(original, again(few * 3), rules);
    assert.ok(refused.kind === 'refused', 'refused');
    assert.equal(refused.why, 'too-large');
    assert.match(refused.problem, /merges more than 250000 members and items/);
  });

  it('is merged in parts, and so is one of many members', () => {
    const partsOf = (original: JsonObject, patch: JsonObject): number =>
      [...strategicMergeSteps(original, patch, rules)].length;
    assert.ok(partsOf(wide(1000), again(100)) >= 25);
    assert.ok(partsOf({}, { map: {} }) === 0);
    const members = Array.from({ length: 20_000 }, (_, at) => [`m${at}`, at] as const);
    assert.ok(partsOf({ map: { a: 1 } }, { map: Object.fromEntries(members) }) >= 9);
  });
});
