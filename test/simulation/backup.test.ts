import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import { runToEnd, startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { listOf } from '../support/clients/watch-client.ts';
import type { StoredObject } from '../support/clients/watch-client.ts';

const directories = testDirectories('sluice-backup');
after(() => directories.removeAll());
const flags = ['--log-level=error'];
const writersCount = 20;
const objectsPerWriter = 5;

interface Written {
  readonly revision: bigint;
  readonly name: string;
  readonly text: string;
}

interface Writers {
  /** Every acknowledged write, in the order of the answers. */
  readonly written: Written[];
  stop(): Promise<void>;
}

/** Each writer creates its objects and then replaces them, one after another. */
function startWriters(port: number): Writers {
  const written: Written[] = [];
  let stopping = false;
  const run = async (writer: number): Promise<void> => {
    const connection = new HttpConnection(port);
    for (let n = 0; !stopping; n += 1) {
      const name = `w${writer}-${n % objectsPerWriter}`;
      const isNew = n < objectsPerWriter;
      const target = isNew ? configMaps : `${configMaps}/${name}`;
      const text = `${writer} ${n}`;
      const body = configMap(name, text, 2000);
      const answer = await connection.json<StoredObject>(isNew ? 'POST' : 'PUT', target, body);
      assert.equal(answer.status, isNew ? 201 : 200, JSON.stringify(answer.value));
      written.push({ revision: BigInt(answer.value.metadata.resourceVersion), name, text });
    }
    connection.close();
  };
  const running = Array.from({ length: writersCount }, (_, writer) => run(writer));
  return {
    written,
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

async function writtenAtLeast(writers: Writers, count: number): Promise<void> {
  while (writers.written.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What a store holds whose newest revision is `at`. */
function stateAt(written: readonly Written[], at: bigint): Map<string, Written> {
  const state = new Map<string, Written>();
  for (const write of written) {
    const known = state.get(write.name);
    if (write.revision <= at && (known === undefined || known.revision < write.revision)) {
      state.set(write.name, write);
    }
  }
  return state;
}

function revisionIn(line: string): bigint {
  return BigInt(/ revision=(\d+)/.exec(line)?.[1] as string);
}

async function assertHolds(
  server: ServerProcess,
  expected: ReadonlyMap<string, Written>,
): Promise<void> {
  const { items } = await listOf(server.port, configMaps);
  assert.deepEqual(
    items
      .map((i) => [i.metadata.name, i.data?.['text'], BigInt(i.metadata.resourceVersion)])
      .sort(),
    [...expected.values()].map((w) => [w.name, w.text, w.revision]).sort(),
  );
}

async function create(server: ServerProcess, name: string): Promise<bigint> {
  const connection = new HttpConnection(server.port);
  const answer = await connection.json<StoredObject>(
    'POST',
    configMaps,
    configMap(name, name, 400),
  );
  connection.close();
  assert.equal(answer.status, 201);
  return BigInt(answer.value.metadata.resourceVersion);
}

async function watchStatus(server: ServerProcess, from: bigint): Promise<string> {
  const connection = new HttpConnection(server.port);
  const target = `${configMaps}?watch=true&resourceVersion=${from}&timeoutSeconds=1`;
  const { status, body } = await connection.request('GET', target);
  connection.close();
  const code = /"code":(\d+)/.exec(body.toString())?.[1];
  return `${status} ${code ?? ''}`.trim();
}

describe('sluice backup', () => {
  it('copies a server under writes: a consistent state, with everything acknowledged before', async () => {
    const [data, copies] = [directories.make(), directories.make()];
    const original = await startServer({ dataDir: data, flags });
    const writers = startWriters(original.port);
    await writtenAtLeast(writers, 500);
    const before = Math.max(...writers.written.map((w) => Number(w.revision)));
    const copy = path.join(copies, 'copy');
    const end = await runToEnd(['backup', `--data-dir=${data}`, `--to=${copy}`]);
    assert.equal(end.code, 0, `${end.signal} ${end.stderr}`);
    const at = revisionIn(end.stderr);
    assert.ok(at >= BigInt(before), 'something acknowledged before the backup began is missing');
    await writtenAtLeast(writers, writers.written.length + 200);
    await writers.stop();
    await original.kill();
    const newest = writers.written.reduce((max, w) => (w.revision > max ? w.revision : max), 0n);
    assert.ok(newest > at, 'nothing was written after the copy');

    const checked = await runToEnd(['verify', `--data-dir=${copy}`]);
    assert.equal(checked.code, 0, checked.stderr);
    const restored = await startServer({ dataDir: copy, flags });
    await assertHolds(restored, stateAt(writers.written, at));
    assert.ok((await create(restored, 'after')) > newest, 'a revision is given out twice');
    for (const seen of [BigInt(before), at, newest]) {
      assert.match(await watchStatus(restored, seen), /410$/, `a watch resumes from ${seen}`);
    }
    assert.equal((await restored.stop()).code, 0);

    // The original is none the worse.
    const again = await startServer({ dataDir: data, flags });
    await assertHolds(again, stateAt(writers.written, newest));
    assert.equal((await again.stop()).code, 0);
  });

  it('several copies at once, while a server starts and stops beside them', async () => {
    const [data, copies] = [directories.make(), directories.make()];
    const first = await startServer({ dataDir: data, flags });
    const writers = startWriters(first.port);
    await writtenAtLeast(writers, 1000);
    await writers.stop();
    await first.stop();
    const backups = Array.from({ length: 4 }, (_, i) =>
      runToEnd(['backup', `--data-dir=${data}`, `--to=${path.join(copies, String(i))}`]),
    );
    for (let i = 0; i < 2; i += 1) {
      const server = await startServer({ dataDir: data, flags });
      assert.equal((await server.stop()).code, 0);
    }
    for (const end of await Promise.all(backups))
      assert.equal(end.code, 0, `${end.signal} ${end.stderr}`);
    assert.deepEqual(readdirSync(copies).sort(), ['0', '1', '2', '3']);
  });

  it('a damaged original is told, and leaves no copy behind', async () => {
    const [data, copies] = [directories.make(), directories.make()];
    const server = await startServer({ dataDir: data, flags });
    await create(server, 'one');
    await server.stop();
    writeFileSync(path.join(data, 'data.mdb'), 'x'.repeat(100_000));
    const end = await runToEnd([
      'backup',
      `--data-dir=${data}`,
      `--to=${path.join(copies, 'copy')}`,
    ]);
    assert.equal(end.code, 2);
    assert.match(end.stderr, /^sluice: [^\n]+ is not an LMDB file\n$/);
    assert.deepEqual(readdirSync(copies), []);
  });

  it('a directory that is not empty is refused, and one without a store', async () => {
    const full = directories.make();
    writeFileSync(path.join(full, 'mine'), 'kept');
    const empty = directories.make();
    for (const [from, to, message] of [
      [empty, full, /is not empty/],
      [empty, path.join(full, 'new'), /there is no store in/],
    ] as const) {
      const end = await runToEnd(['backup', `--data-dir=${from}`, `--to=${to}`]);
      assert.equal(end.code, 2);
      assert.match(end.stderr, message);
    }
    assert.deepEqual(readdirSync(full), ['mine']);
    assert.deepEqual(readdirSync(empty), []);
  });
});

describe('sluice export and import', () => {
  it('a moved server shows the same lists, refuses old watches, and goes on above', async () => {
    const [data, others] = [directories.make(), directories.make()];
    const server = await startServer({ dataDir: data, flags });
    const writers = startWriters(server.port);
    await writtenAtLeast(writers, 500);
    await writers.stop();
    const file = path.join(others, 'store');
    const refused = await runToEnd(['export', `--data-dir=${data}`, `--output=${file}`]);
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /is in use by a running server: stop it, or make a copy with `sluice backup/,
    );
    assert.equal((await server.stop()).code, 0);

    const out = await runToEnd(['export', `--data-dir=${data}`, `--output=${file}`]);
    assert.equal(out.code, 0, out.stderr);
    const at = revisionIn(out.stderr);
    const moved = path.join(others, 'moved');
    mkdirSync(moved);
    const into = await runToEnd(['import', `--data-dir=${moved}`, `--input=${file}`]);
    assert.equal(into.code, 0, into.stderr);
    const restarted = await startServer({ dataDir: moved, flags });
    await assertHolds(restarted, stateAt(writers.written, at));
    assert.match(await watchStatus(restarted, at - 1n), /410$/);
    assert.equal(await watchStatus(restarted, at), '200');
    assert.ok((await create(restarted, 'after')) > at);
    await restarted.stop();

    const twice = await runToEnd(['import', `--data-dir=${moved}`, `--input=${file}`]);
    assert.equal(twice.code, 2);
    assert.match(twice.stderr, /^sluice: [^\n]+ holds a store; an import needs an empty place\n$/);
    const kept = readFileSync(file);
    const again = await runToEnd(['export', `--data-dir=${data}`, `--output=${file}`]);
    assert.equal(again.code, 2);
    assert.deepEqual(readFileSync(file), kept);
  });

  it('a file that was cut is refused in one line, and nothing can be served of it', async () => {
    const [data, others] = [directories.make(), directories.make()];
    const server = await startServer({ dataDir: data, flags });
    for (let i = 0; i < 20; i += 1) await create(server, `n${i}`);
    await server.stop();
    const file = path.join(others, 'store');
    await runToEnd(['export', `--data-dir=${data}`, `--output=${file}`]);
    truncateSync(file, 5000);
    const moved = path.join(others, 'moved');
    const end = await runToEnd(['import', `--data-dir=${moved}`, `--input=${file}`]);
    assert.equal(end.code, 2);
    assert.match(
      end.stderr,
      /^sluice: --input: \S+: the export cannot be used: the file was cut short\n$/,
    );
    assert.ok(existsSync(moved));
    const checked = await runToEnd(['verify', `--data-dir=${moved}`]);
    assert.match(checked.stderr, /there is no store in/);
  });
});
