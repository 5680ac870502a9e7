import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, objects, part, text, textMap, texts } from '../../src/apimachinery/members.ts';
import type { JsonValue } from '../../src/apimachinery/unstructured.ts';

/** What each reader makes of a member with this value. */
const rows: readonly {
  readonly value: JsonValue | undefined;
  readonly text?: string;
  readonly part?: object;
  readonly items?: readonly JsonValue[];
  readonly objects?: readonly object[];
  readonly texts?: readonly string[];
  readonly textMap?: Readonly<Record<string, string>>;
}[] = [
  { value: undefined },
  { value: null },
  { value: 7 },
  { value: 7n },
  { value: true },
  { value: 'a', text: 'a' },
  { value: '', text: '' },
  { value: {}, part: {} },
  { value: { a: 'b', c: 1 }, part: { a: 'b', c: 1 }, textMap: { a: 'b' } },
  { value: { a: 'b' }, part: { a: 'b' }, textMap: { a: 'b' } },
  { value: [], items: [] },
  { value: ['a', 'b'], items: ['a', 'b'], texts: ['a', 'b'] },
  { value: [{ a: 1 }], items: [{ a: 1 }], objects: [{ a: 1 }] },
  {
    value: [{ a: 1 }, 'b', null, ['c']],
    items: [{ a: 1 }, 'b', null, ['c']],
    objects: [{ a: 1 }],
    texts: ['b'],
  },
];

test('a member that is missing or of another type reads as empty, in a list as left out', () => {
  for (const row of rows) {
    const read = {
      text: text({ member: row.value }, 'member'),
      part: part({ member: row.value }, 'member'),
      items: items({ member: row.value }, 'member'),
      objects: objects({ member: row.value }, 'member'),
      texts: texts({ member: row.value }, 'member'),
      textMap: textMap({ member: row.value }, 'member'),
    };
    const { value, ...expected } = row;
    const empty = { text: '', part: {}, items: [], objects: [], texts: [], textMap: {} };
    assert.deepEqual(read, { ...empty, ...expected }, String(value));
  }
});

test('no object has no members', () => {
  assert.equal(text(undefined, 'member'), '');
  assert.deepEqual(part(undefined, 'member'), {});
  assert.deepEqual(items(undefined, 'member'), []);
  assert.deepEqual(objects(undefined, 'member'), []);
  assert.deepEqual(texts(undefined, 'member'), []);
});

test('what is as it should be is not copied', () => {
  const object = { part: { a: 'b' }, list: [{ a: 1 }] };
  assert.equal(part(object, 'part'), object.part);
  assert.equal(textMap(object, 'part'), object.part);
  assert.equal(items(object, 'list'), object.list);
  assert.equal(objects(object, 'list'), object.list);
});
