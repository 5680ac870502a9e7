/**
 * Whether the caller may do more than what the path and the method say: another verb on the same
 * object (spec 2, section 5.5).
 */
import type { AccessChecker } from '../authorization/authorizer.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { attributesOf, forbiddenError } from './filters/attributes.ts';
import type { ApiRequest } from './request.ts';

/** What the same request with this verb would be refused with; undefined: it would not be. */
export async function verbRefusalOf(
  access: AccessChecker,
  { exchange, user, info, query }: ApiRequest,
  verb: string,
): Promise<StatusError | undefined> {
  const attributes = { ...attributesOf(user, info, query), verb };
  const decision = await access.check(attributes, exchange);
  return decision.kind === 'allow' ? undefined : forbiddenError(attributes, decision.reason);
}
