/**
 * The audit log: events as lines of a file, in the order they came.
 *
 * Elsewhere: rotation and the file itself (rotating-file.ts).
 *
 * Invariant: an event is one line to every reader, whatever a caller has put into it. A long line
 * with much to escape takes turns, and so does a batch; what comes after it waits for it.
 *
 * A line is with the operating system when `append` returns: it survives the end of the process and
 * not that of the machine.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import { runToEnd, startedAtOnce } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { withEscapes } from '../stdx/text-units.ts';
import type { Turns } from '../stdx/turns.ts';
import type { AuditBackend, AuditEvent, AuditMode, Taken } from './backend.ts';
import { createLossCounter } from './backend.ts';
import { batchParts } from './batch-parts.ts';
import { batcherLimits, createBatcher } from './batcher.ts';
import type { BatchSettings } from './batcher.ts';
import { truncateEvent } from './event-size.ts';
import type { SizeLimits } from './event-size.ts';
import { legacyLine } from './legacy-line.ts';

export const auditFormats = ['json', 'legacy'] as const;
export type AuditFormat = (typeof auditFormats)[number];

/** Takes whole lines, at once: all of them, or none and throws. */
export interface LineFile {
  append(lines: string | Uint8Array): void;
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
  readonly turns: Pick<Turns, 'run'>;
  readonly onProblem: (error: unknown) => void;
}

/** What JSON lets stand and some readers of text take for the end of a line, for an order to the
 * terminal, or for another direction of what follows, which would be shown in another order.
 * Callers choose names, agents and bodies; no part of an event may look like another. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** JSON, or texts quoted as in JSON: these characters stand in strings only. */
function onOneLine(line: string): string {
  return unsafe.test(line) ? withEscapes(line, isUnsafe) : line;
}

function isUnsafe(code: number): boolean {
  if (code < 0x200e) return (code >= 0x7f && code <= 0x9f) || code === 0x61c;
  return code <= 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/** Escaped in one turn, and in one step where it takes more. */
const charactersAtOnce = 128 * 1024;
const charactersPerStep = 16 * 1024;

function isLong(line: string): boolean {
  return line.length > charactersAtOnce && unsafe.test(line);
}

/** onOneLine() in parts, as the bytes of the line with its end. */
function* longLine(line: string): Steps<Uint8Array> {
  const parts: Buffer[] = [];
  for (let at = 0; at < line.length;) {
    let end = Math.min(at + charactersPerStep, line.length);
    // Two halves of a character stay together.
    if (isHighHalf(line.charCodeAt(end - 1)) && end < line.length) end += 1;
    parts.push(Buffer.from(onOneLine(line.slice(at, end))));
    at = end;
    yield;
  }
  parts.push(Buffer.from('\n'));
  return Buffer.concat(parts);
}

function isHighHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Lines that take turns, and those that wait for them: one after the other, in their order. */
function lineQueue(take: (text: string) => boolean | Promise<boolean>) {
  let last: Promise<boolean> = Promise.resolve(true);
  let characters = 0;
  return {
    get characters() {
      return characters;
    },
    add(text: string): Promise<boolean> {
      characters += text.length;
      last = last
        .then(() => take(text))
        .finally(() => {
          characters -= text.length;
        });
      return last;
    },
    async empty(): Promise<void> {
      while (characters > 0) await last;
    },
  };
}

/** Writes batches part by part, one after the other. */
function batchWriter(append: (lines: string, count: number) => boolean, turns: Pick<Turns, 'run'>) {
  let last: Promise<void> | undefined;
  const written = function* (lines: readonly string[]): Steps<void> {
    let isFirst = true;
    for (const some of batchParts(lines)) {
      if (!isFirst) yield;
      isFirst = false;
      append(`${some.join('\n')}\n`, some.length);
    }
  };
  return (lines: readonly string[]): Awaitable<void> => {
    const begin = (): Awaitable<void> => startedAtOnce(turns, written(lines));
    const begun = last === undefined ? begin() : last.then(() => runToEnd(turns, written(lines)));
    if (!(begun instanceof Promise)) return begun;
    last = begun;
    return begun.then(() => {
      if (last === begun) last = undefined;
    });
  };
}

export function createLogBackend(deps: LogBackendDeps): AuditBackend {
  const { file, format, mode, sizes, truncatedMark, turns } = deps;
  const losses = createLossCounter(deps.onProblem);
  const append = (lines: string | Uint8Array, count: number): boolean => {
    try {
      file.append(lines);
      losses.kept();
      return true;
    } catch (error) {
      losses.lost(count, error);
      return false;
    }
  };
  const batcher = createBatcher(deps.batch, {
    deliver: batchWriter(append, turns),
    clock: deps.clock,
    timers: deps.timers,
    batchBytesMax: sizes?.batchBytesMax,
  });
  const textOf = (event: AuditEvent): string | undefined => {
    const kept = sizes === undefined ? event : truncateEvent(event, sizes, truncatedMark);
    if (kept === undefined) return undefined;
    return format === 'legacy' ? legacyLine(kept.fields) : kept.json;
  };
  const dropped = (): true => {
    losses.lost(1, new Error('the buffer of audit events is full'));
    return true;
  };
  const batch = (line: string): boolean => batcher.add(line) || dropped();
  const take = (text: string): boolean => {
    const line = onOneLine(text);
    if (mode === 'batch') return batch(line);
    return append(`${line}\n`, 1) || mode === 'blocking';
  };
  const takeLong = async (text: string): Promise<boolean> => {
    const line = await runToEnd(turns, longLine(text));
    if (mode === 'batch') return batch(Buffer.from(line).toString('utf8', 0, line.length - 1));
    return append(line, 1) || mode === 'blocking';
  };
  const waiting = lineQueue((text) => (isLong(text) ? takeLong(text) : take(text)));
  return {
    plugin: 'log',
    get lostTotal() {
      return losses.total;
    },
    write(event): Taken {
      const text = textOf(event);
      if (text === undefined) {
        losses.lost(1, new Error('an audit event is too large without its bodies, too'));
        return mode !== 'blocking-strict';
      }
      if (waiting.characters === 0 && !isLong(text)) return take(text);
      if (mode !== 'batch') return waiting.add(text);
      // Nobody waits for these, so they are bounded as the buffer is.
      if (waiting.characters + text.length > batcherLimits.bufferBytesMax) return dropped();
      void waiting.add(text);
      return true;
    },
    async stop() {
      await waiting.empty();
      await batcher.stop();
      file.close();
    },
  };
}
