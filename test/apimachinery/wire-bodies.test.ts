/** Lists, projections and watch frames, put together from the bytes of objects. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { partialEvents, shownEvents, tableEvents } from '../../src/apimachinery/event-frames.ts';
import type { EventFrames } from '../../src/apimachinery/event-frames.ts';
import { jsonList } from '../../src/apimachinery/lists/json-list.ts';
import { wholeList } from '../../src/apimachinery/lists/list-form.ts';
import type { ListMeta } from '../../src/apimachinery/lists/list-form.ts';
import {
  encodeObject,
  metadataBytes,
  stampResourceVersion,
} from '../../src/apimachinery/object-encoding.ts';
import { partialForm } from '../../src/apimachinery/projection/partial-metadata.ts';
import { parseIncludeObject, tableForm } from '../../src/apimachinery/projection/table.ts';
import { newExpired } from '../../src/apimachinery/status-error.ts';
import type { ApiObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { Entry, EventEncoder } from '../../streams/streams.ts';
import { jsonEvents } from '../support/data/json-events.ts';

const created = '2026-01-02T03:04:05Z';
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

function pod(name: string, more: object = {}): ApiObject {
  const metadata = { name, namespace: 'ns', creationTimestamp: created, ...more };
  return { kind: 'Pod', apiVersion: 'v1', metadata, spec: { nodeName: '}{"' } };
}

function entryOf(object: ApiObject): Entry {
  const revision = 7n as Revision;
  const { bytes, metadataAt } = encodeObject(object);
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    revision,
    labels: {},
    fields: {},
    bytes: stampResourceVersion(bytes, metadataAt, revision),
  };
}

function lineOf(frame: Uint8Array): { type: string; object: ApiObject & Record<string, unknown> } {
  const line = text(frame);
  assert.equal(line.indexOf('\n'), line.length - 1, 'a frame is one line');
  return JSON.parse(line) as ReturnType<typeof lineOf>;
}

describe('list bodies', () => {
  const meta = { kind: 'PodList', apiVersion: 'v1', resourceVersion: '9' };
  const items = ['a', 'b', 'ü'].map((name) => entryOf(pod(name)));
  const bodyOf = (of: ListMeta, some: readonly Entry[]): string =>
    text(
      wholeList(
        jsonList(of),
        some.map((entry) => entry.bytes),
      ),
    );

  it('have the shape of a list, with and without a next page', () => {
    assert.equal(
      bodyOf(meta, []),
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}\n',
    );
    const more = { ...meta, continue: 't"', remainingItemCount: 3 };
    assert.deepEqual(JSON.parse(bodyOf(more, items)), {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', continue: 't"', remainingItemCount: 3 },
      items: items.map((item) => JSON.parse(text(item.bytes)) as unknown),
    });
  });
});

describe('PartialObjectMetadata', () => {
  it('cuts metadata out of the bytes, whatever is in them', () => {
    const odd = { annotations: { 'a}"\\': '{"b":[}\\' }, labels: {} };
    const object = pod('x', odd);
    const form = partialForm({ domain: 'example.org', version: 'v1' });
    assert.deepEqual(JSON.parse(text(form.project(entryOf(object).bytes))), {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.example.org/v1',
      metadata: { ...object.metadata, resourceVersion: '7' },
    });
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.json()), (annotations) => {
        const bytes = encodeObject(pod('x', { annotations })).bytes;
        assert.deepEqual(
          JSON.parse(text(metadataBytes(bytes))),
          (JSON.parse(text(bytes)) as ApiObject).metadata,
        );
      }),
    );
  });
});

describe('the default Table', () => {
  const options = { domain: 'example.org', version: 'v1', includeObject: 'Metadata' } as const;

  it('shows name and creation time of a list, with what includeObject asks for', () => {
    const items = [entryOf(pod('a'))];
    for (const includeObject of ['None', 'Metadata', 'Object'] as const) {
      const form = tableForm({ ...options, includeObject });
      const columns = JSON.parse(form.columnsText) as JsonValue;
      const { kind, apiVersion } = form;
      const meta = { kind, apiVersion, resourceVersion: '9', columns };
      const rows = items.map((item) => form.rowNow(item.bytes));
      const table = JSON.parse(text(wholeList(jsonList(meta), rows))) as {
        columnDefinitions: Record<string, unknown>[];
        rows: { cells: unknown[]; object: ApiObject | null }[];
      };
      assert.deepEqual(Object.keys(table), [
        'kind',
        'apiVersion',
        'metadata',
        'columnDefinitions',
        'rows',
      ]);
      assert.deepEqual(
        table.columnDefinitions.map(({ name, type, format, priority }) => [
          name,
          type,
          format,
          priority,
        ]),
        [
          ['Name', 'string', 'name', 0],
          ['Created At', 'date', '', 0],
        ],
      );
      assert.deepEqual(table.rows[0]?.cells, ['a', created]);
      const shown = table.rows[0]?.object ?? null;
      if (includeObject === 'None') assert.equal(shown, null);
      else assert.equal(shown?.kind, includeObject === 'Object' ? 'Pod' : 'PartialObjectMetadata');
      assert.equal(shown?.['spec'] !== undefined, includeObject === 'Object');
    }
  });

  it('shows one object at its own resourceVersion', () => {
    const form = tableForm({ ...options, version: 'v1beta1' });
    const table = JSON.parse(form.tableOf(entryOf(pod('a')).bytes, '7', true)) as ApiObject;
    assert.equal(table.kind, 'Table');
    assert.equal(table.apiVersion, 'meta.example.org/v1beta1');
    assert.deepEqual(table.metadata, { resourceVersion: '7' });
  });

  it('takes includeObject from the query, and refuses other values', () => {
    const chosen = [undefined, '', 'None', 'Metadata', 'Object'].map((value) => {
      const result = parseIncludeObject(value);
      return result.kind === 'ok' ? result.includeObject : '';
    });
    assert.deepEqual(chosen, ['Metadata', 'Metadata', 'None', 'Metadata', 'Object']);
    const refused = parseIncludeObject('metadata');
    assert.equal(refused.kind === 'refused' && refused.error.code, 400);
  });
});

const identical = (bytes: Uint8Array): Uint8Array => bytes;

describe('watch frames', () => {
  const domain = 'example.org';
  const shown = { apiVersion: 'v1', kind: 'Pod', domain };
  const partial = { domain, version: 'v1' } as const;
  const table = { ...partial, ...shown, includeObject: 'Metadata' } as const;
  const entry = entryOf(pod('a'));

  it('carry the bytes of the entry', () => {
    const encoder: EventEncoder = jsonEvents(shown);
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
      const frame = text(encoder.event(type, entry));
      assert.equal(frame, `{"type":"${type}","object":${text(entry.bytes)}}\n`);
    }
  });

  it('say what a bookmark is of, and mark the end of the initial events', () => {
    const encoders: readonly [EventFrames, string, string][] = [
      [jsonEvents(shown), 'Pod', 'v1'],
      [shownEvents('x', { ...shown, apiVersion: 'v2' }, identical), 'Pod', 'v2'],
      [partialEvents(partial), 'PartialObjectMetadata', 'meta.example.org/v1'],
    ];
    for (const [encoder, kind, apiVersion] of encoders) {
      const metadata = { resourceVersion: '12', creationTimestamp: null };
      assert.deepEqual(lineOf(encoder.bookmark(12n, false)), {
        type: 'BOOKMARK',
        object: { kind, apiVersion, metadata },
      });
      assert.deepEqual(lineOf(encoder.bookmark(12n, true)).object.metadata.annotations, {
        'example.org/initial-events-end': 'true',
      });
    }
  });

  it('end in a Status when something went wrong', () => {
    for (const encoder of [jsonEvents(shown), partialEvents(partial), tableEvents(table)]) {
      const { type, object } = lineOf(encoder.error(newExpired('too old')));
      assert.equal(type, 'ERROR');
      assert.deepEqual([object.kind, object['reason'], object['code']], ['Status', 'Expired', 410]);
    }
  });

  it('show objects as a version makes them, also in place and as metadata', () => {
    const made = entryOf(pod('made')).bytes;
    const encoder = shownEvents('x', shown, () => made);
    const frame = encoder.event('ADDED', entry);
    assert.deepEqual(lineOf(frame).object, JSON.parse(text(made)));
    const target = new Uint8Array(frame.length + 3);
    assert.equal(encoder.eventInto?.('ADDED', entry, target, 3), target.length);
    assert.deepEqual(target.subarray(3), new Uint8Array(frame));
    const metadata = partialEvents({ ...partial, show: () => made, showId: 'x' });
    assert.equal(lineOf(metadata.event('ADDED', entry)).object.metadata.name, 'made');
  });

  it('show only metadata when that is asked for', () => {
    const { object } = lineOf(partialEvents(partial).event('ADDED', entry));
    assert.deepEqual(Object.keys(object), ['kind', 'apiVersion', 'metadata']);
    assert.equal(object.metadata.resourceVersion, '7');
  });

  it('are Tables of one row; the columns come every time, or once for one watch', () => {
    const columnsOf = (encoder: EventFrames): boolean =>
      lineOf(encoder.event('ADDED', entry)).object['columnDefinitions'] !== null;
    const sharing = tableEvents(table);
    assert.deepEqual([columnsOf(sharing), columnsOf(sharing)], [true, true]);
    const own = tableEvents({ ...table, watchId: 'w1' });
    lineOf(own.bookmark(1n, false));
    assert.deepEqual([columnsOf(own), columnsOf(own)], [true, false]);
    const bookmark = lineOf(sharing.bookmark(12n, true)).object;
    assert.equal(bookmark.kind, 'Table');
    assert.equal(bookmark.metadata.resourceVersion, '12');
    assert.match(JSON.stringify(bookmark['rows']), /initial-events-end/);
  });

  it('have equal ids only when their bytes are equal', () => {
    const encoders = [
      jsonEvents(shown),
      jsonEvents({ ...shown, apiVersion: 'v2' }),
      shownEvents('json/v3/Pod', shown, identical),
      partialEvents({ ...partial, show: identical, showId: 'v3' }),
      partialEvents(partial),
      partialEvents({ ...partial, version: 'v1beta1' }),
      tableEvents(table),
      tableEvents({ ...table, includeObject: 'None' }),
      tableEvents({ ...table, kind: 'Other' }),
      tableEvents({ ...table, watchId: 'w1' }),
      tableEvents({ ...table, watchId: 'w2' }),
    ];
    assert.equal(new Set(encoders.map((encoder) => encoder.id)).size, encoders.length);
    assert.equal(jsonEvents(shown).id, jsonEvents({ ...shown }).id);
  });
});
