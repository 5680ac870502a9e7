/**
 * `sluice serve`: runs the server, or the supervisor of several workers, from the start to the
 * signal that ends it. Tools can wait for the ready line on standard output.
 */
import cluster from 'node:cluster';
import { createLog } from './compose/log.ts';
import type { Log } from './compose/log.ts';
import { startServer } from './compose/server.ts';
import type { CompletedConfig } from './config/options.ts';
import { StartStopped } from './known-failures.ts';
import { endAtSignalsNoMore } from './start-signals.ts';
import { startWatchdog } from './watchdog/watchdog.ts';
import { startSupervisor } from './workers/supervisor.ts';
import type { RunningSupervisor } from './workers/supervisor.ts';
import { runWorker } from './workers/worker.ts';

/** Resolves when it serves, or was told to stop before that. @throws StorageError, WorkerFailed,
 * and OptionsError for what is found out only then: a file that a flag names. */
export async function runServe(config: CompletedConfig): Promise<void> {
  const log = createLog(config.logLevel);
  if (cluster.isWorker) {
    await runWorker(config, log);
    return;
  }
  // Before the watchdog listens: a signal that comes during the start must reach the server, too.
  const stopping = new AbortController();
  const stop = (signal: string): void => {
    if (stopping.signal.aborted) return;
    log.info({ signal }, 'stopping');
    stopping.abort();
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  endAtSignalsNoMore();
  startWatchdog(config);
  const start = config.workers > 1 ? startSupervisor : startServer;
  const server = await start(config, {
    log,
    endsProcess: true,
    stopping: stopping.signal,
    onFatal: (error) => {
      log.error({ err: error }, 'the server cannot go on');
      process.exit(1);
    },
  }).catch((error: unknown) => {
    if (!(error instanceof StartStopped)) throw error;
    process.exit(0);
  });
  // What has begun to start is ended in its order, as soon as it has started.
  if (stopping.signal.aborted) return end(server, log);
  stopping.signal.addEventListener('abort', () => end(server, log));
  // The reader of this line may send a signal at once.
  process.stdout.write(`${readyLine(server, config)}\n${firstCommand(server, config)}`);
}

function end(server: RunningSupervisor, log: Log): void {
  server.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      log.error({ err: error }, 'stopping failed');
      process.exit(1);
    },
  );
}

/** What a newcomer types next; for operators' tools the line before it is the ready line. */
function firstCommand({ kubeconfig, url }: RunningSupervisor, config: CompletedConfig): string {
  if (config.identity !== 'kubernetes' || !url.startsWith('https:')) return '';
  const quoted = /^[\w./-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig}'`;
  return `sluice: try it: export KUBECONFIG=${quoted}; kubectl get namespaces\n`;
}

function readyLine(server: RunningSupervisor, config: CompletedConfig): string {
  const facts = [
    `url=${server.url}`,
    ...(server.httpUrl === undefined ? [] : [`http=${server.httpUrl}`]),
    ...(server.tokenUrl === undefined ? [] : [`tokens=${server.tokenUrl}`]),
    `store=${config.store}`,
    `identity=${config.identity}`,
    `transport=${JSON.stringify(server.transport)}`,
    `kubeconfig=${server.kubeconfig}`,
  ];
  return `sluice is ready: ${facts.join(' ')}`;
}
