#!/usr/bin/env node
/**
 * The executable: arguments in, one ready line out, exit codes.
 *
 *   0  done, or stopped on purpose   2  the arguments or the data directory cannot be used
 *   1  a promise was about to be broken (lost log, failed invariant): it stops rather than go on;
 *      or a store that was to be verified is damaged
 */
import cluster from 'node:cluster';
import { StorageError } from '../storage/storage.ts';
import { machineDiagrams } from '../../actors/machine-diagram.ts';
import { parseCommandLine } from './commands/command-line.ts';
import { runConvert } from './commands/convert-command.ts';
import { createLog } from './compose/log.ts';
import { completeConfig } from './config/options.ts';
import { OptionsError } from './config/option-values.ts';
import type { CompletedConfig } from './config/options.ts';
import { programVersion } from './config/program-version.ts';
import { startServer } from './compose/server.ts';
import { runStoreCommand } from './commands/store-commands.ts';
import { StoreDamaged } from './commands/verify-store.ts';
import { startSupervisor } from './workers/supervisor.ts';
import type { RunningSupervisor } from './workers/supervisor.ts';
import { WorkerFailed } from './workers/worker-fleet.ts';
import { startWatchdog } from './watchdog/watchdog.ts';
import { runWorker } from './workers/worker.ts';

/** Failures that the operator mends, not the programmer. */
const unusable: ReadonlySet<string> = new Set([
  'in-use',
  'identity',
  'incomplete',
  'compacted',
  'not-empty',
  'io',
  'timeout',
  'full',
  'corrupt',
]);

/** Where small buffers come from: of the default, 8 KiB, each request would take a whole one. */
Buffer.poolSize = 64 * 1024;

async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2), programVersion());
  if (command.kind === 'done') return;
  if (command.kind === 'usage') {
    process.stderr.write(command.text);
    process.exit(2);
  }
  if (command.kind === 'convert') return runConvert(command.options);
  if (command.kind === 'machines') {
    process.stdout.write(machineDiagrams());
    return;
  }
  // Stores, backups, keys, logs: what is made from here on is its owner's alone.
  process.umask(0o077);
  if (command.kind !== 'serve') {
    const done = await runStoreCommand(command);
    // Standard output may be the export itself.
    process.stderr.write(`sluice: ${done}\n`);
    return;
  }
  const config = completeConfig(command.options);
  const log = createLog(config.logLevel);
  if (cluster.isWorker) {
    await runWorker(config, log);
    return;
  }
  startWatchdog(config);
  const start = config.workers > 1 ? startSupervisor : startServer;
  const server = await start(config, {
    log,
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
  // Whoever reads this line may send a signal at once.
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
    `store=${config.store}`,
    `identity=${config.identity}`,
    `transport=${JSON.stringify(server.transport)}`,
    `kubeconfig=${server.kubeconfig}`,
  ];
  return `sluice is ready: ${facts.join(' ')}`;
}

main().catch((error: unknown) => {
  // It has said what was wrong, in one line.
  if (error instanceof WorkerFailed) process.exit(error.exitCode ?? 1);
  const known =
    error instanceof OptionsError || (error instanceof StorageError && unusable.has(error.code));
  const said = known || error instanceof StoreDamaged;
  const text = error instanceof Error ? (said ? error.message : error.stack) : String(error);
  process.stderr.write(`sluice: ${text}\n`);
  process.exit(known ? 2 : 1);
});
