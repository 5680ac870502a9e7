/** Variables of a policy that are made of each other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { policyEnvironments } from '../../../src/admission/policies/policy-environments.ts';
import {
  compileValidatingPolicy,
  evaluatePolicy,
} from '../../../src/admission/policies/validating-policy.ts';
import { nothingSpent } from '../../../src/cel/expression.ts';
import { lateValues } from '../../../src/cel/late-values.ts';
import { finished } from '../../../src/stdx/stepwise.ts';
import { testLanguage } from '../../support/data/expression-language.ts';

const turns = {
  run: (step: (isOver: () => boolean) => boolean) => {
    while (step(() => false));
  },
};

/** Each variable is one more than the one before it. */
async function evaluated(length: number, expression: string) {
  const variables = Array.from({ length }, (_, at) => ({
    name: `v${at}`,
    expression: at === 0 ? '1' : `variables.v${at - 1} + 1`,
  }));
  const policy = finished(
    compileValidatingPolicy(
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'p' },
        spec: { variables, validations: [{ expression }] },
      },
      testLanguage,
      policyEnvironments(testLanguage),
    ),
  );
  const bindings = { object: null, oldObject: null };
  return evaluatePolicy(
    policy,
    { full: bindings, plain: bindings },
    { turns, late: lateValues(), spent: nothingSpent() },
    () => undefined,
  );
}

describe('variables that are made of each other', () => {
  for (const length of [2, 15, 16, 17, 18, 40, 300, 4_000]) {
    it(`have their values, ${length} of them, however full the stack is`, async () => {
      const found = await evaluated(length, `variables.v${length - 1} == ${length}`);
      assert.deepEqual(
        found.decisions.map(({ evaluation, message }) => [evaluation, message]),
        [['admit', '']],
      );
    });
  }

  it('are not true of a wrong value', async () => {
    const found = await evaluated(300, 'variables.v299 == 299');
    assert.deepEqual(
      found.decisions.map(({ evaluation }) => evaluation),
      ['deny'],
    );
  });
});
