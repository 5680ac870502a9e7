/**
 * `--runtime-config`: comma-separated `<key>[=<bool>]`, a missing value means true.
 *
 *     api/all  api/ga  api/beta  api/alpha      every version of that stability
 *     v1  <group>/<version>                     one version
 *     v1/<resource>  <group>/<version>/<resource>   one resource
 *
 * The more specific key wins whatever the order; a key given twice takes its last value.
 * Elsewhere: the defaults, and whether a name exists (build-scheme.ts). Spec 1, section 9.
 */
export type Stability = 'alpha' | 'beta' | 'ga';

export interface RuntimeConfig {
  /** Undefined: not said. */
  readonly all: boolean | undefined;
  readonly stability: Readonly<Partial<Record<Stability, boolean>>>;
  /** `<group>/<version>`, `/v1` for core. */
  readonly versions: ReadonlyMap<string, boolean>;
  /** `<group>/<version>/<resource>`, `/v1/<resource>` for core. */
  readonly resources: ReadonlyMap<string, boolean>;
}

export type ParsedRuntimeConfig =
  | { readonly kind: 'ok'; readonly value: RuntimeConfig }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] };

export const emptyRuntimeConfig: RuntimeConfig = {
  all: undefined,
  stability: {},
  versions: new Map(),
  resources: new Map(),
};

/** The stability that a version's name expresses. */
export function stabilityOf(version: string): Stability {
  if (version.includes('alpha')) return 'alpha';
  return version.includes('beta') ? 'beta' : 'ga';
}

const versionPattern = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/;

export function parseRuntimeConfig(text: string): ParsedRuntimeConfig {
  let all: boolean | undefined;
  const stability: Partial<Record<Stability, boolean>> = {};
  const versions = new Map<string, boolean>();
  const resources = new Map<string, boolean>();
  const errors: string[] = [];
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts.filter((p) => p !== '')) {
    const at = part.indexOf('=');
    const key = at === -1 ? part : part.slice(0, at);
    const value = parseBoolean(at === -1 ? 'true' : part.slice(at + 1));
    if (value === undefined) {
      errors.push(`${part}: the value must be true or false`);
      continue;
    }
    const segments = key.split('/');
    if (key === 'api/all') all = value;
    else if (key === 'api/ga' || key === 'api/beta' || key === 'api/alpha') {
      stability[key.slice('api/'.length) as Stability] = value;
    } else if (segments.length === 1 && versionPattern.test(key)) versions.set(`/${key}`, value);
    else if (segments.length === 2 && versionPattern.test(segments[1] ?? '')) {
      versions.set(key, value);
    } else if (segments.length === 2 && versionPattern.test(segments[0] ?? '')) {
      resources.set(`/${key}`, value);
    } else if (segments.length === 3 && versionPattern.test(segments[1] ?? '')) {
      resources.set(key, value);
    } else {
      errors.push(`${key}: ${expected}`);
    }
  }
  if (errors.length > 0) return { kind: 'invalid', errors };
  return { kind: 'ok', value: { all, stability, versions, resources } };
}

const expected =
  'expected api/all, api/ga, api/beta, api/alpha, <group>/<version> or ' +
  '<group>/<version>/<resource> (v1 and v1/<resource> for the core group)';

function parseBoolean(text: string): boolean | undefined {
  if (/^(true|t|1)$/i.test(text)) return true;
  return /^(false|f|0)$/i.test(text) ? false : undefined;
}

/** What the configuration says about one resource of a version, else `byDefault`. */
export function isEnabled(
  config: RuntimeConfig,
  name: { readonly group: string; readonly version: string; readonly resource: string },
  byDefault: boolean,
): boolean {
  const version = `${name.group}/${name.version}`;
  return (
    config.resources.get(`${version}/${name.resource}`) ??
    config.versions.get(version) ??
    config.stability[stabilityOf(name.version)] ??
    config.all ??
    byDefault
  );
}
