/**
 * The engine's inline caches under load: a request that makes objects of a new hidden class each
 * time misses them wherever such an object is read, which once was a quarter of a create.
 *
 * What it is not: a measurement of time. Misses are counted in the engine's own log.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startServer } from '../support/servers/server-process.ts';

/** Until what is run often has been compiled for what it meets. */
const warmUpCount = 1_500;
const countedCount = 500;
/** Per request. What is left are copies of what clients send, in whatever shape. */
const missesMax = 4;
/** XState's `Actor` copies its options into an object of a new hidden class: about eight misses. */
const withActorMax = 14;

const directories = testDirectories('sluice-inline-caches');
after(() => directories.removeAll());

const collection = '/apis/apps/v1/namespaces/default/deployments';

function deployment(name: string, at: number): object {
  const labels = { app: 'a' };
  const containers = [{ name: 'c', image: `image:${at}`, ports: [{ containerPort: 80 }] }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels, annotations: { at: String(at) } },
    spec: {
      replicas: at % 5,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

type Send = (connection: HttpConnection, at: number) => Promise<{ readonly status: number }>;

const patched =
  (mediaType: string, body: (at: number) => object): Send =>
  (connection, at) =>
    connection.request('PATCH', `${collection}/d${at % 20}`, JSON.stringify(body(at)), mediaType);

const requests: readonly (readonly [string, Send])[] = [
  [
    'create',
    (connection, at) =>
      connection.request('POST', collection, JSON.stringify(deployment(`d${at}`, at))),
  ],
  [
    'update',
    (connection, at) => {
      const name = `d${at % 20}`;
      const body = JSON.stringify(deployment(name, at));
      return connection.request('PUT', `${collection}/${name}`, body);
    },
  ],
  [
    'merge patch',
    patched('application/merge-patch+json', (at) => ({ spec: { replicas: at % 7 } })),
  ],
  [
    'JSON patch',
    patched('application/json-patch+json', (at) => [
      { op: 'replace', path: '/spec/replicas', value: at % 9 },
    ]),
  ],
  ['get', (connection, at) => connection.request('GET', `${collection}/d${at % 20}`)],
  ['list', (connection) => connection.request('GET', `${collection}?limit=20`)],
  [
    'list as a Table',
    (connection) => {
      const accept = 'application/json;as=Table;g=meta.svc.io;v=v1';
      return connection.request('GET', `${collection}?limit=20`, undefined, undefined, accept);
    },
  ],
];

test('a request does not miss the inline caches of the engine', { timeout: 600_000 }, async (t) => {
  const log = path.join(directories.make(), 'v8.log');
  const server = await startServer({
    dataDir: path.join(directories.make(), 'data'),
    flags: ['--store=memory', '--log-level=error'],
    nodeFlags: ['--log-ic', `--logfile=${log}`, '--no-logfile-per-isolate'],
  });
  const misses = (): number => readFileSync(log, 'latin1').split('IC,').length - 1;
  const connection = new HttpConnection(server.port);
  for (const [title, send] of requests) {
    const max = title === 'create' ? withActorMax : missesMax;
    await t.test(`${title}: at most ${max} misses`, async () => {
      let at = 0;
      const sendMany = async (count: number): Promise<void> => {
        for (const end = at + count; at < end; at += 1) {
          const { status } = await send(connection, at);
          assert.ok(status < 300, `${title} ${at} answered ${status}`);
        }
      };
      await sendMany(warmUpCount);
      const before = misses();
      await sendMany(countedCount);
      const perRequest = (misses() - before) / countedCount;
      t.diagnostic(`${title}: ${perRequest.toFixed(2)} misses a request`);
      assert.ok(perRequest <= max, `${perRequest} misses a request`);
    });
  }
  connection.close();
  await server.stop();
});
