/** What the server's authorizers are asked on behalf of an expression. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SelectorRequirements } from '../../src/apimachinery/selectors/selector-requirements.ts';
import { authorizerSource } from '../../src/admission/expressions/authorizer-source.ts';
import type { Attributes } from '../../src/authorization/authorizer.ts';
import { noOpinion } from '../../src/authorization/authorizer.ts';
import { lateValues } from '../../src/cel/late-values.ts';
import { userNamed } from '../support/data/access-attributes.ts';

function told(fieldSelector: string, labelSelector: string): SelectorRequirements | undefined {
  let selectors: SelectorRequirements | undefined;
  const check = (attributes: Attributes) => {
    selectors = attributes.selectors?.();
    return noOpinion;
  };
  const what = { group: '', resource: 'pods', subresource: '', namespace: 'ns', name: '' };
  authorizerSource({ check }, userNamed('ann'), lateValues()).answer({
    kind: 'resource',
    user: undefined,
    ...what,
    fieldSelector,
    labelSelector,
    verb: 'list',
  });
  return selectors;
}

describe('a question of an expression', () => {
  // Before, authorizers were told of none.
  it('has its selectors', () => {
    assert.deepEqual(told('spec.nodeName=n1', '!old'), {
      fields: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }],
      labels: [{ key: 'old', operator: 'DoesNotExist' }],
    });
  });

  it('is limited by none that cannot be read', () => {
    assert.deepEqual(told('a in b', '&'), { fields: [], labels: [] });
    assert.equal(told('', ''), undefined);
  });
});
