/** Watch over HTTP, on both transports (spec 1, sections 2.4, 4.10 and 6). */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Revision } from '../../src/storage/storage.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import type { ReadEvent } from '../support/clients/watch-reader.ts';

interface Shown {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** Writes config maps into a namespace of its own. */
interface Area {
  readonly collection: string;
  create(name: string, labels?: Record<string, string>): Promise<string>;
  replace(name: string, value: string, labels?: Record<string, string>): Promise<string>;
  remove(name: string): Promise<void>;
  watch(query: string): string;
}

let areas = 0;

async function newArea(server: TestServer): Promise<Area> {
  areas += 1;
  const namespace = `area${areas}`;
  await server.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const write = async (method: string, path: string, body: object): Promise<string> => {
    const reply = await server.request(method, path, { body });
    assert(reply.status < 300, reply.text);
    return (reply.body as unknown as Shown).metadata.resourceVersion;
  };
  return {
    collection,
    create: (name, labels = {}) =>
      write('POST', collection, { metadata: { name, labels }, data: { v: '0' } }),
    replace: (name, value, labels = {}) =>
      write('PUT', `${collection}/${name}`, { metadata: { name, labels }, data: { v: value } }),
    async remove(name) {
      const reply = await server.request('DELETE', `${collection}/${name}`);
      assert.equal(reply.status, 200, reply.text);
    },
    watch: (query) => `${collection}?watch=true&${query}`,
  };
}

function brief(event: ReadEvent | undefined): string {
  return `${event?.type} ${event?.object.metadata.name ?? ''}`.trim();
}

function versionOf(event: ReadEvent | undefined): bigint {
  return BigInt(event?.object.metadata.resourceVersion ?? '0');
}

const endMark = { 'k8s.io/initial-events-end': 'true' };

for (const transport of ['uws', 'node'] as const) {
  describe(`watch (${transport} transport)`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ transport });
    });

    for (const version of ['', '0']) {
      test(`resourceVersion "${version}" begins with the state and goes on live`, async () => {
        const area = await newArea(server);
        await area.create('b');
        await area.create('a');
        const watch = await server.openWatch(area.watch(`resourceVersion=${version}`));
        assert.equal(watch.status, 200);
        assert.equal(watch.headers['content-type'], 'application/json');
        assert.equal(watch.headers['transfer-encoding'], 'chunked');
        const initial = await watch.take(2);
        assert.deepEqual(initial.map(brief), ['ADDED a', 'ADDED b']);
        await area.replace('a', '1');
        await area.remove('b');
        assert.deepEqual((await watch.take(2)).map(brief), ['MODIFIED a', 'DELETED b']);
        watch.close();
      });
    }

    for (const version of ['', '0', 'N']) {
      test(`a streaming list at "${version}" ends its state with a marked bookmark`, async () => {
        const area = await newArea(server);
        const first = await area.create('a');
        const at = version === 'N' ? await area.create('b') : version;
        const query =
          'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
        const watch = await server.openWatch(area.watch(`${query}&resourceVersion=${at}`));
        const expected = version === 'N' ? ['ADDED a', 'ADDED b'] : ['ADDED a'];
        assert.deepEqual((await watch.take(expected.length)).map(brief), expected);
        const mark = await watch.next();
        assert.equal(mark?.type, 'BOOKMARK');
        assert.equal(mark.object['kind'], 'ConfigMap');
        assert.equal(mark.object['apiVersion'], 'v1');
        assert.deepEqual(mark.object.metadata['annotations'], endMark);
        assert(versionOf(mark) >= BigInt(first));
        await area.create('c');
        const live = await watch.next();
        assert.equal(brief(live), 'ADDED c');
        assert(versionOf(live) > versionOf(mark));
        watch.close();
      });
    }

    test('an empty streaming list is only its bookmark', async () => {
      const area = await newArea(server);
      const query =
        'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watch = await server.openWatch(area.watch(query));
      const mark = await watch.next();
      assert.deepEqual(mark?.object.metadata['annotations'], endMark);
      watch.close();
    });

    test('sendInitialEvents=false from 0 starts now', async () => {
      const area = await newArea(server);
      await area.create('old');
      const query = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0';
      const watch = await server.openWatch(area.watch(query));
      await area.create('new');
      assert.equal(brief(await watch.next()), 'ADDED new');
      watch.close();
    });

    test('without allowWatchBookmarks there is none; with it one comes before the end', async () => {
      const area = await newArea(server);
      const version = await area.create('a');
      const without = await server.openWatch(area.watch('timeoutSeconds=3'));
      const state = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1';
      const unmarked = await server.openWatch(area.watch(state));
      const asked = await server.openWatch(
        area.watch(`timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion=${version}`),
      );
      const ended = await Promise.all([without.rest(), unmarked.rest(), asked.rest()]);
      assert.deepEqual(ended[0].map(brief), ['ADDED a']);
      assert.deepEqual(ended[1].map(brief), ['ADDED a']);
      assert(ended[2].length >= 1, 'a bookmark before the deadline');
      for (const bookmark of ended[2]) {
        assert.equal(bookmark.type, 'BOOKMARK');
        assert(versionOf(bookmark) >= BigInt(version));
        assert.equal(bookmark.object.metadata['annotations'], undefined);
      }
    });

    test('timeoutSeconds ends a quiet watch cleanly', async () => {
      const area = await newArea(server);
      const version = await area.create('a');
      const target = area.watch(`timeoutSeconds=1&resourceVersion=${version}`);
      const watch = await server.openWatch(target);
      assert.deepEqual(await watch.rest(), []);
    });

    test('a version in the future waits, and nothing at or before it is sent', async () => {
      const area = await newArea(server);
      const version = BigInt(await area.create('a'));
      const watch = await server.openWatch(area.watch(`resourceVersion=${version + 2n}`));
      for (const name of ['b', 'c', 'd']) await area.create(name);
      assert.equal(brief(await watch.next()), 'ADDED d');
      watch.close();
    });

    test('a resumed watch gets exactly the rest, from every revision', async () => {
      const area = await newArea(server);
      const start = BigInt(await area.create('a'));
      const all = await server.openWatch(area.watch(`resourceVersion=${start}`));
      for (let round = 1; round <= 5; round += 1) {
        await area.replace('a', String(round));
        await area.create(`n${round}`);
        await area.remove(`n${round}`);
      }
      const events = await all.take(15);
      all.close();
      for (const [i, event] of events.entries()) {
        if (i > 0) assert(versionOf(event) > versionOf(events[i - 1]), 'in order');
        const resumed = await server.openWatch(area.watch(`resourceVersion=${versionOf(event)}`));
        assert.deepEqual(await resumed.take(14 - i), events.slice(i + 1));
        resumed.close();
      }
    });

    test('selectors: entering is ADDED, leaving is DELETED with the old object', async () => {
      const area = await newArea(server);
      await area.create('a', { x: '1' });
      const watch = await server.openWatch(area.watch('labelSelector=x%3D1'));
      assert.equal(brief(await watch.next()), 'ADDED a');
      await area.replace('a', '1', { x: '1' });
      const left = await area.replace('a', '2', { x: '2' });
      await area.replace('a', '3', { x: '2' });
      const back = await area.replace('a', '4', { x: '1' });
      await area.remove('a');
      const events = await watch.take(4);
      assert.deepEqual(events.map(brief), ['MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
      const [, gone, again, deleted] = events;
      assert.equal(gone?.object.metadata.resourceVersion, left, 'the new version');
      assert.deepEqual(gone?.object['data'], { v: '1' }, 'the previous object');
      assert.deepEqual(gone?.object.metadata['labels'], { x: '1' });
      assert.equal(again?.object.metadata.resourceVersion, back);
      assert.deepEqual(deleted?.object['data'], { v: '4' }, 'the last state');
      assert(versionOf(deleted) > BigInt(back), 'the version of the deletion');
      watch.close();
    });

    test('one object is watched by its path, or by its name as a field', async () => {
      const area = await newArea(server);
      const watches = await Promise.all([
        server.openWatch(`${area.collection}/one?watch=1`),
        server.openWatch(area.watch('fieldSelector=metadata.name%3Done')),
        server.openWatch(area.collection.replace('/api/v1/', '/api/v1/watch/') + '/one'),
      ]);
      await area.create('other');
      await area.create('one');
      await area.replace('other', '1');
      await area.remove('one');
      for (const watch of watches) {
        assert.deepEqual((await watch.take(2)).map(brief), ['ADDED one', 'DELETED one']);
        watch.close();
      }
    });

    test('a namespace is a border; across namespaces all is seen', async () => {
      const [here, there] = [await newArea(server), await newArea(server)];
      const version = await here.create('a');
      const own = await server.openWatch(here.watch(`resourceVersion=${version}`));
      const every = await server.openWatch(`/api/v1/configmaps?watch=1&resourceVersion=${version}`);
      await there.create('b');
      await here.create('c');
      assert.equal(brief(await own.next()), 'ADDED c');
      assert.deepEqual((await every.take(2)).map(brief), ['ADDED b', 'ADDED c']);
      own.close();
      every.close();
    });

    test('as a Table each event has one row, the first one the columns', async () => {
      const area = await newArea(server);
      await area.create('a');
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const watch = await server.openWatch(area.watch('allowWatchBookmarks=true'), { accept });
      const [added, mark] = await watch.take(2);
      assert.equal(mark?.type, 'BOOKMARK');
      await area.replace('a', '1');
      const modified = await watch.next();
      for (const event of [added, modified]) {
        assert.equal(event?.object['kind'], 'Table');
        assert.equal((event?.object['rows'] as { cells: string[] }[])[0]?.cells[0], 'a');
      }
      assert.equal((added?.object['columnDefinitions'] as object[]).length, 3);
      assert.equal(modified?.object['columnDefinitions'], null);
      watch.close();
    });

    test('as PartialObjectMetadata only metadata is sent', async () => {
      const area = await newArea(server);
      await area.create('a');
      const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
      const watch = await server.openWatch(area.watch('allowWatchBookmarks=true'), { accept });
      const [added, mark] = await watch.take(2);
      assert.equal(added?.object['kind'], 'PartialObjectMetadata');
      assert.equal(added?.object['data'], undefined);
      assert.equal(mark?.object['kind'], 'PartialObjectMetadata');
      watch.close();
    });

    test('a watch is not compressed', async () => {
      const area = await newArea(server);
      await area.create('a');
      const watch = await server.openWatch(area.watch(''), { 'accept-encoding': 'gzip' });
      assert.equal(watch.headers['content-encoding'], undefined);
      assert.equal(brief(await watch.next()), 'ADDED a');
      watch.close();
    });

    test('bad options and selectors are an answer, not a stream', async () => {
      const area = await newArea(server);
      for (const [query, status] of [
        ['labelSelector=a%3D%3D%3Db', 400],
        ['fieldSelector=spec.nope%3D1', 400],
        ['resourceVersion=abc', 400],
        ['timeoutSeconds=soon', 400],
        ['timeoutSeconds=-1', 422],
        ['resourceVersionMatch=Exact', 422],
      ] as const) {
        const reply = await server.request('GET', area.watch(query));
        assert.equal(reply.status, status, `${query} ${reply.text}`);
      }
    });

    test('when the server stops, watches end cleanly', async () => {
      const own = await startTestServer({ transport });
      const watch = await own.openWatch('/api/v1/configmaps?watch=1');
      const stopped = own.running.stop();
      assert.deepEqual(await watch.rest(), []);
      await stopped;
      own.close();
    });

    test('from a compacted revision: one ERROR event 410, then the end', async () => {
      const first = await startTestServer({ transport, store: 'lmdb' });
      const area = await newArea(first);
      const old = await area.create('a');
      for (let i = 0; i < 5; i += 1) await area.replace('a', String(i + 1));
      const last = await area.replace('a', 'last');
      await first.running.parts.storage.compact(BigInt(last) as Revision);
      await first.stop();
      const second = await startTestServer({ transport, store: 'lmdb', 'data-dir': first.dataDir });
      const watch = await second.openWatch(area.watch(`resourceVersion=${old}`));
      assert.equal(watch.status, 200);
      const [error, ...more] = await watch.rest();
      assert.deepEqual(more, []);
      assert.equal(error?.type, 'ERROR');
      assert.deepEqual(error.object, {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `too old resource version: ${old} (${last})`,
        reason: 'Expired',
        code: 410,
      });
      const kept = await second.openWatch(area.watch(`resourceVersion=${last}`));
      const made = await second.request('POST', area.collection, {
        body: { metadata: { name: 'b' } },
      });
      assert.equal(made.status, 201);
      assert.equal(brief(await kept.next()), 'ADDED b');
      await second.stop();
      await rm(first.dataDir, { recursive: true, force: true });
    });

    after(() => server.remove());
  });
}
