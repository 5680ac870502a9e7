/**
 * Reading a configuration document strictly: the file that says how a part of the server behaves,
 * YAML or JSON, with an apiVersion and a kind.
 *
 * Elsewhere: the reading of API objects (typed/), and the lenient reading of what has been checked
 * (members.ts).
 *
 * Invariants: nothing is passed over. A field that is not known may have been meant as a
 * restriction, so it is a problem; and each problem begins with its place, as in
 * `rules[2].verbs: ...`. Where a value is refused, its reader says so and returns what is harmless,
 * so that one pass finds all problems; the document counts only if there is none.
 */
import { parseDurationMs } from '../stdx/duration.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { yamlSteps } from './codecs/yaml.ts';
import type { StatusError } from './status-error.ts';
import { text } from './members.ts';
import type { JsonObject } from './unstructured.ts';
import { isJsonObject } from './unstructured.ts';

export type OpenedDocument =
  | { readonly kind: 'ok'; readonly document: JsonObject }
  | { readonly kind: 'invalid'; readonly problem: string };

/** `apiVersions`: those that may stand in it, with their group. */
export function openDocument(
  bytes: Uint8Array,
  apiVersions: readonly string[],
  kind: string,
): OpenedDocument {
  return finished(openDocumentSteps(bytes, apiVersions, kind));
}

/** What a document was called once, and may be still. */
interface OlderForm {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The same, yielding where others may have a turn. */
export function* openDocumentSteps(
  bytes: Uint8Array,
  apiVersions: readonly string[],
  kind: string,
  before?: OlderForm,
): Steps<OpenedDocument> {
  const decoded = yield* yamlSteps(bytes);
  if (decoded.kind === 'refused') return { kind: 'invalid', problem: unreadable(decoded.error) };
  const document = decoded.value;
  if (!isJsonObject(document)) return { kind: 'invalid', problem: 'not an object' };
  const apiVersion = text(document, 'apiVersion');
  const isOlder = apiVersion === before?.apiVersion && document['kind'] === before.kind;
  if (isOlder) return { kind: 'ok', document };
  if (!apiVersions.includes(apiVersion)) {
    const which = apiVersions.length === 1 ? apiVersions[0] : `one of ${apiVersions.join(', ')}`;
    return { kind: 'invalid', problem: `apiVersion: ${which} expected` };
  }
  if (document['kind'] !== kind) return { kind: 'invalid', problem: `kind: ${kind} expected` };
  return { kind: 'ok', document };
}

/** Why a file is no document: the decoder speaks of the body of a request. */
export function unreadable(error: StatusError): string {
  return error.message.replace(/^the body is /, '');
}

/** The place of a field of the object at this path; '' is the document itself. */
export function fieldPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** The first field that is not known, for a reader that stops at the first problem. */
export function unknownField(object: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(object).find((field) => !known.includes(field));
}

/** '' where it is none. */
export function requiredText(
  object: JsonObject,
  field: string,
  path: string,
  problems: string[],
): string {
  const value = object[field] ?? '';
  if (typeof value === 'string' && value !== '') return value;
  const what = typeof value === 'string' ? 'required' : 'a text expected';
  problems.push(`${fieldPath(path, field)}: ${what}`);
  return '';
}

export function unknownFields(
  object: JsonObject,
  known: readonly string[],
  path: string,
  problems: string[],
): void {
  for (const field of Object.keys(object)) {
    if (!known.includes(field)) problems.push(`${fieldPath(path, field)}: unknown field`);
  }
}

/** None where there is no such field. */
export function listOfTexts(
  object: JsonObject,
  field: string,
  path: string,
  problems: string[],
): readonly string[] {
  const value = object[field] ?? [];
  if (Array.isArray(value)) {
    const strings = value.filter((each) => typeof each === 'string');
    if (strings.length === value.length) return strings;
  }
  problems.push(`${fieldPath(path, field)}: a list of strings expected`);
  return [];
}

/** Undefined where there is no such field. */
export function trueOrFalse(
  object: JsonObject,
  field: string,
  path: string,
  problems: string[],
): boolean | undefined {
  const value = object[field] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  problems.push(`${fieldPath(path, field)}: true or false expected`);
  return undefined;
}

/** `demand`: the end of the sentence that begins with the values. */
export function oneOf<T extends string>(
  object: JsonObject,
  field: string,
  values: readonly [T, ...T[]],
  path: string,
  problems: string[],
  ending: 'expected' | 'is required' = 'is required',
): T {
  const found = values.find((value) => value === object[field]);
  if (found === undefined) {
    problems.push(`${fieldPath(path, field)}: one of ${values.join(', ')} ${ending}`);
  }
  return found ?? values[0];
}

/** In milliseconds; '' is none. */
export function durationMs(
  object: JsonObject,
  field: string,
  byDefault: string,
  path: string,
  problems: string[],
): number {
  const value = object[field] ?? byDefault;
  const ms = typeof value === 'string' ? parseDurationMs(value === '' ? '0' : value) : undefined;
  if (ms === undefined) problems.push(`${fieldPath(path, field)}: not a duration (as 5m0s)`);
  return ms ?? 0;
}
