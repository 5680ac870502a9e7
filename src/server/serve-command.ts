/**
 * `sluice serve`: runs the server, or the supervisor of several workers, from the start to the
 * signal that ends it. Tools can wait for the ready line on standard output.
 */
import cluster from 'node:cluster';
import { createLog } from './compose/log.ts';
import { startServer } from './compose/server.ts';
import type { CompletedConfig } from './config/options.ts';
import { startWatchdog } from './watchdog/watchdog.ts';
import { startSupervisor } from './workers/supervisor.ts';
import type { RunningSupervisor } from './workers/supervisor.ts';
import { runWorker } from './workers/worker.ts';

/** Resolves when it serves. @throws StorageError, WorkerFailed, and OptionsError for what is found
 * out only then: a file that a flag names. */
export async function runServe(config: CompletedConfig): Promise<void> {
  const log = createLog(config.logLevel);
  if (cluster.isWorker) {
    await runWorker(config, log);
    return;
  }
  startWatchdog(config);
  const start = config.workers > 1 ? startSupervisor : startServer;
  const server = await start(config, {
    log,
    endsProcess: true,
    onFatal: (error) => {
      log.error({ err: error }, 'the server cannot go on');
      process.exit(1);
    },
  });
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  // The reader of this line may send a signal at once.
  process.stdout.write(`${readyLine(server, config)}\n${firstCommand(server, config)}`);
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
