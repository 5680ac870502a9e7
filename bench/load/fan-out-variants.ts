/**
 * The fan-out of one server, started in several ways, in the same rounds: each variant has an
 * audience of its own, and takes its turn in every round.
 *
 * What it is not: a judgement. Which variant is the floor of which row is the scenario's to say.
 */
import { startSluice } from '../harness/process.ts';
import type { MeasuredProcess } from '../harness/process.ts';
import { comparison } from '../harness/compare.ts';
import { busiest } from '../harness/scenario.ts';
import type { Bench, Outcome, Row, Target } from '../harness/scenario.ts';
import {
  eventText,
  floorSide,
  measureSaturated,
  measureSingle,
  serverSide,
  sizesOf,
  warmUp,
} from './fan-out.ts';
import type { Audience, Measured, Side, Sizes } from './fan-out.ts';

export interface Variant<Name> extends Audience {
  readonly name: Name;
  readonly flags: readonly string[];
  /** Processes that share its requests, each with an engine of its own to warm up. Default: 1. */
  readonly processes?: number;
  /** Which Node runs it. Default: the one of this process. */
  readonly program?: string | undefined;
  /** Instead of a server with these flags. It sends what watchers of the variant before it are
   * sent. */
  readonly floor?: (core: number | undefined) => Promise<MeasuredProcess>;
  /** Profiles begin with it; undefined: it is never profiled. */
  readonly profiledAs?: string;
}

export interface MeasuredVariant<Name> {
  readonly name: Name;
  /** One a round. */
  readonly single: readonly Measured[];
  readonly saturated: readonly Measured[];
}

export interface VariantScenario<Name> {
  readonly variants: readonly Variant<Name>[];
  /** How many are replaced in turn. */
  readonly objects: number;
  /** Instead of the usual ones. */
  readonly sizes?: Partial<Sizes>;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly notes?: readonly string[];
  /** In the order of `variants`. */
  rowsOf(measured: readonly MeasuredVariant<Name>[]): Row[];
}

interface Running<Name> {
  readonly variant: Variant<Name>;
  readonly process: MeasuredProcess;
  readonly side: Side;
  readonly single: Measured[];
  readonly saturated: Measured[];
}

export async function compareVariants<Name>(
  bench: Bench,
  scenario: VariantScenario<Name>,
): Promise<Outcome> {
  const { objects, variants } = scenario;
  const sizes = { ...sizesOf(bench.smoke), ...scenario.sizes };
  const running: Running<Name>[] = [];
  let event: string | undefined;
  try {
    for (const variant of variants) {
      const { flags, floor, processes = 1, program } = variant;
      const { server: core } = bench.cores;
      const process = await (floor?.(core) ?? startSluice(core, flags, program));
      const before = running.at(-1)?.process;
      const side =
        floor === undefined || before === undefined
          ? await serverSide(process, sizes, objects, variant)
          : await floorSide(process, (event ??= await eventText(before.port)), sizes, variant);
      // A floor is warm soon: it compiles little.
      const warmUpEvents =
        floor === undefined ? sizes.warmUpEvents * processes : sizes.singleEvents;
      await warmUp(bench, side, { ...sizes, warmUpEvents });
      running.push({ variant, process, side, single: [], saturated: [] });
    }
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const { variant, process, side, single, saturated } of running) {
        const measured = (what: string, body: () => Promise<Measured>): Promise<Measured> =>
          variant.profiledAs === undefined
            ? body()
            : bench.profiled(process, `${variant.profiledAs}-${what}-${round}`, body);
        single.push(await measured('single', () => measureSingle(bench, side, sizes)));
        saturated.push(await measured('saturated', () => measureSaturated(bench, side, sizes)));
      }
    }
    for (const { side } of running) side.watchers.close();
  } finally {
    await Promise.all(running.map(({ process }) => process.stop()));
  }
  const usages = running.flatMap((each) => [...each.single, ...each.saturated]);
  return {
    rows: scenario.rowsOf(running.map(({ variant, ...each }) => ({ ...each, name: variant.name }))),
    ...busiest(usages.map(({ usage }) => usage)),
    facts: { ...sizes, objects, ...scenario.facts },
    notes: scenario.notes ?? [],
  };
}

/** One variant beside another, and what is wanted of the ratio, one event at a time. */
export type Comparison<Name> = readonly [Name, Name, string, Target | undefined];

/** Two rows of each whose variant was measured. */
export function comparisonRows<Name>(
  measured: readonly MeasuredVariant<Name>[],
  comparisons: readonly Comparison<Name>[],
): Row[] {
  const byName = new Map(measured.map((each) => [each.name, each]));
  const row = (what: 'single' | 'saturated', at: Comparison<Name>): Row => {
    const [name, floorName, title, target] = at;
    const floors = byName.get(floorName)?.[what] ?? [];
    const pairs = (byName.get(name)?.[what] ?? []).map((each, i) => ({
      server: each.perCpuSecond,
      floor: (floors[i] as Measured).perCpuSecond,
    }));
    const single = what === 'single';
    const measure = `${title}, ${single ? 'one at a time' : 'saturated'}`;
    return comparison(measure, 'per CPU-s', pairs, single ? target : undefined);
  };
  return comparisons
    .filter(([name]) => byName.has(name))
    .flatMap((each) => [row('single', each), row('saturated', each)]);
}
