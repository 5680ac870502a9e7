/** Reviews that list what somebody may: as long as one turn can write, and then they say so. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { tooManyRules } from '../../src/authorization/authorizer.ts';
import type { AccessChecker, UserRules } from '../../src/authorization/authorizer.ts';
import { accessReviews } from '../../src/endpoints/reviews/access-reviews.ts';
import type { ResourceRequest } from '../../src/endpoints/request.ts';
import { wholeTurnMs } from '../../src/stdx/turns.ts';

const rule = (resource: string) => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: [resource],
  resourceNames: [],
});

const steps: string[] = [];
const turns = {
  pause: (costMs = 0) =>
    Promise.resolve(void steps.push(costMs === wholeTurnMs ? 'whole turn' : 'pause')),
};

async function statusFor(rules: Partial<UserRules>): Promise<JsonObject> {
  const none = { resourceRules: [], nonResourceRules: [], incomplete: false, evaluationError: '' };
  const rulesFor = (): UserRules => {
    steps.push('listed');
    return { ...none, ...rules };
  };
  const access = { rulesFor } as unknown as AccessChecker;
  const review: ApiObject = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: { namespace: 'ns' },
  };
  const answer = accessReviews(access, turns, { nowMs: () => 0 }).get('SelfSubjectRulesReview');
  const answered = await answer?.(review, { user: {} } as unknown as ResourceRequest);
  assert.equal(answered?.kind, 'ok');
  assert.deepEqual(answered.value['spec'], {}, 'the question is not repeated');
  return answered.value['status'] as JsonObject;
}

describe('a review of rules', () => {
  it('shows all of them without their empty lists', async () => {
    const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: ['/livez'] }];
    assert.deepEqual(await statusFor({ resourceRules: [rule('pods')], nonResourceRules }), {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules,
      incomplete: false,
    });
  });

  // Before, those that came together were all listed in the turn in which they began.
  it('is listed in turns with others; of many rules it is written in one of its own', async () => {
    const some = Array.from({ length: 100 }, (_, at) => rule(`pods${at}`));
    const many = Array.from({ length: 2_000 }, (_, at) => rule(`pods${at}`));
    steps.length = 0;
    await statusFor({ resourceRules: some });
    assert.deepEqual(steps.splice(0), ['pause', 'listed']);
    await statusFor({ resourceRules: many });
    assert.deepEqual(steps, ['pause', 'listed', 'whole turn']);
  });

  // Before, an answer had as many as there were, all written in one turn.
  it('with long names shows those that there is room for, and says that it is incomplete', async () => {
    const resourceRules = Array.from({ length: 10 }, () => rule('r'.repeat(100_000)));
    const status = await statusFor({ resourceRules });
    assert.equal((status['resourceRules'] as unknown[]).length, 5);
    assert.deepEqual([status['incomplete'], status['evaluationError']], [true, tooManyRules]);
  });
});
