/**
 * The one place where the store's failures become answers: by their codes, never by their texts.
 */
import type { GroupResource } from '../apimachinery/schema.ts';
import {
  newInternalError,
  newRequestEntityTooLarge,
  newServiceUnavailable,
  newStoreFailure,
  newTimeout,
} from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { storageLimits } from '../storage/storage.ts';
import type { StorageError } from '../storage/storage.ts';

const retryAfterSeconds = 1;
/** Space is not freed within a moment. */
const fullRetryAfterSeconds = 5;

export function interpretStorageError(error: StorageError, resource: GroupResource): StatusError {
  switch (error.code) {
    case 'full':
      return newServiceUnavailable(
        'the store is full, only deletions are written: nothing was written',
        fullRetryAfterSeconds,
      );
    case 'unknown':
      return newTimeout(
        'the outcome of the write is not known: read the object before trying again',
        retryAfterSeconds,
      );
    case 'timeout':
      return newTimeout(
        'the store has not answered in time: nothing was written, try again',
        retryAfterSeconds,
      );
    case 'lagging':
      return newTimeout('this server is behind the store: try again', retryAfterSeconds);
    case 'too-large':
      return newRequestEntityTooLarge(storageLimits.valueBytesMax);
    case 'closed':
      return newServiceUnavailable(
        'the store is closed, because this server is stopping: nothing was done, try again',
        retryAfterSeconds,
      );
    case 'corrupt':
      return newInternalError(
        `StorageError: corrupt object: a stored record of ${resource.resource} cannot be read`,
      );
    case 'away':
      return newInternalError(
        `a stored record of ${resource.resource} cannot be read yet: its key service is away`,
      );
    case 'io':
      return newStoreFailure(
        `the store failed (${error.message}): nothing was written`,
        retryAfterSeconds,
      );
    case 'in-use':
    case 'identity':
    case 'incomplete':
    case 'not-empty':
    case 'compacted':
      return newInternalError(`the store failed (${error.code}): nothing was written`);
  }
}
