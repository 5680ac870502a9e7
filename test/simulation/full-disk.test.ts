/**
 * A medium without room: writes are refused with a clear Status, deletions are not, what was
 * acknowledged stays, reads and watches go on, and with room again the server writes again.
 *
 * The small medium is a tmpfs; where it cannot be mounted the first test is skipped and says so.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost, HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually, listOf, Replica, WatchStream } from '../support/clients/watch-client.ts';
import type { StoredObject } from '../support/clients/watch-client.ts';

const timeout = 400_000;
const directories = testDirectories('sluice-full');
const mounts: string[] = [];
after(async () => {
  for (const mount of mounts) spawnSync('umount', ['-l', mount]);
  await directories.removeAll();
});

/** Undefined, or why not. */
function mountSmall(directory: string, size: string): string | undefined {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory]);
  if (mounted.status !== 0) return `no tmpfs here: ${mounted.stderr?.toString().trim()}`;
  mounts.push(directory);
  return undefined;
}

interface StatusBody {
  readonly kind: string;
  readonly reason: string;
  readonly message: string;
  readonly code: number;
  readonly details: { readonly retryAfterSeconds: number };
}

interface Filled {
  readonly acknowledged: Map<string, string>;
  readonly unanswered: Set<string>;
  readonly refusal: StatusBody;
}

/** Ten writers, until one is refused; all the refusals are of one kind. */
async function writeUntilRefused(port: number, prefix: string): Promise<Filled> {
  const acknowledged = new Map<string, string>();
  const unanswered = new Set<string>();
  let refusal: StatusBody | undefined;
  const writer = async (_: unknown, index: number): Promise<void> => {
    const connection = new HttpConnection(port);
    for (let n = 0; n < 5000 && refusal === undefined; n += 1) {
      const name = `${prefix}${index}-${n}`;
      const body = configMap(name, '', 20_000);
      unanswered.add(name);
      const answer = await connection.json<StoredObject>('POST', configMaps, body);
      unanswered.delete(name);
      if (answer.status === 201) {
        acknowledged.set(name, answer.value.metadata.resourceVersion);
      } else {
        refusal = answer.value as unknown as StatusBody;
        assert.equal(refusal.kind, 'Status');
        assert.equal(answer.status, refusal.code);
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 10 }, writer));
  assert.ok(refusal, 'the medium was filled');
  return { acknowledged, unanswered, refusal };
}

/** The library's own lines about a write of which the system takes nothing, which it does not
 * always survive. */
function assertNothingRefused(output: string): void {
  assert.doesNotMatch(output, /Write error|do_write error/);
}

/** A connection that was lost says whether the server was. */
async function told<T>(server: ServerProcess, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    const end = await Promise.race([server.ended, sleep(2_000)]);
    const what = end === undefined ? 'it lives' : `${end.code ?? end.signal}: ${end.stderr}`;
    throw new Error(`a connection was lost; the server: ${what}`, { cause: error });
  }
}

/** What probes and the metrics say of a full store. */
async function assertFull(port: number): Promise<void> {
  const connection = new HttpConnection(port);
  const get = async (path: string) => {
    const { body, status } = await connection.request('GET', path);
    return { status, text: body.toString() };
  };
  assert.match((await get('/readyz')).text, /^\[-\]etcd failed: reason withheld$/m);
  assert.equal((await get('/livez')).status, 200, 'a restart would not mend it');
  assert.match((await get('/metrics')).text, /^sluice_store_full 1$/m);
  connection.close();
}

/** Ten at once, all answered 200. */
async function removeAllBut(port: number, part: number, { acknowledged }: Filled): Promise<void> {
  const names = [...acknowledged.keys()];
  const left = names.splice(Math.ceil(names.length * (1 - part)));
  const remover = async (): Promise<void> => {
    const connection = new HttpConnection(port);
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const { body, status } = await connection.request('DELETE', `${configMaps}/${name}`);
      assert.equal(status, 200, body.toString());
      acknowledged.delete(name);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 10 }, remover));
  assert.equal(acknowledged.size, left.length);
}

async function writeAfter(port: number, { acknowledged }: Filled): Promise<void> {
  const connection = new HttpConnection(port);
  for (let n = 0; n < 10; n += 1) {
    const body = configMap(`after-${n}`, '', 20_000);
    const { status, value } = await connection.json<StoredObject>('POST', configMaps, body);
    assert.equal(status, 201, JSON.stringify(value));
    acknowledged.set(`after-${n}`, value.metadata.resourceVersion);
  }
  connection.close();
}

async function isReady(port: number): Promise<boolean> {
  const connection = new HttpConnection(port);
  const { status } = await connection.request('GET', '/readyz');
  connection.close();
  return status === 200;
}

function linesAbout(text: string, output: string): number {
  return output.split('\n').filter((line) => line.includes(text)).length;
}

