/**
 * Watches over WebSocket, as another library speaks it: each event is one message, in the format
 * that was asked for, and what goes wrong before the first is answered in HTTP.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { decode } from 'cborg';
import { WebSocket } from 'ws';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';

const directories = testDirectories('sluice-web-socket');
let server: ServerProcess;
before(async () => {
  const gates = '--feature-gates=CBORServingAndStorage=true';
  const flags = ['--log-level=error', '--identity=kubernetes', gates];
  server = await startServer({ dataDir: directories.make(), flags });
});
after(() => directories.removeAll());

interface Watching {
  readonly socket: WebSocket;
  readonly messages: Buffer[];
  readonly texts: boolean[];
}

async function watch(query: string, accept = 'application/json'): Promise<Watching> {
  const url = `ws://127.0.0.1:${server.port}${configMaps}?watch=1&${query}`;
  const socket = new WebSocket(url, ['x.y'], { headers: { accept } });
  const messages: Buffer[] = [];
  const texts: boolean[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    messages.push(data);
    texts.push(!isBinary);
  });
  await once(socket, 'open');
  assert.equal(socket.protocol, 'x.y');
  return { socket, messages, texts };
}

async function create(names: readonly string[]): Promise<void> {
  const connections = names.map(() => new HttpConnection(server.port));
  await Promise.all(
    names.map(async (name, i) => {
      const body = configMap(name, '', 500);
      const connection = connections[i] as HttpConnection;
      assert.equal((await connection.json('POST', configMaps, body)).status, 201);
      connection.close();
    }),
  );
}

const namesOf = (prefix: string): readonly string[] =>
  Array.from({ length: 40 }, (_, i) => `${prefix}-${i}`);

test('events are lines in text, each a message, whether they come singly or together', async () => {
  const live = await watch(
    'resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  );
  const names = namesOf('json');
  await create(names);
  await eventually('all are there', () => live.messages.length >= 40);
  const listed = await watch('timeoutSeconds=1');
  const [code] = (await once(listed.socket, 'close')) as [number];
  assert.equal(code, 1000, 'a watch whose time is over closes');
  for (const { messages, texts } of [live, listed]) {
    const found = messages.map((each) => {
      const line = each.toString();
      assert.equal(line.indexOf('\n'), line.length - 1, 'one line');
      const { type, object } = JSON.parse(line) as {
        type: string;
        object: { metadata: { name: string } };
      };
      assert.equal(type, 'ADDED');
      return object.metadata.name;
    });
    assert.deepEqual(found.filter((name) => name.startsWith('json-')).sort(), [...names].sort());
    assert.ok(texts.every(Boolean));
  }
  live.socket.terminate();
});

test('CBOR and Protobuf are binary, each event a message without a length before it', async () => {
  const names = namesOf('binary');
  const cbor = await watch('', 'application/cbor-seq');
  const protobuf = await watch('', 'application/vnd.kubernetes.protobuf');
  await create(names);
  const has = ({ messages }: Watching): boolean =>
    names.every((name) => messages.some((each) => each.includes(name)));
  await eventually('all are there', () => has(cbor) && has(protobuf));
  for (const message of cbor.messages) {
    const selfDescribed = message.subarray(3);
    assert.equal(message.subarray(0, 3).toString('hex'), 'd9d9f7');
    const event = decode(selfDescribed, {
      tags: { 55799: (inner: () => unknown) => inner() },
      useMaps: true,
    }) as Map<Uint8Array, unknown>;
    assert.equal(event.size, 2);
  }
  // A WatchEvent begins with its type.
  for (const message of protobuf.messages)
    assert.equal(message.subarray(0, 7).toString(), '\n\u0005ADDED');
  for (const { socket, texts } of [cbor, protobuf]) {
    assert.ok(!texts.some(Boolean));
    socket.terminate();
  }
});

test('what goes wrong before a watch begins is answered in HTTP, and so is what is no watch', async () => {
  for (const [query, status] of [
    ['watch=1&labelSelector=%3D%3D', 400],
    ['limit=1', 200],
  ] as const) {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${configMaps}?${query}`);
    const answered = once(socket, 'unexpected-response');
    const [, answer] = (await answered) as [unknown, { statusCode: number }];
    assert.equal(answer.statusCode, status, query);
    socket.on('error', () => undefined).terminate();
  }
});

test('a server with open WebSockets says goodbye to them and ends', async () => {
  const open = await watch('');
  const closed = once(open.socket, 'close');
  const { code, signal, stderr } = await server.stop();
  assert.equal(code ?? signal, 0, stderr);
  assert.deepEqual((await closed)[0], 1000);
});
