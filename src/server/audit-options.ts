/** Flags of auditing. What the files hold is read at start (audit.ts), and fails there. */
import type { AuditMode } from '../audit/event-log.ts';
import { integer, oneOf, optional, OptionsError } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

const modes = ['batch', 'blocking'] as const satisfies readonly AuditMode[];

export interface AuditConfig {
  readonly policyFile: string;
  /** `-` is the standard output. */
  readonly logPath: string;
  readonly mode: AuditMode;
  /** 0: no bound; so for the next two. */
  readonly sizeMegabytesMax: number;
  readonly backupsMax: number;
  readonly ageDaysMax: number;
}

export const auditOptionTable = [
  {
    flag: 'audit-policy-file',
    value: 'FILE',
    default: '',
    help: 'What is audited and how much of it: an audit Policy. Empty: nothing is.',
  },
  {
    flag: 'audit-log-path',
    value: 'FILE|-',
    default: '',
    help: 'Where audit events go, one JSON object a line; `-` is the standard output.',
  },
  {
    flag: 'audit-log-mode',
    value: modes.join('|'),
    default: 'batch',
    help: 'batch: answers do not wait for the file; blocking: an event is written before them.',
  },
  {
    flag: 'audit-log-maxsize',
    value: 'MB',
    default: '100',
    help: 'The audit log is put aside before it is larger; 0: never.',
  },
  {
    flag: 'audit-log-maxbackup',
    value: 'N',
    default: '0',
    help: 'Files put aside that are kept; 0: all.',
  },
  {
    flag: 'audit-log-maxage',
    value: 'DAYS',
    default: '0',
    help: 'How long files put aside are kept; 0: for ever.',
  },
] as const satisfies readonly OptionSpec[];

type Raw = RawValues<(typeof auditOptionTable)[number]['flag']>;

/** Undefined: nothing is audited.
 * @throws OptionsError. */
export function completeAudit(raw: Raw): AuditConfig | undefined {
  const policyFile = optional(raw, 'audit-policy-file');
  const logPath = optional(raw, 'audit-log-path');
  const numbers = {
    mode: oneOf(raw, 'audit-log-mode', modes),
    sizeMegabytesMax: integer(raw, 'audit-log-maxsize', 0, 1_000_000),
    backupsMax: integer(raw, 'audit-log-maxbackup', 0, 1_000_000),
    ageDaysMax: integer(raw, 'audit-log-maxage', 0, 100_000),
  };
  if (policyFile === undefined && logPath === undefined) return undefined;
  if (policyFile === undefined || logPath === undefined) {
    throw new OptionsError('--audit-policy-file, --audit-log-path: one makes no sense alone');
  }
  return { policyFile, logPath, ...numbers };
}
