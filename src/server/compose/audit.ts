/**
 * Auditing as a part of the server: policy and backends opened at start, figures, log lines.
 *
 * Invariant: a policy that cannot be read, a log that cannot be opened, or a webhook that is not
 * described well ends the start; one that is not there does not. Each of several workers has a file
 * of its own (`audit.log.1`), for each puts it aside by itself.
 */
import type { Auditor } from '../../audit/audit.ts';
import { createAuditor } from '../../audit/auditor.ts';
import type { AuditCounts } from '../../audit/auditor.ts';
import type { AuditBackend } from '../../audit/backend.ts';
import { createLogBackend } from '../../audit/log-backend.ts';
import type { LineFile } from '../../audit/log-backend.ts';
import { parseAuditPolicy } from '../../audit/policy-file.ts';
import type { AuditPolicy } from '../../audit/policy.ts';
import { openRotatingFile, standardOutputLines } from '../../audit/rotating-file.ts';
import { createWebhookBackend } from '../../audit/webhook-backend.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { systemPrng } from '../../stdx/prng.ts';
import { createTurns } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import { readWebhookTarget, WebhookTargetError } from '../../webhooks/kubeconfig-target.ts';
import type { WebhookTarget } from '../../webhooks/kubeconfig-target.ts';
import { createWebhookPoster } from '../../webhooks/webhook-poster.ts';
import type { AuditConfig, AuditLogConfig, AuditWebhookConfig } from '../config/audit-options.ts';
import type { Log } from './log.ts';
import type { LabelledSeries, Measured } from '../metrics/metrics.ts';
import { readOptionFile } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';

const megabyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;

export interface AuditDeps {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Undefined: the only server. */
  readonly worker: number | undefined;
}

interface PartDeps extends AuditDeps {
  readonly turns: Turns;
}

export interface AuditPart {
  readonly auditor: Auditor;
  readonly measured: readonly Measured[];
  readonly series: readonly LabelledSeries[];
}

/** Undefined: nothing is audited.
 * @throws OptionsError. */
export function startAudit(
  config: AuditConfig | undefined,
  deps: AuditDeps,
): AuditPart | undefined {
  if (config === undefined) return undefined;
  const { clock, identity } = deps;
  checkVersion('--audit-log-version', config.log?.version, identity);
  checkVersion('--audit-webhook-version', config.webhook?.version, identity);
  const policy = readPolicy(config.policyFile, identity);
  // The webhook first: when it is described badly no file has been opened.
  // Its own: the log is opened before there is anything that turns are shared with.
  const turns = createTurns({ clock, timers: deps.timers });
  const parts = { ...deps, turns };
  const webhook = config.webhook === undefined ? [] : [webhookOf(config.webhook, parts)];
  const log = config.log === undefined ? [] : [logOf(config.log, parts)];
  const backends = [...log, ...webhook];
  const auditor = createAuditor({ policy, backends, clock, identity, turns });
  return { auditor, measured: measuredOf(auditor.counts), series: seriesOf(auditor, backends) };
}

/** @throws OptionsError. */
function checkVersion(flag: string, version = '', identity: Identity): void {
  const only = identity.fill('audit.{domain}/v1');
  if (version === '' || version === only) return;
  throw new OptionsError(`${flag}: ${JSON.stringify(version)} is not ${only}`);
}

function readPolicy(file: string, identity: Identity): AuditPolicy {
  const read = parseAuditPolicy(
    readOptionFile('audit-policy-file', file),
    identity.fill('audit.{domain}'),
  );
  if (read.kind === 'ok') return read.policy;
  throw new OptionsError(`--audit-policy-file: ${file}: ${read.problems.join('; ')}`);
}

function logOf(config: AuditLogConfig, deps: PartDeps): AuditBackend {
  const { batch, format, mode, sizes } = config;
  const { clock, identity, log, timers, turns } = deps;
  return createLogBackend({
    file: openLog(config, deps),
    mode,
    format,
    batch,
    sizes,
    truncatedMark: identity.fill('audit.{domain}/truncated'),
    clock,
    timers,
    turns,
    onProblem: (error) => log.error({ err: error, plugin: 'log' }, 'audit events are lost'),
  });
}

function openLog(config: AuditLogConfig, { clock, log, worker }: AuditDeps): LineFile {
  if (config.path === '-') return standardOutputLines();
  const file = worker === undefined ? config.path : `${config.path}.${worker}`;
  const limits = {
    sizeBytesMax: config.sizeMegabytesMax * megabyte,
    backupsMax: config.backupsMax,
    ageMsMax: config.ageDaysMax * dayMs,
  };
  try {
    return openRotatingFile(file, limits, clock, (error) => {
      log.warn({ err: error }, 'the audit log is full and cannot be put aside: it grows');
    });
  } catch (error) {
    throw new OptionsError(`--audit-log-path: ${(error as Error).message}`);
  }
}

function webhookOf(config: AuditWebhookConfig, deps: PartDeps): AuditBackend {
  const { batch, configFile, firstPauseMs, mode, sizes } = config;
  const { clock, identity, log, timers, turns } = deps;
  const poster = createWebhookPoster(targetOf(configFile), timers);
  return createWebhookBackend({
    post: async (body, timeoutMs) => void (await poster.post(body, timeoutMs)),
    close: () => poster.close(),
    mode,
    batch,
    sizes,
    truncatedMark: identity.fill('audit.{domain}/truncated'),
    apiVersion: identity.fill('audit.{domain}/v1'),
    firstPauseMs,
    clock,
    timers,
    prng: systemPrng(),
    turns,
    onProblem: (error) => log.error({ err: error, plugin: 'webhook' }, 'audit events are lost'),
  });
}

function targetOf(file: string): WebhookTarget {
  try {
    return readWebhookTarget(file);
  } catch (error) {
    if (!(error instanceof WebhookTargetError)) throw error;
    throw new OptionsError(`--audit-webhook-config-file: ${error.message}`);
  }
}

/** Where nothing is audited, no event is made and no request refused for one. */
export const notAudited: readonly Measured[] = measuredOf({
  eventsTotal: 0,
  rejectedTotal: 0,
  levels: new Map(),
});

function measuredOf(counts: AuditCounts): readonly Measured[] {
  return [
    {
      name: 'apiserver_audit_event_total',
      help: 'Audit events made.',
      read: () => counts.eventsTotal,
    },
    {
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Requests not served because their audit event could not be kept.',
      read: () => counts.rejectedTotal,
    },
  ];
}

function seriesOf(
  { counts }: { readonly counts: AuditCounts },
  backends: readonly AuditBackend[],
): readonly LabelledSeries[] {
  return [
    {
      name: 'apiserver_audit_error_total',
      help: 'Audit events lost: no room in the buffer, too large, or not taken.',
      read: () =>
        backends.map(({ lostTotal, plugin }) => ({ labels: { plugin }, value: lostTotal })),
    },
    {
      name: 'apiserver_audit_level_total',
      help: 'Requests by the level that the audit policy gave them.',
      read: () => [...counts.levels].map(([level, value]) => ({ labels: { level }, value })),
    },
  ];
}
