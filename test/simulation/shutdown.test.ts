/**
 * How a server ends and why it does not start: SIGTERM under load keeps every acknowledged write
 * and ends every watch cleanly; what an operator got wrong is one line and exit code 2.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { ConnectionLost, HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import {
  launch,
  runToEnd,
  serveArguments,
  startServer,
} from '../support/servers/server-process.ts';
import { eventually, listOf, Replica, WatchStream } from '../support/clients/watch-client.ts';
import type { StoredObject } from '../support/clients/watch-client.ts';

const timeout = 300_000;
const directories = testDirectories('sluice-shutdown');
after(() => directories.removeAll());

const newDataDir = (): string => path.join(directories.make(), 'data');
const quiet = '--log-level=error';

interface Writers {
  /** Name and revision of every acknowledged creation. */
  readonly acknowledged: Map<string, bigint>;
  /** Names whose creation was sent and got no answer. */
  readonly unanswered: Set<string>;
  /** Answers that were neither success nor the announced end. */
  readonly others: Map<number, number>;
  readonly done: Promise<unknown>;
}

/** Each creates objects until the server takes no more connections. */
function startWriters(port: number, count: number): Writers {
  const acknowledged = new Map<string, bigint>();
  const unanswered = new Set<string>();
  const others = new Map<number, number>();
  const writer = async (_: unknown, index: number): Promise<void> => {
    const connection = new HttpConnection(port);
    try {
      for (let n = 0; ; n += 1) {
        const name = `w${index}-${n}`;
        unanswered.add(name);
        const answer = await connection.json<StoredObject>(
          'POST',
          configMaps,
          configMap(name, '', 1000),
        );
        unanswered.delete(name);
        if (answer.status === 201) {
          acknowledged.set(name, BigInt(answer.value.metadata.resourceVersion));
        } else {
          others.set(answer.status, (others.get(answer.status) ?? 0) + 1);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
  };
  const done = Promise.all(Array.from({ length: count }, writer));
  done.catch(() => undefined);
  return { acknowledged, unanswered, others, done };
}

test(
  'SIGTERM under load: writes are answered, watches end, nothing is lost',
  { timeout },
  async () => {
    const dataDir = newDataDir();
    const server = await startServer({
      dataDir,
      // Long enough for a slow machine to be seen in between.
      flags: [quiet, '--shutdown-delay-duration=5s'],
    });
    const replicas = Array.from({ length: 5 }, () => new Replica());
    const target =
      `${configMaps}?watch=true&allowWatchBookmarks=true` +
      '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const streams = replicas.map(
      (replica) =>
        new WatchStream(server.port, target, { onEvent: (event) => replica.apply(event) }),
    );
    const writers = startWriters(server.port, 40);
    const witness = new HttpConnection(server.port);
    await eventually('writing has begun', () => writers.acknowledged.size > 500);
    assert.equal((await witness.request('GET', '/readyz')).status, 200);

    server.signal('SIGTERM');
    await eventually(
      'readyz fails while requests are still served',
      async () => (await witness.request('GET', '/readyz')).status === 500,
    );
    const during = writers.acknowledged.size;
    assert.equal((await witness.request('GET', '/livez')).status, 200, 'alive all the same');
    await eventually('writes go on meanwhile', () => writers.acknowledged.size > during);
    server.signal('SIGTERM');

    const { code, stderr } = await server.ended;
    assert.equal(stderr, '');
    assert.equal(code, 0);
    await writers.done;
    for (const stream of streams) assert.equal(await stream.ended, 'clean', 'with a last chunk');
    assert.deepEqual([...writers.others.keys()], [], 'every answer was a success');

    const again = await startServer({ dataDir, flags: [quiet] });
    const list = await listOf(again.port, configMaps);
    const found = new Map(list.items.map((item) => [item.metadata.name, item]));
    for (const [name, revision] of writers.acknowledged) {
      assert.equal(found.get(name)?.metadata.resourceVersion, String(revision), name);
      found.delete(name);
    }
    // A request that arrives as the connection closes may find nobody; it may not half happen.
    for (const name of found.keys()) assert.ok(writers.unanswered.has(name), `${name} is invented`);
    await resumeAll(again.port, replicas);
    assert.equal((await again.stop()).code, 0);
  },
);

/** Watches that were ended resume in the next server and miss nothing. */
async function resumeAll(port: number, replicas: readonly Replica[]): Promise<void> {
  const connection = new HttpConnection(port);
  const last = await connection.json<StoredObject>('POST', configMaps, configMap('last', '', 400));
  connection.close();
  const revision = BigInt(last.value.metadata.resourceVersion);
  const list = await listOf(port, configMaps);
  for (const replica of replicas) {
    assert.ok(replica.synced);
    const target = `${configMaps}?watch=true&resourceVersion=${replica.revision}`;
    const stream = new WatchStream(port, target, { onEvent: (event) => replica.apply(event) });
    await eventually('it has caught up', () => replica.revision >= revision);
    stream.cut();
    replica.assertEquals(list, 'resumed');
  }
}

test('in-flight writes get their answer when there is no delay', { timeout }, async () => {
  const dataDir = newDataDir();
  const server = await startServer({ dataDir, flags: [quiet] });
  const connections = Array.from({ length: 200 }, () => new HttpConnection(server.port));
  await Promise.all(connections.map((each) => each.request('GET', '/livez')));
  // Sent in one turn, the signal after the first answer: the others are on their way.
  const answers = connections.map((each, i) =>
    each.request('POST', configMaps, JSON.stringify(configMap(`c${i}`, '', 1000))),
  );
  await Promise.race(answers);
  const { code } = await server.stop();
  assert.equal(code, 0);
  const settled = await Promise.allSettled(answers);
  const again = await startServer({ dataDir, flags: [quiet] });
  const names = new Set((await listOf(again.port, configMaps)).items.map((i) => i.metadata.name));
  for (const [index, each] of settled.entries()) {
    assert.equal(each.status, 'fulfilled', `write ${index} got no answer`);
    if (each.status !== 'fulfilled') continue;
    assert.equal(names.has(`c${index}`), each.value.status === 201, `write ${index}`);
  }
  assert.equal((await again.stop()).code, 0);
});

test(
  'SIGTERM during the start: the server starts to the end, and ends with exit code 0',
  { timeout },
  async () => {
    const pipe = path.join(directories.make(), 'tokens');
    execFileSync('mkfifo', [pipe]);
    const flags = [`--token-auth-file=${pipe}`];
    const { child, ended } = launch(serveArguments({ dataDir: newDataDir(), flags }), undefined);
    // Opens when the server has it open, in the middle of its start, which then waits for the pipe.
    const tokens = await open(pipe, 'w');
    child.kill('SIGTERM');
    await tokens.write('0123456789,someone,1\n');
    await tokens.close();
    const { code, signal, stdout } = await ended;
    assert.deepEqual({ code, signal, stdout }, { code: 0, signal: null, stdout: '' });
  },
);

test(
  'SIGTERM while the modules are loaded: the server ends with exit code 0 and has begun nothing',
  { timeout },
  async () => {
    // Sent as soon as anybody listens.
    const preload =
      `process.on('newListener', (name) => { if (name === 'SIGTERM') ` +
      `queueMicrotask(() => process.kill(process.pid, 'SIGTERM')); });`;
    const dataDir = newDataDir();
    const nodeFlags = [`--import=data:text/javascript,${encodeURIComponent(preload)}`];
    const { ended } = launch(serveArguments({ dataDir }), undefined, nodeFlags);
    const { code, signal, stdout, stderr } = await ended;
    assert.deepEqual(
      { code, signal, stdout, stderr },
      { code: 0, signal: null, stdout: '', stderr: '' },
    );
    assert.ok(!existsSync(dataDir));
  },
);

test('SIGINT and SIGTERM end an idle server with exit code 0', { timeout }, async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const server = await startServer({ dataDir: newDataDir(), flags: [quiet] });
    server.signal(signal);
    server.signal(signal);
    assert.equal((await server.ended).code, 0);
  }
});

