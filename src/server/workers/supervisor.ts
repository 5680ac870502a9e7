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
import { identityOf } from '../../apimachinery/identity.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import { systemClock, systemTimers } from '../../stdx/clock.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { compactorDefaults, createCompactor } from '../../storage/compactor.ts';
import type { Compactor } from '../../storage/compactor.ts';
import { fetchingCommits, fetchingStorage } from '../../storage/fetching-storage.ts';
import { createStoreServer } from '../../storage/remote/store-server.ts';
import type { StoreServer } from '../../storage/remote/store-server.ts';
import { createStreamChannel } from '../../storage/remote/stream-channel.ts';
import type { Storage } from '../../storage/storage.ts';
import { probePort } from '../../transport/probe-port.ts';
import { adminAccess, writeKubeconfig } from '../compose/kubeconfig.ts';
import { ensurePki, rootCaOf, servingOf } from '../compose/pki.ts';
import type { TokenPort } from '../config/access-options.ts';
import type { CompletedConfig } from '../config/options.ts';
import { readEncryption } from '../compose/encryption.ts';
import { makeDataDir, openStorage } from '../compose/open-storage.ts';
import type { Log } from '../compose/log.ts';
import type { RunningServer, ServerEnvironment } from '../compose/server.ts';
import { listenError } from '../compose/listen-error.ts';
import { followServing } from '../compose/tls-reload.ts';
import { StartStopped } from '../known-failures.ts';
import { stopTimeMs } from '../watchdog/watchdog.ts';
import { createFleet } from './worker-fleet.ts';

export type RunningSupervisor = Omit<RunningServer, 'parts'>;

/** @throws OptionsError, StorageError, WorkerFailed, StartStopped. */
export async function startSupervisor(
  config: CompletedConfig,
  environment: Pick<ServerEnvironment, 'log' | 'onFatal' | 'stopping'>,
): Promise<RunningSupervisor> {
  const { log, stopping } = environment;
  const { httpPort, securePort, tokenPort } = config.access;
  const ports = {
    http: await freePort(config, '--http-port', httpPort),
    secure: await freePort(config, '--secure-port', securePort),
    tokens: await freeTokenPort(config, tokenPort, log),
  };
  makeDataDir(config.dataDir);
  const store = config.store === 'fdb' ? undefined : await openStore(config, environment);
  const fleet = createFleet({
    count: config.workers,
    ports,
    log,
    clock: systemClock,
    timers: systemTimers,
    serve: (stream) => {
      const channel = createStreamChannel(stream);
      if (store === undefined) channel.onFrame(() => undefined);
      else store.server.attach(channel);
    },
  });
  const stopTimeoutMs = stopTimeMs(config);
  try {
    // Made before the workers look for it: they would make one each.
    const identity = identityOf(config.identity);
    const pki = await ensurePki(config, identity, systemClock);
    const serving = servingOf(config.access, pki);
    const rootCa = rootCaOf(config.access, pki);
    const stop = (): void => void fleet.stop(stopTimeoutMs);
    stopping?.addEventListener('abort', stop);
    if (stopping?.aborted) throw new StartStopped();
    const started = fleet.start();
    const { url, httpUrl, tokenUrl, transport } = await started.finally(() =>
      stopping?.removeEventListener('abort', stop),
    );
    store?.compactor.start();
    const writeConfig = (pair: KeyPair): string =>
      writeKubeconfig(
        config.dataDir,
        adminAccess({ url, tokenUrl }, { serving: pair }, pki, rootCa),
      );
    // The workers serve it, each by itself.
    const following = followServing(config.access, serving, { log, timers: systemTimers }, (pair) =>
      writeConfig(pair),
    );
    return {
      url,
      httpUrl,
      tokenUrl,
      transport,
      kubeconfig: writeConfig(serving),
      async stop() {
        following.stop();
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

/** Undefined when nothing is to be served there. @throws OptionsError. */
async function freePort(
  { bindAddress }: CompletedConfig,
  flag: string,
  port: number | undefined,
): Promise<number | undefined> {
  if (port === undefined) return undefined;
  return probePort(bindAddress, port).catch(async (cause: unknown) => {
    throw await listenError(flag, { address: bindAddress, port }, cause);
  });
}

/** Chosen for all workers: none of them has to look again. */
async function freeTokenPort(
  config: CompletedConfig,
  wanted: TokenPort | undefined,
  log: Log,
): Promise<TokenPort | undefined> {
  const probed = freePort(config, '--token-port', wanted?.number);
  const number = await probed.catch((error: unknown) => {
    if (wanted?.ifFree !== true) throw error;
    log.warn({ why: messageOf(error) }, 'no port for tokens: callers use the secure one');
    return undefined;
  });
  return number === undefined ? undefined : { number, ifFree: false };
}

interface SharedStore {
  readonly server: StoreServer;
  readonly compactor: Compactor;
  close(): Promise<void>;
}

async function openStore(
  config: CompletedConfig,
  { log, onFatal }: Pick<ServerEnvironment, 'log' | 'onFatal'>,
): Promise<SharedStore> {
  const basics = { clock: systemClock, timers: systemTimers, log };
  const encryption = await readEncryption(config, basics, identityOf(config.identity));
  const { codec } = encryption;
  const storage: Storage = await openStorage(config, systemClock, systemTimers, log, codec);
  const keys = encryption.follow(basics);
  // Each worker waits for its own; here they are for what a transaction reads and writes itself,
  // whose seeds are known when a worker has read the store with a service that is well.
  void encryption.start(storage, false);
  const committing = fetchingCommits(storage, codec);
  const served = fetchingStorage(committing, codec, () => 'if-well');
  const server = await createStoreServer(served, systemTimers, onFatal);
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
      keys.stop();
      await compactor.stop();
      await server.close();
      await storage.close();
      encryption.close();
    },
  };
}
