/**
 * serviceaccounts/token: a POST that is answered with a token; nothing is stored.
 *
 * The rules are in src/authentication/token-request.ts.
 */
import { queryValue } from '../../apimachinery/query.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { answerTokenRequest } from '../../authentication/token-request.ts';
import type { TokenRequestDeps } from '../../authentication/token-request.ts';
import { ok, refused } from '../../registry/registry.ts';
import type { ReviewAnswerer } from '../request.ts';

export function tokenRequestAnswerer(deps: TokenRequestDeps, labelDomain: string): ReviewAnswerer {
  return async (review, request) => {
    const { name, namespace } = request.resource;
    const dryRun = queryValue(request.query, 'dryRun') === 'All';
    const answer = await answerTokenRequest(deps, { namespace, name }, review, dryRun);
    if (answer instanceof StatusError) return refused(answer);
    if (answer.credentialId !== undefined) {
      const key = `authentication.${labelDomain}/issued-credential-id`;
      request.auditAnnotations.set(key, answer.credentialId);
    }
    if (answer.warning !== undefined) request.warnings.push(answer.warning);
    return ok(answer.object);
  };
}
