/**
 * Counts what all ports of one process hold for their clients: bytes of request bodies, of what
 * they say faster than it is taken, and of answers that their readers have not taken yet.
 *
 * Bounds: `bodyBytesMax` and UnreadAnswers' own. A body or an answer of at most `smallBytesMax` is
 * counted and never refused: a few large ones cannot stop the traffic that a cluster lives on.
 */
import { systemClock, systemTimers } from '../stdx/clock.ts';
import { BodyTurns } from './body-turns.ts';
import { Spool } from './spool.ts';
import type { SpoolOptions } from './spool.ts';
import { StalledResponses } from './stalled-responses.ts';

const smallBytesMax = 16 * 1024;

export interface LoadLimits {
  readonly bodyBytesMax: number;
  readonly unreadBytesMax: number;
  readonly idleTimeoutMs: number;
  /** On disk, of what clients say faster than it is taken. Without it nothing is put there. */
  readonly spool?: SpoolOptions | undefined;
}

export interface TransportLoad {
  readonly bodies: BodyBytes;
  readonly spool: Spool;
  readonly answers: StalledResponses;
}

export function createTransportLoad(limits: LoadLimits): TransportLoad {
  const answers = new StalledResponses(
    { bytesMax: limits.unreadBytesMax, idleTimeoutMs: limits.idleTimeoutMs },
    systemClock,
    systemTimers,
  );
  const spool = new Spool(limits.spool ?? { directory: '', bytesMax: 0 });
  return { bodies: new BodyBytes(limits.bodyBytesMax), spool, answers };
}

/** Bytes of bodies that are being received, or wait for the answer to their request. */
export class BodyBytes {
  readonly #max: number;
  /** When they are read from. */
  readonly turns: BodyTurns;
  heldBytes = 0;

  constructor(max: number, turns = new BodyTurns(systemTimers)) {
    this.#max = max;
    this.turns = turns;
  }

  /** For a body that then has `totalBytes`. False: there is no room, and nothing was taken. */
  take(bytes: number, totalBytes: number): boolean {
    if (totalBytes > smallBytesMax && this.heldBytes + bytes > this.#max) return false;
    this.heldBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.heldBytes -= bytes;
  }
}
