/**
 * The door to the rfc6902 library: one operation on a document that may be changed, and pointers.
 */
import { Pointer, applyPatch } from 'rfc6902';
import type { Operation } from 'rfc6902';
import type { JsonValue } from '../unstructured.ts';

export { Pointer };

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from: string | undefined;
  readonly value: JsonValue | undefined;
}

/** Changes `document`. Answers what is wrong, if anything; then nothing was changed. */
export function applyOperation(
  document: JsonValue,
  { op, path, from, value }: JsonPatchOperation,
): string | undefined {
  const operation = {
    op,
    path,
    ...(from === undefined ? {} : { from }),
    ...(value === undefined ? {} : { value }),
  } as Operation;
  const [error] = applyPatch(document, [operation]);
  return error === null || error === undefined ? undefined : error.message;
}