test(
  'a turn that never ends is ended in its time, with code 1 and the reason',
  { timeout },
  async () => {
    const stuck: readonly (readonly [string, string])[] = [
      ['a loop', 'for (;;);'],
      ['a regular expression', "/^(a+)+$/.test('a'.repeat(60) + 'b');"],
    ];
    for (const [title, code] of stuck) {
      const dataDir = newDataDir();
      const begun = `${dataDir}.stuck`;
      const preload =
        `import { writeFileSync } from 'node:fs';` +
        `process.once('SIGUSR2', () => { writeFileSync(${JSON.stringify(begun)}, ''); ${code} });`;
      const server = await startServer({
        dataDir,
        flags: ['--log-level=error', '--shutdown-timeout=0s'],
        nodeFlags: [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
      });
      server.signal('SIGUSR2');
      // Two signals that are sent at once may be taken in any order.
      await eventually('the turn has begun', () => existsSync(begun));
      server.signal('SIGTERM');
      const { code: exit, stderr } = await server.ended;
      assert.equal(exit, 1, title);
      assert.match(stderr, /it was told to end and has not/, title);
    }
  },
);

test('idle connections and a stalled watcher do not hold up the end', { timeout }, async () => {
  const server = await startServer({ dataDir: newDataDir(), flags: [quiet] });
  const idle = new HttpConnection(server.port);
  await idle.request('GET', '/livez');
  const stream = new WatchStream(server.port, `${configMaps}?watch=true`, { stalled: true });
  const writer = new HttpConnection(server.port);
  for (let i = 0; i < 20; i += 1) {
    const body = JSON.stringify(configMap(`large${i}`, '', 900_000));
    assert.equal((await writer.request('POST', configMaps, body)).status, 201);
  }
  const { code } = await server.stop();
  assert.equal(code, 0);
  stream.cut();
  idle.close();
  writer.close();
});

describe('what the operator got wrong is one line and exit code 2', () => {
  async function assertRefused(args: readonly string[], pattern: RegExp): Promise<void> {
    const { code, stdout, stderr } = await runToEnd(args);
    assert.equal(code, 2, `${args.join(' ')}: ${code} ${stderr}`);
    assert.equal(stdout, '');
    assert.match(stderr, pattern);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  }

  test('a flag or a value that is not known', { timeout }, async () => {
    const wrong: [string[], RegExp][] = [
      [['serve', '--nonsense'], /--nonsense/],
      [['serve', 'extra'], /argument/],
      [['frobnicate'], /frobnicate/],
      [['serve', '--http-port'], /--http-port/],
      [['serve', '--http-port=70000'], /--http-port/],
      [['serve', '--http-port=-1'], /--http-port/],
      [['serve', '--http-port=http'], /--http-port/],
      [['serve', '--store=sql'], /--store.*lmdb/],
      [['serve', '--identity=other'], /--identity.*svc/],
      [['serve', '--transport=quic'], /--transport/],
      [['serve', '--watch-history=soon'], /--watch-history/],
      [['serve', '--watch-history=-5m'], /--watch-history/],
      [['serve', '--data-dir='], /--data-dir/],
      [['serve', '--max-request-bytes=1e9'], /--max-request-bytes/],
      [['serve', '--feature-gates=Nope=true'], /--feature-gates/],
      [['serve', '--feature-gates=WatchList=perhaps'], /--feature-gates/],
      [['serve', '--runtime-config=batch/v1=perhaps'], /--runtime-config/],
      [['serve', '--log-level=loud'], /--log-level/],
      [['serve', '--bind-address=not-an-address'], /not-an-address/],
      [['serve', '--bind-address='], /--bind-address/],
    ];
    const dataDir = directories.make();
    for (const [args, pattern] of wrong) {
      const own = args.some((arg) => arg.startsWith('--data-dir')) ? [] : [`--data-dir=${dataDir}`];
      const port = ['--secure-port=off'];
      if (!args.some((arg) => arg.startsWith('--http-port'))) port.push('--http-port=0');
      const rest = args[0] === 'serve' ? [...own, ...port] : [];
      await assertRefused([...args, ...rest], pattern);
    }
  });

  test(
    'a data directory that is in use, of another identity, or no directory',
    { timeout },
    async () => {
      const dataDir = newDataDir();
      const server = await startServer({ dataDir, flags: [quiet] });
      await assertRefused(serveArguments({ dataDir }), /in use/);
      assert.equal((await server.stop()).code, 0);
      const otherwise = serveArguments({ dataDir, flags: ['--identity=kubernetes'] });
      await assertRefused(otherwise, /identity/);
      const file = path.join(directories.make(), 'file');
      writeFileSync(file, 'not a directory');
      await assertRefused(serveArguments({ dataDir: file }), /file/);
      await assertRefused(serveArguments({ dataDir: path.join(file, 'below') }), /file/);
      // The refused starts have changed nothing.
      const again = await startServer({ dataDir, flags: [quiet] });
      assert.equal((await again.stop()).code, 0);
    },
  );

  test('a store that is not one', { timeout }, async () => {
    const dataDir = newDataDir();
    const server = await startServer({ dataDir, flags: [quiet] });
    assert.equal((await server.stop()).code, 0);
    const broken = directories.make();
    mkdirSync(broken, { recursive: true });
    for (const file of readdirSync(dataDir)) {
      writeFileSync(path.join(broken, file), Buffer.alloc(8192, 0x5a));
    }
    await assertRefused(serveArguments({ dataDir: broken }), /sluice: /);
  });

  test('a port that is taken', { timeout }, async () => {
    const server = await startServer({ dataDir: newDataDir(), flags: [quiet] });
    for (const transport of ['uws', 'node']) {
      const flags = [`--http-port=${server.port}`, `--transport=${transport}`];
      await assertRefused(serveArguments({ dataDir: newDataDir(), flags }), /port|address/i);
    }
    assert.equal((await server.stop()).code, 0);
  });
});