async function assertHasAll(port: number, { acknowledged }: Filled): Promise<void> {
  const { items } = await listOf(port, configMaps);
  const found = new Map(items.map((item) => [item.metadata.name, item.metadata.resourceVersion]));
  for (const [name, revision] of acknowledged) assert.equal(found.get(name), revision, name);
  assert.equal(found.size, acknowledged.size, 'and nothing that was refused');
}

function follow(server: ServerProcess): { replica: Replica; stream: WatchStream } {
  const replica = new Replica();
  const target =
    `${configMaps}?watch=true&allowWatchBookmarks=true` +
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const onEvent = replica.apply.bind(replica);
  return { replica, stream: new WatchStream(server.port, target, { onEvent }) };
}

test(
  'a full medium refuses writes, keeps all else, and works again with room',
  { timeout },
  async (context) => {
    const small = directories.make();
    const why = mountSmall(small, '6m');
    if (why !== undefined) return context.skip(why);
    const dataDir = path.join(small, 'data');
    const server = await startServer({ dataDir, flags: ['--log-level=error'] });
    const { replica, stream } = follow(server);
    const filled = await told(server, writeUntilRefused(server.port, 'a'));
    context.diagnostic(`${filled.acknowledged.size} writes, then ${filled.refusal.message}`);
    assert.equal(filled.refusal.code, 503);
    assert.match(filled.refusal.message, /full/);
    assert.ok(filled.refusal.details.retryAfterSeconds > 0);
    await assertFull(server.port);

    await assertHasAll(server.port, filled);
    await eventually(
      'the watch has them all',
      () => replica.objects.size === filled.acknowledged.size,
    );
    const second = follow(server);
    await eventually('a new watch works', () => second.replica.synced);
    assert.equal(second.replica.objects.size, filled.acknowledged.size);

    // Room comes back while it runs.
    assert.equal(spawnSync('mount', ['-o', 'remount,size=64m', small]).status, 0);
    const connection = new HttpConnection(server.port);
    const body = configMap('after', '', 20_000);
    const { status, value } = await connection.json<StoredObject>('POST', configMaps, body);
    assert.equal(status, 201, JSON.stringify(value));
    connection.close();
    filled.acknowledged.set('after', value.metadata.resourceVersion);
    await eventually('the watches go on', () =>
      [replica, second.replica].every((each) => each.objects.has('after')),
    );
    stream.cut();
    second.stream.cut();
    await server.kill();
    const again = await startServer({ dataDir, flags: ['--log-level=error'] });
    await assertHasAll(again.port, filled);
    assert.equal((await again.stop()).code, 0);
  },
);

test('a full medium at the start is said, with exit code 2', { timeout }, async (context) => {
  // Keys are made first. The store's library adds lines of its own, which nobody can turn off.
  for (const [size, line] of [
    ['16k', 'sluice: --data-dir: [^\\n]*ENOSPC'],
    ['96k', 'sluice: no room for the store'],
  ] as const) {
    const small = directories.make();
    const why = mountSmall(small, size);
    if (why !== undefined) return context.skip(why);
    const start = startServer({ dataDir: path.join(small, 'data') });
    await assert.rejects(start, new RegExp(`before it was ready: 2: .*${line}[^\\n]+\\n$`, 's'));
  }
});

test(
  'a full disk: deletions go through, after a restart too, and room is found without a write',
  { timeout },
  async (context) => {
    const directory = directories.make();
    const why = mountSmall(directory, '8m');
    if (why !== undefined) return context.skip(why);
    const dataDir = path.join(directory, 'data');
    const flags = ['--log-level=error', '--watch-history=1s'];
    const first = await startServer({ dataDir, flags });
    const filled = await told(first, writeUntilRefused(first.port, 'b'));
    context.diagnostic(`${filled.acknowledged.size} writes, then ${filled.refusal.message}`);
    assert.equal(filled.refusal.code, 503);
    await assertFull(first.port);
    await first.kill();
    const server = await startServer({ dataDir, flags });
    const { replica, stream } = follow(server);
    await assertHasAll(server.port, filled);
    await told(server, removeAllBut(server.port, 0.2, filled));
    await assertHasAll(server.port, filled);
    assert.equal(spawnSync('mount', ['-o', 'remount,size=64m', directory]).status, 0);
    await eventually('it has room again', () => isReady(server.port));
    await told(server, writeAfter(server.port, filled));
    await eventually('the watch has them all', () => replica.objects.has('after-9'));
    assert.equal(replica.objects.size, filled.acknowledged.size);
    stream.cut();
    const { code, signal, stderr, stdout } = await server.stop();
    assert.equal(code ?? signal, 0, stderr);
    assertNothingRefused(stdout + stderr);
    const lines = linesAbout('only deletions are written', stdout + stderr);
    // One each time that it becomes full again, ever later.
    assert.ok(lines >= 1 && lines <= 8, `${lines} lines, not one for each request`);
    const next = await startServer({ dataDir, flags });
    await assertHasAll(next.port, filled);
    assert.equal((await next.stop()).code, 0);
  },
);

