/**
 * The functions for streams that handle records and errors: streams/ knows neither the bytes of a
 * record nor the text of a Status.
 */
import type { StreamsDeps } from '../../../streams/watch-cache.ts';
import {
  newAwaitedResource,
  newExpired,
  newInternalError,
  newStoreReadError,
  newTimeout,
} from '../../apimachinery/status-error.ts';
import type { StoredRecord } from '../../storage/storage.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import { stampWritten } from '../../apimachinery/written-stamps.ts';

/** After a timeout a client is told to wait this long. */
const retryAfterSeconds = 1;

export function streamPorts({
  decodeRecord,
  fetchKey,
}: Pick<RecordCodec, 'decodeRecord' | 'fetchKey'>) {
  return {
    decodeRecord,
    whenKeyThere: fetchKey && ((record: StoredRecord) => fetchKey(record, 'patient')),
    awaitedError: newAwaitedResource,
    stamp: stampWritten,
    expiredError: newExpired,
    internalError: newInternalError,
    unreadableError: newStoreReadError,
    timeoutError: (message: string) => newTimeout(message, retryAfterSeconds),
  } as const satisfies Partial<StreamsDeps>;
}
