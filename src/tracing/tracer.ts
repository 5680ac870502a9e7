/**
 * Which requests are traced, and how a trace begins: the contract. open-telemetry.ts is the one
 * implementation.
 *
 *     the request comes with `traceparent`, from system:masters or system:monitoring
 *                                              its trace goes on here, if it is sampled there
 *     any other request                        a share of them, each with a trace of its own; one
 *                                              that it came with is linked to
 *
 * So nobody but these two groups makes the server trace, or adds to a trace of others.
 */
import type { Step, TraceAttributes } from '../stdx/trace.ts';

export interface TracedRequest {
  readonly name: string;
  readonly attributes: TraceAttributes;
  /** When it came, monotonic. */
  readonly startMs: number;
  /** Whether it may go on with the trace that it came with. */
  readonly isTrusted: boolean;
  /** Its headers, by their names in lower case. */
  header(name: string): string | undefined;
}

export interface Tracer {
  /** Whether any request is traced that comes without a trace. */
  readonly samples: boolean;
  /** Undefined: it is not traced. */
  begin(request: TracedRequest): Step | undefined;
  counts(): TraceCounts;
  /** Sends what is left, within its time. */
  stop(): Promise<void>;
}

/** Steps, by what became of them. */
export interface TraceCounts {
  /** The collector has them. */
  readonly sent: number;
  /** It did not take them. */
  readonly failed: number;
  /** Too many waited. */
  readonly dropped: number;
  readonly waiting: number;
}
