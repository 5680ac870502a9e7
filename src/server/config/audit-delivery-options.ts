/**
 * How events get to each backend: the same flags for the log and for the webhook (audit-options.ts
 * reads them).
 */
import { auditModes } from '../../audit/backend.ts';
import type { OptionSpec } from './option-values.ts';

export const auditDeliveryOptionTable = [
  {
    flag: 'audit-log-mode',
    value: auditModes.join('|'),
    default: 'blocking',
    help: 'batch: answers do not wait; blocking: they wait; blocking-strict: and fail with it.',
  },
  {
    flag: 'audit-log-version',
    value: 'VERSION',
    default: '',
    help: 'Of the events: audit.<domain>/v1, the only one.',
  },
  {
    flag: 'audit-log-batch-buffer-size',
    value: 'N',
    default: '10000',
    help: 'Events held in mode batch; events above it are lost.',
  },
  {
    flag: 'audit-log-batch-max-size',
    value: 'N',
    default: '1',
    help: 'Events in one batch.',
  },
  {
    flag: 'audit-log-batch-max-wait',
    value: 'DURATION',
    default: '0',
    help: 'How long the first event of a batch waits for others.',
  },
  {
    flag: 'audit-log-batch-throttle-enable',
    value: 'true|false',
    default: 'false',
    help: 'Whether batches are throttled.',
  },
  {
    flag: 'audit-log-batch-throttle-qps',
    value: 'N',
    default: '0',
    help: 'Batches a second, on average.',
  },
  {
    flag: 'audit-log-batch-throttle-burst',
    value: 'N',
    default: '0',
    help: 'Batches at once after a pause.',
  },
  {
    flag: 'audit-log-truncate-enabled',
    value: 'true|false',
    default: 'false',
    help: 'Events that are too large lose their bodies.',
  },
  {
    flag: 'audit-log-truncate-max-event-size',
    value: 'BYTES',
    default: '102400',
    help: 'Events that are larger even without bodies are lost.',
  },
  {
    flag: 'audit-log-truncate-max-batch-size',
    value: 'BYTES',
    default: '10485760',
    help: 'Bytes of events in one batch.',
  },
  {
    flag: 'audit-webhook-mode',
    value: auditModes.join('|'),
    default: 'batch',
    help: 'As for the log. In a blocking mode an answer waits up to 30s.',
  },
  {
    flag: 'audit-webhook-version',
    value: 'VERSION',
    default: '',
    help: 'Of the events: audit.<domain>/v1, the only one.',
  },
  {
    flag: 'audit-webhook-batch-buffer-size',
    value: 'N',
    default: '10000',
    help: 'Events held in mode batch; events above it are lost.',
  },
  {
    flag: 'audit-webhook-batch-max-size',
    value: 'N',
    default: '400',
    help: 'Events in one batch.',
  },
  {
    flag: 'audit-webhook-batch-max-wait',
    value: 'DURATION',
    default: '30s',
    help: 'How long the first event of a batch waits for others.',
  },
  {
    flag: 'audit-webhook-batch-throttle-enable',
    value: 'true|false',
    default: 'true',
    help: 'Whether batches are throttled.',
  },
  {
    flag: 'audit-webhook-batch-throttle-qps',
    value: 'N',
    default: '10',
    help: 'Batches a second, on average.',
  },
  {
    flag: 'audit-webhook-batch-throttle-burst',
    value: 'N',
    default: '15',
    help: 'Batches at once after a pause.',
  },
  {
    flag: 'audit-webhook-truncate-enabled',
    value: 'true|false',
    default: 'false',
    help: 'Events that are too large lose their bodies.',
  },
  {
    flag: 'audit-webhook-truncate-max-event-size',
    value: 'BYTES',
    default: '102400',
    help: 'Events that are larger even without bodies are lost.',
  },
  {
    flag: 'audit-webhook-truncate-max-batch-size',
    value: 'BYTES',
    default: '10485760',
    help: 'Bytes of events in one batch.',
  },
] as const satisfies readonly OptionSpec[];
