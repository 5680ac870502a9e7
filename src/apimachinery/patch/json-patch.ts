/**
 * JSON Patch (RFC 6902): a sequence of operations, all of which apply or none does.
 *
 * The operations themselves are in `json-operations.ts`. What stands here: the shape of the body,
 * the limits, and texts that name the operation which failed.
 *
 * Invariants: the document is never changed.
 * Bounds: `patchLimits`.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import { bodyDepthMax, countValues } from '../codecs/body-bounds.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { applyOperation, valueAt } from './json-operations.ts';
import type { JsonPatchOperation } from './json-operations.ts';
import { cloneSteps } from './members.ts';
import { patchLimits, patchRefused, quotedText } from './patch-result.ts';
import type { Patched } from './patch-result.ts';

type Refused = Extract<Patched, { kind: 'refused' }>;

export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Why it is no patch, if so: an operation that there is not, or lacks what it needs. Said when
   * it is applied: a patch of a missing object gets that error first. */
  readonly malformed: string | undefined;
}

export type ReadJsonPatch =
  | {
      readonly kind: 'ok';
      readonly patch: JsonPatch;
      /** Paths of members that no operation has. They mean nothing. */
      readonly unknownFields: readonly string[];
    }
  | Exclude<Patched, { kind: 'ok' }>;

