/**
 * Auditing as a part of the server: policy and log opened at start, figures, log lines.
 *
 * Invariant: a policy that cannot be read, or a log that cannot be opened, ends the start. Each of
 * several workers has a file of its own (`audit.log.1`), for each puts it aside by itself.
 */
import { readFileSync } from 'node:fs';
import type { Auditor } from '../audit/audit.ts';
import { createAuditor } from '../audit/auditor.ts';
import { createEventLog } from '../audit/event-log.ts';
import type { EventLog, LineFile } from '../audit/event-log.ts';
import { parseAuditPolicy } from '../audit/policy-file.ts';
import type { AuditPolicy } from '../audit/policy.ts';
import { openRotatingFile, standardOutputLines } from '../audit/rotating-file.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import type { AuditConfig } from './audit-options.ts';
import type { Log } from './log.ts';
import type { Measured } from './metrics.ts';
import { OptionsError } from './option-values.ts';

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

export interface AuditPart {
  readonly auditor: Auditor;
  readonly measured: readonly Measured[];
}

/** Undefined: nothing is audited.
 * @throws OptionsError. */
export function startAudit(
  config: AuditConfig | undefined,
  deps: AuditDeps,
): AuditPart | undefined {
  if (config === undefined) return undefined;
  const { clock, identity, log, timers } = deps;
  const policy = readPolicy(config.policyFile, identity);
  const events = createEventLog({
    file: openLog(config, deps),
    mode: config.mode,
    timers,
    onProblem: (error) => log.error({ err: error }, 'audit events are lost'),
  });
  return {
    auditor: createAuditor({ policy, sink: events, clock, identity }),
    measured: measuredOf(events),
  };
}

function readPolicy(file: string, identity: Identity): AuditPolicy {
  const read = parseAuditPolicy(bytesOf(file), identity.fill('audit.{domain}'));
  if (read.kind === 'ok') return read.policy;
  throw new OptionsError(`--audit-policy-file: ${file}: ${read.problems.join('; ')}`);
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new OptionsError(`--audit-policy-file: ${(error as Error).message}`);
  }
}

function openLog(config: AuditConfig, { clock, worker }: AuditDeps): LineFile {
  if (config.logPath === '-') return standardOutputLines();
  const file = worker === undefined ? config.logPath : `${config.logPath}.${worker}`;
  const limits = {
    sizeBytesMax: config.sizeMegabytesMax * megabyte,
    backupsMax: config.backupsMax,
    ageMsMax: config.ageDaysMax * dayMs,
  };
  try {
    return openRotatingFile(file, limits, clock);
  } catch (error) {
    throw new OptionsError(`--audit-log-path: ${(error as Error).message}`);
  }
}

function measuredOf(events: EventLog): readonly Measured[] {
  return [
    {
      name: 'apiserver_audit_event_total',
      help: 'Audit events made.',
      read: () => events.eventsTotal,
    },
    {
      name: 'apiserver_audit_error_total',
      help: 'Audit events lost: no room in the buffer, or not written.',
      labels: { plugin: 'log' },
      read: () => events.droppedTotal,
    },
  ];
}
