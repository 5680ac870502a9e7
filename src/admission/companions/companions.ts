/**
 * The companions of a write: further records that are written in its transaction.
 *
 *     a new object                       the epoch of quotas is the one known here    condition
 *     an object that quotas limit        each of these quotas is charged              amend
 *     a service                          its addresses and ports                     claim, release
 *     a quota                            a new epoch                                  mark
 *     a deleted quota                    a new epoch, if something must be covered    mark
 *     a deleted namespace                its epoch                                    release
 *
 * It is asked for every committed write, of clients and of the server itself. It answers at once
 * from this server's caches; the transaction finds out if they were out of date.
 *
 * It does not choose addresses (addresses/service-addresses.ts): by now the object has them.
 *
 * Invariants: whatever an object has was claimed in the transaction that wrote it, and is released
 * in the one that removes it. A write that takes nothing more is never refused. Without quotas a
 * write costs two look-ups and has no companions, unless the configuration says that something must
 * be covered.
 * Bounds: `companionsMax` of the store; the limits of quotas and services keep within it.
 */
import type { CompanionWrites, CompanionsOf } from '../../../actors/actors.ts';
import { noCompanions } from '../../../actors/actors.ts';
import { part } from '../../apimachinery/members.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Clock } from '../../stdx/clock.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { Prng } from '../../stdx/prng.ts';
import { objectKey, storeKey } from '../../storage/keys.ts';
import type { ObjectKey } from '../../storage/keys.ts';
import type { Companion, Condition, Instruction, StoreKey } from '../../storage/storage.ts';
import type { Charge } from '../quota/charge.ts';
import { quotasResource } from '../quota/known-quotas.ts';
import type { KnownQuotas } from '../quota/known-quotas.ts';
import type { LimitedResources } from '../quota/limited-resources.ts';
import { isCounted, mayGrow, usageNames, usageOf } from '../quota/usage.ts';
import type { Usage } from '../quota/usage.ts';
import { epochKey, epochMark, epochRelease, ipAddresses } from './allocation-records.ts';
import { inOrderOfRefusal, takesMore, uncoveredBy } from './covering.ts';

/** What services claim and release: addresses/service-claims.ts. */
export type ServiceCompanions = (
  key: ObjectKey,
  next: ApiObject | undefined,
  current: ApiObject | undefined,
  createdAt: string,
) => CompanionWrites;

export interface CompanionDeps {
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly prng: Prng;
  /** Undefined: quotas bound nothing. */
  readonly quotas: KnownQuotas | undefined;
  /** What may be taken only where a quota bounds it. */
  readonly limited?: LimitedResources | undefined;
  readonly services: ServiceCompanions;
}

export interface CompanionsPort {
  readonly companionsOf: CompanionsOf;
  /** The epoch of the namespace has changed. */
  forgetEpoch(namespace: string): void;
  /** Whose records companions write. */
  readonly isAccompanied: (key: ObjectKey) => boolean;
}

/** States of no epoch: what tests one of the first two is refused, the last is decided again. */
export const lostQuota = '!lost-quota';
export const tooManyQuotas = '!too-many-quotas';
export const unreadQuotas = '!unread-quotas';

