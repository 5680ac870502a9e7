/** The answer of /version: which release's API is served, and by what. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';

export interface VersionOptions {
  /** Minor release of 1 that this program is. */
  readonly release: number;
  /** Minor release of 1 whose API is served. */
  readonly emulated: number;
  /** Of this program, `0.1.0`. */
  readonly programVersion: string;
  /** Of the runtime, `v20.19.0`, and `linux/x64`. */
  readonly runtimeVersion: string;
  readonly platform: string;
}

/** Clients parse gitVersion as a semantic version; the other build facts are informative. */
export function versionInfo(options: VersionOptions): JsonObject {
  return {
    major: '1',
    minor: String(options.release),
    emulationMajor: '1',
    emulationMinor: String(options.emulated),
    minCompatibilityMajor: '1',
    minCompatibilityMinor: String(options.emulated - 1),
    gitVersion: `v1.${options.release}.0+sluice.${options.programVersion}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${options.runtimeVersion}`,
    platform: options.platform,
  };
}
