/**
 * Compiles a few expressions before anybody is served: the engine reads, and begins to know, each
 * function of the compiler when it is first called, and with a large definition as the first one
 * that would be turns of 30 to 50 ms.
 *
 * What is compiled here is forgotten. Bound: some tens of milliseconds of the start.
 */
import {
  expressionErrors,
  structureErrors,
} from '../../apiextensions/acceptance/accept-schemas.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Language } from '../../cel/language.ts';
import { warmZones } from '../../cel/library/time-text.ts';
import { assert } from '../../stdx/assert.ts';
import { finished } from '../../stdx/stepwise.ts';

const rounds = 2;

/** Compiling patterns is most of what a schema costs at first. */
const patterns: readonly string[] = [
  '^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  '^(?:/|/[^?#]*)?$|^\\*$',
  "^[-!#$%&'*+.0-9^_`|~a-z]{1,64}/[\\w./~]+$",
  '^([0-9]{1,5}(h|m|s|ms)){1,4}$',
  '(?i)^(true|false|on|off)$',
];

/** Of each form that definitions in use have, one. */
const rules: readonly string[] = [
  'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
  "!has(self.name) || self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
  "self.rules.all(r, r.type == 'Exact' ? has(r.value) : r.port in [80, 443])",
  "self.rules.exists_one(r, r.type == 'Default') || size(self.rules) < 2",
  'self.rules.filter(r, r.port > 1024).map(r, r.port + 1).exists(p, p > 0)',
  "self.labels.all(k, k.startsWith('a') && self.labels[k] != '')",
  "(has(self.name) ? self.name : '').lowerAscii().split(',').size() <= 10",
  "self.timeout > duration('0s') && self.name.size() - 1 >= 0",
  'self.replicas >= oldSelf.replicas || self.name == oldSelf.name',
];

const text = (more: JsonObject = {}): JsonObject => ({ type: 'string', maxLength: 64, ...more });
const number = (more: JsonObject = {}): JsonObject => ({ type: 'integer', minimum: 0, ...more });

function schema(round: number): JsonObject {
  // What is compiled already is not compiled again.
  const names = patterns.map((pattern, at) => [
    `p${at}`,
    text({ pattern: `${pattern}|^${round}$` }),
  ]);
  const properties = {
    ...(Object.fromEntries(names) as JsonObject),
    name: text(),
    timeout: text({ format: 'duration' }),
    replicas: number({ default: 1 }),
    minReplicas: number(),
    maxReplicas: number({ maximum: 100 }),
    labels: { type: 'object', maxProperties: 8, additionalProperties: text() },
    rules: {
      type: 'array',
      maxItems: 8,
      items: {
        type: 'object',
        required: ['type', 'port'],
        properties: {
          type: text({ enum: ['Exact', 'Default'] }),
          value: text(),
          port: number({ maximum: 65535 }),
          target: { 'x-kubernetes-int-or-string': true },
        },
      },
    },
  };
  const validations = rules.map((rule) => ({ rule, message: 'it does not hold' }));
  const spec = { type: 'object', properties, 'x-kubernetes-validations': validations };
  return { type: 'object', properties: { spec } };
}

const definitionWith = (openAPIV3Schema: JsonObject): ApiObject => ({
  apiVersion: 'v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'examples.example.com' },
  spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
});

let isWarm = false;

/** Once in a process. */
export function warmExpressions(language: Language): void {
  if (isWarm) return;
  isWarm = true;
  for (let round = 0; round < rounds; round += 1) {
    const definition = definitionWith(schema(round));
    const errors = structureErrors(definition, undefined);
    assert(errors.length === 0, 'what warms the walks is right');
    const problems = finished(expressionErrors(definition, undefined, language));
    assert(problems.length === 0, 'what warms the compiler is right');
  }
  warmZones();
}