export function createCompanions(deps: CompanionDeps): CompanionsPort {
  const { identity, limited, quotas } = deps;
  const [addresses, names] = [ipAddresses(identity), usageNames(identity)];
  /** Of namespaces without quotas; made once for each epoch. */
  const untouched = new Map<string, CompanionWrites>();

  function epochOf(namespace: string): Condition {
    return { key: epochKey(namespace), state: quotas?.epoch(namespace) };
  }

  function free(namespace: string): CompanionWrites {
    const known = untouched.get(namespace);
    if (known !== undefined) return known;
    const made: CompanionWrites = { companions: undefined, conditions: [epochOf(namespace)] };
    if (untouched.size >= untouchedMax) untouched.clear();
    untouched.set(namespace, made);
    return made;
  }

  function ofQuotas(
    key: ObjectKey,
    next: ApiObject | undefined,
    current: ApiObject | undefined,
  ): CompanionWrites {
    const { namespace } = key;
    if (quotas === undefined || namespace === '' || !isCounted(key)) return noCompanions;
    const grows = next !== undefined && (current === undefined || mayGrow(key));
    const isLost = grows && quotas.lost(namespace) !== undefined;
    const isLimited = grows && limited !== undefined && limited.concerns(key);
    if (!isLost && !isLimited && quotas.isFree(namespace)) {
      return grows ? free(namespace) : noCompanions;
    }
    if (!grows && next !== undefined) return noCompanions;
    const is = next === undefined ? null : usageOf(key, next, names);
    const was = current === undefined ? null : usageOf(key, current, names);
    if (is !== null && was !== null && sameUsage(is, was)) return noCompanions;
    if (isLost) return noEpochOf(namespace, lostQuota);
    const found = quotas.bounding(namespace, namesOf(is, was));
    if (typeof found === 'string') {
      if (found === 'too many' && next === undefined) return noCompanions;
      return noEpochOf(namespace, found === 'unread' ? unreadQuotas : tooManyQuotas);
    }
    const isReported = isReport(next, current);
    const charged = found.filter(({ name }) => !isSelf(key, name));
    const reported = isReported ? { reported: true as const } : {};
    const companions = inOrderOfRefusal(charged, is).map(({ name, uid }) =>
      chargeOf(quotaKey(namespace, name), { uid, is, was, ...reported }),
    );
    if (!grows) return { companions, conditions: [] };
    const uncovered =
      isLimited && is !== null && !isReported && takesMore(is, was)
        ? uncoveredBy(quotas, limited.of(key, is), { namespace, found, is })
        : undefined;
    // Whether it is covered is as old as the epoch, which is therefore tested first.
    const more = uncovered === undefined ? [] : noEpochOf(namespace, uncovered).conditions;
    return { companions, conditions: [epochOf(namespace), ...more] };
  }

  return {
    companionsOf(key, next, current) {
      const charged = ofQuotas(key, next, current);
      const own = ofObject(deps, key, next, current);
      return own === noCompanions ? charged : mergedWrites(charged, own);
    },
    forgetEpoch: (namespace) => void untouched.delete(namespace),
    isAccompanied: ({ group, resource }) =>
      (group === '' && resource === quotasResource.resource) ||
      (resource === addresses.resource && group === addresses.group),
  };
}

/** What the object itself has with it, whatever bounds it. */
function ofObject(
  { clock, limited, prng, quotas, services }: CompanionDeps,
  key: ObjectKey,
  next: ApiObject | undefined,
  current: ApiObject | undefined,
): CompanionWrites {
  if (key.group !== '') return noCompanions;
  switch (key.resource) {
    case 'services':
      return services(key, next, current, formatRfc3339(clock.nowMs()));
    case 'resourcequotas':
      if (quotas === undefined) return noCompanions;
      // One that goes allows nothing more, and less where something has to be covered.
      if (next === undefined && limited === undefined) return noCompanions;
      if (
        next !== undefined &&
        current !== undefined &&
        deepEqual(part(next, 'spec'), part(current, 'spec'))
      ) {
        return noCompanions;
      }
      return companionsOnly([epochMark(key.namespace, prng.uuid())]);
    case 'namespaces':
      return next === undefined ? companionsOnly([epochRelease(key.name)]) : noCompanions;
    default:
      return noCompanions;
  }
}

/** Namespaces that are remembered as without quotas. Policy: all are forgotten, and made again. */
const untouchedMax = 20_000;

/** A condition that fails, and says why by its state. */
function noEpochOf(namespace: string, state: string): CompanionWrites {
  return { companions: undefined, conditions: [{ key: epochKey(namespace), state }] };
}

function chargeOf(key: StoreKey, charge: Charge): Companion {
  return { kind: 'amend', key, instruction: charge as unknown as Instruction };
}

function quotaKey(namespace: string, name: string): StoreKey {
  return storeKey(objectKey(quotasResource, namespace, name));
}

/** A quota is not charged for itself: it is written already. */
function isSelf({ group, name, resource }: ObjectKey, quota: string): boolean {
  return group === '' && resource === quotasResource.resource && name === quota;
}

/** Whoever writes a status says what is so. */
function isReport(next: ApiObject | undefined, current: ApiObject | undefined): boolean {
  if (next === undefined || current === undefined) return false;
  return deepEqual(next['spec'] ?? null, current['spec'] ?? null);
}

function sameUsage(a: Usage, b: Usage): boolean {
  return deepEqual(a, b);
}

/** A quota may bound what is taken, and what should be said and is not. */
function* namesOf(is: Usage | null, was: Usage | null): Generator<string> {
  if (is !== null) {
    yield* Object.keys(is.amounts);
    yield* Object.keys(is.missing);
  }
  if (was !== null) yield* Object.keys(was.amounts);
}

function companionsOnly(companions: readonly Companion[]): CompanionWrites {
  return { companions, conditions: noCompanions.conditions };
}

function mergedWrites(a: CompanionWrites, b: CompanionWrites): CompanionWrites {
  if (a === noCompanions) return b;
  const companions = [...(b.companions ?? []), ...(a.companions ?? [])];
  // A quota that is made tests the epoch that it ends.
  const marked = new Set(companions.map(({ key }) => key));
  const conditions = [...a.conditions, ...b.conditions];
  return { companions, conditions: conditions.filter(({ key }) => !marked.has(key)) };
}
