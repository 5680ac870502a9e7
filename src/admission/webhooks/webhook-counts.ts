/**
 * Counts of the outcomes of webhook calls, for the metrics page, under the reference's names.
 *
 * Bound: `seriesMax` webhooks have their own series in each metric; later ones share one.
 */
import type { AdmissionOperation } from '../../apimachinery/admission-data.ts';
import type { Clock } from '../../stdx/clock.ts';
import { Histogram } from '../../stdx/histogram.ts';

export type WebhookType = 'admit' | 'validating';

export interface WebhookCall {
  readonly name: string;
  readonly type: WebhookType;
  readonly operation: AdmissionOperation;
}

/** Why a webhook's word ended the write. */
export type RejectionCause = 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';

type Labels = Readonly<Record<string, string>>;

export interface WebhookCounts {
  nowMs(): number;
  /** `code`: of the answer, or what stands for it. */
  called(call: WebhookCall, code: number, rejected: boolean, startedMs: number): void;
  rejected(call: WebhookCall, cause: RejectionCause, code: number): void;
  failedOpen(call: WebhookCall): void;
  durations(): Iterable<readonly [Labels, Histogram]>;
  requests(): Iterable<readonly [Labels, number]>;
  rejections(): Iterable<readonly [Labels, number]>;
  openFailures(): Iterable<readonly [Labels, number]>;
}

/** Seconds; those of the reference. */
const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const seriesMax = 2000;
/** Codes above are counted as this one. */
const codeMax = 600;
const others = '(others)';

export function createWebhookCounts(clock: Pick<Clock, 'monotonicMs'>): WebhookCounts {
  const durations = new SeriesMap(() => new Histogram(bounds));
  const requests = new SeriesMap(() => ({ count: 0 }));
  const rejections = new SeriesMap(() => ({ count: 0 }));
  const openFailures = new SeriesMap(() => ({ count: 0 }));
  const shown = (code: number): string => String(Math.min(code, codeMax));
  return {
    nowMs: () => clock.monotonicMs(),
    called({ name, operation, type }, code, rejected, startedMs) {
      const labels = { name, operation, rejected: String(rejected), type };
      durations.at(labels).observe((clock.monotonicMs() - startedMs) / 1000);
      requests.at({ code: shown(code), ...labels }).count += 1;
    },
    rejected({ name, operation, type }, cause, code) {
      const labels = { error_type: cause, name, operation, rejection_code: shown(code), type };
      rejections.at(labels).count += 1;
    },
    failedOpen({ name, type }) {
      openFailures.at({ name, type }).count += 1;
    },
    durations: () => durations.read(),
    requests: () => counted(requests),
    rejections: () => counted(rejections),
    openFailures: () => counted(openFailures),
  };
}

class SeriesMap<T> {
  readonly #known = new Map<string, readonly [Labels, T]>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  at(labels: Labels): T {
    const key = Object.values(labels).join(' ');
    const found = this.#known.get(key);
    if (found !== undefined) return found[1];
    if (this.#known.size >= seriesMax && labels['name'] !== others) {
      return this.at({ ...labels, name: others });
    }
    const made = this.#make();
    this.#known.set(key, [labels, made]);
    return made;
  }

  read(): Iterable<readonly [Labels, T]> {
    return this.#known.values();
  }
}

function* counted(series: SeriesMap<{ count: number }>): Iterable<readonly [Labels, number]> {
  for (const [labels, { count }] of series.read()) yield [labels, count];
}
