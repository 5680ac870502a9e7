/**
 * A whole server in the test's process, on a free port of the loopback, and a small client for it.
 *
 * What it is not: a fake. It is the composition root with a quiet log; `running.parts` reaches the
 * store and the actors for what HTTP cannot ask for (compaction).
 *
 * Invariant: stop() leaves nothing open; a fatal error of the server fails the stop.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { completeConfig, optionTable } from '../../../src/server/config/options.ts';
import type { OptionName, RawOptions } from '../../../src/server/config/options.ts';
import type { Log } from '../../../src/server/compose/log.ts';
import { startServer } from '../../../src/server/compose/server.ts';
import type { RunningServer, ServerEnvironment } from '../../../src/server/compose/server.ts';
import { openAccess } from './open-access.ts';
import { exchange, openResponse } from '../clients/http-client.ts';
import type { HttpReply, HttpRequest } from '../clients/http-client.ts';
import { readWatch } from '../clients/watch-reader.ts';
import type { WatchReader } from '../clients/watch-reader.ts';
import { testDirectories } from '../data/test-directories.ts';

export type RequestOptions = Pick<HttpRequest, 'body' | 'headers'>;
export type Reply = HttpReply;

export interface ApiClient {
  readonly url: string;
  request(method: string, target: string, options?: RequestOptions): Promise<Reply>;
  openWatch(target: string, headers?: Readonly<Record<string, string>>): Promise<WatchReader>;
  /** Closes idle connections and open watches. */
  close(): void;
}

export interface TestServer extends ApiClient {
  readonly running: RunningServer;
  readonly dataDir: string;
  /** The server stops; the data directory stays for the next start. */
  stop(): Promise<void>;
  /** stop() and everything it left on disk. */
  remove(): Promise<void>;
}

export type TestOptions = Partial<RawOptions>;

const quiet = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** Memory store, kubernetes identity and the default transport unless `options` say otherwise.
 * `worker`: one of several over a store that the test holds. */
export async function startTestServer(
  options: TestOptions = {},
  log: Log = quiet,
  worker?: ServerEnvironment['worker'],
): Promise<TestServer> {
  const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
  const directories = testDirectories('sluice-test');
  const dataDir = options['data-dir'] ?? directories.make();
  const raw: RawOptions = {
    ...(defaults as Record<OptionName, string>),
    store: 'memory',
    identity: 'kubernetes',
    'http-port': '0',
    ...openAccess,
    ...options,
    'data-dir': dataDir,
  };
  const fatal: unknown[] = [];
  const environment = { log, onFatal: (error: unknown) => void fatal.push(error), worker };
  const running = await startServer(completeConfig(raw), environment).catch(async (error) => {
    await directories.removeAll();
    throw error;
  });
  // Of a server with both ports the plain one: TLS has a client of its own (secure-server.ts).
  const client = apiClient(running.httpUrl ?? running.url);
  const stop = async (): Promise<void> => {
    client.close();
    await running.stop();
    assert.deepEqual(fatal, [], 'the server did not go on');
  };
  return {
    ...client,
    running,
    dataDir,
    stop,
    async remove() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
      await directories.removeAll();
    },
  };
}

export function apiClient(url: string): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const watches = new Set<WatchReader>();
  return {
    url,
    request: (method, target, options = {}) => exchange(url, target, { ...options, method, agent }),
    async openWatch(target, headers = {}) {
      const reader = readWatch(await openResponse(url, target, { headers }));
      watches.add(reader);
      return reader;
    },
    close() {
      for (const watch of watches) watch.close();
      watches.clear();
      agent.destroy();
    },
  };
}
