/**
 * ConversionReviews: what a conversion webhook is asked, and what is made of its answer (spec 1,
 * section 9).
 *
 * Invariants: pure, and in steps, one for each object. Objects come back in the order in which they
 * were given, as many as were asked for, each the one that it was but for its fields, labels and
 * annotations; anything else is a problem, said in the reference's words.
 */
import { items, part, text } from '../../apimachinery/members.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
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
  /** The same as JSON: each is written in a step of its own. */
  readonly texts: readonly string[];
}

/** What is asked. */
export interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly body: string;
}

const knownVersions = ['v1', 'v1beta1'];

/** Undefined: the webhook understands no version that this server does. */
export function conversionReview({
  apiVersion,
  group,
  reviewVersions,
  texts,
  uid,
}: ReviewRequest): Review | undefined {
  const version = reviewVersions.find((each) => knownVersions.includes(each));
  if (version === undefined) return undefined;
  const head = { kind: 'ConversionReview', apiVersion: `${group}/${version}` };
  const request = JSON.stringify({ uid, desiredAPIVersion: apiVersion });
  const objects = `[${texts.join(',')}]`;
  const opened = `${JSON.stringify(head).slice(0, -1)},"request":${request.slice(0, -1)}`;
  return { ...head, body: `${opened},"objects":${objects}}}` };
}

export type ReviewAnswer =
  | { readonly kind: 'ok'; readonly objects: readonly ApiObject[] }
  /** `failed` is for what the webhook says, or whoever could not ask it; `returned` for what it
   * should not have answered. */
  | { readonly kind: 'failed' | 'returned'; readonly problem: string };

/** A step for each object. `read`: as the schema of its version reads it. */
export function* readReview(
  request: ReviewRequest,
  asked: Review,
  answer: JsonObject,
  read: (object: ApiObject) => ApiObject,
): Steps<ReviewAnswer> {
  const { apiVersion, objects } = request;
  const converted = convertedObjects(request, asked, answer);
  if ('kind' in converted) return converted;
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
    yield;
    restored.push(read(object.object));
    yield;
  }
  return { kind: 'ok', objects: restored };
}

/** As many as were asked for, or what is wrong with the answer as a whole. */
function convertedObjects(
  { objects, uid }: ReviewRequest,
  asked: Review,
  answer: JsonObject,
): readonly JsonValue[] | ReviewAnswer {
  const response = part(answer, 'response');
  if (answer['kind'] !== asked.kind || answer['apiVersion'] !== asked.apiVersion) {
    const expected = `${asked.apiVersion}, Kind=${asked.kind}`;
    const received = `${text(answer, 'apiVersion')}, Kind=${text(answer, 'kind')}`;
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
  return converted;
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