const operationNames: readonly string[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
const operationsWithValue: readonly string[] = ['add', 'replace', 'test'];
const operationsWithFrom: readonly string[] = ['move', 'copy'];
const operationMembers: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** Checks the body's shape once; applying may happen many times. */
export function readJsonPatch(body: JsonValue): ReadJsonPatch {
  if (!Array.isArray(body)) return notAPatch('a JSON patch is a list of operations');
  if (body.length > patchLimits.operationsMax) {
    const problem =
      `The allowed maximum operations in a JSON patch is ${patchLimits.operationsMax},` +
      ` got ${body.length}`;
    return patchRefused('too-large', problem);
  }
  const operations: JsonPatchOperation[] = [];
  const unknownFields: string[] = [];
  let malformed: string | undefined;
  for (const [index, item] of (body as readonly JsonValue[]).entries()) {
    if (!isJsonObject(item)) return notAPatch(`operation ${index} is not an object`);
    for (const name in item) {
      if (name === 'value') continue;
      if (!operationMembers.has(name)) {
        unknownFields.push(`[${index}].${name}`);
        continue;
      }
      const member = item[name];
      if (typeof member === 'string' || member === null) continue;
      return notAPatch(`${name} of operation ${index} is not a text`);
    }
    // Of many that are not right the first is told, and the others are not looked at.
    const problem = malformed === undefined ? useProblem(item) : undefined;
    if (problem !== undefined) malformed = `operation ${index}: ${problem}`;
    const { op, path, from, value } = item as unknown as JsonPatchOperation;
    operations.push({ op, path, from: from ?? undefined, value });
  }
  return { kind: 'ok', patch: { operations, malformed }, unknownFields };
}

function notAPatch(problem: string): ReturnType<typeof patchRefused> {
  return patchRefused('malformed', `error decoding patch: ${problem}`);
}

function useProblem(item: JsonObject): string | undefined {
  const { op, path, from } = item;
  if (typeof op !== 'string' || !operationNames.includes(op)) {
    const named = quotedText(typeof op === 'string' ? op : '');
    return `unexpected kind ${named}, not one of ${operationNames.join(', ')}`;
  }
  const problem =
    pointerMemberProblem(op, 'path', path) ??
    (operationsWithFrom.includes(op) ? pointerMemberProblem(op, 'from', from) : undefined);
  if (problem !== undefined) return problem;
  if (operationsWithValue.includes(op) && item['value'] === undefined) {
    return `${op} needs the member value`;
  }
  return undefined;
}

function pointerMemberProblem(
  op: string,
  member: string,
  pointer: JsonValue | undefined,
): string | undefined {
  if (typeof pointer !== 'string') return `${op} needs the member ${member}`;
  const problem = pointerProblem(pointer);
  return problem && `${member} ${quotedText(pointer)} ${problem}`;
}

function pointerProblem(pointer: string): string | undefined {
  if (pointer === '') return undefined;
  if (!pointer.startsWith('/')) return 'does not start with "/"';
  if (pointer.includes('~') && /~(?![01])/.test(pointer)) {
    return 'has a "~" that is not part of "~0" or "~1"';
  }
  const { depthMax } = patchLimits;
  return hasMoreSegments(pointer, depthMax) ? `has more than ${depthMax} segments` : undefined;
}

/** Looks no further than it must: a pointer may be as long as the body. */
function hasMoreSegments(pointer: string, most: number): boolean {
  // Each takes a character at least.
  if (pointer.length <= most) return false;
  let count = 0;
  for (let at = pointer.indexOf('/'); at >= 0 && count <= most; at = pointer.indexOf('/', at + 1)) {
    count += 1;
  }
  return count > most;
}

/** Operations between two yields, and what counts as one more: values that one copies, characters
 * of its pointers. */
const stepOperations = 500;
const valuesPerOperation = 20;
const charactersPerOperation = 200;
/** A value of more takes steps of its own. */
const longValues = 2_000;

/** Applies them, in parts. */
export function* jsonPatchSteps(
  document: JsonValue,
  { operations, malformed }: JsonPatch,
): Steps<Patched> {
  if (malformed !== undefined) return notAPatch(malformed);
  let current = yield* cloneSteps(document);
  const copied: Copied = { bytes: 0, values: 0 };
  let work = 0;
  for (const [index, operation] of operations.entries()) {
    const before = copied.values;
    if (operation.op === 'copy' || operation.op === 'move') {
      const { from = '', op } = operation;
      const found = valueAt(current, from);
      const excess = found.kind === 'ok' ? addCopied(found.value, copied) : undefined;
      if (excess !== undefined) {
        const verb = op === 'copy' ? 'copies' : 'moves';
        return patchRefused('inapplicable', `operation ${index} ${verb} more than ${excess}`);
      }
    }
    const characters = operation.path.length + (operation.from?.length ?? 0);
    const values = copied.values - before;
    work += 1 + values / valuesPerOperation + characters / charactersPerOperation;
    if (work >= stepOperations) {
      work = 0;
      yield;
    }
    const isLong = countValues(operation.value ?? null, longValues) > longValues;
    if (isLong) yield;
    const problem = insertionProblem(current, operation);
    if (isLong) yield;
    const step = problem ?? applyOperation(current, operation);
    if (step.kind === 'refused') {
      const what = `operation ${index} (${operation.op} ${quotedText(operation.path)})`;
      return patchRefused(step.why, `${what}: ${step.problem}`, index);
    }
    current = step.value;
  }
  return { kind: 'ok', value: current };
}

/** By all operations so far: values that are copied into themselves double with each. */
interface Copied {
  /** About as many as JSON of it has. */
  bytes: number;
  values: number;
}

/** Counts what is copied, and no further than it may be: then, how much that is. */
function addCopied(value: JsonValue, copied: Copied): string | undefined {
  const { copiedBytesMax, copiedValuesMax } = patchLimits;
  copied.values += 1;
  if (copied.values > copiedValuesMax) return `${copiedValuesMax} values`;
  copied.bytes += 2;
  if (typeof value === 'string') copied.bytes += Buffer.byteLength(value);
  else if (typeof value !== 'object' || value === null) copied.bytes += String(value).length;
  if (copied.bytes > copiedBytesMax) return `${copiedBytesMax} bytes`;
  if (Array.isArray(value)) return firstExcess(value as readonly JsonValue[], copied);
  if (!isJsonObject(value)) return undefined;
  for (const key in value) copied.bytes += Buffer.byteLength(key) + 3;
  return firstExcess(Object.values(value), copied);
}

function firstExcess(
  values: readonly (JsonValue | undefined)[],
  copied: Copied,
): string | undefined {
  for (const each of values) {
    const excess = each === undefined ? undefined : addCopied(each, copied);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** Why what an operation inserts cannot be; undefined: it can. */
function insertionProblem(
  document: JsonValue,
  { from, op, path, value }: JsonPatchOperation,
): Refused | undefined {
  if (op !== 'remove' && op !== 'test') {
    const inserted = from === undefined ? undefined : valueAt(document, from);
    if (inserted?.kind === 'refused') return inserted;
    if (nestsTooDeep(inserted?.value ?? value ?? null, path)) {
      return patchRefused('inapplicable', `the result nests deeper than ${bodyDepthMax} levels`);
    }
  }
  return undefined;
}

/** Each operation is asked: values that are copied into themselves double with every step. */
function nestsTooDeep(value: JsonValue, pointer: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const above = pointer === '' ? 0 : pointer.split('/').length - 1;
  return exceedsDepth(value, bodyDepthMax - above);
}

function exceedsDepth(value: JsonValue, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depthMax <= 0) return true;
  const members = Array.isArray(value) ? (value as readonly JsonValue[]) : Object.values(value);
  return members.some((member) => member !== undefined && exceedsDepth(member, depthMax - 1));
}
