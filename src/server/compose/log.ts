/**
 * Structured logs, one JSON object a line on standard error.
 *
 * Levels by meaning: error = something promised did not happen and nobody was told otherwise;
 * warn = an operator should look, work goes on; info = life cycle, a few lines per hour;
 * debug = one line a request, for development. No request body and no credential is ever logged.
 *
 * Invariant: a log that takes no lines (its disk is full, its reader gone) ends nothing but itself.
 * Bound: `heldCharsMax` of lines wait for it, and are written when it takes some again.
 */
import { destination, pino } from 'pino';

export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export const logLevels = ['error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Policy: what comes when so much waits is lost. */
const heldCharsMax = 1024 * 1024;

/** `sync` so that the last lines before an exit are not lost. */
export function createLog(level: LogLevel): Log {
  const lines = destination({ fd: 2, sync: true, maxLength: heldCharsMax });
  // Nowhere to say it; unheard it would end the process.
  lines.on('error', () => undefined);
  return pino({ level, base: null }, lines);
}
