/**
 * Metrics of authorization: decisions, calls of webhooks, reloads.
 *
 * Counts are kept here and read when the metrics page is asked for.
 *
 * Bound: label values come from the configuration and from this file, never from requests. Names
 * of authorizers that a reload took away keep their counts.
 */
import type { ConditionsOutcome, WebhookCall } from './webhook/webhook-authorizer.ts';

export interface CountedSeries {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Where it is shown each line says which server it is of. */
  readonly ofServer?: boolean | undefined;
  read(): readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

export interface DecisionCounts {
  decision(type: string, name: string, decision: 'allowed' | 'denied'): void;
  webhookCall(call: WebhookCall): void;
  conditions(outcome: ConditionsOutcome): void;
  reload(status: 'success' | 'failure', nowMs: number): void;
  readonly series: readonly CountedSeries[];
}

const prefix = 'apiserver_authorization_';

export function createDecisionCounts(): DecisionCounts {
  const decisions = counter('decisions_total', 'Terminal decisions of authorizers.', [
    'type',
    'name',
    'decision',
  ]);
  const calls = counter('webhook_evaluations_total', 'Calls of webhooks.', ['name', 'result']);
  const seconds = counter('webhook_duration_seconds_sum', 'Time that these calls took.', [
    'name',
    'result',
  ]);
  const open = counter(
    'webhook_evaluations_fail_open_total',
    'Failed calls after which the next authorizer was asked.',
    ['name', 'result'],
  );
  const excluded = counter(
    'match_condition_exclusions_total',
    'Requests about which a webhook was not asked, for a condition was false.',
    ['type', 'name'],
  );
  const unclear = counter(
    'match_condition_evaluation_errors_total',
    'Requests for which the conditions of a webhook could not be evaluated.',
    ['type', 'name'],
  );
  const deciding = counter(
    'match_condition_evaluation_seconds_sum',
    'Time that the conditions of a webhook took.',
    ['type', 'name'],
  );
  const reloads = counter(
    'config_controller_automatic_reloads_total',
    'Readings of the changed authorization configuration.',
    ['status'],
  );
  const lastReload = counter(
    'config_controller_automatic_reload_last_timestamp_seconds',
    'When it was read last.',
    ['status'],
  );
  return {
    decision: (type, name, decision) => decisions.add([type, name, decision], 1),
    webhookCall({ name, result, durationMs, failedOpen }) {
      calls.add([name, result], 1);
      seconds.add([name, result], durationMs / 1000);
      if (failedOpen) open.add([name, result], 1);
    },
    conditions({ name, result, durationMs }) {
      deciding.add(['Webhook', name], durationMs / 1000);
      if (result === 'excluded') excluded.add(['Webhook', name], 1);
      if (result === 'error') unclear.add(['Webhook', name], 1);
    },
    reload(status, nowMs) {
      reloads.add([status], 1);
      lastReload.set([status], nowMs / 1000);
    },
    series: [
      ...[decisions, calls, seconds, open, excluded, unclear, deciding].map(({ series }) => series),
      ...[reloads, lastReload].map(({ series }) => ({ ...series, ofServer: true })),
    ],
  };
}

interface Counter {
  readonly series: CountedSeries;
  add(labels: readonly string[], value: number): void;
  set(labels: readonly string[], value: number): void;
}

interface CountedValue {
  readonly labels: Record<string, string>;
  value: number;
}

function counter(name: string, help: string, labelNames: readonly string[]): Counter {
  const values = new Map<string, CountedValue>();
  // Mostly it is the one that was asked for before: then no text is made to find it by.
  let last: { readonly given: readonly string[]; readonly entry: CountedValue } | undefined;
  const isLast = (label: string, at: number): boolean => label === last?.given[at];
  const entryOf = (given: readonly string[]): CountedValue => {
    if (last === undefined || !given.every(isLast)) last = { given, entry: found(given) };
    return last.entry;
  };
  const found = (given: readonly string[]): CountedValue => {
    const key = given.join('\n');
    const known = values.get(key);
    if (known !== undefined) return known;
    const labels = Object.fromEntries(labelNames.map((label, at) => [label, given[at] ?? '']));
    const made = { labels, value: 0 };
    values.set(key, made);
    return made;
  };
  return {
    series: { name: `${prefix}${name}`, help, labelNames, read: () => [...values.values()] },
    add(labels, value) {
      entryOf(labels).value += value;
    },
    set(labels, value) {
      entryOf(labels).value = value;
    },
  };
}
