/**
 * Semantic versions (release 1.33): `semver("1.2.3")`, or `semver("v1.2", true)` for texts that
 * have to be normalized first.
 */
import type { Library } from '../declaration.ts';
import { evaluationError, noSuchOverload } from '../evaluation-error.ts';
import { boolType, intType, opaqueType, stringType } from '../type.ts';
import { canonicalInt, OpaqueValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method, overload } from './declare.ts';
import { walk } from './prices.ts';
import { compareVersions, parseLooseVersion, parseVersion } from './semver-version.ts';
import type { NoVersion, SemanticVersion } from './semver-version.ts';

export const semverType = opaqueType('kubernetes.Semver');

class SemverValue extends OpaqueValue {
  readonly version: SemanticVersion;
  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }
  override get type(): typeof semverType {
    return semverType;
  }
  override equalTo(other: Value): boolean {
    return other instanceof SemverValue && compareVersions(this.version, other.version) === 0;
  }
}

function versionOf(value: Value): SemanticVersion {
  if (value instanceof SemverValue) return value.version;
  throw noSuchOverload();
}

function read(text: Value, loose?: Value): SemanticVersion | NoVersion {
  return loose === true ? parseLooseVersion(text as string) : parseVersion(text as string);
}

function readSemver(text: Value, loose?: Value): Value {
  const version = read(text, loose);
  if ('problem' in version) throw evaluationError(version.problem);
  return new SemverValue(version);
}

const isSemver = (text: Value, loose?: Value): Value => !('problem' in read(text, loose));

/** As 64 signed bits: what they hold beyond is negative, as in the reference. */
const number =
  (get: (version: SemanticVersion) => bigint) =>
  (value: Value): Value =>
    canonicalInt(BigInt.asIntN(64, get(versionOf(value))));

const compared = (test: (order: number) => Value) => (a: Value, b: Value) =>
  test(compareVersions(versionOf(a), versionOf(b)));

const two = [semverType, semverType];

const strict = functions({
  semver: [overload('string_to_semver', [stringType], semverType, readSemver, walk())],
  isSemver: [overload('is_semver_string', [stringType], boolType, isSemver, walk())],
  isGreaterThan: [
    method(
      'semver_is_greater_than',
      two,
      boolType,
      compared((order) => order > 0),
    ),
  ],
  isLessThan: [
    method(
      'semver_is_less_than',
      two,
      boolType,
      compared((order) => order < 0),
    ),
  ],
  compareTo: [
    method(
      'semver_compare_to',
      two,
      intType,
      compared((order) => order),
    ),
  ],
  major: [
    method(
      'semver_major',
      [semverType],
      intType,
      number((version) => version.major),
    ),
  ],
  minor: [
    method(
      'semver_minor',
      [semverType],
      intType,
      number((version) => version.minor),
    ),
  ],
  patch: [
    method(
      'semver_patch',
      [semverType],
      intType,
      number((version) => version.patch),
    ),
  ],
});

const loose = functions({
  semver: [
    overload('string_bool_to_semver', [stringType, boolType], semverType, readSemver, walk()),
  ],
  isSemver: [overload('is_semver_string_bool', [stringType, boolType], boolType, isSemver, walk())],
});

/** The first version, which selectors of devices have had since release 1.31. */
export const strictSemverLibrary: Library = {
  name: 'kubernetes.Semver',
  types: [semverType],
  functions: strict,
};

export const semverLibrary: Library = {
  ...strictSemverLibrary,
  functions: [...strict, ...loose],
};
