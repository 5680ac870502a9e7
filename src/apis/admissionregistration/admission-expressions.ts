/**
 * Expressions of admission policies and of match conditions of webhooks: that they compile, and
 * what they give.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { admissionContext } from '../../admission/expressions/admission-context.ts';
import type { AdmissionContextOptions } from '../../admission/expressions/admission-context.ts';
import {
  jsonPatchType,
  mutationObjectType,
  mutationTypes,
} from '../../admission/expressions/mutation-types.ts';
import { jsonPatchLibrary } from '../../cel/library/json-patch-library.ts';
import type { Language } from '../../cel/language.ts';
import { boolType, dynType, listType, nullType, stringType } from '../../cel/type.ts';
import type { Type } from '../../cel/type.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import {
  cachedExpressionChecker,
  expressionProblems,
  expressionChecker,
  problemsOf,
  textSizeProblems,
} from '../expressions/expression-check.ts';
import { stepwiseRules } from '../expressions/stepwise-rules.ts';
import type { ValidationSteps } from '../expressions/stepwise-rules.ts';
import type { ExpressionChecker } from '../expressions/expression-check.ts';

type Validate = (object: ApiObject, current: ApiObject | undefined) => ValidationSteps;

/** Characters of expressions that are compiled at once. */
const smallMax = 512;

function onWrites(validate: Validate): KindRules {
  const textsOf = (object: ApiObject): readonly string[] => textsBelow(object, expressionNames);
  return stepwiseRules({
    validatedPart: ({ spec, webhooks }) => [spec, webhooks],
    isSmall: (object) => textsOf(object).reduce((sum, { length }) => sum + length, 0) <= smallMax,
    *validate(object, current) {
      const same = (part: string): boolean => deepEqual(object[part], current?.[part]);
      // What has not changed has been accepted.
      if (current !== undefined && same('spec') && same('webhooks')) return [];
      const long = textSizeProblems('spec', textsOf(object));
      return long.length > 0 ? long : yield* validate(object, current);
    },
  });
}

/** All texts under these names, anywhere below. */
function textsBelow(value: unknown, names: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      if (typeof member === 'string') {
        if (names.has(name)) found.push(member);
      } else left.push(member);
    }
  }
  return found;
}

const expressionNames: ReadonlySet<string> = new Set([
  'expression',
  'messageExpression',
  'valueExpression',
]);

const nothingBefore: ReadonlySet<string> = new Set();

function before(current: ApiObject | undefined): ReadonlySet<string> {
  return current === undefined ? nothingBefore : new Set(textsBelow(current, expressionNames));
}

/** One expression after the other, each at its path. */
function* each(
  items: readonly JsonObject[],
  checker: ExpressionChecker,
  known: ReadonlySet<string>,
  expressionOf: (item: JsonObject) => string,
  pathOf: (at: number) => string,
): ValidationSteps {
  const problems: FieldError[] = [];
  for (const [at, item] of items.entries()) {
    const expression = expressionOf(item);
    problems.push(...(yield* expressionProblems(checker, pathOf(at), expression, known)));
  }
  return problems;
}

function conditionProblems(
  holder: JsonObject,
  path: string,
  checker: ExpressionChecker,
  known: ReadonlySet<string>,
): ValidationSteps {
  return each(
    objects(holder, 'matchConditions'),
    checker,
    known,
    (condition) => text(condition, 'expression'),
    (at) => `${path}.matchConditions[${at}].expression`,
  );
}

export function webhookExpressions(language: Language): KindRules {
  const checker = cachedExpressionChecker(
    language,
    admissionContext({ params: false, authorizer: true }),
    [boolType],
  );
  return onWrites(function* (object, current) {
    const known = before(current);
    const problems: FieldError[] = [];
    for (const [at, hook] of objects(object, 'webhooks').entries()) {
      problems.push(...(yield* conditionProblems(hook, `webhooks[${at}]`, checker, known)));
    }
    return problems;
  });
}

/** What one policy's expressions may name, which depends on its parameters and variables. */
interface PolicyCheckers {
  readonly known: ReadonlySet<string>;
  /** Undefined variables: the expression cannot use any. */
  at(options: {
    readonly authorizer: boolean;
    readonly variables?: ReadonlyMap<string, Type>;
  }): (results: readonly Type[]) => ExpressionChecker;
}

