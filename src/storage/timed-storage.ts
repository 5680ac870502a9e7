/**
 * A store that times its answers, by operation and resource.
 *
 * Every call and every answer is passed on unchanged.
 *
 * A commit carries mutations of several requests: each counts as the create, update or delete that
 * it is, with the time of its commit.
 *
 * Bound: as many series as there are resources in the store, times operations.
 */
import type { Clock } from '../stdx/clock.ts';
import { Histogram } from '../stdx/histogram.ts';
import { passedOn } from './passed-on.ts';
import type { Mutation, Storage } from './storage.ts';

export interface StoreTimes {
  readonly operation: StoreOperation;
  /** `configmaps`, `deployments.apps`; '' for all of them. */
  readonly resource: string;
  readonly seconds: Histogram;
  readonly failures: number;
}

type StoreOperation = 'get' | 'list' | 'create' | 'update' | 'delete';

interface Times extends StoreTimes {
  failures: number;
}

export interface TimedStorage {
  readonly storage: Storage;
  times(): readonly StoreTimes[];
}

/** Of the reference's metric of its store. */
const bounds: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
];

export function timedStorage(inner: Storage, clock: Pick<Clock, 'monotonicMs'>): TimedStorage {
  const all: Times[] = [];
  const byResource = new Map<string, Map<StoreOperation, Times>>();

  function timesOf(operation: StoreOperation, key: string): Times {
    const prefix = resourcePrefix(key);
    let operations = byResource.get(prefix);
    if (operations === undefined) byResource.set(prefix, (operations = new Map()));
    let times = operations.get(operation);
    if (times === undefined) {
      const seconds = new Histogram(bounds);
      times = { operation, resource: nameOf(prefix), seconds, failures: 0 };
      operations.set(operation, times);
      all.push(times);
    }
    return times;
  }

  async function timed<T>(times: Times, ask: () => Promise<T>): Promise<T> {
    const sinceMs = clock.monotonicMs();
    try {
      return await ask();
    } catch (error) {
      times.failures += 1;
      throw error;
    } finally {
      times.seconds.observe((clock.monotonicMs() - sinceMs) / 1000);
    }
  }

  async function commit(mutations: readonly Mutation[]): ReturnType<Storage['commit']> {
    const sinceMs = clock.monotonicMs();
    let failed = true;
    try {
      const outcomes = await inner.commit(mutations);
      failed = false;
      return outcomes;
    } finally {
      const seconds = (clock.monotonicMs() - sinceMs) / 1000;
      for (const times of timesOfEach(mutations, timesOf)) {
        times.seconds.observe(seconds);
        if (failed) times.failures += 1;
      }
    }
  }

  const storage: Storage = {
    ...passedOn(inner),
    read: (key, at) => timed(timesOf('get', key), () => inner.read(key, at)),
    scan: (range, at) => timed(timesOf('list', range.prefix), () => inner.scan(range, at)),
    commit,
  };
  return { storage, times: () => all };
}

/** Most of a commit are the same of one resource: no text is made to find its times. */
function timesOfEach(
  mutations: readonly Mutation[],
  timesOf: (operation: StoreOperation, key: string) => Times,
): readonly Times[] {
  let times: Times | undefined;
  let prefix: string | undefined;
  return mutations.map((mutation) => {
    const operation = operationOf(mutation);
    const isSame = prefix !== undefined && mutation.key.startsWith(prefix);
    if (times?.operation !== operation || !isSame) {
      times = timesOf(operation, mutation.key);
      const resource = resourcePrefix(mutation.key);
      prefix = resource === '' ? undefined : `${resource}/`;
    }
    return times;
  });
}

function operationOf({ expect, operation }: Mutation): StoreOperation {
  if (operation.kind === 'delete') return 'delete';
  return expect.kind === 'absent' ? 'create' : 'update';
}

/** `<group>/<resource>` of a key; '' of what is no whole one. */
function resourcePrefix(key: string): string {
  const first = key.indexOf('/');
  const second = key.indexOf('/', first + 1);
  return first < 0 || second < 0 ? '' : key.slice(0, second);
}

function nameOf(prefix: string): string {
  const [group = '', resource = ''] = prefix.split('/');
  return group === '' ? resource : `${resource}.${group}`;
}
