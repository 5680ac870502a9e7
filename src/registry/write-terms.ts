/**
 * What guards get to know of the request of a write, and the warnings and annotations that they
 * return.
 *
 * Guards see the options as they were sent; the parsed ones are already in force. Of a deletion
 * they see them as they are carried out.
 *
 * Invariants: it is made only for writes that have a guard. A request gets each warning once, and
 * of several values of one annotation the first. Bound: a write waits up to `waitMaxMs` for all of
 * its guards together, or as long as its client waits (`timeout` in the query) if that is less.
 */
import { admissionNoteLimits } from '../apimachinery/admission-data.ts';
import type { AdmissionNotes } from '../apimachinery/admission-data.ts';
import type { DeleteOptions } from '../apimachinery/delete-options.ts';
import { queryValue } from '../apimachinery/query.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import { requestTimeoutMs } from '../apimachinery/request-timeout.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Requester } from '../stdx/requester.ts';
import type { WriteArrival } from '../storage/write-stages.ts';
import type { KindStrategy } from './strategy.ts';
import type { WriteTerms } from './write-guard.ts';

/** The reference's time for a write. */
const waitMaxMs = 34_000;

/** The request that a write is part of. */
export interface WritingRequest extends WriteArrival {
  readonly query: QueryParameters;
  /** Texts for Warning headers. */
  readonly warnings: string[];
  readonly auditAnnotations: Map<string, string>;
  /** Its audit event holds its body. */
  readonly auditsBody: boolean;
  /** Who waits for the answer. Absent: somebody always does. */
  readonly exchange?: Requester | undefined;
}

/** `request` absent: an operation of the server for a user. */
export function writeTerms(
  clock: Pick<Clock, 'monotonicMs'>,
  dryRun: boolean,
  request: Pick<WritingRequest, 'query'> | undefined,
): WriteTerms {
  const { query = noQuery } = request ?? {};
  const queryOption = (name: string): JsonValue | undefined => queryValue(query, name) || undefined;
  const options = {
    dryRun: dryRun ? dryRunAll : undefined,
    fieldManager: queryOption('fieldManager'),
    fieldValidation: queryOption('fieldValidation'),
  };
  return { dryRun, options: present(options), deadlineMs: deadlineOf(clock, query) };
}

export function deletionTerms(
  clock: Pick<Clock, 'monotonicMs'>,
  deletion: DeleteOptions,
  request: Pick<WritingRequest, 'query'> | undefined,
): WriteTerms {
  const { dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy } = deletion;
  const { resourceVersion, uid } = deletion.preconditions ?? {};
  const preconditions = present({ uid, resourceVersion });
  const options = {
    dryRun: dryRun ? dryRunAll : undefined,
    gracePeriodSeconds,
    preconditions: Object.keys(preconditions).length === 0 ? undefined : preconditions,
    orphanDependents,
    propagationPolicy,
  };
  const deadlineMs = deadlineOf(clock, request?.query ?? noQuery);
  return { dryRun, options: present(options), deadlineMs };
}

/** What a deletion of this object comes to: with the grace that its kind gives it, and, where the
 * kind means the very object that was found, with its uid. */
export function termsOfDeletion(
  terms: WriteTerms,
  object: ApiObject,
  strategy: Pick<KindStrategy, 'deletesWhatWasFound' | 'gracePeriodSeconds'>,
): WriteTerms {
  const { gracePeriodSeconds: asked, preconditions } = terms.options;
  const requested = typeof asked === 'number' ? asked : undefined;
  const grace = strategy.gracePeriodSeconds(object, requested);
  const named = isJsonObject(preconditions) ? preconditions : {};
  const { uid = '' } = object.metadata;
  const found = strategy.deletesWhatWasFound === true ? { uid, ...named } : preconditions;
  const filled = present({ gracePeriodSeconds: grace ?? asked, preconditions: found });
  return { ...terms, options: { ...terms.options, ...filled } };
}

const noQuery: QueryParameters = new Map();
const dryRunAll = ['All'];

function deadlineOf({ monotonicMs }: Pick<Clock, 'monotonicMs'>, query: QueryParameters): number {
  const asked = requestTimeoutMs(query) ?? 0;
  return monotonicMs() + (asked > 0 ? Math.min(asked, waitMaxMs) : waitMaxMs);
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Hands the warnings and annotations of a write to its request. */
export function deliverNotes(
  request: WritingRequest | undefined,
  notes: AdmissionNotes | undefined,
): void {
  if (request === undefined || notes === undefined) return;
  const { annotationCharsMax, annotationsMax, warningsMax } = admissionNoteLimits;
  const known = new Set(request.warnings);
  for (const text of notes.warnings) {
    if (known.size >= warningsMax) break;
    if (known.has(text)) continue;
    known.add(text);
    request.warnings.push(text);
  }
  let chars = 0;
  for (const { key, level, value } of notes.annotations) {
    if (level === 'Request' && !request.auditsBody) continue;
    chars += key.length + value.length;
    if (chars > annotationCharsMax || request.auditAnnotations.size >= annotationsMax) break;
    if (!request.auditAnnotations.has(key)) request.auditAnnotations.set(key, value);
  }
}
