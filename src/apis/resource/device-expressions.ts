/**
 * Selectors of devices (resource claims, their templates and device classes): that they compile,
 * give a bool, and cannot cost too much.
 *
 *     device.driver == "gpu.example.com" &&
 *     device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.0.0")) &&
 *     device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0
 */
import { forbidden, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { budgets } from '../../cel/budgets.ts';
import type { ExpressionContext, Language } from '../../cel/language.ts';
import { bindings } from '../../cel/library/bindings.ts';
import { quantityType } from '../../cel/library/quantity-library.ts';
import { strictSemverLibrary } from '../../cel/library/semver-library.ts';
import {
  declaredMap,
  declaredObject,
  declaredScalar,
  declaredText,
} from '../../cel/schema/declared-types.ts';
import { schemaProvider, schemaSizes } from '../../cel/schema/schema-provider.ts';
import type { SchemaType } from '../../cel/schema/schema-type.ts';
import { anyType, boolType } from '../../cel/type.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { cachedExpressionChecker, textSizeProblems } from '../expressions/expression-check.ts';
import type { ExpressionChecker } from '../expressions/expression-check.ts';
import { stepwiseRules } from '../expressions/stepwise-rules.ts';
import type { ValidationSteps } from '../expressions/stepwise-rules.ts';

/** Of the API: characters of names, entries of a device, characters of a value. */
const domainMax = 63;
const idMax = 32;
const driverMax = 63;
const valueMax = 64;
const entriesMax = 32;

const sized = (type: SchemaType, maxElements: number): SchemaType => ({ ...type, maxElements });
const namedMap = (element: SchemaType, keyMax: number): SchemaType => ({
  ...sized(declaredMap(element), entriesMax),
  key: sized(declaredText, keyMax),
});

const attribute = sized(declaredScalar(anyType), valueMax);
const quantity = declaredScalar(quantityType);
const deviceType = declaredObject('kubernetes.DRADevice', {
  driver: sized(declaredText, driverMax),
  attributes: namedMap(namedMap(attribute, idMax), domainMax),
  capacity: namedMap(namedMap(quantity, idMax), domainMax),
});
const sizes = schemaSizes(deviceType);

const context: ExpressionContext = {
  variables: [{ name: 'device', type: deviceType.type }],
  providers: [schemaProvider(deviceType)],
  libraries: [bindings],
  newLibraries: [strictSemverLibrary],
};

type Selectors = readonly (readonly [path: string, selectors: readonly JsonObject[]])[];

/** Characters of selectors that are compiled at once. */
const smallMax = 512;

function selectorRules(
  language: Language,
  selectorsOf: (object: ApiObject) => Selectors,
): KindRules {
  const checked = cachedExpressionChecker(language, context, [boolType, anyType]);
  const textsOf = (object: ApiObject | undefined): readonly string[] =>
    object === undefined
      ? []
      : selectorsOf(object).flatMap(([, selectors]) => selectors.map(expressionOf));
  return stepwiseRules({
    validatedPart: (object) => selectorsOf(object),
    isSmall: (object) => textsOf(object).reduce((sum, { length }) => sum + length, 0) <= smallMax,
    *validate(object, current) {
      const long = textSizeProblems('spec', textsOf(object));
      if (long.length > 0) return long;
      const before = new Set(textsOf(current));
      const problems: FieldError[] = [];
      for (const [path, selectors] of selectorsOf(object)) {
        for (const [at, selector] of selectors.entries()) {
          const field = `${path}[${at}].cel.expression`;
          const expression = expressionOf(selector);
          problems.push(...(yield* selectorProblems(checked, field, expression, before)));
        }
      }
      return problems;
    },
  });
}

function expressionOf(selector: JsonObject): string {
  return text(part(selector, 'cel'), 'expression');
}

function* selectorProblems(
  checked: ExpressionChecker,
  field: string,
  expression: string,
  before: ReadonlySet<string>,
): ValidationSteps {
  if (expression.trim() === '') return [];
  const compiled = yield* checked.check(expression, before.has(expression));
  if (compiled.kind === 'invalid') {
    const { found, problem } = compiled;
    const wrong = `must evaluate to bool or the unknown type, not ${found?.text ?? ''}`;
    return [invalid(field, expression, found === undefined ? problem : wrong)];
  }
  yield;
  const { max } = compiled.expression.estimate(sizes);
  if (max <= budgets.deviceSelector) return [];
  return [forbidden(field, 'too complex, exceeds cost limit')];
}

/** Of a request itself, of its `exactly`, and of each of its alternatives. */
function requestSelectors(spec: JsonObject, path: string): Selectors {
  const devices = part(spec, 'devices');
  return objects(devices, 'requests').flatMap((request, at) => {
    const here = `${path}.devices.requests[${at}]`;
    return [
      [`${here}.selectors`, objects(request, 'selectors')],
      [`${here}.exactly.selectors`, objects(part(request, 'exactly'), 'selectors')],
      ...objects(request, 'firstAvailable').map(
        (sub, index) =>
          [`${here}.firstAvailable[${index}].selectors`, objects(sub, 'selectors')] as const,
      ),
    ] as const;
  });
}

export const claimExpressions = (language: Language): KindRules =>
  selectorRules(language, (claim) => requestSelectors(part(claim, 'spec'), 'spec'));

export const claimTemplateExpressions = (language: Language): KindRules =>
  selectorRules(language, (template) =>
    requestSelectors(part(part(template, 'spec'), 'spec'), 'spec.spec'),
  );

export const deviceClassExpressions = (language: Language): KindRules =>
  selectorRules(language, (kind) => [['spec.selectors', objects(part(kind, 'spec'), 'selectors')]]);

export const deviceTaintRuleExpressions = (language: Language): KindRules =>
  selectorRules(language, (rule) => [
    [
      'spec.deviceSelector.selectors',
      objects(part(part(rule, 'spec'), 'deviceSelector'), 'selectors'),
    ],
  ]);
