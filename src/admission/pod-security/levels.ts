/**
 * The pod security levels of a namespace: from its labels, or the defaults where it has none.
 *
 *     pod-security.<labelDomain>/enforce: baseline          pods are refused
 *     pod-security.<labelDomain>/audit: restricted          audit events get an annotation
 *     pod-security.<labelDomain>/warn: restricted           the client is warned
 *     pod-security.<labelDomain>/warn-version: v1.30        by the rules of that release
 *
 * Invariants: a level that cannot be read counts as the strictest for `enforce` and as none for
 * `audit` and `warn`. In a namespace without a label for `warn`, warnings follow the enforced level
 * if that is stricter.
 */
import { invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { ownMember } from '../../stdx/lookup.ts';

/** From the mildest to the strictest. */
const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

/** The minor release of 1 whose rules count. */
export type RulesVersion = number | 'latest';

export interface LevelVersion {
  readonly level: Level;
  readonly version: RulesVersion;
}

export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];
export type SecurityPolicy = Readonly<Record<Mode, LevelVersion>>;

export const levelProblem = `must be one of ${levels.join(', ')}`;
export const versionProblem = 'must be "latest" or "v1.x"';

export function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text);
}

export function parseVersion(text: string): RulesVersion | undefined {
  if (text === 'latest') return text;
  const minor = Number(/^v1\.(\d|[1-9]\d+)$/.exec(text)?.[1]);
  return Number.isSafeInteger(minor) ? minor : undefined;
}

export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? version : `v1.${version}`}`;
}

export function isStricter(a: Level, b: Level): boolean {
  return levels.indexOf(a) > levels.indexOf(b);
}

export function equalLevels(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

/** Two that do the same: no rules have no version. */
function sameEffect(a: LevelVersion, b: LevelVersion): boolean {
  return (a.level === 'privileged' && b.level === 'privileged') || equalLevels(a, b);
}

export function samePolicies(a: SecurityPolicy, b: SecurityPolicy): boolean {
  return modes.every((mode) => sameEffect(a[mode], b[mode]));
}

export function isFullyPrivileged(policy: SecurityPolicy): boolean {
  return modes.every((mode) => policy[mode].level === 'privileged');
}

export interface ParsedPolicy {
  readonly policy: SecurityPolicy;
  readonly problems: readonly FieldError[];
}

type Labels = Readonly<Record<string, string>>;

function levelLabel(labelDomain: string, mode: Mode): string {
  return `pod-security.${labelDomain}/${mode}`;
}

/** Whether the labels say anything of this mode. */
export function saysOf(labels: Labels, labelDomain: string, mode: Mode): boolean {
  const key = levelLabel(labelDomain, mode);
  return Object.hasOwn(labels, key) || Object.hasOwn(labels, `${key}-version`);
}

/** The same for all namespaces that say nothing, which most do. */
const silent = new WeakMap<SecurityPolicy, ParsedPolicy>();

export function policyOf(
  labels: Labels,
  defaults: SecurityPolicy,
  labelDomain: string,
): ParsedPolicy {
  if (modes.every((mode) => !saysOf(labels, labelDomain, mode))) {
    const parsed = silent.get(defaults) ?? { policy: defaults, problems: [] };
    silent.set(defaults, parsed);
    return parsed;
  }
  const problems: FieldError[] = [];
  const read = (mode: Mode): { readonly said: Said } & LevelVersion => {
    const key = levelLabel(labelDomain, mode);
    const [level, version] = [ownMember(labels, key), ownMember(labels, `${key}-version`)];
    const parsedLevel = level === undefined ? defaults[mode].level : parseLevel(level);
    const parsedVersion = version === undefined ? defaults[mode].version : parseVersion(version);
    if (parsedLevel === undefined) {
      problems.push(invalid(`metadata.labels[${key}]`, level, levelProblem));
    }
    if (parsedVersion === undefined) {
      problems.push(invalid(`metadata.labels[${key}-version]`, version, versionProblem));
    }
    return {
      level: parsedLevel ?? (mode === 'enforce' ? 'restricted' : 'privileged'),
      version: parsedVersion ?? 'latest',
      said: {
        level: level !== undefined,
        validLevel: level !== undefined && parsedLevel !== undefined,
        version: version !== undefined,
      },
    };
  };
  const [enforce, audit, warn] = [read('enforce'), read('audit'), read('warn')];
  const follows =
    !warn.said.level && enforce.said.validLevel && isStricter(enforce.level, warn.level);
  const warned = follows
    ? { level: enforce.level, version: warn.said.version ? warn.version : enforce.version }
    : warn;
  const policy = { enforce: plain(enforce), audit: plain(audit), warn: plain(warned) };
  return { policy, problems };
}

interface Said {
  readonly level: boolean;
  readonly validLevel: boolean;
  readonly version: boolean;
}

function plain({ level, version }: LevelVersion): LevelVersion {
  return { level, version };
}
