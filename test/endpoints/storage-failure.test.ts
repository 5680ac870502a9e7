/** What a client is told of each failure of the store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interpretStorageError } from '../../src/registry/storage-failure.ts';
import { StorageError } from '../../src/storage/storage.ts';
import type { StorageErrorCode } from '../../src/storage/storage.ts';

interface Told {
  readonly code: number;
  readonly reason: string;
  readonly retryAfterSeconds?: number;
  /** Whether a client may take it that its write has not happened. */
  readonly outcome: RegExp;
}

const nothingWritten = /nothing was written/;
const unknown = /the outcome of the write is not known/;
const unreadable = /a stored record of pods cannot be read/;
const internal = (code: string): Told => ({
  code: 500,
  reason: 'InternalError',
  outcome: new RegExp(`\\(${code}\\): nothing was written`),
});

const answers: Readonly<Record<StorageErrorCode, Told>> = {
  full: { code: 503, reason: 'ServiceUnavailable', retryAfterSeconds: 5, outcome: nothingWritten },
  unknown: { code: 504, reason: 'Timeout', retryAfterSeconds: 1, outcome: unknown },
  timeout: { code: 504, reason: 'Timeout', retryAfterSeconds: 1, outcome: nothingWritten },
  lagging: { code: 504, reason: 'Timeout', retryAfterSeconds: 1, outcome: /behind the store/ },
  'too-large': { code: 413, reason: 'RequestEntityTooLarge', outcome: /4194304/ },
  closed: {
    code: 503,
    reason: 'ServiceUnavailable',
    retryAfterSeconds: 1,
    outcome: /nothing was done/,
  },
  corrupt: { code: 500, reason: 'InternalError', outcome: unreadable },
  away: { code: 500, reason: 'InternalError', outcome: /cannot be read yet/ },
  io: { code: 500, reason: 'InternalError', retryAfterSeconds: 1, outcome: nothingWritten },
  'in-use': internal('in-use'),
  identity: internal('identity'),
  incomplete: internal('incomplete'),
  'not-empty': internal('not-empty'),
  compacted: internal('compacted'),
};

describe('a failure of the store', () => {
  for (const [code, { outcome, ...told }] of Object.entries(answers)) {
    it(`${code} is told as ${told.reason}, and whether something was written`, () => {
      const error = new StorageError(code as StorageErrorCode, 'key /secret: disk');
      const status = interpretStorageError(error, { group: '', resource: 'pods' });
      assert.match(status.message, outcome);
      const { retryAfterSeconds } = status.details ?? {};
      assert.deepEqual(
        {
          code: status.code,
          reason: status.reason,
          ...(retryAfterSeconds && { retryAfterSeconds }),
        },
        told,
      );
    });
  }
});
