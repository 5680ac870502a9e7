/**
 * ConversionReviews: what a conversion webhook is asked, and what is made of its answer (spec 1,
 * section 9).
 *
 * Invariants: pure. Objects come back in the order in which they were given, as many as were asked
 * for, each the one that it was but for its fields, labels and annotations; anything else is a
 * problem, said in the reference's words.
 */
import { items, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { identityProblem, restoreMetadata, typeProblem } from './restore-metadata.ts';

export interface ReviewRequest {
  /** The group of definitions. */
  readonly group: string;
  readonly reviewVersions: readonly string[];
  readonly uid: string;
  /** What the objects are to be. */
  readonly apiVersion: string;
  /** None of them is of that version yet. */
  readonly objects: readonly ApiObject[];
}

const knownVersions = ['v1', 'v1beta1'];

/** Undefined: the webhook understands no version that this server does. */
export function conversionReview({
  apiVersion,
  group,
  objects,
  reviewVersions,
  uid,
}: ReviewRequest): JsonObject | undefined {
  const version = reviewVersions.find((each) => knownVersions.includes(each));
  if (version === undefined) return undefined;
  return {
    kind: 'ConversionReview',
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects },
  };
}

export type ReviewAnswer =
  | { readonly kind: 'ok'; readonly objects: readonly ApiObject[] }
  /** `failed` is for what the webhook says, or whoever could not ask it; `returned` for what it
   * should not have answered. */
  | { readonly kind: 'failed' | 'returned'; readonly problem: string };

export function readReview(
  { apiVersion, objects, uid }: ReviewRequest,
  asked: JsonObject,
  answer: JsonObject,
): ReviewAnswer {
  const response = part(answer, 'response');
  if (answer['kind'] !== asked['kind'] || answer['apiVersion'] !== asked['apiVersion']) {
    const [expected, received] = [asked, answer].map(
      (each) => `${text(each, 'apiVersion')}, Kind=${text(each, 'kind')}`,
    );
    return failed(`invalid ConversionReview: expected ${expected}, received ${received}`);
  }
  if (!isJsonObject(answer['response'])) return failed('no response provided');
  if (response['uid'] !== uid) {
    return failed(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response, 'uid'))}`,
    );
  }
  const result = part(response, 'result');
  if (result['status'] !== 'Success') {
    const message = text(result, 'message');
    const missed = `response.result.status was '${text(result, 'status')}', not 'Success'`;
    return failed(message === '' ? missed : message);
  }
  const converted = items(response, 'convertedObjects');
  if (converted.length !== objects.length) {
    return returned(`${converted.length} objects, expected ${objects.length}`);
  }
  const restored: ApiObject[] = [];
  for (const [at, original] of objects.entries()) {
    const names = objects.length === 1 ? aloneNames : listedNames(at);
    const given = converted[at];
    if (!isJsonObject(given)) return returned(`${names.typed}: it is no object`);
    const ofOtherType = typeProblem(original, given, apiVersion);
    if (ofOtherType !== undefined) return returned(`${names.typed}: ${ofOtherType}`);
    const another = identityProblem(original, given);
    if (another !== undefined) return returned(`${names.object}: ${another}`);
    const object = restoreMetadata(original, given);
    if (object.kind === 'refused') return returned(`${names.metadata}: ${object.problem}`);
    restored.push(object.object);
  }
  return { kind: 'ok', objects: restored };
}

/** How the problems of an object are introduced: of the only one, and of one in a list. */
interface ProblemNames {
  readonly typed: string;
  readonly object: string;
  readonly metadata: string;
}

const aloneNames: ProblemNames = {
  typed: 'invalid object at index 0',
  object: 'invalid object',
  metadata: 'invalid metadata',
};

function listedNames(at: number): ProblemNames {
  const object = `invalid converted object at index ${at}`;
  return { typed: object, object, metadata: `invalid metadata in object at index ${at}` };
}

function failed(problem: string): ReviewAnswer {
  return { kind: 'failed', problem };
}

function returned(problem: string): ReviewAnswer {
  return { kind: 'returned', problem };
}
