/**
 * One object, many clients, as real processes over each store: nothing that was acknowledged is
 * lost or counted twice, and each success is one revision and one event.
 *
 * SLUICE_COUNTER_CLIENTS (default 100) and SLUICE_COUNTER_INCREMENTS (default 1, of each client).
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMaps } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually, WatchStream } from '../support/clients/watch-client.ts';

const clientsCount = Number(process.env['SLUICE_COUNTER_CLIENTS'] ?? 100);
const increments = Number(process.env['SLUICE_COUNTER_INCREMENTS'] ?? 1);
const timeout = 300_000 + clientsCount * increments * 1000;
const directories = testDirectories('sluice-counters');
after(() => directories.removeAll());

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

interface Counter {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields: readonly { readonly manager: string }[];
  };
  readonly data: Readonly<Record<string, string>>;
}

interface Reply {
  readonly status: number;
  readonly value: Counter;
}

/** What one client does to the counter, on the state it has read. */
type Increment = (connection: HttpConnection, client: number, read: Counter) => Promise<Reply>;

const stores: readonly (readonly [string, readonly string[]])[] = [
  ['memory', ['--store=memory']],
  ['lmdb', ['--store=lmdb']],
  ['lmdb, two workers', ['--store=lmdb', '--workers=2']],
];

for (const [label, flags] of stores) {
  describe(`a hot object (${label})`, () => {
    let server: ServerProcess;
    before(async () => {
      const dataDir = path.join(directories.make(), 'data');
      server = await startServer({ dataDir, flags: ['--log-level=error', ...flags] });
    });
    after(async () => {
      await server.stop();
    });

    /** Every client at once; each has a connection of its own. */
    async function together(
      run: (connection: HttpConnection, client: number) => Promise<void>,
    ): Promise<void> {
      const clients = Array.from({ length: clientsCount }, async (_, client) => {
        const connection = new HttpConnection(server.port);
        await run(connection, client);
        connection.close();
      });
      await Promise.all(clients);
    }

    async function create(name: string): Promise<Counter> {
      const connection = new HttpConnection(server.port);
      const made = await connection.json<Counter>('POST', configMaps, {
        metadata: { name },
        data: { n: '0' },
      });
      assert.equal(made.status, 201);
      connection.close();
      return made.value;
    }

    async function get(connection: HttpConnection, name: string): Promise<Counter> {
      const { status, value } = await connection.json<Counter>('GET', `${configMaps}/${name}`);
      assert.equal(status, 200);
      return value;
    }

    /** Revisions and counts of the object's changes, as a watcher hears of them. */
    function follow(name: string, from: Counter): { stop(): void; readonly seen: Counter[] } {
      const seen: Counter[] = [];
      const since = `resourceVersion=${from.metadata.resourceVersion}`;
      const target = `${configMaps}?watch=true&fieldSelector=metadata.name%3D${name}&${since}`;
      const stream = new WatchStream(server.port, target, {
        onEvent: ({ object }) => void seen.push(object as unknown as Counter),
      });
      return { seen, stop: () => stream.cut() };
    }

    async function countTogether(
      name: string,
      increment: Increment,
      lost: number,
    ): Promise<readonly number[]> {
      const first = await create(name);
      const watcher = follow(name, first);
      const revisions: number[] = [];
      await together(async (connection, client) => {
        for (let done = 0; done < increments;) {
          const read = await get(connection, name);
          const { status, value } = await increment(connection, client, read);
          if (status === lost) continue;
          assert.equal(status, 200, JSON.stringify(value));
          revisions.push(Number(value.metadata.resourceVersion));
          done += 1;
        }
      });
      const total = clientsCount * increments;
      const connection = new HttpConnection(server.port);
      const last = await get(connection, name);
      connection.close();
      assert.equal(last.data['n'], String(total), 'no increment is lost, none counts twice');
      assert.equal(new Set(revisions).size, total, 'each success has a revision of its own');
      await eventually('the watcher has seen them all', () => watcher.seen.length >= total);
      assert.deepEqual(
        watcher.seen.map(({ data }) => Number(data['n'])),
        Array.from({ length: total }, (_, i) => i + 1),
        'one event for each success, in order',
      );
      assert.deepEqual(
        watcher.seen.map(({ metadata }) => Number(metadata.resourceVersion)),
        revisions.sort((a, b) => a - b),
      );
      watcher.stop();
      return revisions;
    }

    test('is counted up by JSON patches that test what they replace', { timeout }, async () => {
      const increment: Increment = (connection, _client, read) => {
        const n = Number(read.data['n']);
        const body = [
          { op: 'test', path: '/data/n', value: String(n) },
          { op: 'replace', path: '/data/n', value: String(n + 1) },
        ];
        return connection.json('PATCH', `${configMaps}/by-patch`, body, jsonPatch);
      };
      await countTogether('by-patch', increment, 422);
    });

    test(
      'is counted up by applies of many managers, on the revision read',
      { timeout },
      async () => {
        const increment: Increment = (connection, client, read) => {
          const { resourceVersion } = read.metadata;
          const target = `${configMaps}/by-apply?fieldManager=c${client}&force=true`;
          const body = {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'by-apply', resourceVersion },
            data: { n: String(Number(read.data['n']) + 1) },
          };
          return connection.json('PATCH', target, body, applyPatch);
        };
        await countTogether('by-apply', increment, 409);
      },
    );

    test('takes patches and applies without a resourceVersion and never conflicts', async () => {
      const first = await create('shared');
      const watcher = follow('shared', first);
      const each = 4;
      await together(async (connection, client) => {
        for (let i = 0; i < each; i += 1) {
          const data = { [`c${client}`]: String(i) };
          const byApply = client % 2 === 0;
          const body = byApply
            ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data }
            : { data };
          const { status, value } = await connection.json<Counter>(
            'PATCH',
            `${configMaps}/shared?fieldManager=m${client}`,
            body,
            byApply ? applyPatch : mergePatch,
          );
          assert.equal(status, 200, JSON.stringify(value));
          assert.equal(value.data[`c${client}`], String(i));
        }
      });
      const connection = new HttpConnection(server.port);
      const last = await get(connection, 'shared');
      connection.close();
      for (let client = 0; client < clientsCount; client += 1) {
        assert.equal(last.data[`c${client}`], String(each - 1));
      }
      const appliers = last.metadata.managedFields.filter(({ manager }) =>
        /^m\d*[02468]$/.test(manager),
      );
      assert.equal(appliers.length, Math.ceil(clientsCount / 2), 'each applier owns its own');
      const total = clientsCount * each;
      await eventually('the watcher has seen them all', () => watcher.seen.length >= total);
      assert.equal(watcher.seen.length, total, 'as many revisions as writes');
      watcher.stop();
    });
  });
}
