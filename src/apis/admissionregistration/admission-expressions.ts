/**
 * Expressions of admission policies and of match conditions of webhooks: that they compile, and
 * what they give.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { admissionPlace } from '../../admission/expressions/admission-place.ts';
import type { AdmissionPlaceOptions } from '../../admission/expressions/admission-place.ts';
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
  checkedPlace,
  expressionProblems,
  placeOnce,
  problemsOf,
  textSizeProblems,
} from '../expressions/expression-check.ts';
import { judgedInTurns } from '../expressions/judged-in-turns.ts';
import type { Judging } from '../expressions/judged-in-turns.ts';
import type { CheckedPlace } from '../expressions/expression-check.ts';

type Judges = (object: ApiObject, current: ApiObject | undefined) => Judging;

/** Characters of expressions that are compiled at once. */
const smallMax = 512;

function onWrites(judge: Judges): KindRules {
  const textsOf = (object: ApiObject): readonly string[] => textsBelow(object, expressionNames);
  return judgedInTurns({
    seen: ({ spec, webhooks }) => [spec, webhooks],
    isSmall: (object) => textsOf(object).reduce((sum, { length }) => sum + length, 0) <= smallMax,
    *judge(object, current) {
      const same = (part: string): boolean => deepEqual(object[part], current?.[part]);
      // What has not changed has been accepted.
      if (current !== undefined && same('spec') && same('webhooks')) return [];
      const long = textSizeProblems('spec', textsOf(object));
      return long.length > 0 ? long : yield* judge(object, current);
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
  place: CheckedPlace,
  known: ReadonlySet<string>,
  expressionOf: (item: JsonObject) => string,
  pathOf: (at: number) => string,
): Judging {
  const problems: FieldError[] = [];
  for (const [at, item] of items.entries()) {
    const expression = expressionOf(item);
    problems.push(...(yield* expressionProblems(place, pathOf(at), expression, known)));
  }
  return problems;
}

function conditionProblems(
  holder: JsonObject,
  path: string,
  place: CheckedPlace,
  known: ReadonlySet<string>,
): Judging {
  return each(
    objects(holder, 'matchConditions'),
    place,
    known,
    (condition) => text(condition, 'expression'),
    (at) => `${path}.matchConditions[${at}].expression`,
  );
}

export function webhookExpressions(language: Language): KindRules {
  const place = checkedPlace(language, admissionPlace({ params: false, authorizer: true }), [
    boolType,
  ]);
  return onWrites(function* (object, current) {
    const known = before(current);
    const problems: FieldError[] = [];
    for (const [at, hook] of objects(object, 'webhooks').entries()) {
      problems.push(...(yield* conditionProblems(hook, `webhooks[${at}]`, place, known)));
    }
    return problems;
  });
}

/** What one policy's expressions may name, which depends on its parameters and variables. */
interface PolicyPlaces {
  readonly known: ReadonlySet<string>;
  /** Undefined variables: the expression cannot use any. */
  at(options: {
    readonly authorizer: boolean;
    readonly variables?: ReadonlyMap<string, Type>;
  }): (results: readonly Type[]) => CheckedPlace;
}

function policyPlaces(
  language: Language,
  spec: JsonObject,
  current: ApiObject | undefined,
  extra: Pick<AdmissionPlaceOptions, 'providers'> = {},
): PolicyPlaces {
  const params = spec['paramKind'] !== undefined && spec['paramKind'] !== null;
  return {
    known: before(current),
    at: (options) => {
      const place = admissionPlace({ params, ...extra, ...options });
      const libraries = extra.providers === undefined ? undefined : [jsonPatchLibrary];
      return placeOnce(language, { ...place, libraries });
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
  places: PolicyPlaces,
): Generator<undefined, DeclaredVariables, undefined> {
  const types = new Map<string, Type>();
  // It sees the types of the variables as they are declared.
  const place = places.at({ authorizer: true, variables: types })([]);
  const problems: FieldError[] = [];
  for (const [at, variable] of objects(spec, 'variables').entries()) {
    const expression = text(variable, 'expression');
    if (expression.trim() === '') continue;
    const compiled = yield* place.check(expression, places.known.has(expression));
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
    const places = policyPlaces(language, spec, current);
    const { known } = places;
    const conditions = places.at({ authorizer: true })([boolType]);
    const { types: variables, problems } = yield* declareVariables(spec, places);
    const ofPolicy = places.at({ authorizer: true, variables });
    const validation = ofPolicy([boolType]);
    const message = places.at({ authorizer: false, variables })([stringType]);
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
    const places = policyPlaces(language, spec, current);
    const patching = policyPlaces(language, spec, current, { providers: [mutationTypes] });
    const { known } = places;
    const conditions = places.at({ authorizer: true })([boolType]);
    const { types: variables, problems } = yield* declareVariables(spec, places);
    const ofMutation = patching.at({ authorizer: true, variables });
    const apply = ofMutation([mutationObjectType]);
    const patch = ofMutation([listType(jsonPatchType)]);
    const found = [...(yield* conditionProblems(spec, 'spec', conditions, known)), ...problems];
    const forms = [
      ['applyConfiguration', apply],
      ['jsonPatch', patch],
    ] as const;
    for (const [at, item] of objects(spec, 'mutations').entries()) {
      for (const [form, place] of forms) {
        const path = `spec.mutations[${at}].${form}.expression`;
        const expression = text(part(item, form), 'expression');
        found.push(...(yield* expressionProblems(place, path, expression, known)));
      }
    }
    return found;
  });
}
