/**
 * Steps of traces on their way to the collector: they wait here, and go in batches, one at a time.
 *
 *     step is over ─▶ queue ─▶ batch, every `intervalMs` or when it is full ─▶ exporter
 *
 * Invariants: no request waits for the collector. What it does not take in its time is lost, and
 * counted; so is what comes when `waitingMax` wait. While a batch is under way no other begins.
 * Bounds: `waitingMax` steps, `batchMax` of them in a turn of the event loop.
 */
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import type { TraceCounts } from './tracer.ts';

const spanQueueLimits = {
  /** Policy: what comes above it is dropped. */
  waitingMax: 4_096,
  /** The first takes a quarter of a turn to write down, later ones a tenth of that. */
  batchMax: 64,
  intervalMs: 1_000,
  /** For what is left at the end. */
  stopMs: 2_000,
} as const;

/** What came of a batch; undefined: the collector has it. */
export type OnExport = (problem: string | undefined) => void;

/** What the exporter reports: a code, 0 for success. */
const success = 0;

export class SpanQueue implements SpanProcessor {
  readonly #exporter: Pick<SpanExporter, 'export' | 'shutdown'>;
  readonly #timers: Pick<Timers, 'after'>;
  readonly #onExport: OnExport;
  #waiting: ReadableSpan[] = [];
  #timer: TimerHandle | undefined;
  #isSending = false;
  #isFailing = false;
  #sent = 0;
  #failed = 0;
  #dropped = 0;
  #onEmpty: (() => void) | undefined;

  constructor(
    exporter: Pick<SpanExporter, 'export' | 'shutdown'>,
    timers: Pick<Timers, 'after'>,
    onExport: OnExport,
  ) {
    this.#exporter = exporter;
    this.#timers = timers;
    this.#onExport = onExport;
  }

  onStart(): void {
    // A step is sent when it is over.
  }

  onEnd(span: ReadableSpan): void {
    if (this.#waiting.length >= spanQueueLimits.waitingMax) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    if (this.#isSending) return;
    const isFull = this.#waiting.length >= spanQueueLimits.batchMax;
    if (isFull) this.#begin(0);
    else this.#timer ??= this.#timers.after(spanQueueLimits.intervalMs, () => this.#send());
  }

  counts(): TraceCounts {
    const { length: waiting } = this.#waiting;
    return { sent: this.#sent, failed: this.#failed, dropped: this.#dropped, waiting };
  }

  /** Resolves when nothing waits, or the time is over; at once where the last batch was lost. */
  async forceFlush(): Promise<void> {
    const isIdle = this.#waiting.length === 0 && !this.#isSending;
    if (isIdle || this.#isFailing) return;
    await new Promise<void>((resolve) => {
      const timer = this.#timers.after(spanQueueLimits.stopMs, resolve, true);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
      if (!this.#isSending) this.#begin(0);
    });
    this.#onEmpty = undefined;
  }

  /** A batch that is still under way is not waited for. */
  async shutdown(): Promise<void> {
    await this.forceFlush();
    this.#timer?.cancel();
    this.#waiting = [];
    const closing = this.#exporter.shutdown().catch(() => undefined);
    if (!this.#isSending) await closing;
  }

  /** In a later turn: the one that fills a batch is somebody's. */
  #begin(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#timers.after(delayMs, () => this.#send());
    this.#isSending = true;
  }

  #send(): void {
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, spanQueueLimits.batchMax);
    this.#isSending = true;
    this.#exporter.export(batch, ({ code, error }) => {
      const isTaken = code === success;
      this.#isFailing = !isTaken;
      if (isTaken) this.#sent += batch.length;
      else this.#failed += batch.length;
      this.#onExport(isTaken ? undefined : (error?.message ?? 'refused'));
      this.#isSending = false;
      if (this.#waiting.length > 0) this.#begin(0);
      else this.#onEmpty?.();
    });
  }
}
