/**
 * Whole servers over one FoundationDB double: HTTP, caches, controllers of whoever leads; each with
 * a connection, a slot and a log of its own, on the time of the machine.
 */
import { companionRules } from '../../../src/admission/companions/companion-rules.ts';
import { plainRecords } from '../../../src/storage/encrypted-records.ts';
import { testedRecords } from '../../../src/server/compose/open-storage.ts';
import { systemClock, systemTimers } from '../../../src/stdx/clock.ts';
import { seededPrng } from '../../../src/stdx/prng.ts';
import { openFdbStorage } from '../../../src/storage/fdb/fdb-storage.ts';
import { createFdbDouble } from '../doubles/fdb-double.ts';
import type { FdbDouble } from '../doubles/fdb-double.ts';
import { pausableTail } from '../doubles/pausable-tail.ts';
import type { PausableTail } from '../doubles/pausable-tail.ts';
import { startTestServer } from './test-server.ts';
import type { TestOptions, TestServer } from './test-server.ts';

export interface ServerOverFdb extends TestServer {
  /** What it hears of the others, and of itself. */
  readonly log: PausableTail;
}

export interface ServersOverFdb {
  readonly double: FdbDouble;
  readonly all: readonly ServerOverFdb[];
  removeAll(): Promise<void>;
}

/** `options`: of all, or of each by its number, from 1. */
export async function startServersOverFdb(
  count: number,
  options: TestOptions | ((number: number) => TestOptions) = {},
): Promise<ServersOverFdb> {
  const [clock, timers] = [systemClock, systemTimers];
  const double = createFdbDouble({ nowMs: () => clock.nowMs(), timers });
  const start = async (number: number): Promise<ServerOverFdb> => {
    const storage = await openFdbStorage({
      db: double.connect(),
      prefix: 'several',
      identity: 'kubernetes',
      clock,
      timers,
      prng: seededPrng(number),
      requestTimeoutMs: 60_000,
      ...testedRecords,
      rules: companionRules(plainRecords),
    });
    const log = pausableTail(storage);
    const ports = { http: 0, secure: undefined, tokens: undefined };
    const place = { number, ports, storage: log.storage };
    const own = typeof options === 'function' ? options(number) : options;
    return { ...(await startTestServer(own, undefined, place)), log };
  };
  const all: ServerOverFdb[] = [];
  for (let number = 1; number <= count; number += 1) all.push(await start(number));
  return {
    double,
    all,
    async removeAll() {
      double.faults.rates = undefined;
      for (const { log, remove } of all) {
        log.resume();
        await remove();
      }
    },
  };
}
