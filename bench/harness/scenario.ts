/**
 * What a scenario is: a question, how it is put, and the answer's shape.
 *
 * A scenario measures its floor and the server in turn, several rounds, and compares the two of
 * each round: what disturbs the machine for longer than a round then disturbs both.
 */
import type { Cores } from './cores.ts';
import type { Turn } from './inside.ts';
import type { MeasuredProcess } from './process.ts';
import type { Series } from './series.ts';
import type { Usage } from './usage.ts';

export interface Scenario {
  readonly name: string;
  /** One sentence. */
  readonly question: string;
  run(bench: Bench): Promise<Outcome>;
}

export interface Bench {
  readonly cores: Cores;
  /** Tiny sizes: shows that the scenario works, measures nothing. */
  readonly smoke: boolean;
  readonly rounds: number;
  /** Runs `body` under the profiler when profiles were asked for. What is printed of its profile is
   * the part that `turnOf` names, where it is given. */
  profiled<T>(
    process: MeasuredProcess,
    title: string,
    body: () => Promise<T>,
    turnOf?: (result: T) => Turn,
  ): Promise<T>;
  /** Of storms: those whose title holds this text, where it is given. */
  readonly match: string | undefined;
}

export interface Row {
  readonly measure: string;
  readonly unit: string;
  readonly server: Series;
  readonly floor?: Series | undefined;
  /** Server to floor, pair by pair. */
  readonly ratio?: Series | undefined;
  readonly target?: Target | undefined;
}

export interface Target {
  readonly of: 'server' | 'ratio';
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

export interface Outcome {
  readonly rows: readonly Row[];
  /** Sizes, counts and proofs, for the JSON line. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** What the load generator used of its core, highest of all rounds. */
  readonly loadCpuShare: number;
  /** What others used of the server's core, highest of all rounds. */
  readonly otherShare: number | undefined;
  /** Sentences the reader must know. */
  readonly notes: readonly string[];
}

export function meets(row: Row): boolean | undefined {
  const { target } = row;
  if (target === undefined) return undefined;
  const value = (target.of === 'ratio' ? row.ratio : row.server)?.median ?? NaN;
  return value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity);
}

/** The busiest the load generator and the rest of the machine ever were. */
export function busiest(usages: readonly Usage[]): Pick<Outcome, 'loadCpuShare' | 'otherShare'> {
  const others = usages.map((u) => u.otherShare).filter((share) => share !== undefined);
  return {
    loadCpuShare: Math.max(...usages.map((u) => u.loadCpuShare)),
    otherShare: others.length === 0 ? undefined : Math.max(...others),
  };
}
