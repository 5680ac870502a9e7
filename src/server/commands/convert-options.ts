/**
 * The flags of `sluice convert`, beside what the command does: a command line is parsed without
 * loading any kind.
 */
import { identityNames } from '../../apimachinery/identity.ts';

export interface ConvertOptions {
  readonly filename: readonly string[];
  readonly outputVersion?: string | undefined;
  readonly output: string;
  readonly identity: string;
}

/** Flags as the command line declares them: name, meaning, default. */
export const convertFlags = [
  ['-f, --filename <FILE...>', 'Manifests to convert; - is stdin.', undefined],
  ['--output-version <GROUP/VERSION>', 'Version to convert to; else the preferred one.', undefined],
  ['-o, --output <yaml|json>', 'Form of the output.', 'yaml'],
  ['--identity <NAME>', 'Names of groups that manifests do not tell.', identityNames[0]],
] as const;