function policyCheckers(
  language: Language,
  spec: JsonObject,
  current: ApiObject | undefined,
  extra: Pick<AdmissionContextOptions, 'providers'> = {},
): PolicyCheckers {
  const params = spec['paramKind'] !== undefined && spec['paramKind'] !== null;
  return {
    known: before(current),
    at: (options) => {
      const context = admissionContext({ params, ...extra, ...options });
      const libraries = extra.providers === undefined ? undefined : [jsonPatchLibrary];
      return expressionChecker(language, { ...context, libraries });
    },
  };
}

interface DeclaredVariables {
  readonly types: ReadonlyMap<string, Type>;
  readonly problems: readonly FieldError[];
}

/** Each may use those before it. One that does not compile is dynamic for those after it. */
function* declareVariables(
  spec: JsonObject,
  checkers: PolicyCheckers,
): Generator<undefined, DeclaredVariables, undefined> {
  const types = new Map<string, Type>();
  // It sees the types of the variables as they are declared.
  const checker = checkers.at({ authorizer: true, variables: types })([]);
  const problems: FieldError[] = [];
  for (const [at, variable] of objects(spec, 'variables').entries()) {
    const expression = text(variable, 'expression');
    if (expression.trim() === '') continue;
    const compiled = yield* checker.check(expression, checkers.known.has(expression));
    problems.push(...problemsOf(compiled, `spec.variables[${at}].expression`, expression));
    const type = compiled.kind === 'ok' ? compiled.expression.ast.type : dynType;
    types.set(text(variable, 'name'), type);
    yield;
  }
  return { types, problems };
}

export function validatingPolicyExpressions(language: Language): KindRules {
  return onWrites(function* (policy, current) {
    const spec = part(policy, 'spec');
    const checkers = policyCheckers(language, spec, current);
    const { known } = checkers;
    const conditions = checkers.at({ authorizer: true })([boolType]);
    const { types: variables, problems } = yield* declareVariables(spec, checkers);
    const ofPolicy = checkers.at({ authorizer: true, variables });
    const validation = ofPolicy([boolType]);
    const message = checkers.at({ authorizer: false, variables })([stringType]);
    const annotation = ofPolicy([stringType, nullType]);
    const found = [...(yield* conditionProblems(spec, 'spec', conditions, known)), ...problems];
    for (const [at, item] of objects(spec, 'validations').entries()) {
      const path = `spec.validations[${at}]`;
      const [rule, words] = [text(item, 'expression'), text(item, 'messageExpression')];
      found.push(
        ...(yield* expressionProblems(validation, `${path}.expression`, rule, known)),
        ...(yield* expressionProblems(message, `${path}.messageExpression`, words, known)),
      );
    }
    const annotations = each(
      objects(spec, 'auditAnnotations'),
      annotation,
      known,
      (item) => text(item, 'valueExpression'),
      (at) => `spec.auditAnnotations[${at}].valueExpression`,
    );
    return [...found, ...(yield* annotations)];
  });
}

export function mutatingPolicyExpressions(language: Language): KindRules {
  return onWrites(function* (policy, current) {
    const spec = part(policy, 'spec');
    const checkers = policyCheckers(language, spec, current);
    const patching = policyCheckers(language, spec, current, { providers: [mutationTypes] });
    const { known } = checkers;
    const conditions = checkers.at({ authorizer: true })([boolType]);
    const { types: variables, problems } = yield* declareVariables(spec, checkers);
    const ofMutation = patching.at({ authorizer: true, variables });
    const apply = ofMutation([mutationObjectType]);
    const patch = ofMutation([listType(jsonPatchType)]);
    const found = [...(yield* conditionProblems(spec, 'spec', conditions, known)), ...problems];
    const forms = [
      ['applyConfiguration', apply],
      ['jsonPatch', patch],
    ] as const;
    for (const [at, item] of objects(spec, 'mutations').entries()) {
      for (const [form, checker] of forms) {
        const path = `spec.mutations[${at}].${form}.expression`;
        const expression = text(part(item, form), 'expression');
        found.push(...(yield* expressionProblems(checker, path, expression, known)));
      }
    }
    return found;
  });
}
