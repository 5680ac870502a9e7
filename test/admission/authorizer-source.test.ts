/** What the server's authorizers are asked on behalf of an expression. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SelectorRequirements } from '../../src/apimachinery/selectors/selector-requirements.ts';
import { authorizerSource } from '../../src/admission/expressions/authorizer-source.ts';
import type { Attributes } from '../../src/authorization/authorizer.ts';
import { noOpinion } from '../../src/authorization/authorizer.ts';
import type { AskedUser } from '../../src/cel/library/authorizer-library.ts';
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

  it('is asked once, and apart from any that is another one', () => {
    const asked: Attributes[] = [];
    const check = (attributes: Attributes) => {
      asked.push(attributes);
      return noOpinion;
    };
    const source = authorizerSource({ check }, userNamed('ann'), lateValues());
    const ask = (parts: readonly string[], user?: AskedUser): void => {
      const [group = '', resource = '', subresource = '', namespace = '', name = ''] = parts;
      const selectors = { fieldSelector: parts[5] ?? '', labelSelector: parts[6] ?? '' };
      const what = { group, resource, subresource, namespace, name, ...selectors };
      source.answer({ kind: 'resource', user, ...what, verb: 'get' });
    };
    const different: readonly (readonly [readonly string[], AskedUser?])[] = [
      [['1 a']],
      [['1', ' a']],
      [['', '1 a']],
      ...[2, 3, 4, 5, 6].map(
        (at) => [Array.from({ length: 7 }, (_, i) => (i === at ? 'x' : ''))] as const,
      ),
      [[], { namespace: '', serviceAccount: '' }],
      [[], { namespace: 'a', serviceAccount: '' }],
      [[], { namespace: '', serviceAccount: 'a' }],
    ];
    for (const each of [...different, ...different]) ask(...each);
    source.answer({ kind: 'path', user: undefined, path: '', verb: 'get' });
    assert.equal(asked.length, different.length + 1);
  });

  it('is limited by none that cannot be read', () => {
    assert.deepEqual(told('a in b', '&'), { fields: [], labels: [] });
    assert.equal(told('', ''), undefined);
  });
});
