/**
 * The audit log: events as lines of a file, in the order they came.
 *
 * What it is not: rotation and the file itself (rotating-file.ts).
 *
 *     batch      write ▶ buffer ▶ the file, in another turn     the answer does not wait
 *     blocking   write ▶ the file ▶ the answer
 *
 * Policy: a request is never refused because its event could not be written. What does not fit in
 * the buffer, or what the file does not take, is dropped and counted, and the first of a row of
 * failures is reported. Bounds: `bufferLinesMax` lines and `bufferCharsMax` characters.
 */
import type { Timers } from '../stdx/clock.ts';
import type { EventSink } from './auditor.ts';

export const bufferLinesMax = 10_000;
export const bufferCharsMax = 64 * 1024 * 1024;

export type AuditMode = 'batch' | 'blocking';

/** Takes whole lines, at once. Throws when it cannot. */
export interface LineFile {
  append(lines: string, count: number): void;
  close(): void;
}

export interface EventLogDeps {
  readonly file: LineFile;
  readonly mode: AuditMode;
  readonly timers: Timers;
  /** The first event of a row that could not be written. */
  readonly onProblem: (error: unknown) => void;
}

export interface EventLog extends EventSink {
  readonly eventsTotal: number;
  readonly droppedTotal: number;
}

export function createEventLog({ file, mode, timers, onProblem }: EventLogDeps): EventLog {
  let buffer: string[] = [];
  let chars = 0;
  let scheduled = false;
  let failing = false;
  let eventsTotal = 0;
  let droppedTotal = 0;

  const dropped = (count: number, error: unknown): void => {
    droppedTotal += count;
    if (!failing) onProblem(error);
    failing = true;
  };
  const append = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    try {
      file.append(`${lines.join('\n')}\n`, lines.length);
      failing = false;
    } catch (error) {
      dropped(lines.length, error);
    }
  };
  const flush = (): void => {
    const lines = buffer;
    buffer = [];
    chars = 0;
    append(lines);
  };
  return {
    write(line) {
      eventsTotal += 1;
      if (mode === 'blocking') return append([line]);
      if (buffer.length >= bufferLinesMax || chars + line.length > bufferCharsMax) {
        return dropped(1, new Error('the buffer of audit events is full'));
      }
      buffer.push(line);
      chars += line.length;
      if (scheduled) return;
      scheduled = true;
      timers.nextTurn(() => {
        scheduled = false;
        flush();
      });
    },
    get eventsTotal() {
      return eventsTotal;
    },
    get droppedTotal() {
      return droppedTotal;
    },
    stop() {
      flush();
      file.close();
      return Promise.resolve();
    },
  };
}
