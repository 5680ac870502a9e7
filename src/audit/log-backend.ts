/**
 * The audit log: events as lines of a file, in the order they came.
 *
 * Elsewhere: rotation and the file itself (rotating-file.ts).
 *
 * Invariant: an event is one line to every reader, whatever a caller has put into it.
 *
 * A line is with the operating system when `append` returns: it survives the end of the process and
 * not that of the machine.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import { withEscapes } from '../stdx/text-units.ts';
import type { AuditBackend, AuditEvent, AuditMode } from './backend.ts';
import { createLossCounter } from './backend.ts';
import { createBatcher } from './batcher.ts';
import type { BatchSettings } from './batcher.ts';
import { truncateEvent } from './event-size.ts';
import type { SizeLimits } from './event-size.ts';
import { legacyLine } from './legacy-line.ts';

export const auditFormats = ['json', 'legacy'] as const;
export type AuditFormat = (typeof auditFormats)[number];

/** Takes whole lines, at once: all of them, or none and throws. */
export interface LineFile {
  append(lines: string): void;
  close(): void;
}

export interface LogBackendDeps {
  readonly file: LineFile;
  readonly mode: AuditMode;
  readonly format: AuditFormat;
  readonly batch: BatchSettings;
  /** Undefined: of any size. */
  readonly sizes: SizeLimits | undefined;
  /** The annotation of events that have lost their bodies. */
  readonly truncatedMark: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly onProblem: (error: unknown) => void;
}

/** What JSON lets stand and some readers of text take for the end of a line, or for an order to the
 * terminal. Callers choose names, agents and bodies; no part of an event may look like another. */
const unsafe = /[\u007f-\u009f\u2028\u2029]/;

/** JSON, or texts quoted as in JSON: these characters stand in strings only. */
function onOneLine(line: string): string {
  return unsafe.test(line) ? withEscapes(line, isUnsafe) : line;
}

function isUnsafe(code: number): boolean {
  return (code >= 0x7f && code <= 0x9f) || code === 0x2028 || code === 0x2029;
}

export function createLogBackend(deps: LogBackendDeps): AuditBackend {
  const { file, format, mode, sizes, truncatedMark } = deps;
  const losses = createLossCounter(deps.onProblem);
  const append = (lines: readonly string[]): boolean => {
    try {
      file.append(`${lines.join('\n')}\n`);
      losses.kept();
      return true;
    } catch (error) {
      losses.lost(lines.length, error);
      return false;
    }
  };
  const batcher = createBatcher(deps.batch, {
    deliver: (lines) => void append(lines),
    clock: deps.clock,
    timers: deps.timers,
    batchBytesMax: sizes?.batchBytesMax,
  });
  const lineOf = (event: AuditEvent): string | undefined => {
    const kept = sizes === undefined ? event : truncateEvent(event, sizes, truncatedMark);
    if (kept === undefined) return undefined;
    return onOneLine(format === 'legacy' ? legacyLine(kept.fields) : kept.json);
  };
  return {
    plugin: 'log',
    get lostTotal() {
      return losses.total;
    },
    write(event) {
      const line = lineOf(event);
      if (line === undefined) {
        losses.lost(1, new Error('an audit event is too large without its bodies, too'));
        return mode !== 'blocking-strict';
      }
      if (mode !== 'batch') return append([line]) || mode === 'blocking';
      if (!batcher.add(line)) losses.lost(1, new Error('the buffer of audit events is full'));
      return true;
    },
    async stop() {
      await batcher.stop();
      file.close();
    },
  };
}
