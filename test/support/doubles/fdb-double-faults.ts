/**
 * What goes wrong in the FoundationDB double: by script (the next commits) or by seed.
 *
 * Every failure is one that FoundationDB's documentation lists; a seeded one strikes once in so
 * many operations.
 */
import type { Prng } from '../../../src/stdx/prng.ts';
import { randomBelow } from '../../../src/stdx/prng.ts';
import { fdbCodes } from '../../../src/storage/fdb/binding.ts';

export class FdbFailure extends Error {
  readonly code: number;
  constructor(code: number) {
    const name = Object.entries(fdbCodes).find(([, number]) => number === code)?.[0];
    super(name ?? 'failure');
    this.code = code;
  }
}

/** How a commit goes that would otherwise be tried. */
export type CommitFate =
  | 'tried'
  /** not_committed, though nothing was in the way. */
  | 'conflict'
  /** commit_unknown_result, and it was applied. */
  | 'unknown-applied'
  /** commit_unknown_result, and it was not. */
  | 'unknown-lost'
  /** transaction_timed_out, while the commit is under way and arrives later. */
  | 'timeout-late'
  /** cluster_version_changed, and it was applied. */
  | 'changed-applied';

export interface FaultRates {
  readonly prng: Prng;
  /** One read in so many fails; 0: none. */
  readonly readOneIn: number;
  readonly commitOneIn: number;
  readonly watchOneIn: number;
}

const readCodes = [
  fdbCodes.transactionTooOld,
  fdbCodes.futureVersion,
  fdbCodes.processBehind,
  fdbCodes.proxyMemoryLimitExceeded,
] as const;

const fates: readonly CommitFate[] = [
  'conflict',
  'unknown-applied',
  'unknown-lost',
  'timeout-late',
  'changed-applied',
];

export class Faults {
  /** Of the next commits that write, in order; then the seed decides. */
  readonly script: CommitFate[] = [];
  rates: FaultRates | undefined;
  #unreachable = false;
  #onReachable: (() => void)[] = [];
  /** Of faults that struck, by name: a run without any proves little. */
  readonly struck = new Map<string, number>();

  /** Nothing answers: everything waits, for that to end or for the timeout of its transaction. */
  get unreachable(): boolean {
    return this.#unreachable;
  }

  set unreachable(is: boolean) {
    this.#unreachable = is;
    if (!is) for (const resume of this.#onReachable.splice(0)) resume();
  }

  whenReachable(resume: () => void): void {
    this.#onReachable.push(resume);
  }

  ofRead(): FdbFailure | undefined {
    if (!this.#strikes(this.rates?.readOneIn)) return undefined;
    const failure = new FdbFailure(this.#pick(readCodes));
    this.#count(failure.message);
    return failure;
  }

  /** `stamped`: whether the commit writes versionstamped keys. By seed only those time out:
   * whatever else the adapter commits may be asked for again, and its caller does that. */
  ofCommit(stamped: boolean): CommitFate {
    const fate = this.script.shift() ?? this.#fateBySeed(stamped);
    if (fate !== 'tried') this.#count(fate);
    return fate;
  }

  #fateBySeed(stamped: boolean): CommitFate {
    if (!this.#strikes(this.rates?.commitOneIn)) return 'tried';
    const fate = this.#pick(fates);
    return fate === 'timeout-late' && !stamped ? 'conflict' : fate;
  }

  /** Whether a watch ends with nothing changed. */
  ofWatch(): boolean {
    const strikes = this.#strikes(this.rates?.watchOneIn);
    if (strikes) this.#count('spurious watch');
    return strikes;
  }

  #strikes(oneIn: number | undefined): boolean {
    if (this.rates === undefined || oneIn === undefined || oneIn === 0) return false;
    return randomBelow(this.rates.prng, oneIn) === 0;
  }

  #pick<T>(values: readonly T[]): T {
    const prng = this.rates?.prng as Prng;
    return values[randomBelow(prng, values.length)] as T;
  }

  #count(name: string): void {
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
  }
}
