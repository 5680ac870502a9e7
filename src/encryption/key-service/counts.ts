/**
 * What metrics say of key services: how long calls took, and which of their keys are in use.
 *
 * Bounds: calls by service, method and status; of keys the `keyIdsMax` that were used last, as in
 * the reference.
 */
import type { Clock } from '../../stdx/clock.ts';
import { exponentialBounds, Histogram } from '../../stdx/histogram.ts';
import type { KeyIdProblem } from './key-service.ts';

const keyIdsMax = 100;
const callBounds = exponentialBounds(0.0001, 2, 20);

export type Labels = Readonly<Record<string, string>>;
export type Direction = 'to_storage' | 'from_storage';

interface KeyUse {
  readonly labels: Labels;
  count: number;
  atMs: number;
}

export interface KeyServiceCounts {
  call(provider: string, method: string, code: string, seconds: number): void;
  /** A record was written or read with a seed of this key. */
  used(direction: Direction, provider: string, keyIdHash: string): void;
  /** The service said that it has this key. */
  named(provider: string, keyIdHash: string): void;
  wrongKeyId(provider: string, error: KeyIdProblem): void;
  calls(): Iterable<readonly [Labels, Histogram]>;
  uses(): Iterable<Readonly<KeyUse>>;
  names(): Iterable<Readonly<KeyUse>>;
  wrongKeyIds(): Iterable<Readonly<KeyUse>>;
}

export function createKeyServiceCounts(clock: Pick<Clock, 'nowMs'>): KeyServiceCounts {
  const calls = new Map<string, readonly [Labels, Histogram]>();
  const uses = new Map<string, KeyUse>();
  const names = new Map<string, KeyUse>();
  const wrong = new Map<string, KeyUse>();
  const count = (map: Map<string, KeyUse>, key: string, labels: () => Labels): void => {
    let use = map.get(key);
    if (use === undefined) {
      use = { labels: labels(), count: 0, atMs: 0 };
      map.set(key, use);
      if (map.size > keyIdsMax) dropOldest(map);
    }
    use.count += 1;
    use.atMs = clock.nowMs();
  };
  return {
    call(provider, method, code, seconds) {
      const key = `${provider} ${method} ${code}`;
      const labels = { provider_name: provider, method_name: method, grpc_status_code: code };
      const known = calls.get(key) ?? ([labels, new Histogram(callBounds)] as const);
      calls.set(key, known);
      known[1].observe(seconds);
    },
    used(direction, provider, keyIdHash) {
      count(uses, `${direction} ${provider} ${keyIdHash}`, () => ({
        transformation_type: direction,
        provider_name: provider,
        key_id_hash: keyIdHash,
      }));
    },
    named(provider, keyIdHash) {
      const labels = () => ({ provider_name: provider, key_id_hash: keyIdHash });
      count(names, `${provider} ${keyIdHash}`, labels);
    },
    wrongKeyId(provider, error) {
      count(wrong, `${provider} ${error}`, () => ({ provider_name: provider, error }));
    },
    calls: () => calls.values(),
    uses: () => uses.values(),
    names: () => names.values(),
    wrongKeyIds: () => wrong.values(),
  };
}

function dropOldest(map: Map<string, KeyUse>): void {
  const [first] = [...map].sort(([, a], [, b]) => a.atMs - b.atMs);
  if (first !== undefined) map.delete(first[0]);
}
