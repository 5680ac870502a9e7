/** Expressions in objects are judged in parts before a decision, which then compiles nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { validatingPolicyExpressions } from '../../src/apis/admissionregistration/admission-expressions.ts';
import { definitionExpressions } from '../../src/apis/apiextensions/definition-expressions.ts';
import { deviceClassExpressions } from '../../src/apis/resource/device-expressions.ts';
import type { KindRules } from '../../src/apis/validation/kind-rules.ts';
import type { Environment } from '../../src/cel/cel.ts';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createLanguage } from '../../src/cel/language.ts';
import type { Language } from '../../src/cel/language.ts';

/** The language, counting the texts that are compiled. */
function countedLanguage(): { language: Language; compiled(): number } {
  const made = createLanguage({ release: 33, costs: costTables.kubernetes });
  let count = 0;
  const counted = (environment: Environment): Environment => ({
    ...environment,
    compileSteps(text) {
      count += 1;
      return environment.compileSteps(text);
    },
  });
  return {
    language: {
      forNew: (place) => counted(made.forNew(place)),
      forStored: (place) => counted(made.forStored(place)),
    },
    compiled: () => count,
  };
}

const object = (kind: string, spec: object): ApiObject =>
  ({ kind, apiVersion: 'v1', metadata: { name: 'a' }, spec }) as unknown as ApiObject;

const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_none, i) => `has(self.f) && self.f.startsWith('name-${i}')`);

const fields = { type: 'object', properties: { f: { type: 'string', maxLength: 10 } } };
const ruled = (rules: readonly string[]) => ({
  ...fields,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});

function definition(rules: readonly string[], versions = 1): ApiObject {
  return object('CustomResourceDefinition', {
    versions: Array.from({ length: versions }, (_none, at) => ({
      name: `v${at + 1}`,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          description: `version ${at + 1}`,
          properties: { one: ruled(rules), other: ruled(rules) },
        },
      },
    })),
  });
}

const policy = (rules: readonly string[]): ApiObject =>
  object('ValidatingAdmissionPolicy', {
    validations: rules.map((rule) => ({ expression: rule.replaceAll('self', 'object') })),
  });
const deviceClass = (rules: readonly string[]): ApiObject =>
  object('DeviceClass', {
    selectors: rules.map((rule) => ({
      cel: { expression: rule.replaceAll('has(self.f) && self.f', 'device.driver') },
    })),
  });

const kinds: readonly (readonly [
  name: string,
  rules: (language: Language) => KindRules,
  make: (rules: readonly string[]) => ApiObject,
])[] = [
  ['definitions', definitionExpressions, definition],
  ['policies', validatingPolicyExpressions, policy],
  ['device classes', deviceClassExpressions, deviceClass],
];

/** How often it gave way. */
function prepared(rules: KindRules, next: ApiObject, current?: ApiObject): number {
  const work = rules.prepareValidation?.(next, current);
  assert.ok(work !== undefined, 'there is something to prepare');
  let parts = 1;
  while (work.next().done !== true) parts += 1;
  return parts;
}

for (const [name, rulesOf, make] of kinds) {
  describe(`expressions of ${name}`, () => {
    test('are judged one step after the other, and a decision finds the verdict', () => {
      const { language, compiled } = countedLanguage();
      const rules = rulesOf(language);
      const next = make(texts(60));
      assert.ok(prepared(rules, next) >= 60);
      const before = compiled();
      assert.deepEqual(rules.validateCreate?.(structuredClone(next)), []);
      assert.equal(compiled(), before);
      assert.equal(rules.prepareValidation?.(structuredClone(next), undefined), undefined);
    });

    test('are judged alike when nothing was prepared', () => {
      const wrong = [...texts(60), 'nothing'];
      const { language } = countedLanguage();
      const [whole, inTurns] = [rulesOf(language), rulesOf(language)];
      prepared(inTurns, make(wrong));
      const problems = whole.validateCreate?.(make(wrong));
      assert.ok(problems !== undefined && problems.length > 0);
      assert.deepEqual(inTurns.validateCreate?.(make(wrong)), problems);
    });

    test('have a verdict for each object that they are compared with', () => {
      const { language } = countedLanguage();
      const rules = rulesOf(language);
      const [good, bad] = [make(texts(60)), make([...texts(60), 'nothing'])];
      prepared(rules, bad, good);
      assert.ok((rules.validateUpdate?.(bad, good) ?? []).length > 0);
      assert.notEqual(rules.prepareValidation?.(bad, undefined), undefined);
      assert.notEqual(rules.prepareValidation?.(good, bad), undefined);
    });

    test('are judged at once when they are few', () => {
      const rules = rulesOf(countedLanguage().language);
      assert.equal(rules.prepareValidation?.(make(texts(2)), undefined), undefined);
    });
  });
}

test('rules of places and versions that are alike are compiled once', () => {
  const { language, compiled } = countedLanguage();
  const rules = definitionExpressions(language);
  assert.deepEqual(rules.validateCreate?.(definition(texts(40), 3)), []);
  assert.equal(compiled(), 40);
});

test('verdicts are kept for a bounded number of objects', () => {
  const rules = definitionExpressions(countedLanguage().language);
  const made = Array.from({ length: 70 }, (_none, i) =>
    definition(Array.from({ length: 30 }, () => `self.f != 'name-${i}'`)),
  );
  for (const each of made) prepared(rules, each);
  const open = made.filter((each) => rules.prepareValidation?.(each, undefined) !== undefined);
  assert.deepEqual(open, made.slice(0, 6));
});
