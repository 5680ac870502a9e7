/**
 * The command line: `sluice serve FLAGS`. The flags are the option table's; this only parses.
 *
 * Invariant: whatever is wrong with the arguments is one line and exit code 2.
 */
import { Command, CommanderError, Option } from 'commander';
import { convertFlags } from './convert-command.ts';
import type { ConvertOptions } from './convert-command.ts';
import { optionTable, OptionsError } from './options.ts';
import type { OptionName, RawOptions } from './options.ts';

export type ParsedCommandLine =
  | { readonly kind: 'serve'; readonly options: RawOptions }
  | { readonly kind: 'convert'; readonly options: ConvertOptions }
  /** Help or version was asked for, and printed. */
  | { readonly kind: 'done' };

/** @throws OptionsError when the arguments cannot be understood. */
export function parseCommandLine(args: readonly string[], version: string): ParsedCommandLine {
  let parsed: ParsedCommandLine = { kind: 'done' };
  const program = quiet(new Command('sluice'))
    .description('A streaming-first API server for cluster resources.')
    .version(version);
  const serve = quiet(program.command('serve')).description('Serve the resource API.');
  for (const spec of optionTable) {
    const option = new Option(`--${spec.flag} <${spec.value}>`, spec.help).default(spec.default);
    option.attributeName = () => spec.flag;
    serve.addOption(option);
  }
  serve.allowExcessArguments(false).action(() => {
    parsed = { kind: 'serve', options: serve.opts<Record<OptionName, string>>() };
  });
  addConvert(program, (options) => {
    parsed = { kind: 'convert', options };
  });
  try {
    program.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'done' };
    throw new OptionsError(oneLine(error.message));
  }
  return parsed;
}

function addConvert(program: Command, chosen: (options: ConvertOptions) => void): void {
  const convert = quiet(program.command('convert')).description('Convert manifests, offline.');
  for (const [flags, help, byDefault] of convertFlags) {
    const option = new Option(flags, help).default(byDefault);
    convert.addOption(flags.startsWith('-f') ? option.makeOptionMandatory() : option);
  }
  convert.allowExcessArguments(false).action(() => chosen(convert.opts<ConvertOptions>()));
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
