/**
 * The language put together: declarations are collected once, then expressions are parsed, checked,
 * planned and estimated with them. Callers outside this folder start here.
 */
import type { Ast, CheckedAst } from './ast.ts';
import type { Compiled, Environment, EnvironmentOptions, Program, ProgramOptions } from './cel.ts';
import { Checker } from './check/checker.ts';
import { validateLiterals } from './check/literal-validation.ts';
import type { Declarations } from './check/scope.ts';
import type { CostEstimate, OverloadCost, SizeHints } from './cost.ts';
import type {
  FunctionDeclaration,
  Library,
  Macro,
  Overload,
  VariableDeclaration,
} from './declaration.ts';
import { hasConstantConversion, literalPatternProblem } from './check/literal-patterns.ts';
import { Estimator } from './estimate/estimator.ts';
import { programOf } from './evaluate/evaluation.ts';
import { Planner } from './evaluate/planner.ts';
import { optionalLibrary } from './library/optionals.ts';
import { crossTypeOverloads, standardLibrary } from './library/standard.ts';
import { wellKnownTypes } from './library/well-known-types.ts';
import { issuesOf } from './syntax/issues.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { defaultLimits, parseExpressionSteps } from './syntax/parse.ts';
import type { ParseOptions } from './syntax/parse.ts';
import { sourceOf } from './syntax/source.ts';
import type { Type } from './type.ts';

const noOverloads: ReadonlySet<string> = new Set();

interface Parts {
  readonly options: EnvironmentOptions;
  readonly declarations: Declarations;
  readonly parseOptions: ParseOptions;
  readonly overloadCost: (id: string) => OverloadCost | undefined;
}

export function createEnvironment(options: EnvironmentOptions): Environment {
  return environmentOf(options, collect(options));
}

function environmentOf(options: EnvironmentOptions, collected: Collected): Environment {
  const parts = partsOf(options, collected);
  const compileSteps = (text: string): Compiling => compiling(text, parts);
  return {
    parse: (text) => finished(parseExpressionSteps(text, parts.parseOptions)),
    check: (ast) => finished(checkInParts(ast, parts)),
    compile: (text) => finished(compileSteps(text)),
    compileSteps: compileSteps,
    program: (ast, programOptions) => finished(planning(ast, parts, programOptions)),
    programInParts: (ast) => planning(ast, parts),
    estimate: (ast, hints) => estimate(ast, parts, hints),
    instantiationProblemInParts: (ast) => instantiating(ast, parts),
    extend: (more) => {
      const extended = {
        ...options,
        libraries: [...(options.libraries ?? []), ...(more.libraries ?? [])],
        variables: [...(options.variables ?? []), ...(more.variables ?? [])],
        providers: [...(options.providers ?? []), ...(more.providers ?? [])],
        container: more.container ?? options.container,
      };
      // Variables and types alone, which is what most places add, leave the functions as they are.
      const same = (more.libraries ?? []).length === 0;
      return environmentOf(extended, same ? collected : collect(extended));
    },
  };
}

/** What libraries declare, put together once for all environments that share them. */
interface Collected extends Pick<Declarations, 'functions' | 'types'> {
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly overloads: ReadonlyMap<string, Overload>;
  /** By name; those for so many arguments before those for any number. */
  readonly macros: ReadonlyMap<string, readonly Macro[]>;
}

function collect(options: EnvironmentOptions): Collected {
  const { release } = options;
  const isThere = (since: number | undefined): boolean =>
    release === undefined || since === undefined || since <= release;
  const libraries: readonly Library[] = [
    standardLibrary,
    ...(options.optionals === true ? [optionalLibrary] : []),
    ...(options.libraries ?? []),
  ];
  const overloads = new Map<string, Overload>();
  const declared = declarationsOf(libraries, isThere, overloads);
  const macros = macrosOf(
    libraries.flatMap((library) => library.macros ?? []).filter(({ since }) => isThere(since)),
  );
  return { ...declared, overloads, macros };
}

/** One that comes later replaces one with the same arguments. */
function macrosOf(all: readonly Macro[]): ReadonlyMap<string, readonly Macro[]> {
  const macros = new Map<string, Macro[]>();
  for (const macro of all) {
    const { name, argumentCount, member } = macro;
    const others = (macros.get(name) ?? []).filter(
      (other) => other.argumentCount !== argumentCount || other.member !== member,
    );
    macros.set(name, argumentCount === undefined ? [...others, macro] : [macro, ...others]);
  }
  return macros;
}

