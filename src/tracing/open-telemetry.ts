/**
 * Traces by OpenTelemetry: steps are its spans, and go to a collector by OTLP over gRPC. The only
 * module that knows its packages; who needs it loads it then, for they are large.
 *
 * Invariants: times are the server's clock's, and IDs its randomness'. What is not traced makes no
 * span. Bounds: `limits`; and those of span-queue.ts.
 */
import { credentials } from '@grpc/grpc-js';
import {
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traces,
} from '@opentelemetry/api';
import type { Context, Span, Tracer as SpanTracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Clock, Timers } from '../stdx/clock.ts';
import type { Prng } from '../stdx/prng.ts';
import type { Step, TraceAttributes } from '../stdx/trace.ts';
import { SpanQueue } from './span-queue.ts';
import type { OnExport } from './span-queue.ts';
import type { TracedRequest, Tracer } from './tracer.ts';
import type { TracingConfiguration } from './tracing-configuration.ts';

const limits = {
  /** Of one request. Policy: further ones are left out. */
  stepsMax: 128,
  /** Characters of a value: a path can be long. */
  valueCharsMax: 1_024,
} as const;

export interface TracerDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly prng: Prng;
  /** The name of this server among those of the cluster. */
  readonly instance: string;
  readonly version: string;
  readonly onExport: OnExport;
}

/** What is to be traced, and where it goes. */
interface Tracing {
  readonly tracer: SpanTracer;
  readonly clock: Clock;
  headersOf(context: Context): Record<string, string>;
}

export function createOpenTelemetryTracer(
  { endpoint, share }: TracingConfiguration,
  deps: TracerDeps,
): Tracer {
  const { clock, instance, onExport, prng, timers, version } = deps;
  // As in the reference, the collector is beside the server, or reached by a network that is safe.
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    credentials: credentials.createInsecure(),
  });
  const queue = new SpanQueue(exporter, timers, onExport);
  const provider = new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeValueLengthLimit: limits.valueCharsMax },
    idGenerator: idsOf(prng),
    resource: resourceFromAttributes({
      'service.name': 'apiserver',
      'service.instance.id': instance,
      'service.version': version,
    }),
    spanProcessors: [queue],
  });
  const propagator = new W3CTraceContextPropagator();
  const getter = {
    get: (request: TracedRequest, name: string) => request.header(name),
    keys: () => [],
  };
  const tracing: Tracing = {
    clock,
    tracer: provider.getTracer('sluice', version),
    headersOf(context) {
      const headers: Record<string, string> = {};
      propagator.inject(context, headers, defaultTextMapSetter);
      return headers;
    },
  };
  return {
    samples: share > 0,
    begin(request) {
      const came = propagator.extract(ROOT_CONTEXT, request, getter);
      return beginRequest(tracing, request, came);
    },
    counts: () => queue.counts(),
    stop: () => provider.shutdown(),
  };
}

function idsOf(prng: Prng) {
  const digits = (count: number): string => {
    let id = '';
    while (id.length < count) id += prng.uint32().toString(16).padStart(8, '0');
    // All zeros mean none.
    return /[^0]/.test(id) ? id : digits(count);
  };
  return { generateTraceId: () => digits(32), generateSpanId: () => digits(16) };
}

/** `came`: with the trace that the request came with, if there is one. */
function beginRequest(tracing: Tracing, request: TracedRequest, came: Context): Step | undefined {
  const { clock, tracer } = tracing;
  const { attributes, isTrusted, name, startMs } = request;
  const parent = isTrusted ? came : ROOT_CONTEXT;
  const other = isTrusted ? undefined : traces.getSpanContext(came);
  const wallMs = clock.nowMs() - clock.monotonicMs();
  const span = tracer.startSpan(
    name,
    {
      kind: SpanKind.SERVER,
      attributes,
      startTime: wallMs + startMs,
      ...(other === undefined ? {} : { links: [{ context: other }] }),
    },
    parent,
  );
  if (!span.isRecording()) return undefined;
  return new SpanStep({ ...tracing, wallMs, stepsLeft: limits.stepsMax, left: 0 }, span, parent);
}

/** What the steps of a trace share. */
interface Shared extends Tracing {
  /** What is to be added to a monotonic time. */
  readonly wallMs: number;
  stepsLeft: number;
  /** Steps that were left out. */
  left: number;
}

class SpanStep implements Step {
  readonly #shared: Shared;
  readonly #span: Span;
  readonly #context: Context;
  #isOver = false;

  constructor(shared: Shared, span: Span, parent: Context) {
    this.#shared = shared;
    this.#span = span;
    this.#context = traces.setSpan(parent, span);
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#shared.headersOf(this.#context);
  }

  begin(name: string, attributes: TraceAttributes = {}): Step {
    return this.#child(name, SpanKind.INTERNAL, attributes);
  }

  call(name: string, attributes: TraceAttributes = {}): Step {
    return this.#child(name, SpanKind.CLIENT, attributes);
  }

  #child(name: string, kind: number, attributes: TraceAttributes): Step {
    if (!this.#takes()) return leftOut;
    const { clock, tracer, wallMs } = this.#shared;
    const startTime = wallMs + clock.monotonicMs();
    const span = tracer.startSpan(name, { kind, attributes, startTime }, this.#context);
    return new SpanStep(this.#shared, span, this.#context);
  }

  add(name: string, fromMs: number, toMs: number, attributes: TraceAttributes = {}): void {
    if (!this.#takes()) return;
    const { tracer, wallMs } = this.#shared;
    const startTime = wallMs + fromMs;
    tracer.startSpan(name, { attributes, startTime }, this.#context).end(wallMs + toMs);
  }

  #takes(): boolean {
    const shared = this.#shared;
    if (shared.stepsLeft === 0) shared.left += 1;
    else shared.stepsLeft -= 1;
    return shared.left === 0;
  }

  note(attributes: TraceAttributes): void {
    if (!this.#isOver) this.#span.setAttributes(attributes);
  }

  end(failure?: string): void {
    if (this.#isOver) return;
    const { clock, left, wallMs } = this.#shared;
    if (left > 0) this.#span.setAttribute('steps.left.out', left);
    if (failure !== undefined) {
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    }
    this.#isOver = true;
    this.#span.end(wallMs + clock.monotonicMs());
  }
}

/** In place of a step beyond the bound. */
const leftOut: Step = {
  headers: {},
  begin: () => leftOut,
  call: () => leftOut,
  add: () => undefined,
  note: () => undefined,
  end: () => undefined,
};
