/**
 * An apply, or a PUT of a kind that may be made by it, creates what is not there: whoever may patch
 * or update may not for that reason create (spec 1, sections 4.4 and 4.5).
 *
 * What it is not: a second authorization of the request. Whether it creates is known only where the
 * object's state is; the refusal is made ready and used there.
 */
import type { StatusError } from '../apimachinery/status-error.ts';
import { attributesOf, forbiddenError } from './filters/attributes.ts';
import type { ApiRequest, EndpointDeps } from './request.ts';

/** What a creation would be refused with; undefined: it would not be. */
export async function creationRefusalOf(
  { access }: EndpointDeps,
  { user, info, query }: ApiRequest,
): Promise<StatusError | undefined> {
  const attributes = { ...attributesOf(user, info, query), verb: 'create' };
  const decision = await access.check(attributes);
  return decision.kind === 'allow' ? undefined : forbiddenError(attributes, decision.reason);
}
