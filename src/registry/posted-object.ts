/**
 * Admission of objects that are posted but not stored: a review, an eviction, a binding, the
 * options of a connection (spec 1, section 4.1).
 */
import type { AdmissionOperation } from '../apimachinery/admission-data.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { shortWorkMs } from '../stdx/turns.ts';
import { namespaceFirst } from './namespace-first.ts';
import type { RegistryDeps, Result } from './registry.ts';
import { ok, refused } from './registry.ts';
import type { GuardedWrite } from './write-guard.ts';
import { deliverNotes, writeTerms } from './write-terms.ts';
import type { WritingRequest } from './write-terms.ts';

export interface PostRequest {
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly request: WritingRequest;
}

/** The object after mutating admission, made `whole` for those who validate. A namespace that is
 * being deleted takes nothing new, not even what is not stored. */
export async function admitPosted(
  { clock, guardOf, streams, turns }: Pick<RegistryDeps, 'clock' | 'guardOf' | 'streams' | 'turns'>,
  write: GuardedWrite,
  operations: readonly AdmissionOperation[],
  posted: ApiObject,
  { dryRun, request, user }: PostRequest,
  whole = (object: ApiObject): ApiObject => object,
): Promise<Result<ApiObject>> {
  if (operations.includes('CREATE')) {
    const name = write.name || posted.metadata.name || '';
    const going = await namespaceFirst({ streams }, write, name);
    if (going !== undefined) return refused(going);
  }
  const guard = guardOf?.(user, write, operations);
  if (guard === undefined) return ok(whole(posted));
  const admission = guard.admit(writeTerms(clock, dryRun, request), request.exchange);
  const current = guard.current(request.exchange);
  if (current !== undefined) await current.then(() => turns.pause(shortWorkMs));
  const { mutateCreation, validate } = guard.asks;
  const mutated = mutateCreation ? await admission.mutate(posted, undefined) : posted;
  const completed = mutated instanceof StatusError ? mutated : whole(mutated);
  const isRefused = completed instanceof StatusError;
  const error = isRefused || !validate ? undefined : await admission.validate(completed, undefined);
  deliverNotes(request, admission.notes());
  if (isRefused) return refused(completed);
  return error === undefined ? ok(completed) : refused(error);
}
