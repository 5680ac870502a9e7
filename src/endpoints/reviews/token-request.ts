/**
 * serviceaccounts/token: a POST that is answered with a token; nothing is stored.
 *
 * The rules are in src/authentication/token-request.ts.
 */
import { queryValue } from '../../apimachinery/query.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { answerTokenRequest, wholeTokenRequest } from '../../authentication/token-request.ts';
import type { TokenRequestDeps } from '../../authentication/token-request.ts';
import { ok, refused } from '../../registry/registry.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { ResourceRequest, ReviewAnswerer } from '../request.ts';

export function tokenRequestAnswerer(deps: TokenRequestDeps, labelDomain: string): ReviewAnswerer {
  const answer: ReviewAnswerer = async (review, request) => {
    const { name, namespace } = request.resource;
    const dryRun = queryValue(request.query, 'dryRun') === 'All';
    const answered = await answerTokenRequest(deps, { namespace, name }, review, dryRun);
    if (answered instanceof StatusError) return refused(answered);
    if (answered.credentialId !== undefined) {
      const key = `authentication.${labelDomain}/issued-credential-id`;
      request.auditAnnotations.set(key, answered.credentialId);
    }
    if (answered.warning !== undefined) request.warnings.push(answered.warning);
    return ok(answered.object);
  };
  const { audiences } = deps.issuer;
  return Object.assign(answer, {
    whole: (review: ApiObject, { resource }: ResourceRequest) =>
      wholeTokenRequest(review, resource, audiences),
  });
}
