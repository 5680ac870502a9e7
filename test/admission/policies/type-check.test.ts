/** Whether policies fit the kinds that they are about, against the reference's own rows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkPolicyTypes } from '../../../src/admission/policies/type-check.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { Schema } from '../../../src/cel/schema/schema.ts';
import { finished } from '../../../src/stdx/stepwise.ts';
import { sharedVectors } from '../../cel/shared-vectors.ts';
import { testLanguage } from '../../support/data/expression-language.ts';

type Assertion =
  | 'toBeEmpty'
  | {
      readonly toHaveFieldRef?: readonly string[];
      readonly toContain?: readonly string[];
      readonly toHaveLengthOf?: readonly number[];
    };

interface Row {
  readonly name: string;
  readonly policy: JsonObject;
  readonly schema: Schema | null;
  readonly assertions: readonly Assertion[];
}

const vectors = sharedVectors<{ readonly typeCheck: readonly Row[] }>('admission/cases.json');
const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };

function warningsOf(policy: JsonObject, schema: Schema | null) {
  const schemas = { kindOf: () => deployment, schemaOf: () => schema ?? undefined };
  return finished(checkPolicyTypes(policy, schemas, testLanguage));
}

describe('type checks of policies', () => {
  for (const { assertions, name, policy, schema } of vectors?.typeCheck ?? []) {
    test(name, () => {
      const warnings = warningsOf(policy, schema);
      for (const assertion of assertions) {
        if (assertion === 'toBeEmpty') {
          assert.deepEqual(warnings, []);
          continue;
        }
        const { toContain = [], toHaveFieldRef, toHaveLengthOf = [] } = assertion;
        if (toHaveFieldRef !== undefined) {
          assert.deepEqual(
            warnings.map(({ fieldRef }) => fieldRef),
            toHaveFieldRef,
          );
        }
        for (const length of toHaveLengthOf) assert.equal(warnings.length, length);
        for (const part of toContain) {
          assert.ok(
            warnings.every(({ warning }) => warning.includes(part)),
            JSON.stringify(warnings),
          );
        }
      }
    });
  }

  test('a warning names the kind and what is wrong', () => {
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
    const policy = {
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'object.replicas > 1' }],
      },
    };
    const [warning] = warningsOf(policy, { type: 'object', properties: {} });
    assert.deepEqual(warning, {
      fieldRef: 'spec.validations[0].expression',
      warning:
        `apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n` +
        ' | object.replicas > 1\n | ......^\n',
    });
  });

  test('rules with wildcards name no kinds', () => {
    const rule = { apiGroups: ['apps'], apiVersions: ['*'], resources: ['deployments'] };
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'object.replicas > 1' }],
    };
    assert.deepEqual(warningsOf({ spec }, { type: 'object', properties: {} }), []);
  });

  test('long lines with many errors do not make more than a status may hold', () => {
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
    const expression = Array.from({ length: 200 }, (_, at) => `object.f${at} == 1`).join(' && ');
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: Array.from({ length: 40 }, () => ({ expression })),
    };
    const warnings = warningsOf({ spec }, { type: 'object', properties: {} });
    const chars = warnings.reduce((sum, { warning }) => sum + warning.length, 0);
    assert.ok(chars > 100_000 && chars <= 524_288, `${chars}`);
    for (const { warning } of warnings)
      assert.match(warning, /^apps\/v1, Kind=Deployment: ERROR: /);
  });
});
