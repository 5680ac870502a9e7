/**
 * The contract of audit backends: where events go, and what happens to a request whose event cannot
 * be kept (log-backend.ts, webhook-backend.ts).
 *
 *     batch             taken ▶ buffer ▶ delivered later          the answer does not wait
 *     blocking          delivered, or given up ▶ the answer       a failure costs the event
 *     blocking-strict   the same                                  a failure costs the request
 *
 * Invariants: a backend never throws; an event that it could not keep is in `lostTotal`, and the
 * first of a row of losses is reported. Only blocking-strict ever says false, and it is asked
 * before anything of the request has been done.
 */
import type { JsonObject } from '../apimachinery/unstructured.ts';

export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof auditModes)[number];

export interface AuditEvent {
  readonly fields: JsonObject;
  /** The same as one line of JSON, made once for all backends. */
  readonly json: string;
}

/** False: the request that the event is about must not be served. */
export type Taken = boolean | Promise<boolean>;

export interface AuditBackend {
  /** The label of its figures. */
  readonly plugin: 'log' | 'webhook';
  readonly lostTotal: number;
  write(event: AuditEvent): Taken;
  /** Delivers what is buffered; ends in time even when nobody takes it. */
  stop(): Promise<void>;
}

/** Counts what is lost, and reports the first of a row. */
export interface LossCounter {
  readonly total: number;
  lost(count: number, error: unknown): void;
  /** The row is over. */
  kept(): void;
}

export function createLossCounter(onProblem: (error: unknown) => void): LossCounter {
  let failing = false;
  let total = 0;
  return {
    get total() {
      return total;
    },
    lost(count, error) {
      total += count;
      if (!failing) onProblem(error);
      failing = true;
    },
    kept() {
      failing = false;
    },
  };
}
