/**
 * An apply, or a PUT of a kind that may be made by it, creates what is not there: whoever may patch
 * or update may not for that reason create (spec 1, sections 4.4 and 4.5).
 *
 * Whether a request creates is known only where the object's state is; the refusal is made ready
 * and used there.
 */
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiRequest, EndpointDeps } from './request.ts';
import { verbRefusalOf } from './verb-refusal.ts';

/** What a creation would be refused with; undefined: it would not be. */
export async function creationRefusalOf(
  { access }: EndpointDeps,
  request: ApiRequest,
): Promise<StatusError | undefined> {
  return verbRefusalOf(access, request, 'create');
}
