/**
 * Clients that lie, dawdle, break off and send nonsense, on bare sockets: promises P6 and P7. After
 * each the server is healthy, holds no watch that nobody reads, and has written nothing.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { HttpConnection, metricOf } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps, fill } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually, listOf } from '../support/clients/watch-client.ts';

const timeout = 300_000;
const bodyBytesMax = 3 * 1024 * 1024;
const filledCount = 500;
const directories = testDirectories('sluice-bad');
let server: ServerProcess;
let revisionBefore = '';
/** The server follows its own namespaces. */
let watchesBefore = 0;

before(async () => {
  const dataDir = path.join(directories.make(), 'data');
  server = await startServer({
    dataDir,
    flags: ['--log-level=error', '--request-timeout=2s', '--idle-timeout=5s'],
  });
  await fill(server.port, filledCount, 4096);
  watchesBefore = await metricOf(server.port, 'apiserver_longrunning_requests');
  revisionBefore = (await listOf(server.port, configMaps)).metadata.resourceVersion;
});

after(() => directories.removeAll());

/** What must hold after each of them. */
async function assertUnharmed(): Promise<void> {
  await eventually(
    'no watch and no request is left open',
    async () =>
      (await metricOf(server.port, 'apiserver_longrunning_requests')) === watchesBefore &&
      (await metricOf(server.port, 'apiserver_current_inflight_requests')) === 1,
  );
  const connection = new HttpConnection(server.port);
  const ready = await connection.request('GET', '/readyz');
  assert.equal(ready.body.toString(), 'ok');
  connection.close();
  const list = await listOf(server.port, configMaps);
  assert.equal(list.metadata.resourceVersion, revisionBefore, 'nothing was written');
  assert.equal(list.items.length, filledCount);
}

interface Spoken {
  readonly socket: Socket;
  /** All that came, once the connection is closed. */
  readonly reply: Promise<string>;
}

