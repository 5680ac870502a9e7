/**
 * The language of this server: which libraries it has, and since which release
 * (spec 9.2, rule 3).
 *
 * There are two environments. A new expression may use only what the previous release has, because
 * it must still work after a rollback, or on an older server over the same store. A stored
 * expression may use everything: it was accepted once and stays in use.
 */
import type { CostTable } from './cost.ts';
import type { Environment, EnvironmentOptions } from './cel.ts';
import type { Library, TypeProvider, VariableDeclaration } from './declaration.ts';
import { createEnvironment } from './environment.ts';
import { authorizerLibrary, authorizerSelectorsLibrary } from './library/authorizer-library.ts';
import { formatLibrary } from './library/format-library.ts';
import { listsLibrary } from './library/lists-library.ts';
import { cidrLibrary, ipLibrary } from './library/network-library.ts';
import { quantityLibrary } from './library/quantity-library.ts';
import { regexLibrary } from './library/regex-library.ts';
import { semverLibrary } from './library/semver-library.ts';
import { setsLibrary } from './library/sets-library.ts';
import { stringsLibrary } from './library/strings-library.ts';
import { equalityCost } from './library/equality-costs.ts';
import { twoVariableComprehensions } from './library/two-variable-comprehensions.ts';
import { urlLibrary } from './library/url-library.ts';

const twoVariablesSince = 32;

/** Minor numbers of releases. Libraries that are not named have always been there. */
export const libraryReleases: readonly (readonly [release: number, library: Library])[] = [
  [0, urlLibrary],
  [0, regexLibrary],
  [0, listsLibrary],
  [0, stringsLibrary],
  [27, authorizerLibrary],
  [28, quantityLibrary],
  [29, setsLibrary],
  [30, ipLibrary],
  [30, cidrLibrary],
  [31, formatLibrary],
  [31, authorizerSelectorsLibrary],
  [twoVariablesSince, twoVariableComprehensions(twoVariablesSince)],
  [33, semverLibrary],
];

const optionalsSince = 28;
const checkedLiteralsSince = 29;
/** Of the newest release that can be emulated: stored expressions may use all of it. */
const currentFeatures = 33;

export interface LanguageOptions {
  /** The minor number of the release that this server is, or emulates. */
  readonly release: number;
  readonly costs: CostTable;
}

/** What the context of an expression adds: its variables, their types, and libraries of its own. */
export interface ExpressionContext {
  readonly variables: readonly VariableDeclaration[];
  readonly providers?: readonly TypeProvider[] | undefined;
  readonly libraries?: readonly Library[] | undefined;
  /** Only for what is written now: an older form of what the release has for everybody. */
  readonly newLibraries?: readonly Library[] | undefined;
}

export interface Language {
  /** For an expression that is written now. */
  forNew(context: ExpressionContext): Environment;
  /** For one that was accepted before, and for files of the server itself. */
  forStored(context: ExpressionContext): Environment;
}

export function createLanguage({ release, costs }: LanguageOptions): Language {
  // Many servers never see an expression.
  let before: Environment | undefined;
  let everything: Environment | undefined;
  return {
    forNew: (context) => {
      const base = (before ??= createEnvironment(baseOptions(release - 1, costs, release - 1)));
      const { newLibraries = [], libraries = [], ...rest } = context;
      return base.extend({ ...rest, libraries: [...libraries, ...newLibraries] });
    },
    forStored: (context) => {
      const base = (everything ??= createEnvironment(
        baseOptions(currentFeatures, costs, undefined),
      ));
      const { newLibraries: _unused, ...rest } = context;
      return base.extend(rest);
    },
  };
}

function baseOptions(
  features: number,
  costs: CostTable,
  release: number | undefined,
): EnvironmentOptions {
  return {
    libraries: libraryReleases.map(([since, library]) => sinceRelease(library, since)),
    release,
    costs: { ...costs, overloads: { ...costs.overloads, equals: equalityCost } },
    optionals: features >= optionalsSince,
    crossTypeComparisons: features >= optionalsSince,
    homogeneousLiterals: true,
    validateLiterals: features >= checkedLiteralsSince,
  };
}

/** A library whose functions and macros came in with this release, or with a later one. */
function sinceRelease(library: Library, release: number): Library {
  const gated = <T extends { readonly since?: number | undefined }>(item: T): T => ({
    ...item,
    since: Math.max(item.since ?? 0, release),
  });
  return {
    ...library,
    functions: library.functions?.map(({ name, overloads }) => ({
      name,
      overloads: overloads.map(gated),
    })),
    macros: library.macros?.map(gated),
  };
}
