/** What a server answers while it still reads its store, and how it is told to end meanwhile. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import type { OptionName, RawOptions } from '../../src/server/config/options.ts';
import { startServer } from '../../src/server/compose/server.ts';
import type { RunningServer, WorkerAssignment } from '../../src/server/compose/server.ts';
import { StartStopped } from '../../src/server/known-failures.ts';
import { systemClock } from '../../src/stdx/clock.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { probePort } from '../../src/transport/probe-port.ts';
import { exchange } from '../support/clients/http-client.ts';
import type { HttpReply, HttpRequest } from '../support/clients/http-client.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { openAccess } from '../support/servers/open-access.ts';

const directories = testDirectories('sluice-early');
after(() => directories.removeAll());

const ignore = (): void => undefined;
const log = { error: ignore, warn: ignore, info: ignore, debug: ignore };

interface SlowStart {
  readonly url: string;
  readonly running: Promise<RunningServer>;
  readonly stopping: AbortController;
  readonly store: { readonly closed: boolean };
  readonly fatal: readonly unknown[];
  /** The store is read to its end. */
  goOn(): void;
  ask(target: string, request?: HttpRequest): Promise<HttpReply>;
}

/** A server whose store is not read any further until it is told. */
async function startSlowly(answersEarly = true): Promise<SlowStart> {
  const port = await probePort('127.0.0.1', 0);
  const url = `http://127.0.0.1:${port}`;
  const stopping = new AbortController();
  const fatal: unknown[] = [];
  const state = { closed: false };
  let goOn = ignore;
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const memory = createMemoryStorage({ clock: systemClock });
  const storage: Storage = {
    ...memory,
    async scan(range, at) {
      await told;
      return memory.scan(range, at);
    },
    async close() {
      state.closed = true;
      await memory.close();
    },
  };
  const ports = { http: port, secure: undefined, tokens: undefined };
  const worker: WorkerAssignment = { number: 1, ports, storage, answersEarly };
  const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
  const raw = { ...(defaults as Record<OptionName, string>), store: 'memory', ...openAccess };
  const config = completeConfig({ ...raw, 'data-dir': directories.make() });
  const onFatal = (error: unknown): void => void fatal.push(error);
  const running = startServer(config, { log, onFatal, worker, stopping: stopping.signal });
  running.catch(ignore);
  const ask = (target: string, request?: HttpRequest) => exchange(url, target, request);
  return { url, running, stopping, store: state, fatal, goOn, ask };
}

const listening = ({ ask }: SlowStart): Promise<void> =>
  eventually('the port is open', () =>
    ask('/livez').then(
      () => true,
      () => false,
    ),
  );

const failing = (text: string): readonly string[] =>
  [...text.matchAll(/^\[-\](\S+)/gm)].map(([, name = '']) => name);
const named = (text: string): readonly string[] =>
  [...text.matchAll(/^\[[+-]\](\S+)/gm)].map(([, name = '']) => name);

describe('while a server reads its store', () => {
  let start: SlowStart;
  before(async () => {
    start = await startSlowly();
    await listening(start);
  });
  after(async () => {
    start.goOn();
    await (await start.running).stop();
  });

  it('it is alive, for a restart would only begin the reading anew', async () => {
    const { status, text } = await start.ask('/livez?verbose');
    assert.equal(status, 200);
    assert.match(text, /livez check passed/);
    assert.equal((await start.ask('/livez', { method: 'HEAD' })).status, 200);
  });

  for (const endpoint of ['readyz', 'healthz']) {
    it(`/${endpoint} fails and names what is still to be done`, async () => {
      const { status, text } = await start.ask(`/${endpoint}`);
      assert.equal(status, 500);
      assert.ok(failing(text).includes('poststarthook/start-system-namespaces-controller'), text);
      assert.ok(failing(text).includes('etcd'), text);
      assert.ok(!failing(text).includes('ping'), text);
    });
  }

  it('nothing is excluded from readiness that cannot pass', async () => {
    const { status, text } = await start.ask('/readyz?exclude=informer-sync&verbose');
    assert.equal(status, 500);
    assert.ok(!failing(text).includes('informer-sync'), text);
  });

  const refused = ['/api/v1/namespaces', '/version', '/apis', '/metrics', '/livez/ping', '/'];
  for (const target of refused) {
    it(`${target} is to be asked for again`, async () => {
      const { body, headers, status } = await start.ask(target);
      assert.equal(status, 503);
      assert.ok(Number(headers['retry-after']) >= 1);
      assert.equal(body['reason'], 'ServiceUnavailable');
    });
  }

  it('a write is refused without a look at its body', async () => {
    const metadata = { name: 'early' };
    const request = { method: 'POST', body: { metadata, padding: 'x'.repeat(100_000) } };
    assert.equal((await start.ask('/api/v1/namespaces', request)).status, 503);
    assert.equal((await start.ask('/readyz', { method: 'POST' })).status, 503);
  });

  it('a query that is none is refused', async () => {
    assert.equal((await start.ask('/readyz?%ff')).status, 400);
  });

  it('the checks are those of afterwards, in their order; then the same port serves', async () => {
    const texts = async (): Promise<readonly string[]> =>
      Promise.all(
        ['livez', 'readyz', 'healthz'].map(async (endpoint) => {
          return (await start.ask(`/${endpoint}?verbose`)).text;
        }),
      );
    const early = (await texts()).map(named);
    start.goOn();
    await start.running;
    await eventually('it is ready', async () => (await start.ask('/readyz')).status === 200);
    assert.deepEqual((await texts()).map(named), early);
    assert.equal((await start.ask('/api/v1/namespaces/default')).status, 200);
    assert.equal((await start.ask('/api/v1/namespaces/early')).status, 404);
    assert.deepEqual(start.fatal, []);
  });
});

describe('a server that is told to end while it reads its store', () => {
  it('ends at once, with its port free and its store closed', async () => {
    const start = await startSlowly();
    await listening(start);
    start.stopping.abort();
    await assert.rejects(start.running, StartStopped);
    assert.equal(start.store.closed, true);
    await assert.rejects(start.ask('/livez'), { code: 'ECONNREFUSED' });
    start.goOn();
    assert.deepEqual(start.fatal, []);
  });
});

describe('a worker whose place others take meanwhile', () => {
  it('does not answer before it serves', async () => {
    const start = await startSlowly(false);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await assert.rejects(start.ask('/livez'), { code: 'ECONNREFUSED' });
    start.goOn();
    const running = await start.running;
    assert.equal((await start.ask('/api/v1/namespaces/default')).status, 200);
    await running.stop();
  });
});

describe('a port that another program has', () => {
  it('is told before the store is read', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    let scanned = false;
    const memory = createMemoryStorage({ clock: systemClock });
    const storage: Storage = {
      ...memory,
      scan(range, at) {
        scanned = true;
        return memory.scan(range, at);
      },
    };
    const ports = { http: port, secure: undefined, tokens: undefined };
    const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
    const raw = { ...defaults, store: 'memory', ...openAccess, 'data-dir': directories.make() };
    const config = completeConfig(raw as unknown as RawOptions);
    const worker = { number: 1, ports, storage };
    const started = startServer(config, { log, onFatal: ignore, worker });
    await assert.rejects(started, /is in use by another program/);
    assert.equal(scanned, false);
    taken.close();
  });
});
