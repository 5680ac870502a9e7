/**
 * The primary process of `--workers=N`: holds the store, runs what only one may run, and looks
 * after the workers. It serves no HTTP.
 *
 *   start   port found ▶ store ▶ store server ▶ compactor ▶ workers ▶ ready
 *   stop    workers end (each as a server does) ▶ compactor ▶ store closes
 *
 * Why the store is here and not in the workers: a worker may be stopped or killed at any moment,
 * also while it holds a lock of LMDB, and N writers would flush N times where one flush will do.
 */
import { systemClock, systemTimers } from '../stdx/clock.ts';
import { compactorDefaults, createCompactor } from '../storage/compactor.ts';
import type { Compactor } from '../storage/compactor.ts';
import { createStoreServer } from '../storage/remote/store-server.ts';
import type { StoreServer } from '../storage/remote/store-server.ts';
import { createStreamChannel } from '../storage/remote/stream-channel.ts';
import type { Storage } from '../storage/storage.ts';
import { probePort } from '../transport/probe-port.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { Log } from './log.ts';
import type { CompletedConfig } from './options.ts';
import { OptionsError } from './options.ts';
import { openStorage } from './server.ts';
import type { RunningServer } from './server.ts';
import { createFleet } from './worker-fleet.ts';

export type RunningSupervisor = Omit<RunningServer, 'parts'>;

/** What a worker may need beyond its own delay and timeout before it is killed. */
const stopGraceMs = 5_000;

/** @throws OptionsError, StorageError, WorkerFailed. */
export async function startSupervisor(
  config: CompletedConfig,
  log: Log,
): Promise<RunningSupervisor> {
  const port = await probePort(config.bindAddress, config.httpPort).catch((cause: unknown) => {
    throw new OptionsError(`--bind-address, --http-port: ${messageOf(cause)}`);
  });
  const store = config.store === 'fdb' ? undefined : await openStore(config, log);
  const fleet = createFleet({
    count: config.workers,
    port,
    log,
    clock: systemClock,
    timers: systemTimers,
    serve: (stream) => {
      const channel = createStreamChannel(stream);
      if (store === undefined) channel.onFrame(() => undefined);
      else store.server.attach(channel);
    },
  });
  const stopTimeoutMs = config.shutdownDelayMs + config.shutdownTimeoutMs + stopGraceMs;
  try {
    const { url, transport } = await fleet.start();
    store?.compactor.start();
    return {
      url,
      transport,
      kubeconfig: writeKubeconfig(config.dataDir, url),
      async stop() {
        await fleet.stop(stopTimeoutMs);
        await store?.close();
      },
    };
  } catch (error) {
    await fleet.stop(stopTimeoutMs);
    await store?.close();
    throw error;
  }
}

interface SharedStore {
  readonly server: StoreServer;
  readonly compactor: Compactor;
  close(): Promise<void>;
}

async function openStore(config: CompletedConfig, log: Log): Promise<SharedStore> {
  const storage: Storage = await openStorage(config, systemClock, systemTimers);
  const server = await createStoreServer(storage, systemTimers);
  const compactor = createCompactor({
    storage,
    clock: systemClock,
    timers: systemTimers,
    historyMs: config.watchHistoryMs,
    intervalMs: Math.min(compactorDefaults.intervalMs, config.watchHistoryMs),
    onError: (error) => {
      log.error({ err: error }, 'compaction failed; it is tried again');
      server.tellFailure();
    },
  });
  return {
    server,
    compactor,
    async close() {
      await compactor.stop();
      await server.close();
      await storage.close();
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
