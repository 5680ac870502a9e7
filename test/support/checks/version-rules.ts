/**
 * The deprecation rules as checks over a catalogue (spec 2, section 9.1, rules 1 to 4b). Each gives
 * one line for each violation, and nothing for a catalogue that keeps the rules.
 *
 * What it is not: used while serving. A catalogue that breaks a rule fails the tests.
 */
import {
  compareVersions,
  isKnown,
  preferredFirst,
  storageVersionOf,
} from '../../../src/apis/served-versions.ts';
import { stabilityOf } from '../../../src/apis/runtime-config.ts';
import type { Stability } from '../../../src/apis/runtime-config.ts';

type Replacement = { readonly group: string; readonly version: string; readonly kind: string };

/** What the rules look at of a catalogue's kind. */
export interface RuledKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly introduced: number | undefined;
  readonly deprecated: number | undefined;
  readonly removed: number | undefined;
  readonly replacement: Replacement | undefined;
}

/** Longest and shortest life of a beta, in releases, each way (rule 4a). */
const betaWindow = 3;

/** Betas introduced before this release are older than the longest life. */
const betaLifeLimitedSince = 20;

const rank: Readonly<Record<Stability, number>> = { alpha: 0, beta: 1, ga: 2 };

function nameOf(kind: Pick<RuledKind, 'group' | 'version' | 'kind'>): string {
  return `${kind.group}/${kind.version} ${kind.kind}`;
}

/** Rule 1: what is in a version stays for its lifetime: one that is not deprecated never goes, and
 * none goes before it came. */
export function rule1(kinds: readonly RuledKind[]): readonly string[] {
  return kinds.flatMap((kind) => {
    const { introduced = 0, deprecated, removed } = kind;
    if (removed === undefined) return [];
    if (removed <= introduced) return [`${nameOf(kind)} is removed before it is introduced`];
    if (stabilityOf(kind.version) === 'alpha') return [];
    return deprecated === undefined || deprecated >= removed
      ? [`${nameOf(kind)} is removed without having been deprecated`]
      : [];
  });
}

/** Rule 1, for fields: those of a version, of which an earlier catalogue is known, are still there.
 * Shapes are lists of field paths by type name. */
export function rule1Fields(
  before: ReadonlyMap<string, readonly string[]>,
  now: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...before].flatMap(([type, fields]) => {
    const left = new Set(now.get(type) ?? []);
    return fields.filter((field) => !left.has(field)).map((field) => `${type} has lost ${field}`);
  });
}

/** Rule 2: every version of a resource either has the hub's fields or a conversion. */
export function rule2<K extends RuledKind>(
  kinds: readonly K[],
  hubOf: (kind: K) => K,
  shapeOf: (kind: K) => string,
  converts: (kind: K) => boolean,
): readonly string[] {
  return kinds.flatMap((kind) => {
    const hub = hubOf(kind);
    if (hub === kind || converts(kind) || shapeOf(kind) === shapeOf(hub)) return [];
    return [`${nameOf(kind)} differs from ${nameOf(hub)} and has no conversion`];
  });
}

/** Rule 3: nothing is deprecated in favor of something less stable. */
export function rule3(kinds: readonly RuledKind[]): readonly string[] {
  return kinds.flatMap((kind) => {
    if (kind.replacement === undefined) return [];
    const own = rank[stabilityOf(kind.version)];
    const other = rank[stabilityOf(kind.replacement.version)];
    return other < own
      ? [`${nameOf(kind)} is replaced by ${nameOf(kind.replacement)}, which is less stable`]
      : [];
  });
}

/** Rule 4a: stable versions stay; a beta is deprecated soon enough, and stays long enough after. */
export function rule4a(kinds: readonly RuledKind[]): readonly string[] {
  return kinds.flatMap((kind) => {
    const { introduced = 0, deprecated, removed } = kind;
    switch (stabilityOf(kind.version)) {
      case 'ga':
        return removed === undefined ? [] : [`${nameOf(kind)} is stable and removed`];
      case 'alpha':
        return [];
      case 'beta': {
        const broken: string[] = [];
        const limited = introduced >= betaLifeLimitedSince;
        if (limited && (deprecated === undefined || deprecated > introduced + betaWindow)) {
          broken.push(`${nameOf(kind)} is not deprecated ${betaWindow} releases after it came`);
        }
        if (removed !== undefined && removed < (deprecated ?? removed) + betaWindow) {
          broken.push(`${nameOf(kind)} goes before ${betaWindow} releases of warning`);
        }
        return broken;
      }
    }
  });
}

/** How rule 4b is asked; the defaults are what is served. */
export interface Choices {
  readonly stored: (versions: readonly RuledKind[], release: number) => string;
  readonly preferred: (
    served: readonly string[],
    ofGroup: readonly RuledKind[],
    release: number,
  ) => readonly string[];
}

export const servedChoices: Choices = { stored: storageVersionOf, preferred: preferredFirst };

/** Rule 4b: the stored and the preferred version of a release are known to the release before,
 * wherever that knew any; and what a release stores, the next one still can read. `versions` are
 * those of one resource in its storage group, `from` and `to` minor releases of 1. */
export function rule4b(
  versions: readonly RuledKind[],
  from: number,
  to: number,
  choices: Choices = servedChoices,
): readonly string[] {
  const broken: string[] = [];
  for (let release = from; release <= to; release += 1) {
    const known = (at: number) =>
      versions.filter((kind) => isKnown(kind, at)).map((kind) => kind.version);
    const now = known(release);
    const shared = now.filter((version) => known(release - 1).includes(version));
    if (shared.length === 0) continue;
    const stored = choices.stored(versions, release);
    const [preferred = ''] = choices.preferred([...now].sort(compareVersions), versions, release);
    for (const [what, version] of [
      ['stores', stored],
      ['prefers', preferred],
    ] as const) {
      if (shared.includes(version)) continue;
      broken.push(`1.${release} ${what} ${version}, which 1.${release - 1} does not know`);
    }
  }
  return broken;
}
