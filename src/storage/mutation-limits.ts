/**
 * What every adapter and the committer refuse before a transaction starts.
 *
 * The limits of requests are lower, and are checked at the endpoints.
 */
import { StorageError, storageLimits } from './storage.ts';
import type { Companion, Mutation } from './storage.ts';

/** The error that a commit with this mutation must throw, or undefined. */
export function mutationTooLarge(
  mutation: Pick<Mutation, 'key' | 'operation' | 'companions'>,
): StorageError | undefined {
  const { companions, key, operation } = mutation;
  const own = recordTooLarge(key, operation.kind === 'delete' ? undefined : operation);
  if (own !== undefined || companions === undefined) return own;
  if (companions.length > storageLimits.companionsMax) {
    return new StorageError('too-large', `over ${storageLimits.companionsMax} companions`);
  }
  if (new Set(companions.map((each) => each.key).concat(key)).size <= companions.length) {
    return new StorageError('too-large', 'a mutation and its companions write a key once');
  }
  for (const companion of companions) {
    const error = recordTooLarge(companion.key, 'value' in companion ? companion : undefined);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Writes of one mutation: with its companions. */
export function writesOf({ companions }: Pick<Mutation, 'companions'>): number {
  return companions === undefined ? 1 : 1 + companions.length;
}

/** Of the values that a mutation brings. */
export function valueBytesOf({
  companions,
  operation,
}: Pick<Mutation, 'companions' | 'operation'>): number {
  const own = operation.kind === 'put' ? operation.value.byteLength : 0;
  if (companions === undefined) return own;
  return companions.reduce((sum, each) => sum + companionBytes(each), own);
}

/** What an amendment makes is known in the transaction; records that are amended are small. */
const amendmentBytes = 2048;

function companionBytes(companion: Companion): number {
  return 'value' in companion ? companion.value.byteLength : amendmentBytes;
}

function recordTooLarge(
  key: string,
  put: { readonly state: string; readonly value: Uint8Array } | undefined,
): StorageError | undefined {
  if (isOver(key, storageLimits.keyBytesMax)) {
    return new StorageError('too-large', `key over ${storageLimits.keyBytesMax} bytes`);
  }
  if (key === '' || key.includes('\0')) {
    return new StorageError('too-large', 'a key is not empty and holds no NUL');
  }
  if (put === undefined) return undefined;
  if (put.value.byteLength > storageLimits.valueBytesMax) {
    return new StorageError('too-large', `value over ${storageLimits.valueBytesMax} bytes`);
  }
  if (isOver(put.state, storageLimits.stateBytesMax)) {
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

function isOver(text: string, bytesMax: number): boolean {
  // A UTF-16 code unit makes at most three bytes: most texts are cleared without counting.
  return text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax;
}
