/**
 * The measurement that list.ts and streaming-list.ts share: downloads of a whole collection, a few
 * at once, against a copy of the same bytes.
 */
import { capture, downloadMany } from '../load/downloads.ts';
import type { DownloadPlan } from '../load/downloads.ts';
import { fetchBytes } from '../load/http-client.ts';
import { fill } from '../load/prepare.ts';
import { comparison } from './compare.ts';
import type { MeasuredProcess } from './process.ts';
import { startSluice, startUwsFloor } from './process.ts';
import { busiest } from './scenario.ts';
import type { Bench, Outcome } from './scenario.ts';
import { measureUsage } from './usage.ts';
import type { Usage } from './usage.ts';

export interface CopyQuestion {
  readonly name: string;
  readonly path: string;
  /** Text that stands once behind the last object. */
  readonly ending: string;
}

const OBJECT_BYTES = 1024;
/** Two at once: while one waits for its reader, the other is sent. */
const PARALLEL = 2;

interface Measured {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly usage: Usage;
}

export async function measureCopies(bench: Bench, question: CopyQuestion): Promise<Outcome> {
  const sizes = bench.smoke ? { objects: 200, downloads: 2 } : { objects: 20_000, downloads: 20 };
  const server = await startSluice(bench.cores.server);
  const floor = await startUwsFloor(bench.cores.server);
  try {
    await fill(server.port, question.name, sizes.objects, OBJECT_BYTES);
    const plan = { ...question, port: server.port, marks: sizes.objects };
    const body = await capture(plan);
    await fetchBytes(floor.port, 'POST', '/body', body);
    const floorPlan = { ...plan, port: floor.port, path: '/copy' };
    const measured: { floor: Measured; server: Measured }[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      measured.push({
        floor: await measure(bench, floor, floorPlan, sizes.downloads),
        server: await bench.profiled(server, `${question.name}-${round}`, () =>
          measure(bench, server, plan, sizes.downloads),
        ),
      });
    }
    return outcomeOf(measured, { ...sizes, parallel: PARALLEL, bodyBytes: body.byteLength });
  } finally {
    await Promise.all([server.stop(), floor.stop()]);
  }
}

async function measure(
  bench: Bench,
  process: MeasuredProcess,
  plan: DownloadPlan,
  count: number,
): Promise<Measured> {
  const stop = measureUsage(process.pid, bench.cores.server);
  const megabytes = (await downloadMany(plan, count, PARALLEL)) / 1e6;
  const usage = stop();
  const { seconds, serverCpuSeconds } = usage;
  return { perSecond: megabytes / seconds, perCpuSecond: megabytes / serverCpuSeconds, usage };
}

function outcomeOf(
  measured: readonly { readonly floor: Measured; readonly server: Measured }[],
  facts: Record<string, unknown>,
): Outcome {
  const rates = measured.map((m) => ({ floor: m.floor.perSecond, server: m.server.perSecond }));
  const perCpu = measured.map((m) => ({
    floor: m.floor.perCpuSecond,
    server: m.server.perCpuSecond,
  }));
  const usages = measured.flatMap((m) => [m.floor.usage, m.server.usage]);
  return {
    rows: [
      comparison('whole collection', 'MB per s', rates, { of: 'ratio', atLeast: 0.4 }),
      comparison('whole collection', 'MB per CPU-s', perCpu),
    ],
    ...busiest(usages),
    facts: {
      ...facts,
      loadShares: measured.map((m) => [m.floor.usage.loadCpuShare, m.server.usage.loadCpuShare]),
    },
    notes: [],
  };
}
