/**
 * A worker: one whole API server in a process of its own, whose store is served by the primary.
 *
 * It is started, told to stop and replaced by worker-fleet.ts.
 *
 * Invariants: it never outlives the primary (without the store it can promise nothing); SIGTERM to
 * it alone is a graceful end, after which another takes its place; an interrupt from the terminal
 * reaches the primary too, which decides.
 */
import cluster from 'node:cluster';
import { Socket } from 'node:net';
import { createRemoteStorage } from '../../storage/remote/store-client.ts';
import { createStreamChannel } from '../../storage/remote/stream-channel.ts';
import type { Log } from '../compose/log.ts';
import type { CompletedConfig } from '../config/options.ts';
import { startServer } from '../compose/server.ts';
import { StartStopped } from '../known-failures.ts';
import { endAtSignalsNoMore } from '../start-signals.ts';
import { storeChannelFd } from './worker-messages.ts';
import type { ToPrimary, ToWorker } from './worker-messages.ts';

/** Resolves when it serves. Rejects when it cannot. */
export async function runWorker(config: CompletedConfig, log: Log): Promise<void> {
  const stopping = new AbortController();
  const end = (error: unknown, message: string): void => {
    if (!stopping.signal.aborted) log.error({ err: error }, message);
    process.exit(1);
  };
  process.on('disconnect', () => end(undefined, 'the primary process has gone'));
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => stopping.abort());
  endAtSignalsNoMore();
  const begin = await begun(() => stopping.abort());

  const channel = createStreamChannel(new Socket({ fd: storeChannelFd }));
  channel.onClose(() => {
    if (!stopping.signal.aborted) end(undefined, 'the primary process has gone');
  });
  // Over FoundationDB each worker is a client of its own, as several servers are.
  const storage =
    config.store === 'fdb' ? undefined : createRemoteStorage({ channel, name: config.store });
  const server = await startServer(config, {
    log,
    endsProcess: true,
    onFatal: (error) => end(error, 'the server cannot go on'),
    stopping: stopping.signal,
    worker: {
      number: begin.worker,
      ports: begin.ports,
      storage,
      answersEarly: begin.isFirst,
    },
  }).catch((error: unknown) => {
    if (!(error instanceof StartStopped)) throw error;
    process.exit(0);
  });
  const stop = (): void => {
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  if (stopping.signal.aborted) stop();
  else stopping.signal.addEventListener('abort', stop);
  const { url, httpUrl, tokenUrl, transport } = server;
  tell({ kind: 'ready', url, httpUrl, tokenUrl, transport });
}

function begun(onStop: () => void): Promise<Extract<ToWorker, { kind: 'begin' }>> {
  return new Promise((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'begin') resolve(message);
      else onStop();
    });
    tell({ kind: 'online' });
  });
}

function tell(message: ToPrimary): void {
  cluster.worker?.send(message);
}
