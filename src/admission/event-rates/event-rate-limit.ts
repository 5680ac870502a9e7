/**
 * EventRateLimit: limits events per second for the server, a namespace, a user, or a source and
 * object. Events above a limit get 429.
 *
 * Invariants: every limit is charged for every event, even if another one refuses it. A dry run is
 * charged to none.
 * Bounds: `cacheSize` buckets for each limit; the least recently used one is dropped, and starts
 * full again. Keys are cut at `keyCharsMax` characters.
 */
import { part, text } from '../../apimachinery/members.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { newTooManyRequests } from '../../apimachinery/status-error.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { AdmissionPlugin, Review } from '../admission.ts';
import type { EventRate } from './settings.ts';

const keyCharsMax = 1024;

/** Tokens that come back with time, at most `burst` of them. */
interface Bucket {
  tokens: number;
  atMs: number;
}

export function eventRateLimit(
  { fill }: Identity,
  rates: readonly EventRate[],
  clock: Pick<Clock, 'monotonicMs'>,
): AdmissionPlugin {
  const limits = rates.map((rate) => ({ rate, take: bucketsOf(rate, clock) }));
  return {
    name: 'EventRateLimit',
    resources: ['/events', `${fill('events.{domain}')}/events`],
    concerns: (_user, { operations }) => !operations.includes('DELETE'),
    validate(review) {
      if (review.dryRun) return undefined;
      const refused = new Set<string>();
      for (const { rate, take } of limits) {
        const key = keyOf(rate.type, review).slice(0, keyCharsMax);
        if (!take(key)) refused.add(`limit reached on type ${rate.type} for key ${key}`);
      }
      if (refused.size === 0) return undefined;
      const all = [...refused].join(', ');
      const reached = refused.size === 1 ? all : `[${all}]`;
      return newTooManyRequests(`Too many requests: ${reached}`, 0);
    },
  };
}

function keyOf(type: EventRate['type'], { namespace, next, user }: Review): string {
  switch (type) {
    case 'Server':
      return '';
    case 'Namespace':
      return namespace;
    case 'User':
      return user.name;
    case 'SourceAndObject': {
      // By the older names of the fields and by the newer ones.
      const source = part(next, next?.['source'] === undefined ? 'deprecatedSource' : 'source');
      const about = part(next, next?.['regarding'] === undefined ? 'involvedObject' : 'regarding');
      const fields = ['kind', 'namespace', 'name', 'uid', 'apiVersion'];
      const of = [text(source, 'component'), text(source, 'host')];
      return [...of, ...fields.map((field) => text(about, field))].join('');
    }
  }
}

/** Whether there is one token more for the key; it is taken. */
function bucketsOf(
  { burst, cacheSize, qps }: EventRate,
  clock: Pick<Clock, 'monotonicMs'>,
): (key: string) => boolean {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const nowMs = clock.monotonicMs();
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    // To the end of the order: used last.
    buckets.delete(key);
    const [oldest] = buckets.keys();
    if (buckets.size >= cacheSize && oldest !== undefined) buckets.delete(oldest);
    buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) * qps) / 1000);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
}
