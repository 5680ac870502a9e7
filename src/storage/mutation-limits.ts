/**
 * What every adapter and the committer refuse before a transaction starts.
 *
 * What it is not: validation of requests; those limits are lower and are checked at the endpoints.
 */
import { StorageError, storageLimits } from './storage.ts';
import type { Mutation } from './storage.ts';

/** The error that a commit with this mutation must throw, or undefined. */
export function mutationTooLarge(
  mutation: Pick<Mutation, 'key' | 'operation'>,
): StorageError | undefined {
  const { key, operation } = mutation;
  if (keyTooLong(key)) {
    return new StorageError('too-large', `key over ${storageLimits.keyBytesMax} bytes`);
  }
  if (key === '' || key.includes('\0')) {
    return new StorageError('too-large', 'a key is not empty and holds no NUL');
  }
  if (operation.kind === 'delete') return undefined;
  if (operation.value.byteLength > storageLimits.valueBytesMax) {
    return new StorageError('too-large', `value over ${storageLimits.valueBytesMax} bytes`);
  }
  if (Buffer.byteLength(operation.state) > storageLimits.stateBytesMax) {
    return new StorageError('too-large', `state over ${storageLimits.stateBytesMax} bytes`);
  }
  return undefined;
}

/** @throws StorageError `too-large` when one of the mutations is over a limit. */
export function checkMutations(mutations: readonly Mutation[]): void {
  for (const mutation of mutations) {
    const error = mutationTooLarge(mutation);
    if (error !== undefined) throw error;
  }
}

function keyTooLong(key: string): boolean {
  // A UTF-16 code unit makes at most three bytes: most keys are cleared without counting.
  return (
    key.length * 3 > storageLimits.keyBytesMax && Buffer.byteLength(key) > storageLimits.keyBytesMax
  );
}
