/**
 * Question: how long is the longest turn of the event loop, in processor time, while many callers
 * send much of one kind at once: namespaces, definitions, nodes, watches, connections?
 *
 * What it does not answer: how long others wait meanwhile, or what a storm costs as a whole.
 *
 * Floor: none. The target is the one for all turns, 25 ms; a row above it says so. The pauses of
 * the engine's collector lie in turns, too, so the longest one of a storm stands below it.
 */
import { figure } from './harness/compare.ts';
import type { Turn } from './harness/inside.ts';
import { startSluice } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';
import { admissionScenes } from './storms/admission-storms.ts';
import { bodyScenes } from './storms/body-storms.ts';
import { calledScenes } from './storms/called-storms.ts';
import { connectionScenes } from './storms/connection-storms.ts';
import { objectScenes } from './storms/object-storms.ts';
import { placeOf } from './storms/storm.ts';
import type { Scene } from './storms/storm.ts';
import { typeScenes } from './storms/type-storms.ts';

const longestTurnMs = 25;

const all: readonly Scene[] = [
  ...connectionScenes,
  ...bodyScenes,
  ...admissionScenes,
  ...calledScenes,
  ...objectScenes,
  ...typeScenes,
];

/** Up to the last one of each scene whose title holds the text: it finds what the others left. */
function scenesOf(match: string | undefined): readonly Scene[] {
  if (match === undefined) return all;
  return all.flatMap((scene) => {
    const last = scene.storms.findLastIndex(({ title }) => title.includes(match));
    return last < 0 ? [] : [{ ...scene, storms: scene.storms.slice(0, last + 1) }];
  });
}

interface Seen {
  readonly turns: number[];
  readonly pauses: number[];
}

async function rage(
  bench: Bench,
  { flags = [], storms }: Scene,
  seen: Map<string, Seen>,
): Promise<Usage> {
  const server = await startSluice(bench.cores.server, ['--identity=kubernetes', ...flags]);
  const place = placeOf(server, bench.smoke);
  try {
    const stop = measureUsage(server.pid, bench.cores.server);
    for (const storm of storms) {
      await storm.prepare?.(place);
      const { pauses, turns } = seen.get(storm.title) ?? { turns: [], pauses: [] };
      await server.startPauses();
      const rageOne = async (): Promise<Turn> => {
        await server.startTurns();
        await storm.run(place);
        return server.stopTurns();
      };
      const longest = await bench.profiled(server, storm.title, rageOne, (turn) => turn);
      turns.push(longest.ms);
      pauses.push(Math.max(0, ...(await server.stopPauses())));
      seen.set(storm.title, { turns, pauses });
    }
    return stop();
  } finally {
    place.endWatches();
    await server.stop();
  }
}

async function run(bench: Bench): Promise<Outcome> {
  const seen = new Map<string, Seen>();
  const usages: Usage[] = [];
  const scenes = scenesOf(bench.match);
  if (scenes.length === 0) throw new Error(`no storm has "${bench.match}" in its title`);
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const scene of scenes) usages.push(await rage(bench, scene, seen));
  }
  const target = { of: 'server', atMost: longestTurnMs } as const;
  const rows = [...seen].flatMap(([title, { pauses, turns }]): readonly Row[] => [
    figure(title, 'ms, longest turn', turns, undefined, target),
    figure('  the longest pause of the collector in it', 'ms', pauses, undefined),
  ]);
  return { rows, ...busiest(usages), facts: {}, notes: [] };
}

export const storms: Scenario = {
  name: 'storms',
  question: 'How long is the longest turn of the event loop while much comes at once?',
  run,
};
