/**
 * The rules that follow from a version's name and life cycle: what a release knows, what it serves
 * by default, in which order versions stand, and in which version objects are stored.
 * Spec 1, section 9; spec 2, sections 3.3 and 9.1.
 */
import type { CatalogueKind } from './catalogue.ts';
import { stabilityOf } from './runtime-config.ts';
import type { Stability } from './runtime-config.ts';

/** What the rules look at of a kind of the catalogue. */
type VersionedKind = Pick<
  CatalogueKind,
  'group' | 'version' | 'introduced' | 'removed' | 'preferredAtOnce'
>;

/** Minor release of 1 whose behaviour is served. */
export const currentRelease = 33;

/** The oldest minor release of 1 that can be emulated. */
export const oldestRelease = 16;

/** Beta versions introduced from this release on are off unless asked for. */
const betaOffSince = 22;

/** The release can serve it at all: introduced, not removed. */
export function isKnown(kind: VersionedKind, release: number): boolean {
  return (
    (kind.introduced === undefined || kind.introduced <= release) &&
    (kind.removed === undefined || kind.removed > release)
  );
}

/** Whether a release that knows the kind serves it when the configuration says nothing. `versions`
 * are all of its resource: a later beta of one that was on stays on. */
export function isServedByDefault(
  kind: VersionedKind,
  versions: readonly VersionedKind[],
): boolean {
  switch (stabilityOf(kind.version)) {
    case 'ga':
      return true;
    case 'beta':
      return versions.some(
        (each) =>
          stabilityOf(each.version) === 'beta' && (each.introduced ?? betaOffSince) < betaOffSince,
      );
    case 'alpha':
      return false;
  }
}

const stabilityRank: Readonly<Record<Stability, number>> = { ga: 0, beta: 1, alpha: 2 };

/** Sorts stable before beta before alpha, and newer before older within each. */
export function compareVersions(a: string, b: string): number {
  const byStability = stabilityRank[stabilityOf(a)] - stabilityRank[stabilityOf(b)];
  if (byStability !== 0) return byStability;
  const [majorA, minorA] = versionNumbers(a);
  const [majorB, minorB] = versionNumbers(b);
  return majorB - majorA || minorB - minorA;
}

function versionNumbers(version: string): readonly [number, number] {
  const match = /^v(\d+)(?:(?:alpha|beta)(\d+))?$/.exec(version);
  return match === null ? [0, 0] : [Number(match[1]), Number(match[2] ?? 0)];
}

/** The version in which objects are stored: the most preferred one that the release before knew
 * too, so that a server can be rolled back by one. It does not depend on what is enabled. */
export function storageVersionOf(versions: readonly VersionedKind[], release: number): string {
  const known = versions.filter((kind) => isKnown(kind, release));
  const older = known.filter((kind) => isKnown(kind, release - 1));
  const candidates = older.length > 0 ? older : known.length > 0 ? known : versions;
  const sorted = candidates.map((kind) => kind.version).sort(compareVersions);
  return sorted[0] ?? '';
}

/** The versions of a group, preferred first: the most preferred one that the release before knew
 * too, so that clients of both releases agree on it; then the others, as they sort. */
export function preferredFirst(
  served: readonly string[],
  ofGroup: readonly VersionedKind[],
  release: number,
): readonly string[] {
  const sorted = [...served].sort(compareVersions);
  const preferred = sorted.find((version) =>
    ofGroup.some(
      (kind) =>
        kind.version === version && (isKnown(kind, release - 1) || kind.preferredAtOnce === true),
    ),
  );
  if (preferred === undefined) return sorted;
  return [preferred, ...sorted.filter((version) => version !== preferred)];
}
