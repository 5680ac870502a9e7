/**
 * A mutation by JSON Patch: the operations that an expression returns are applied to the object.
 *
 * Invariants: all operations are applied or none. A `test` operation that fails is no error: the
 * object stays as it is. The result is decoded strictly, as its kind. Messages are those of the
 * reference. Others have a turn between the operations, where they are many.
 */
import { jsonPatchSteps, readJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import type { JsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { valueAt } from '../../apimachinery/patch/json-operations.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { typedDocument } from '../../apimachinery/typed/field-validation.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { isOutgrown, objectBytesMax } from '../outgrown.ts';

/** A text: why not. */
export type Mutated = ApiObject | string;

/** Each mutation may write as much as an evaluation may make, and there are many. */
export const outgrown = `the object would hold more than ${objectBytesMax} bytes`;

/** `isLarge`: of so many values that others have a turn between the walks over them. */
export function* applyOperations(
  object: ApiObject,
  operations: JsonValue,
  kind: KindInfo,
  isLarge: boolean,
): Steps<Mutated> {
  const read = readJsonPatch(operations);
  if (read.kind === 'refused') return `JSON Patch: ${read.problem}`;
  const patched = yield* jsonPatchSteps(object, read.patch);
  if (patched.kind === 'refused') {
    const problem = yield* failureOf(object, read.patch, patched.at);
    if (problem === undefined) return object;
    return `JSON Patch: ${problem === '' ? patched.problem : problem}`;
  }
  if (!isJsonObject(patched.value)) return 'JSON Patch: the result is no object';
  if (yield* isOutgrown(patched.value)) return `JSON Patch: ${outgrown}`;
  if (isLarge) yield;
  const typed = typedDocument(patched.value, kind, 'Strict', []);
  return typed.kind === 'refused' ? typed.error.message : typed.object;
}

/** Undefined: a test failed. '': nothing more is known. */
function* failureOf(
  object: ApiObject,
  { operations }: JsonPatch,
  at: number | undefined,
): Steps<string | undefined> {
  const failed = at === undefined ? undefined : operations[at];
  if (failed === undefined) return '';
  const before = yield* jsonPatchSteps(object, {
    operations: operations.slice(0, at),
    malformed: undefined,
  });
  const { op, path } = failed;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const hasParent = before.kind === 'ok' && valueAt(before.value, parent).kind === 'ok';
  if (op === 'test') {
    return hasParent ? undefined : `test operation does not apply: is missing path: ${path}`;
  }
  if (op !== 'replace' && op !== 'remove' && op !== 'add') return '';
  if (op === 'add' && hasParent) return '';
  const missing = hasParent ? `missing key: ${path}` : `missing path: ${path}`;
  return `${op} operation does not apply: doc is ${missing}: missing value`;
}