const media = [
  { title: 'a full disk', size: '8m', before: undefined },
  // The file may not grow beyond 6 MiB (in units of 512 bytes), as a quota would have it.
  { title: 'a store that may not grow', size: undefined, before: 'ulimit -f 12288' },
];

for (const { before, size, title } of media) {
  test(
    `${title}: deletions alone give it room again, while it runs`,
    { timeout },
    async (context) => {
      const directory = directories.make();
      const why = size === undefined ? undefined : mountSmall(directory, size);
      if (why !== undefined) return context.skip(why);
      const dataDir = path.join(directory, 'data');
      const flags = ['--log-level=info'];
      const server = await startServer({ dataDir, flags, before });
      const { replica, stream } = follow(server);
      const filled = await told(server, writeUntilRefused(server.port, 'd'));
      context.diagnostic(`${filled.acknowledged.size} writes, then ${filled.refusal.message}`);
      assert.equal(filled.refusal.code, 503, filled.refusal.message);
      assert.ok(filled.refusal.details.retryAfterSeconds > 0);
      await assertFull(server.port);
      await told(server, removeAllBut(server.port, 0.5, filled));
      await assertHasAll(server.port, filled);
      await eventually('it has room again', () => isReady(server.port));
      await told(server, writeAfter(server.port, filled));
      await assertHasAll(server.port, filled);
      await eventually('the watch has them all', () => replica.objects.has('after-9'));
      assert.equal(replica.objects.size, filled.acknowledged.size, 'and saw each deletion');
      const second = await told(server, writeUntilRefused(server.port, 'e'));
      for (const [name, revision] of second.acknowledged) filled.acknowledged.set(name, revision);
      await told(server, removeAllBut(server.port, 0.2, filled));
      await eventually('it has room again', () => isReady(server.port));
      await assertHasAll(server.port, filled);
      stream.cut();
      const { code, signal, stderr, stdout } = await server.stop();
      assert.equal(code ?? signal, 0, stderr);
      assertNothingRefused(stdout + stderr);
      assert.ok(linesAbout('only deletions are written', stdout + stderr) >= 2);
      assert.ok(linesAbout('the store has room again', stdout + stderr) >= 2);
      assert.equal(linesAbout('a request failed', stdout + stderr), 0, 'no line for each refusal');
      const next = await startServer({ dataDir, flags });
      await assertHasAll(next.port, filled);
      assert.equal((await next.stop()).code, 0);
    },
  );
}

test(
  'a store that may not grow answers writes with a Status and loses nothing',
  { timeout },
  async (context) => {
    const dataDir = path.join(directories.make(), 'data');
    // The file may not grow beyond 4 MiB (in units of 512 bytes), as a quota would have it.
    const server = await startServer({
      dataDir,
      flags: ['--log-level=silent'],
      before: 'ulimit -f 8192',
    });
    const { replica, stream } = follow(server);
    const filled = await told(server, writeUntilRefused(server.port, 'b'));
    context.diagnostic(`${filled.acknowledged.size} writes, then ${filled.refusal.message}`);
    assert.ok([500, 503, 504].includes(filled.refusal.code), JSON.stringify(filled.refusal));
    await assertHasAll(server.port, filled);
    await eventually(
      'the watch has them all',
      () => replica.objects.size === filled.acknowledged.size,
    );
    stream.cut();
    const health = new HttpConnection(server.port);
    const ready = await health.request('GET', '/readyz');
    assert.equal(ready.status, 500);
    assert.match(ready.body.toString(), /\[-\]etcd failed: reason withheld/);
    health.close();
    await server.stop();
    const again = await startServer({ dataDir, flags: ['--log-level=error'] });
    const { items } = await listOf(again.port, configMaps);
    const found = new Set(items.map((item) => item.metadata.name));
    for (const name of filled.acknowledged.keys()) assert.ok(found.has(name), name);
    const more = new HttpConnection(again.port);
    const { status } = await more.request(
      'POST',
      configMaps,
      JSON.stringify(configMap('z', '', 99)),
    );
    assert.equal(status, 201);
    more.close();
    assert.equal((await again.stop()).code, 0);
  },
);

test('a log on a full disk costs its lines and nothing else', { timeout }, async () => {
  const dataDir = path.join(directories.make(), 'data');
  // A line for each request; the device takes none.
  const flags = ['--log-level=debug'];
  const server = await startServer({ dataDir, flags, before: 'exec 2>/dev/full' });
  const connection = new HttpConnection(server.port);
  for (let n = 0; n < 50; n += 1) {
    const body = configMap(`unlogged-${n}`, '', 99);
    assert.equal((await connection.json('POST', configMaps, body)).status, 201);
  }
  connection.close();
  const { code, signal } = await server.stop();
  assert.equal(code ?? signal, 0);
});
