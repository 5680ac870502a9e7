/**
 * The command line: `sluice serve FLAGS`, and the commands of store-commands.ts. The flags are the
 * option table's; this only parses.
 *
 * Invariant: whatever is wrong with the arguments is one line and exit code 2.
 */
import { Command, CommanderError, Option } from 'commander';
import { convertFlags } from './convert-options.ts';
import type { ConvertOptions } from './convert-options.ts';
import { kubeconfigFlags } from './kubeconfig-command.ts';
import type { KubeconfigOptions } from './kubeconfig-command.ts';
import { optionTable } from '../config/options.ts';
import { OptionsError } from '../config/option-values.ts';
import type { OptionSpec } from '../config/option-values.ts';
import type { OptionName, RawOptions } from '../config/options.ts';
import type { StoreCommand } from './store-commands.ts';

export type ParsedCommandLine =
  | { readonly kind: 'serve'; readonly options: RawOptions }
  | StoreCommand
  | { readonly kind: 'convert'; readonly options: ConvertOptions }
  | { readonly kind: 'kubeconfig'; readonly options: KubeconfigOptions }
  | { readonly kind: 'machines' }
  /** Help or version was asked for, and printed. */
  | { readonly kind: 'done' }
  /** No command was given. */
  | { readonly kind: 'usage'; readonly text: string };

const firstSteps = `
Flags of a command: sluice COMMAND --help. To serve kubectl and other clients of Kubernetes:
  sluice serve --identity=kubernetes
  export KUBECONFIG=$PWD/data/admin.kubeconfig
  kubectl get namespaces`;

/** @throws OptionsError when the arguments cannot be understood. */
export function parseCommandLine(args: readonly string[], version: string): ParsedCommandLine {
  let parsed: ParsedCommandLine = { kind: 'done' };
  const program = quiet(new Command('sluice'))
    .description('A streaming-first API server for cluster resources.')
    .version(version)
    .addHelpText('after', firstSteps);
  const serve = quiet(program.command('serve')).description('Serve the resource API.');
  const all = optionTable.map(({ flag }) => flag);
  addOptions(serve, all).action(() => {
    parsed = { kind: 'serve', options: rawOptions(serve) };
  });
  addStoreCommands(program, (command) => {
    parsed = command;
  });
  addConvert(program, (options) => {
    parsed = { kind: 'convert', options };
  });
  addKubeconfig(program, (options) => {
    parsed = { kind: 'kubeconfig', options };
  });
  quiet(program.command('machines'))
    .description('Print the state machines of objects and tokens as Mermaid diagrams.')
    .allowExcessArguments(false)
    .action(() => {
      parsed = { kind: 'machines' };
    });
  if (args.length === 0)
    return { kind: 'usage', text: `${program.helpInformation()}${firstSteps}\n` };
  try {
    program.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'done' };
    throw new OptionsError(oneLine(error.message));
  }
  return parsed;
}

const whereStoresAre = ['store', 'data-dir', 'fdb-cluster-file', 'fdb-prefix'] as const;

function addStoreCommands(program: Command, found: (command: StoreCommand) => void): void {
  const add = (name: string, flags: readonly OptionName[], help: string): Command =>
    addOptions(quiet(program.command(name)).description(help), flags);

  const toExport = add('export', whereStoresAre, 'Write a store to a file.');
  toExport
    .option('--output <FILE>', 'Where to; - is standard output.', '-')
    .action(({ output }: { output: string }) => {
      found({ kind: 'export', options: rawOptions(toExport), output });
    });
  const toImport = add('import', whereStoresAre, 'Make a store of an exported file.');
  toImport
    .option('--input <FILE>', 'Where from; - is standard input.', '-')
    .option('--identity <NAME>', 'Refuse an export of another identity.')
    .option('--force', 'Start over where an import has not finished.')
    .action(({ input, force, identity }: { input: string; force?: true; identity?: string }) => {
      const options = rawOptions(toImport);
      found({ kind: 'import', options, input, force: force === true, identity });
    });
  const backup = add('backup', ['data-dir'], 'Copy an LMDB store, also while it is served.');
  backup
    .requiredOption('--to <DIR>', 'The copy: a new directory.')
    .action(({ to }: { to: string }) => {
      found({ kind: 'backup', options: rawOptions(backup), to });
    });
  const verify = add(
    'verify',
    [...whereStoresAre, 'encryption-provider-config'],
    'Read every record: LMDB while it is not served, FoundationDB beside servers.',
  );
  verify.action(() => found({ kind: 'verify', options: rawOptions(verify) }));
  const restored = add(
    'mark-restored',
    whereStoresAre,
    'After an older state was put back in place: let no client go on from what is gone.',
  );
  restored.action(() => found({ kind: 'mark-restored', options: rawOptions(restored) }));
}

/** The options of this name, and no arguments beside them. */
function addOptions(command: Command, flags: readonly OptionName[]): Command {
  for (const spec of optionTable.filter(({ flag }) => flags.includes(flag))) {
    const shape = isSwitch(spec) ? `[${spec.value}]` : `<${spec.value}>`;
    const option = new Option(`--${spec.flag} ${shape}`, spec.help).default(spec.default);
    if (isSwitch(spec)) option.preset('true');
    option.attributeName = () => spec.flag;
    if (isRepeatable(spec)) option.argParser(joinValues);
    command.addOption(option);
  }
  return command.allowExcessArguments(false);
}

/** Its name alone means true, as manifests of other API servers write it. */
function isSwitch(spec: OptionSpec): boolean {
  return spec.value === 'true|false' || spec.value === 'BOOL';
}

function isRepeatable(spec: OptionSpec): boolean {
  return spec.several === true;
}

/** The default of a flag that may be repeated is empty. */
function joinValues(value: string, before: string): string {
  return before === '' ? value : `${before},${value}`;
}

/** What was given, and the defaults of every flag that the command does not have. */
function rawOptions(command: Command): RawOptions {
  const defaults = optionTable.map((spec) => [spec.flag, spec.default] as const);
  const given = command.opts<Partial<Record<OptionName, string>>>();
  const values = defaults.map(([flag, initial]) => [flag, given[flag] ?? initial] as const);
  return Object.fromEntries(values) as RawOptions;
}

function addConvert(program: Command, chosen: (options: ConvertOptions) => void): void {
  const convert = quiet(program.command('convert')).description('Convert manifests, offline.');
  for (const [flags, help, byDefault] of convertFlags) {
    const option = new Option(flags, help).default(byDefault);
    convert.addOption(flags.startsWith('-f') ? option.makeOptionMandatory() : option);
  }
  convert.allowExcessArguments(false).action(() => chosen(convert.opts<ConvertOptions>()));
}

function addKubeconfig(program: Command, chosen: (options: KubeconfigOptions) => void): void {
  const command = program.command('kubeconfig').description('Write a kubeconfig for a user.');
  addOptions(quiet(command), ['data-dir']);
  for (const [flags, help] of kubeconfigFlags) command.option(flags, help);
  command.action(() => {
    const given = command.opts<Omit<KubeconfigOptions, 'dataDir'>>();
    chosen({ ...given, dataDir: rawOptions(command)['data-dir'] });
  });
}

/** Errors are thrown, not printed: the caller decides how they look. */
function quiet(command: Command): Command {
  return command.exitOverride().configureOutput({ writeErr: () => undefined });
}

function oneLine(message: string): string {
  return message
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
