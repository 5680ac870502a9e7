/**
 * Semantic versions (semver.org, 2.0.0): `MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD]`.
 *
 * Order: by the three numbers, a version with a prerelease before the one without, prereleases part
 * by part (numbers before words); the build is ignored.
 *
 * Invariants: nothing throws. Bounds: linear in the text; numbers are unsigned 64-bit.
 */
import { quote } from '../../apimachinery/quote.ts';

export interface SemanticVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Numbers as numbers. */
  readonly prerelease: readonly (bigint | string)[];
  readonly build: readonly string[];
}

export interface NoVersion {
  readonly problem: string;
}

const largest = 2n ** 64n - 1n;

/** Thrown and caught in this file only. */
class WrongPart extends Error {}

export function parseVersion(text: string): SemanticVersion | NoVersion {
  try {
    return readVersion(text);
  } catch (error) {
    if (error instanceof WrongPart) return { problem: error.message };
    throw error;
  }
}

/** Also takes `v1.2`, `1`, `01.02.03`: a leading v goes, numbers that are missing are 0. */
export function parseLooseVersion(text: string): SemanticVersion | NoVersion {
  const parts = splitThree(text.startsWith('v') ? text.slice(1) : text).map(withoutZeros);
  if (parts.length < 3) {
    if (/[+-]/.test(parts.at(-1) ?? '')) {
      return { problem: 'short version cannot contain PreRelease/Build meta data' };
    }
    while (parts.length < 3) parts.push('0');
  }
  return parseVersion(parts.join('.'));
}

function withoutZeros(part: string): string {
  if (part.length <= 1) return part;
  const kept = part.replace(/^0+/, '');
  return /^\d/.test(kept) ? kept : `0${kept}`;
}

/** At the first two dots. */
function splitThree(text: string): string[] {
  const first = text.indexOf('.');
  if (first < 0) return [text];
  const second = text.indexOf('.', first + 1);
  if (second < 0) return [text.slice(0, first), text.slice(first + 1)];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

function readVersion(text: string): SemanticVersion {
  if (text === '') throw new WrongPart('Version string empty');
  const [majorText = '', minorText = '', rest] = splitThree(text);
  if (rest === undefined) throw new WrongPart('No Major.Minor.Patch elements found');
  const major = readNumber(majorText, 'major', 'Major');
  const minor = readNumber(minorText, 'minor', 'Minor');
  const [beforeBuild = '', build] = cut(rest, '+');
  const [patchText = '', prerelease] = cut(beforeBuild, '-');
  const patch = readNumber(patchText, 'patch', 'Patch');
  return {
    major,
    minor,
    patch,
    prerelease: prerelease === undefined ? [] : prerelease.split('.').map(readPrerelease),
    build: build === undefined ? [] : build.split('.').map(readBuild),
  };
}

function cut(text: string, mark: string): [string] | [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function readNumber(text: string, name: string, title: string): bigint {
  if (!/^\d*$/.test(text)) {
    throw new WrongPart(`Invalid character(s) found in ${name} number ${quote(text)}`);
  }
  if (/^0./.test(text)) {
    throw new WrongPart(`${title} number must not contain leading zeroes ${quote(text)}`);
  }
  return unsigned(text);
}

function unsigned(text: string): bigint {
  const failed = (why: string) =>
    new WrongPart(`strconv.ParseUint: parsing ${quote(text)}: ${why}`);
  if (text === '') throw failed('invalid syntax');
  // Nobody needs to know how large a number of a thousand digits is.
  const value = text.length > 20 ? largest + 1n : BigInt(text);
  if (value > largest) throw failed('value out of range');
  return value;
}

function readPrerelease(text: string): bigint | string {
  if (text === '') throw new WrongPart('Prerelease is empty');
  if (/^\d+$/.test(text)) {
    if (!/^0./.test(text)) return unsigned(text);
    const rule = 'Numeric PreRelease version must not contain leading zeroes';
    throw new WrongPart(`${rule} ${quote(text)}`);
  }
  if (/^[0-9A-Za-z-]+$/.test(text)) return text;
  throw new WrongPart(`Invalid character(s) found in prerelease ${quote(text)}`);
}

function readBuild(text: string): string {
  if (text === '') throw new WrongPart('Build meta data is empty');
  if (/^[0-9A-Za-z-]+$/.test(text)) return text;
  throw new WrongPart(`Invalid character(s) found in build meta data ${quote(text)}`);
}

/** -1, 0 or 1. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  const numbers = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (numbers !== 0) return numbers;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return order(b.prerelease.length, a.prerelease.length) && (a.prerelease.length === 0 ? 1 : -1);
  }
  for (let i = 0; i < Math.min(a.prerelease.length, b.prerelease.length); i += 1) {
    const part = compareParts(a.prerelease[i] ?? '', b.prerelease[i] ?? '');
    if (part !== 0) return part;
  }
  return order(a.prerelease.length, b.prerelease.length);
}

function compareParts(a: bigint | string, b: bigint | string): number {
  if (typeof a === typeof b) return order(a, b);
  return typeof a === 'bigint' ? -1 : 1;
}

function order(a: bigint | string | number, b: bigint | string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
