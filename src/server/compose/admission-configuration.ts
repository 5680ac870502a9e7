/**
 * Reads the file of `--admission-control-config-file`, once, for all who are configured in it.
 *
 * Elsewhere: what a plugin makes of its part (src/admission).
 */
import { readAdmissionConfiguration } from '../../admission/configuration.ts';
import type { AdmissionConfiguration } from '../../admission/configuration.ts';
import { limitedResources } from '../../admission/quota/limited-resources.ts';
import type { LimitedResources } from '../../admission/quota/limited-resources.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { readFileAtStart } from '../../stdx/regular-file.ts';
import type { CompletedConfig } from '../config/options.ts';
import { readOptionFile } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';

const configFlag = 'admission-control-config-file';

export type ConfiguredPlugins = AdmissionConfiguration['plugins'];

/** @throws OptionsError. */
export function configuredPlugins(
  { admission: { configFile } }: Pick<CompletedConfig, 'admission'>,
  identity: Identity,
): ConfiguredPlugins {
  if (configFile === undefined) return new Map();
  const bytes = readOptionFile(configFlag, configFile);
  const read = readAdmissionConfiguration(bytes, configFile, identity, readFileAtStart);
  if (read.problems.length === 0) return read.plugins;
  throw new OptionsError(`--${configFlag}: ${configFile}: ${read.problems.join('; ')}`);
}

export function configurationError(
  file: string | undefined,
  problems: readonly string[],
): OptionsError {
  return new OptionsError(`--${configFlag}: ${[file, ...problems].join('; ')}`);
}

/** What ResourceQuota is told. Undefined: nothing.
 * @throws OptionsError. */
export function configuredLimits(
  { admission: { configFile, plugins } }: Pick<CompletedConfig, 'admission'>,
  identity: Identity,
  configured: ConfiguredPlugins,
): LimitedResources | undefined {
  const own = plugins.has('ResourceQuota') ? configured.get('ResourceQuota') : undefined;
  if (own === undefined) return undefined;
  const problems: string[] = [];
  const limited = limitedResources(own.document, identity, problems);
  if (problems.length === 0) return limited;
  throw configurationError(
    configFile,
    problems.map((problem) => `${own.source}: ${problem}`),
  );
}
