/**
 * Tracing, as the file of `--tracing-config-file` says: which requests are traced, and who collects
 * that (src/tracing).
 *
 * Invariants: a start fails on a file that is wrong, but not where nobody collects. A collector
 * that does not take what it is sent is logged when that begins and when it ends.
 */
import { hostname } from 'node:os';
import type { Identity } from '../../apimachinery/identity.ts';
import { systemPrng } from '../../stdx/prng.ts';
import type { OnExport } from '../../tracing/span-queue.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import { readTracingConfiguration } from '../../tracing/tracing-configuration.ts';
import type { TracingConfiguration } from '../../tracing/tracing-configuration.ts';
import { readOptionFile } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import { programVersion } from '../config/program-version.ts';
import type { LabelledSeries } from '../metrics/metrics.ts';
import type { AuditDeps } from './audit.ts';
import type { Log } from './log.ts';

export interface TracingPart {
  readonly tracer: Tracer;
  readonly series: readonly LabelledSeries[];
}

const flag = 'tracing-config-file';

/** Undefined: nothing is traced. @throws OptionsError. */
export async function startTracing(
  file: string | undefined,
  deps: AuditDeps,
): Promise<TracingPart | undefined> {
  if (file === undefined) return undefined;
  const { log, worker } = deps;
  const configuration = readConfiguration(file, deps.identity);
  const instance = worker === undefined ? hostname() : `${hostname()}/${worker}`;
  const version = programVersion();
  const { createOpenTelemetryTracer } = await import('../../tracing/open-telemetry.ts');
  const onExport = exportNotes(log, configuration.endpoint);
  const tracer = createOpenTelemetryTracer(configuration, {
    ...deps,
    prng: systemPrng(),
    instance,
    version,
    onExport,
  });
  return { tracer, series: [spanSeries(tracer), waitingSeries(tracer)] };
}

/** @throws OptionsError. */
function readConfiguration(file: string, identity: Identity): TracingConfiguration {
  const read = readTracingConfiguration(readOptionFile(flag, file), identity);
  if (read.kind === 'ok') return read.configuration;
  throw new OptionsError(`--${flag}: ${file}: ${read.problems.join('; ')}`);
}

function exportNotes(log: Log, endpoint: string): OnExport {
  let isFailing = false;
  return (problem) => {
    if (isFailing === (problem !== undefined)) return;
    isFailing = problem !== undefined;
    if (isFailing) log.warn({ endpoint, problem }, 'traces are lost: the collector takes none');
    else log.info({ endpoint }, 'the collector takes traces again');
  };
}

function spanSeries(tracer: Tracer): LabelledSeries {
  return {
    name: 'sluice_trace_spans_total',
    help: 'Steps of traces: sent to the collector, refused by it, or dropped, for too many waited.',
    read: () => {
      const { dropped, failed, sent } = tracer.counts();
      return Object.entries({ dropped, failed, sent }).map(([result, value]) => ({
        labels: { result },
        value,
      }));
    },
  };
}

function waitingSeries(tracer: Tracer): LabelledSeries {
  return {
    name: 'sluice_trace_spans_waiting',
    help: 'Steps of traces that wait for the collector.',
    read: () => [{ labels: {}, value: tracer.counts().waiting }],
  };
}
