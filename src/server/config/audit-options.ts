/** Flags of auditing. What the files hold is read at start (audit.ts), and fails there. */
import { auditModes } from '../../audit/backend.ts';
import type { AuditMode } from '../../audit/backend.ts';
import type { BatchSettings } from '../../audit/batcher.ts';
import type { SizeLimits } from '../../audit/event-size.ts';
import { auditFormats } from '../../audit/log-backend.ts';
import type { AuditFormat } from '../../audit/log-backend.ts';
import { auditDeliveryOptionTable } from './audit-delivery-options.ts';
import {
  boolean,
  duration,
  fail,
  integer,
  oneOf,
  optional,
  OptionsError,
} from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

/** What can be configured for both backends. */
export interface AuditDelivery {
  readonly mode: AuditMode;
  /** Of the events; '' is the one there is. */
  readonly version: string;
  readonly batch: BatchSettings;
  readonly sizes: SizeLimits | undefined;
}

export interface AuditLogConfig extends AuditDelivery {
  /** `-` is the standard output. */
  readonly path: string;
  readonly format: AuditFormat;
  /** 0: no bound; so for the next two. */
  readonly sizeMegabytesMax: number;
  readonly backupsMax: number;
  readonly ageDaysMax: number;
}

export interface AuditWebhookConfig extends AuditDelivery {
  readonly configFile: string;
  readonly firstPauseMs: number;
}

/** There is at least one backend. */
export interface AuditConfig {
  readonly policyFile: string;
  readonly log: AuditLogConfig | undefined;
  readonly webhook: AuditWebhookConfig | undefined;
}

export const auditOptionTable = [
  {
    flag: 'audit-policy-file',
    value: 'FILE',
    default: '',
    help: 'What is audited, and at which level: an audit Policy. Empty: nothing.',
  },
  {
    flag: 'audit-log-path',
    value: 'FILE|-',
    default: '',
    help: 'Where audit events go, one JSON object a line; `-` is the standard output.',
  },
  {
    flag: 'audit-log-format',
    value: auditFormats.join('|'),
    default: 'json',
    help: 'json: whole events; legacy: one line of text each, without bodies.',
  },
  {
    flag: 'audit-log-maxsize',
    value: 'MB',
    default: '100',
    help: 'The audit log is rotated before it gets larger; 0: never.',
  },
  {
    flag: 'audit-log-maxbackup',
    value: 'N',
    default: '0',
    help: 'Rotated files that are kept; 0: all.',
  },
  {
    flag: 'audit-log-maxage',
    value: 'DAYS',
    default: '0',
    help: 'How long rotated files are kept; 0: for ever.',
  },
  {
    flag: 'audit-webhook-config-file',
    value: 'FILE',
    default: '',
    help: 'Where audit events are posted, in the form of a kubeconfig.',
  },
  {
    flag: 'audit-webhook-initial-backoff',
    value: 'DURATION',
    default: '10s',
    help: 'Pause before the second of five tries; each further one is half as long again.',
  },
  ...auditDeliveryOptionTable,
] as const satisfies readonly OptionSpec[];

type Raw = RawValues<(typeof auditOptionTable)[number]['flag']>;
type Backend = 'log' | 'webhook';

/** Undefined: nothing is audited.
 * @throws OptionsError. */
export function completeAudit(raw: Raw): AuditConfig | undefined {
  const policyFile = optional(raw, 'audit-policy-file');
  const log = logOf(raw);
  const webhook = webhookOf(raw);
  const isOn = log !== undefined || webhook !== undefined;
  if (policyFile === undefined && !isOn) return undefined;
  if (policyFile !== undefined && isOn) return { policyFile, log, webhook };
  throw new OptionsError(
    '--audit-policy-file, --audit-log-path or --audit-webhook-config-file: ' +
      'a policy and a place for events make no sense without each other',
  );
}

function logOf(raw: Raw): AuditLogConfig | undefined {
  const path = optional(raw, 'audit-log-path');
  const rest = {
    ...deliveryOf(raw, 'log'),
    format: oneOf(raw, 'audit-log-format', auditFormats),
    sizeMegabytesMax: integer(raw, 'audit-log-maxsize', 0, 1_000_000),
    backupsMax: integer(raw, 'audit-log-maxbackup', 0, 1_000_000),
    ageDaysMax: integer(raw, 'audit-log-maxage', 0, 100_000),
  };
  return path === undefined ? undefined : { path, ...rest };
}

function webhookOf(raw: Raw): AuditWebhookConfig | undefined {
  const configFile = optional(raw, 'audit-webhook-config-file');
  const firstPauseMs = duration(raw, 'audit-webhook-initial-backoff', 1);
  const delivery = deliveryOf(raw, 'webhook');
  return configFile === undefined ? undefined : { configFile, firstPauseMs, ...delivery };
}

function deliveryOf(raw: Raw, backend: Backend): AuditDelivery {
  return {
    mode: oneOf(raw, `audit-${backend}-mode` as const, auditModes),
    version: raw[`audit-${backend}-version` as const],
    batch: {
      bufferEventsMax: integer(raw, `audit-${backend}-batch-buffer-size` as const, 1, 1_000_000),
      batchEventsMax: integer(raw, `audit-${backend}-batch-max-size` as const, 1, 1_000_000),
      waitMsMax: duration(raw, `audit-${backend}-batch-max-wait` as const, 0),
      throttle: throttleOf(raw, backend),
    },
    sizes: sizesOf(raw, backend),
  };
}

function throttleOf(raw: Raw, backend: Backend): BatchSettings['throttle'] {
  const flag = `audit-${backend}-batch-throttle-qps` as const;
  const burst = integer(raw, `audit-${backend}-batch-throttle-burst` as const, 0, 1_000_000);
  const perSecond = Number(raw[flag]);
  const isOn = boolean(raw, `audit-${backend}-batch-throttle-enable` as const);
  const isRate = /^\d+(\.\d+)?$/.test(raw[flag]) && (perSecond > 0 || !isOn);
  if (!isRate) fail(flag, raw[flag], isOn ? 'a number above 0' : 'a number');
  if (!isOn) return undefined;
  if (burst > 0) return { perSecond, burst };
  return fail(`audit-${backend}-batch-throttle-burst`, String(burst), 'an integer above 0');
}

function sizesOf(raw: Raw, backend: Backend): SizeLimits | undefined {
  const flag = `audit-${backend}-truncate-max-event-size` as const;
  const batchFlag = `audit-${backend}-truncate-max-batch-size` as const;
  const eventBytesMax = integer(raw, flag, 1, 1_000_000_000);
  const batchBytesMax = integer(raw, batchFlag, 1, 1_000_000_000);
  if (!boolean(raw, `audit-${backend}-truncate-enabled` as const)) return undefined;
  if (eventBytesMax > batchBytesMax) fail(flag, raw[flag], `at most that of --${batchFlag}`);
  return { eventBytesMax, batchBytesMax };
}
