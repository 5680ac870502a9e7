/**
 * The program behind the executable: arguments in, one ready line out, exit codes.
 *
 *   0  done, or stopped on purpose   2  the arguments or the data directory cannot be used
 *   1  a promise was about to be broken (lost log, failed invariant): it stops rather than go on;
 *      or a store that was to be verified is damaged
 */
import { StorageError } from '../storage/storage.ts';
import { parseCommandLine } from './commands/command-line.ts';
import { completeConfig } from './config/options.ts';
import { nodeProblem } from './config/node-release.ts';
import { OptionsError } from './config/option-values.ts';
import { programVersion } from './config/program-version.ts';
import { isOpenFilesLimit } from './open-files-limit.ts';
import { StoreDamaged, WorkerFailed } from './known-failures.ts';

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

/** The reader of a command's output may end early, as in `sluice --help | head -1`. */
function onUnreadOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

async function main(): Promise<void> {
  process.stdout.on('error', onUnreadOutput);
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) throw new OptionsError(problem);
  const command = parseCommandLine(process.argv.slice(2), programVersion());
  if (command.kind === 'done') return;
  if (command.kind === 'usage') {
    process.stderr.write(command.text);
    process.exit(2);
  }
  if (command.kind === 'convert') {
    const { runConvert } = await import('./commands/convert-command.ts');
    return runConvert(command.options);
  }
  if (command.kind === 'machines') {
    const { machineDiagrams } = await import('../../actors/machine-diagram.ts');
    process.stdout.write(machineDiagrams());
    return;
  }
  // What follows has more to do than to print.
  process.stdout.off('error', onUnreadOutput);
  // Stores, backups, keys, logs: what is made from here on is its owner's alone.
  process.umask(0o077);
  if (command.kind === 'kubeconfig') {
    const { runKubeconfig } = await import('./commands/kubeconfig-command.ts');
    return runKubeconfig(command.options);
  }
  if (command.kind !== 'serve') {
    const { runStoreCommand } = await import('./commands/store-commands.ts');
    const done = await runStoreCommand(command);
    // Standard output may be the export itself.
    process.stderr.write(`sluice: ${done}\n`);
    return;
  }
  const config = completeConfig(command.options);
  // Loaded only now: whoever asks for help, or has mistyped a flag, need not wait for a server.
  const { runServe } = await import('./serve-command.ts');
  await runServe(config);
}

/** Resolves when a command is done, or a server serves. What goes wrong and is known ends the
 * process with its code; rejects with everything else. */
export async function runProgram(): Promise<void> {
  try {
    await main();
  } catch (error) {
    // It has said what was wrong, in one line.
    if (error instanceof WorkerFailed) process.exit(error.exitCode ?? 1);
    if (isOpenFilesLimit(error)) throw error;
    const unusableNow =
      error instanceof OptionsError || (error instanceof StorageError && unusable.has(error.code));
    if (!unusableNow && !(error instanceof StoreDamaged)) throw error;
    process.stderr.write(`sluice: ${error.message}\n`);
    process.exit(unusableNow ? 2 : 1);
  }
}
