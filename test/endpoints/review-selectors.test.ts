/** The selectors of reviews of access: what is refused, what is asked, what is left out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import type { AccessChecker, Attributes } from '../../src/authorization/authorizer.ts';
import { accessReviews } from '../../src/endpoints/reviews/access-reviews.ts';
import type { ResourceRequest } from '../../src/endpoints/request.ts';

async function review(selectors: JsonObject, error?: string) {
  const asked: Attributes[] = [];
  const access = {
    check: (attributes: Attributes) => {
      asked.push(attributes);
      return { kind: 'allow', reason: '', error };
    },
  } as unknown as AccessChecker;
  const sent: ApiObject = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb: 'list', resource: 'pods', ...selectors } },
  };
  const turns = { pause: () => Promise.resolve() };
  const answer = accessReviews(access, turns, { nowMs: () => 0 }).get('SelfSubjectAccessReview');
  const answered = await answer?.(sent, { user: {} } as unknown as ResourceRequest);
  return { answered, asked: asked[0] };
}

const requirements = (...list: JsonObject[]) => ({ requirements: list });
const isIn = (key: string, ...values: string[]) => ({ key, operator: 'In', values });
const field = 'spec.resourceAttributes.fieldSelector';
const label = 'spec.resourceAttributes.labelSelector';
const needsValues = "must be specified when `operator` is 'In' or 'NotIn'";
const needsNone = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

describe('a review of access', () => {
  const refusals: readonly [string, JsonObject, string][] = [
    [
      'with a selector in both forms',
      { fieldSelector: { rawSelector: 'a=b', ...requirements(isIn('a', 'b')) } },
      `${field}.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
    ],
    [
      'with an empty selector',
      { labelSelector: {} },
      `${label}.requirements: Required value: when ${label} is specified, ` +
        'requirements or rawSelector is required',
    ],
    [
      'about a field without a name',
      { fieldSelector: requirements(isIn('', 'x')) },
      `${field}.requirements[0].key: Required value: must be specified`,
    ],
    [
      'about a field that is in nothing',
      { fieldSelector: requirements(isIn('a', 'b'), isIn('a')) },
      `${field}.requirements[1].values: Required value: ${needsValues}`,
    ],
    [
      'about a label that is not in nothing',
      { labelSelector: requirements({ key: 'a', operator: 'NotIn', values: [] }) },
      `${label}.requirements[0].values: Required value: ${needsValues}`,
    ],
    [
      'about a label that exists with a value',
      { labelSelector: requirements({ key: 'a', operator: 'Exists', values: ['b'] }) },
      `${label}.requirements[0].values: Forbidden: ${needsNone}`,
    ],
    [
      'about a label that cannot be',
      { labelSelector: requirements(isIn('-a', 'b')) },
      `${label}.requirements[0].key: Invalid value: "-a": `,
    ],
    [
      'about the value of a label that cannot be',
      { labelSelector: requirements(isIn('a', 'b', '-c')) },
      `${label}.requirements[0].values[1]: Invalid value: "-c": `,
    ],
    [
      'with a selector longer than a query',
      { labelSelector: { rawSelector: 'a,'.repeat(10_000) } },
      `${label}.rawSelector: Too long: may not be more than 16384 bytes`,
    ],
    [
      'with more requirements than a selector may have',
      { fieldSelector: requirements(...Array.from({ length: 1_025 }, () => isIn('', ''))) },
      `${field}.requirements: Too many: 1025: must have at most 1024 items`,
    ],
    [
      'with requirements that are longer than a query',
      { fieldSelector: requirements(isIn('a', ...Array.from({ length: 20_000 }, () => ''))) },
      `${field}.requirements: Too long: may not be more than 16384 bytes`,
    ],
  ];
  for (const [title, selectors, message] of refusals) {
    it(`${title} is refused, and decides nothing`, async () => {
      const { answered, asked } = await review(selectors);
      assert.ok(answered?.kind === 'refused');
      assert.equal(answered.error.code, 422);
      assert.ok(answered.error.message.includes(message), answered.error.message);
      assert.equal(asked, undefined);
    });
  }

  const ignored = (path: string, how = 'ignored') => `${path} ${how} due to parse error`;
  const exists = { key: 'a', operator: 'Exists' };
  const rows: readonly [string, JsonObject, JsonObject[], JsonObject[], string?][] = [
    [
      'texts',
      { fieldSelector: { rawSelector: 'x=1,y!=2' }, labelSelector: { rawSelector: 'a,b in (c)' } },
      [isIn('x', '1'), { key: 'y', operator: 'NotIn', values: ['2'] }],
      [exists, isIn('b', 'c')],
    ],
    [
      'requirements',
      {
        fieldSelector: requirements(isIn('x', '1')),
        labelSelector: requirements(isIn('b', 'd', 'c'), exists),
      },
      [isIn('x', '1')],
      [isIn('b', 'd', 'c'), exists],
    ],
    [
      'texts that cannot be parsed',
      { fieldSelector: { rawSelector: 'a in b' }, labelSelector: { rawSelector: '&' } },
      [],
      [],
      `${ignored(field)}; ${ignored(label)}`,
    ],
    [
      'operators that are not known',
      {
        fieldSelector: requirements({ key: 'x', operator: 'Near' }),
        labelSelector: requirements({ key: 'b', operator: 'Gt', values: ['1'] }, exists),
      },
      [],
      [exists],
      `${ignored(field)}; ${ignored(label, 'partially ignored')}`,
    ],
    [
      'a field of two values',
      { fieldSelector: requirements(isIn('x', '1', '2'), isIn('y', '3')) },
      [isIn('y', '3')],
      [],
      ignored(field, 'partially ignored'),
    ],
  ];
  for (const [title, selectors, fields, labels, evaluationError] of rows) {
    it(`with ${title} asks with what can be read, and says what cannot`, async () => {
      const { answered, asked } = await review(selectors);
      assert.equal(answered?.kind, 'ok');
      const told = asked?.selectors?.();
      assert.deepEqual([told?.fields, told?.labels], [fields, labels]);
      const status = answered.value['status'] as JsonObject;
      assert.deepEqual([status['allowed'], status['evaluationError']], [true, evaluationError]);
    });
  }

  it('names trouble of authorizers first, then what was left out', async () => {
    const { answered } = await review({ labelSelector: { rawSelector: '&' } }, 'webhook: down');
    assert.equal(answered?.kind, 'ok');
    const { evaluationError } = answered.value['status'] as JsonObject;
    assert.equal(evaluationError, `webhook: down; ${ignored(label)}`);
  });

  it('shows authorizers of nodes a field with one value, the first one', async () => {
    const { asked } = await review({ fieldSelector: requirements(isIn('x', '1'), isIn('x', '2')) });
    assert.deepEqual([...(asked?.selectedFields ?? [])], [['x', '1']]);
  });

  it('without a version asks about all of them', async () => {
    assert.equal((await review({})).asked?.apiVersion, '*');
  });

  it('asks about somebody whose extra fields are named as they were sent', async () => {
    const asked: Attributes[] = [];
    const access = {
      check: (attributes: Attributes) => {
        asked.push(attributes);
        return { kind: 'allow', reason: '' };
      },
    } as unknown as AccessChecker;
    const turns = { pause: () => Promise.resolve() };
    const answer = accessReviews(access, turns, { nowMs: () => 0 }).get('SubjectAccessReview');
    const sent: ApiObject = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user: 'u',
        extra: { Scope: ['a'] },
        nonResourceAttributes: { path: '/', verb: 'get' },
      },
    };
    await answer?.(sent, { user: {} } as unknown as ResourceRequest);
    assert.deepEqual(asked[0]?.user.extra, { Scope: ['a'] });
  });
});
