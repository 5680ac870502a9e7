/**
 * JSON Patch (RFC 6902): a sequence of operations, all of which apply or none does.
 *
 * The operations themselves are rfc6902's. What stands here is what it leaves open: the shape of
 * the body, the limits, strict array indexes, equality that knows bigint, and texts that name the
 * operation which failed.
 *
 * Invariants: the document is never changed. `__proto__` is refused in a pointer.
 * Bounds: `patchLimits`.
 */
import { deepEqual } from '../../stdx/deep-equal.ts';
import { jsonDepthMax } from '../codecs/json.ts';
import { stringifyJson } from '../codecs/lossless.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { cloneJson } from './members.ts';
import { patchLimits, patchRefused } from './patch-result.ts';
import type { Patched } from './patch-result.ts';
import { Pointer, applyOperation } from './rfc6902.ts';
import type { JsonPatchOperation } from './rfc6902.ts';

export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Why it fits no object, if so: an operation that there is not, or lacks what it needs. */
  readonly unusable: string | undefined;
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
const operationMembers: readonly string[] = ['op', 'path', 'from', 'value'];

/** Checks the body's shape once; applying may happen many times. What is of a wrong type is not a
 * patch; what is of the right type and makes no sense is one that cannot be applied. */
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
  let unusable: string | undefined;
  for (const [index, item] of (body as readonly JsonValue[]).entries()) {
    if (!isJsonObject(item)) return notAPatch(`operation ${index} is not an object`);
    for (const [name, member] of Object.entries(item)) {
      if (!operationMembers.includes(name)) unknownFields.push(`[${index}].${name}`);
      const isText = typeof member === 'string' || member === null;
      if (name === 'value' || isText || !operationMembers.includes(name)) continue;
      return notAPatch(`${name} of operation ${index} is not a text`);
    }
    const problem = useProblem(item);
    if (problem !== undefined) unusable ??= `operation ${index}: ${problem}`;
    const { op, path, from, value } = item as unknown as JsonPatchOperation;
    operations.push({ op, path, from: from ?? undefined, value });
  }
  return { kind: 'ok', patch: { operations, unusable }, unknownFields };
}

function notAPatch(problem: string): ReturnType<typeof patchRefused> {
  return patchRefused('malformed', `error decoding patch: ${problem}`);
}

function useProblem(item: JsonObject): string | undefined {
  const { op, path, from } = item;
  if (typeof op !== 'string' || !operationNames.includes(op)) {
    return `unexpected kind ${JSON.stringify(op ?? '')}, not one of ${operationNames.join(', ')}`;
  }
  const pointers = operationsWithFrom.includes(op) ? { path, from } : { path };
  for (const [member, pointer] of Object.entries(pointers)) {
    if (typeof pointer !== 'string') return `${op} needs the member ${member}`;
    const problem = pointerProblem(pointer);
    if (problem !== undefined) return `${member} ${JSON.stringify(pointer)} ${problem}`;
  }
  if (operationsWithValue.includes(op) && item['value'] === undefined) {
    return `${op} needs the member value`;
  }
  return undefined;
}

function pointerProblem(pointer: string): string | undefined {
  if (pointer === '') return undefined;
  if (!pointer.startsWith('/')) return 'does not start with "/"';
  if (/~(?![01])/.test(pointer)) return 'has a "~" that is not part of "~0" or "~1"';
  const segments = pointer.split('/');
  if (segments.length - 1 > patchLimits.depthMax) {
    return `has more than ${patchLimits.depthMax} segments`;
  }
  return segments.includes('__proto__') ? 'has a segment that is not allowed' : undefined;
}

export function applyJsonPatch(document: JsonValue, { operations, unusable }: JsonPatch): Patched {
  if (unusable !== undefined) return patchRefused('inapplicable', unusable);
  let current = cloneJson(document);
  let copiedBytes = 0;
  for (const [index, operation] of operations.entries()) {
    if (operation.op === 'copy') {
      copiedBytes += copiedSize(current, operation);
      if (copiedBytes > patchLimits.copiedBytesMax) {
        const problem = `operation ${index} copies more than ${patchLimits.copiedBytesMax} bytes`;
        return patchRefused('inapplicable', problem);
      }
    }
    const step = applyOne(current, operation);
    if (step.kind === 'refused') {
      const what = `operation ${index} (${operation.op} ${JSON.stringify(operation.path)})`;
      return patchRefused(step.why, `${what}: ${step.problem}`);
    }
    current = step.value;
  }
  return { kind: 'ok', value: current };
}

