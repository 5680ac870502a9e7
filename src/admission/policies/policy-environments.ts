/**
 * The environments in which the expressions of policies are compiled. Policies without variables
 * share one for each combination of options. A policy with variables has its own, because their
 * types are its own.
 */
import type { Environment } from '../../cel/cel.ts';
import { compileSteps } from '../../cel/expression.ts';
import type { Language } from '../../cel/language.ts';
import { jsonPatchLibrary } from '../../cel/library/json-patch-library.ts';
import { dynType } from '../../cel/type.ts';
import type { Type } from '../../cel/type.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { objects, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { admissionContext } from '../expressions/admission-context.ts';
import type { Compiled } from '../expressions/filter.ts';
import { mutationTypes } from '../expressions/mutation-types.ts';

export interface PolicyEnvironments {
  /** `variables` undefined: the context has none. */
  at(options: PolicyContextOptions): Environment;
}

export interface PolicyContextOptions {
  readonly params: boolean;
  readonly authorizer: boolean;
  readonly variables?: ReadonlyMap<string, Type> | undefined;
  /** May make objects and patches. */
  readonly mutating?: boolean | undefined;
}

export function policyEnvironments(language: Language): PolicyEnvironments {
  const shared = new Map<string, Environment>();
  return {
    at(options) {
      const { authorizer, mutating = false, params, variables } = options;
      if (variables !== undefined && variables.size > 0) return environmentOf(language, options);
      const key = `${authorizer} ${mutating} ${params} ${variables === undefined}`;
      const made = shared.get(key) ?? environmentOf(language, options);
      shared.set(key, made);
      return made;
    },
  };
}

function environmentOf(language: Language, options: PolicyContextOptions): Environment {
  const { authorizer, mutating = false, params, variables } = options;
  const providers = mutating ? [mutationTypes] : [];
  const context = admissionContext({ params, authorizer, variables, providers });
  return language.forStored({ ...context, ...(mutating && { libraries: [jsonPatchLibrary] }) });
}

export interface PolicyVariables {
  readonly types: ReadonlyMap<string, Type>;
  readonly compiled: ReadonlyMap<string, Compiled>;
}

/** Each may use those before it. One that does not compile is an error for whoever reads it. */
export function* compileVariables(
  language: Language,
  spec: JsonObject,
  params: boolean,
): Steps<PolicyVariables> {
  const types = new Map<string, Type>();
  const compiled = new Map<string, Compiled>();
  const variables = objects(spec, 'variables');
  if (variables.length === 0) return { types, compiled };
  // It sees the types as they are declared.
  const environment = environmentOf(language, { params, authorizer: true, variables: types });
  for (const variable of variables) {
    const name = text(variable, 'name');
    const found = yield* compileSteps(environment, text(variable, 'expression'));
    types.set(name, found.kind === 'ok' ? found.expression.ast.type : dynType);
    compiled.set(name, found);
    yield;
  }
  return { types, compiled };
}