function partsOf(options: EnvironmentOptions, collected: Collected): Parts {
  const { functions, macros, overloads, types } = collected;
  const variables = new Map(collected.variables);
  for (const variable of options.variables ?? []) variables.set(variable.name, variable);
  const { container = '', costs, providers = [] } = options;
  return {
    options,
    declarations: {
      container,
      functions,
      types,
      variables,
      providers: [...providers, wellKnownTypes],
    },
    overloadCost: (id) => costs.overloads[id] ?? overloads.get(id)?.cost,
    parseOptions: {
      limits: { ...defaultLimits, ...options.limits },
      sourceName: options.sourceName ?? '<input>',
      optionals: options.optionals ?? false,
      escapedIdentifiers: options.escapedIdentifiers ?? false,
      findMacro: (name, argumentCount, member) =>
        macros
          .get(name)
          ?.find(
            (macro) =>
              macro.member === member &&
              (macro.argumentCount === undefined || macro.argumentCount === argumentCount),
          ),
    },
  };
}

function declarationsOf(
  libraries: readonly Library[],
  isThere: (since: number | undefined) => boolean,
  overloads: Map<string, Overload>,
): Pick<Collected, 'functions' | 'types' | 'variables'> {
  const functions = new Map<string, FunctionDeclaration>();
  for (const { name, overloads: added } of libraries.flatMap((one) => one.functions ?? [])) {
    const there = added.filter((overload) => isThere(overload.since));
    if (there.length === 0) continue;
    const ids = new Set(there.map((overload) => overload.id));
    const before = functions.get(name)?.overloads.filter((overload) => !ids.has(overload.id));
    functions.set(name, { name, overloads: [...(before ?? []), ...there] });
    for (const overload of there) overloads.set(overload.id, overload);
  }
  const types = new Map<string, Type>();
  const variables = new Map<string, VariableDeclaration>();
  for (const library of libraries) {
    for (const type of library.types ?? []) types.set(type.name, type);
    for (const variable of library.variables ?? []) variables.set(variable.name, variable);
  }
  return { functions, types, variables };
}

type Compiling = Generator<undefined, Compiled, undefined>;

function* compiling(text: string, parts: Parts): Compiling {
  const parsed = yield* parseExpressionSteps(text, parts.parseOptions);
  if (parsed.ast === undefined) return parsed;
  yield;
  return yield* checkInParts(parsed.ast, parts);
}

function* checkInParts(ast: Ast, { options, declarations, parseOptions }: Parts): Compiling {
  const issues = issuesOf(() => sourceOf(ast.source), parseOptions.sourceName);
  const checker = new Checker(ast, issues, {
    declarations,
    homogeneousLiterals: false,
    hiddenOverloads: options.crossTypeComparisons === true ? noOverloads : crossTypeOverloads,
  });
  const checked = yield* checker.check();
  yield;
  if (issues.count === 0) validateLiterals(checked, issues, options);
  if (issues.count > 0) return { issues: issues.list(), text: issues.text() };
  return { ast: checked };
}

function estimate(ast: CheckedAst, parts: Parts, hints: SizeHints | undefined): CostEstimate {
  const { overloadCost, options } = parts;
  return new Estimator(ast, { costs: options.costs, hints, overloadCost }).estimate();
}

function* planning(
  ast: Ast | CheckedAst,
  parts: Parts,
  options: ProgramOptions = {},
): Steps<Program> {
  const planner = new Planner(ast, {
    declarations: parts.declarations,
    costs: parts.options.costs,
    foldConstants: options.foldConstants ?? true,
  });
  const planned = yield* planner.planInParts(ast.expr);
  return programOf(planned, planner);
}

/** Why a pattern or a conversion of a constant fails, each time; undefined: none does. */
function* instantiating(ast: CheckedAst, parts: Parts): Steps<string | undefined> {
  const problem = literalPatternProblem(ast);
  if (problem !== undefined || !hasConstantConversion(ast)) return problem;
  yield;
  const { declarations, options } = parts;
  const planner = new Planner(ast, { declarations, costs: options.costs, foldConstants: true });
  yield* planner.planInParts(ast.expr);
  return planner.conversionProblem;
}
