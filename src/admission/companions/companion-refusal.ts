/**
 * Handles a write whose companions could not be written: the error for the client, or the decision
 * to try the write again.
 *
 *     a quota is exceeded, or needs a value that is missing    403, decided in the transaction
 *     a quota cannot be read                                   403: its limits are unknown
 *     a quota is to be encrypted, and nothing can be           500
 *     no quota covers what must be covered                     403; for a scope 500 (reference)
 *     a quota has not been counted yet                         it is counted, then again
 *     a new or changed quota                                   again, when this server knows it
 *     an address or port was taken meanwhile                   again, when this server knows it
 *
 * Invariant: before a write is tried again, this server knows what the transaction knew.
 * Bounds: waits until the caches are current; `countedWaitMs` for a count.
 */
import {
  newForbidden,
  newInternalError,
  newUnknownError,
} from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { CompanionRefusal } from '../../registry/execute-with-companions.ts';
import { parseStoreKey } from '../../storage/keys.ts';
import type { Streams } from '../../../streams/streams.ts';
import { chargeCodes } from '../quota/charge.ts';
import { quotaNamesPerWriteMax, quotasPerWriteMax, quotasResource } from '../quota/known-quotas.ts';
import { quotaEpochs } from './allocation-records.ts';
import { lostQuota, tooManyQuotas, unreadQuotas } from './companions.ts';
import { uncoveredNames, uncoveredScopes } from './covering.ts';

export interface CompanionRefusalDeps {
  /** Resolves when the quotas that there are have been looked into. */
  readonly quotasRead: () => Promise<void>;
  /** The name of a quota of the namespace that nobody can read. */
  readonly lost: (namespace: string) => string | undefined;
  readonly streams: Pick<Streams, 'waitUntilCurrent'>;
  /** Counts a quota that has not been; resolves when it has been, with true, or not in time. */
  readonly counted: (namespace: string, name: string) => Promise<boolean>;
}

type Failure = Parameters<CompanionRefusal>[1];

export function createCompanionRefusal({
  counted,
  lost,
  quotasRead,
  streams,
}: CompanionRefusalDeps): CompanionRefusal {
  const again = (): Promise<'again'> => streams.waitUntilCurrent().then(() => 'again');
  const quotaRefusal = async (
    forbidden: (why: string) => StatusError,
    { code, key, message }: Extract<Failure, { kind: 'companion-failed' }>,
  ): Promise<StatusError | 'again'> => {
    const { name, namespace } = parseStoreKey(key);
    switch (code) {
      case chargeCodes.exceeded:
      case chargeCodes.unsaid:
        return forbidden(message);
      case chargeCodes.uncounted:
        return (await counted(namespace, name)) ? again() : forbidden(message);
      case chargeCodes.moved:
        return again();
      case chargeCodes.unwritable:
        return newInternalError(message);
      default:
        return forbidden(unreadable(name));
    }
  };

  return ({ kind, name }, failure) => {
    const forbidden = (why: string): StatusError => newForbidden(kind, name, why);
    if (failure.kind === 'condition-failed') {
      const { key, state } = failure.condition;
      if (!isOf(key, quotaEpochs)) return isRangeKey(key) ? again() : undefined;
      if (state === lostQuota) {
        const name = lost(parseStoreKey(key).name);
        return name === undefined ? again() : Promise.resolve(forbidden(unreadable(name)));
      }
      if (state === unreadQuotas) return quotasRead().then(again);
      const uncovered = uncoveredRefusal(state, forbidden);
      if (uncovered !== undefined) return Promise.resolve(uncovered);
      if (state !== tooManyQuotas) return again();
      return Promise.resolve(forbidden(chargedTooMuch));
    }
    if (isOf(failure.key, quotasResource)) return quotaRefusal(forbidden, failure);
    if (failure.code === 'taken') return again();
    return Promise.resolve(newInternalError(`${failure.key}: ${failure.message}`));
  };
}

const chargedTooMuch =
  `more than ${quotasPerWriteMax} quotas bound it, or quotas of more than ` +
  `${quotaNamesPerWriteMax} names in all: no write is charged to as many`;

function uncoveredRefusal(
  state = '',
  forbidden: (why: string) => StatusError,
): StatusError | undefined {
  if (state.startsWith(uncoveredNames)) {
    return forbidden(`insufficient quota to consume: ${state.slice(uncoveredNames.length)}`);
  }
  if (!state.startsWith(uncoveredScopes)) return undefined;
  const scopes = state.slice(uncoveredScopes.length);
  return newUnknownError(`insufficient quota to match these scopes: ${scopes}`);
}

function unreadable(name: string): string {
  return `status unknown for quota: ${name}: it cannot be read`;
}

function isOf(key: string, { group, resource }: { group: string; resource: string }): boolean {
  return key.startsWith(`${group}/${resource}/`);
}

/** Of a range of addresses: it has gone, or begun to. */
function isRangeKey(key: string): boolean {
  return key.includes('/servicecidrs//');
}
