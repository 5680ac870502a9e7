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
  textSizeProblems,
} from './expression-check.ts';
import type { CheckedPlace } from './expression-check.ts';

type Problems = readonly FieldError[];
type Check = (object: ApiObject, current: ApiObject | undefined) => Problems;

function onWrites(check: Check): KindRules {
  const bounded: Check = (object, current) => {
    const same = (part: string): boolean => deepEqual(object[part], current?.[part]);
    // What has not changed has been accepted.
    if (current !== undefined && same('spec') && same('webhooks')) return [];
    const long = textSizeProblems('spec', textsBelow(object, expressionNames));
    return long.length > 0 ? long : check(object, current);
  };
  return {
    validateCreate: (object) => bounded(object, undefined),
    validateUpdate: bounded,
  };
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

function conditionProblems(
  holder: JsonObject,
  path: string,
  place: CheckedPlace,
  known: ReadonlySet<string>,
): Problems {
  return objects(holder, 'matchConditions').flatMap((condition, at) => {
    const field = `${path}.matchConditions[${at}].expression`;
    return expressionProblems(place, field, text(condition, 'expression'), known);
  });
}

export function webhookExpressions(language: Language): KindRules {
  const place = checkedPlace(language, admissionPlace({ params: false, authorizer: true }), [
    boolType,
  ]);
  return onWrites((object, current) =>
    objects(object, 'webhooks').flatMap((hook, at) =>
      conditionProblems(hook, `webhooks[${at}]`, place, before(current)),
    ),
  );
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
  readonly problems: Problems;
}

/** Each may use those before it. One that does not compile is dynamic for those after it. */
function declareVariables(spec: JsonObject, places: PolicyPlaces): DeclaredVariables {
  const types = new Map<string, Type>();
  // It sees the types of the variables as they are declared.
  const place = places.at({ authorizer: true, variables: types })([]);
  const problems: FieldError[] = [];
  for (const [at, variable] of objects(spec, 'variables').entries()) {
    const expression = text(variable, 'expression');
    if (expression.trim() === '') continue;
    const compiled = place.check(expression, places.known.has(expression));
    const field = `spec.variables[${at}].expression`;
    problems.push(...expressionProblems(place, field, expression, places.known));
    const type = compiled.kind === 'ok' ? compiled.expression.ast.type : dynType;
    types.set(text(variable, 'name'), type);
  }
  return { types, problems };
}

export function validatingPolicyExpressions(language: Language): KindRules {
  return onWrites((policy, current) => {
    const spec = part(policy, 'spec');
    const places = policyPlaces(language, spec, current);
    const conditions = places.at({ authorizer: true })([boolType]);
    const { types: variables, problems } = declareVariables(spec, places);
    const ofPolicy = places.at({ authorizer: true, variables });
    const validation = ofPolicy([boolType]);
    const message = places.at({ authorizer: false, variables })([stringType]);
    const annotation = ofPolicy([stringType, nullType]);
    const { known } = places;
    return [
      ...conditionProblems(spec, 'spec', conditions, known),
      ...problems,
      ...objects(spec, 'validations').flatMap((item, at) => [
        ...expressionProblems(
          validation,
          `spec.validations[${at}].expression`,
          text(item, 'expression'),
          known,
        ),
        ...expressionProblems(
          message,
          `spec.validations[${at}].messageExpression`,
          text(item, 'messageExpression'),
          known,
        ),
      ]),
      ...objects(spec, 'auditAnnotations').flatMap((item, at) =>
        expressionProblems(
          annotation,
          `spec.auditAnnotations[${at}].valueExpression`,
          text(item, 'valueExpression'),
          known,
        ),
      ),
    ];
  });
}

export function mutatingPolicyExpressions(language: Language): KindRules {
  return onWrites((policy, current) => {
    const spec = part(policy, 'spec');
    const places = policyPlaces(language, spec, current);
    const patching = policyPlaces(language, spec, current, { providers: [mutationTypes] });
    const conditions = places.at({ authorizer: true })([boolType]);
    const { types: variables, problems } = declareVariables(spec, places);
    const ofMutation = patching.at({ authorizer: true, variables });
    const apply = ofMutation([mutationObjectType]);
    const patch = ofMutation([listType(jsonPatchType)]);
    const { known } = places;
    return [
      ...conditionProblems(spec, 'spec', conditions, known),
      ...problems,
      ...objects(spec, 'mutations').flatMap((item, at) => [
        ...expressionProblems(
          apply,
          `spec.mutations[${at}].applyConfiguration.expression`,
          text(part(item, 'applyConfiguration'), 'expression'),
          known,
        ),
        ...expressionProblems(
          patch,
          `spec.mutations[${at}].jsonPatch.expression`,
          text(part(item, 'jsonPatch'), 'expression'),
          known,
        ),
      ]),
    ];
  });
}