function copiedSize(document: JsonValue, { from = '' }: JsonPatchOperation): number {
  const value = Pointer.fromJSON(from).get(document) as JsonValue | undefined;
  return value === undefined ? 0 : Buffer.byteLength(stringifyJson(value));
}

/** May change `document`, which is ours. */
function applyOne(document: JsonValue, operation: JsonPatchOperation): Patched {
  const { op, path, from } = operation;
  const problem =
    endProblem(document, path, op === 'add' || op === 'move' || op === 'copy') ??
    (from === undefined ? undefined : endProblem(document, from, false));
  if (problem !== undefined) return patchRefused('inapplicable', problem);
  if (op === 'test') {
    const found = Pointer.fromJSON(path).get(document) as JsonValue | undefined;
    // A member that is not there passes for null, as in the reference.
    if (deepEqual(found ?? null, operation.value)) return { kind: 'ok', value: document };
    return patchRefused('inapplicable', 'test failed: the value is another one');
  }
  if (op !== 'remove' && nestsTooDeep(insertedValue(document, operation), path)) {
    return patchRefused('inapplicable', `the result nests deeper than ${jsonDepthMax} levels`);
  }
  if (path === '') return replaceAll(document, operation);
  const error = applyOperation(document, operation);
  if (error !== undefined) return patchRefused('inapplicable', error);
  return { kind: 'ok', value: document };
}

function insertedValue(document: JsonValue, { from, value }: JsonPatchOperation): JsonValue {
  if (from === undefined) return value ?? null;
  return Pointer.fromJSON(from).get(document) as JsonValue;
}

/** Each operation is asked: values that are copied into themselves double with every step. */
function nestsTooDeep(value: JsonValue, pointer: string): boolean {
  const above = pointer === '' ? 0 : pointer.split('/').length - 1;
  return exceedsDepth(value, jsonDepthMax - above);
}

function exceedsDepth(value: JsonValue, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depthMax <= 0) return true;
  const members = Array.isArray(value) ? (value as readonly JsonValue[]) : Object.values(value);
  return members.some((member) => member !== undefined && exceedsDepth(member, depthMax - 1));
}

/** An operation on the whole document. */
function replaceAll(document: JsonValue, operation: JsonPatchOperation): Patched {
  switch (operation.op) {
    case 'add':
    case 'replace':
      return { kind: 'ok', value: cloneJson(operation.value ?? null) };
    case 'move':
    case 'copy': {
      const found = Pointer.fromJSON(operation.from ?? '').get(document) as JsonValue;
      return { kind: 'ok', value: cloneJson(found) };
    }
    default:
      return patchRefused('inapplicable', 'the whole document cannot be removed');
  }
}

/** Why a pointer does not lead to a place in the document. `inserting`: its last segment may be a
 * new member, the end of a list, or "-". */
function endProblem(document: JsonValue, pointer: string, inserting: boolean): string | undefined {
  const { tokens } = Pointer.fromJSON(pointer);
  let at: JsonValue | undefined = document;
  for (const [index, token] of tokens.entries()) {
    if (index === 0) continue;
    const last = index === tokens.length - 1;
    const where = JSON.stringify(pointer);
    if (Array.isArray(at)) {
      const list = at as readonly JsonValue[];
      if (last && inserting && (token === '-' || token === String(list.length))) return undefined;
      if (!/^(?:0|[1-9]\d*)$/.test(token)) return `${where}: ${JSON.stringify(token)} is no index`;
      if (Number(token) >= list.length) return `${where}: index ${token} is out of bounds`;
      at = list[Number(token)];
      continue;
    }
    if (!isJsonObject(at ?? null)) return `${where}: nothing is there to hold "${token}"`;
    const object: Readonly<Record<string, JsonValue | undefined>> = at as never;
    const found = Object.hasOwn(object, token) ? object[token] : undefined;
    if (found === undefined && !(last && inserting)) return `${where} does not exist`;
    at = found;
  }
  return undefined;
}