function speak(text: string | Uint8Array): Spoken {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  let reply = '';
  socket.on('data', (bytes) => (reply += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  socket.write(text);
  return { socket, reply: new Promise((resolve) => socket.on('close', () => resolve(reply))) };
}

function post(body: string | Uint8Array, headers = '', length?: number): Buffer {
  const bytes = Buffer.from(body as string);
  const head =
    `POST ${configMaps} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n` +
    `${headers}Content-Length: ${length ?? bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

const valid = JSON.stringify(configMap('bad', 'never there', 2000));

test('half-closed connections end without an effect', { timeout }, async () => {
  const halves = ['', 'GET ', `GET ${configMaps} HTTP/1.1\r\n`, post(valid).subarray(0, 400)];
  const spoken = halves.map((half) => speak(half));
  for (const { socket } of spoken) socket.end();
  await Promise.all(spoken.map(({ reply }) => reply));
  const watch = speak(`GET ${configMaps}?watch=true HTTP/1.1\r\nHost: test\r\n\r\n`);
  await new Promise((resolve) => watch.socket.once('data', resolve));
  watch.socket.end();
  await watch.reply;
  await assertUnharmed();
});

test('heads and bodies a byte at a time are cut off, not waited for', { timeout }, async () => {
  const slow = Array.from({ length: 50 }, (_, index) => {
    const text = index % 2 === 0 ? `GET /api/v1/namesp` : post(valid).subarray(0, 300);
    const one = speak(text);
    const timer = setInterval(() => one.socket.write('x'), 200);
    one.socket.on('close', () => clearInterval(timer));
    return one;
  });
  // Meanwhile others are served.
  const connection = new HttpConnection(server.port);
  assert.equal((await connection.request('GET', configMaps)).status, 200);
  connection.close();
  const bodies = slow.filter((_, index) => index % 2 === 1);
  const answers = await Promise.all(bodies.map(({ reply }) => reply));
  for (const answer of answers) assert.doesNotMatch(answer, /^HTTP\/1\.1 2/);
  for (const { socket } of slow) socket.destroy();
  await assertUnharmed();
});

test('a Content-Length that lies writes nothing', { timeout }, async () => {
  const longer = speak(post(valid, '', valid.length + 10));
  const shorter = speak(post(valid, '', valid.length - 10));
  longer.socket.end();
  assert.doesNotMatch(await longer.reply, /^HTTP\/1\.1 2/);
  shorter.socket.end();
  const cutShort = await shorter.reply;
  assert.doesNotMatch(cutShort, /^HTTP\/1\.1 2/);
  for (const header of ['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n']) {
    const twice = speak(post(valid, header));
    twice.socket.end();
    assert.doesNotMatch(await twice.reply, /^HTTP\/1\.1 2/, header);
  }
  for (const wrong of ['-1', '1e3', '0x10', '99999999999999999999', '+5', '']) {
    const head = `POST ${configMaps} HTTP/1.1\r\nHost: t\r\nContent-Length: ${wrong}\r\n\r\n`;
    const one = speak(head + valid);
    one.socket.end();
    assert.doesNotMatch(await one.reply, /^HTTP\/1\.1 2/, wrong);
  }
  await assertUnharmed();
});

test('garbage in place of HTTP closes its own connection only', { timeout }, async () => {
  const prng = seededPrng(7);
  const garbage = Array.from({ length: 200 }, () =>
    Buffer.from(Array.from({ length: 1 + randomBelow(prng, 300) }, () => randomBelow(prng, 256))),
  );
  const chunked = `POST ${configMaps} HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const texts = [
    '\r\n\r\n\r\n\r\n',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /%zz HTTP/1.1\r\nHost: t\r\n\r\n',
    'GET /api/v1/namespaces/%00/pods HTTP/1.1\r\nHost: t\r\n\r\n',
    'GET /api/v1/namespaces/%c3%28/pods HTTP/1.1\r\nHost: t\r\n\r\n',
    `GET /${'a/'.repeat(1500)} HTTP/1.1\r\nHost: t\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `${chunked}zz\r\n{}\r\n0\r\n\r\n`,
    `${chunked}ffffffffff\r\n{}`,
    `BREW ${configMaps} HTTP/1.1\r\nHost: t\r\n\r\n`,
  ];
  const spoken = [...garbage, ...texts].map((each) => speak(each));
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const { socket } of spoken) socket.destroy();
  await assertUnharmed();
});

test(
  'bodies above the limit are refused with 413, large ones below it are read',
  { timeout },
  async () => {
    const connection = new HttpConnection(server.port);
    const large = Buffer.alloc(bodyBytesMax + 1, 0x20);
    for (let i = 0; i < 5; i += 1) {
      const answer = await connection.json<{ reason: string }>('POST', configMaps);
      assert.notEqual(answer.status, 201, 'an empty body is no object');
      const { status, body } = await connection.request('POST', configMaps, large);
      assert.equal(status, 413);
      assert.equal(JSON.parse(body.toString()).kind, 'Status');
    }
    const blank = await connection.request('POST', configMaps, large.subarray(1));
    assert.equal(blank.status, 400);
    connection.close();
    const claimed = speak(post('', '', 999_999_999));
    claimed.socket.end();
    assert.doesNotMatch(await claimed.reply, /^HTTP\/1\.1 2/);
    await assertUnharmed();
  },
);

test('bodies that are no objects are refused with a Status', { timeout }, async () => {
  const deep = 200_000;
  const nested = `{"a":`.repeat(deep) + '1' + '}'.repeat(deep);
  const inData = (text: string): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"},"data":${text}}`;
  const bodies: (string | Buffer)[] = [
    nested,
    '['.repeat(deep),
    inData('['.repeat(100_000) + ']'.repeat(100_000)),
    inData(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
    Buffer.concat([
      Buffer.from('{"apiVersion":"v1","kind":"'),
      Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
    ]),
    Buffer.from(inData('{"k":"\u0000"}').replace('\u0000', '\xff'), 'latin1'),
    '',
    'null',
    '1e999999',
    '{"__proto__":{"x":1}}',
    inData('{"a":"1"}') + 'x',
    '\uFEFF' + 'x'.repeat(10),
  ];
  const connection = new HttpConnection(server.port);
  for (const [index, body] of bodies.entries()) {
    const { status, body: answer } = await connection.request('POST', configMaps, body);
    assert.ok(
      status >= 400 && status < 500,
      `body ${index}: ${status} ${answer.toString().slice(0, 300)}`,
    );
    assert.equal(JSON.parse(answer.toString()).kind, 'Status', `body ${index}`);
  }
  connection.close();
  for (const zipped of [gzipSync(Buffer.alloc(64 * 1024 * 1024)), Buffer.from('not gzip')]) {
    const one = speak(post(zipped, 'Connection: close\r\nContent-Encoding: gzip\r\n'));
    await new Promise((resolve) => one.socket.once('data', resolve));
    one.socket.end();
    assert.match(await one.reply, /^HTTP\/1\.1 4/);
  }
  await assertUnharmed();
});

test('heads that are too large or have too many lines are not served', { timeout }, async () => {
  const many = Array.from({ length: 4000 }, (_, i) => `X-${i}: y\r\n`).join('');
  for (const headers of [`X-Large: ${'y'.repeat(100_000)}\r\n`, many]) {
    const one = speak(`GET ${configMaps} HTTP/1.1\r\nHost: t\r\n${headers}\r\n`);
    assert.doesNotMatch(await one.reply, /^HTTP\/1\.1 2/);
  }
  await assertUnharmed();
});

test('thousands of requests broken off leave nothing behind', { timeout }, async () => {
  const prng = seededPrng(11);
  const targets = [
    configMaps,
    `${configMaps}/o1`,
    `${configMaps}?watch=true`,
    `${configMaps}?limit=10`,
    '/apis',
    '/metrics',
  ];
  const breakOff = async (): Promise<void> => {
    for (let i = 0; i < 60; i += 1) {
      const target = targets[randomBelow(prng, targets.length)] as string;
      const { socket, reply } = speak(`GET ${target} HTTP/1.1\r\nHost: t\r\n\r\n`);
      const at = randomBelow(prng, 3);
      if (at === 0) await new Promise((resolve) => socket.once('connect', resolve));
      if (at === 1) await new Promise((resolve) => socket.once('data', resolve));
      if (at === 2) await new Promise((resolve) => setTimeout(resolve, randomBelow(prng, 5)));
      if (randomBelow(prng, 2) === 0) socket.resetAndDestroy();
      else socket.destroy();
      await reply;
    }
  };
  await Promise.all(Array.from({ length: 50 }, breakOff));
  await assertUnharmed();
});

test('watches broken off in their initial state leave nothing behind', { timeout }, async () => {
  const target =
    `${configMaps}?watch=true&allowWatchBookmarks=true` +
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  for (let wave = 0; wave < 5; wave += 1) {
    const spoken = Array.from({ length: 100 }, () =>
      speak(`GET ${target} HTTP/1.1\r\nHost: t\r\n\r\n`),
    );
    for (const [index, { socket }] of spoken.entries()) {
      socket.once('data', () => {
        socket.pause();
        if (index % 3 === 0) socket.resetAndDestroy();
        else if (index % 3 === 1) socket.destroy();
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const { socket } of spoken) socket.destroy();
  }
  await assertUnharmed();
});

test('none of it was a failure of the server', { timeout }, async () => {
  const { code, stderr } = await server.stop();
  assert.equal(code, 0);
  assert.equal(stderr, '');
});
