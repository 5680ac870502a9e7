/**
 * Handshakes with other servers, a few at a time: each takes a millisecond of keys and
 * certificates, in one piece, when the other side's answer is read.
 *
 *     add ─▶ in line ─▶ begins, is read from ─▶ over
 *               ▲                │
 *               └── others wait ─┘ not read from
 *
 * Invariant: no more than `atOnceMax` are read from in one turn, and none takes the place of one
 * that is over before the next. Who sends nothing holds up nobody: while others wait, places change
 * every `placeMs`.
 * Bound: who waits is bounded by the connections that there may be.
 */
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';

export const handshakeTurnLimits = { atOnceMax: 4, placeMs: 2 } as const;

export interface Handshake {
  /** True: go on, the first time begin. */
  read(reading: boolean): void;
}

export interface HandshakeTurns {
  add(handshake: Handshake): void;
  /** It is done, or has failed. */
  over(handshake: Handshake): void;
}

export function createHandshakeTurns(timers: Timers): HandshakeTurns {
  const { atOnceMax, placeMs } = handshakeTurnLimits;
  const waiting = new Set<Handshake>();
  const reading = new Set<Handshake>();
  /** Places that are free from the next turn on. */
  let ended = 0;
  let isArmed = false;
  const fill = (): void => {
    for (const next of waiting) {
      if (reading.size + ended >= atOnceMax) break;
      waiting.delete(next);
      reading.add(next);
      next.read(true);
    }
    if (waiting.size === 0 || isArmed) return;
    isArmed = true;
    // In a turn of its own: timers that are late come many in one.
    timers.after(placeMs, () => timers.nextTurn(change));
  };
  const change = (): void => {
    isArmed = false;
    if (waiting.size === 0) return;
    const had = [...reading];
    reading.clear();
    for (const each of had) each.read(false);
    fill();
    for (const each of had) waiting.add(each);
    // Those who found nobody in line go on.
    fill();
  };
  const nextTurn = onceATurn(timers, () => {
    ended = 0;
    fill();
  });
  return {
    add(handshake) {
      waiting.add(handshake);
      fill();
    },
    over(handshake) {
      if (reading.delete(handshake)) ended += 1;
      else if (!waiting.delete(handshake)) return;
      nextTurn();
    },
  };
}

/** Of node: below a socket. */
interface WithHandle {
  readonly _handle?: { readStart(): number; readStop(): number } | null;
}

/** `open` connects; `outer` stands for the connection until then, and `attach` tells it. */
export function handshakeInTurns(
  outer: Duplex,
  open: () => TLSSocket,
  attach: (inner: TLSSocket) => void,
  turns: HandshakeTurns,
): void {
  let inner: TLSSocket | undefined;
  let isReading = true;
  const apply = (): void => {
    if (inner === undefined || inner.destroyed || inner.connecting) return;
    const { _handle: handle } = inner as WithHandle;
    if (isReading) handle?.readStart();
    else handle?.readStop();
  };
  const begin = (): void => {
    try {
      inner = open();
    } catch (error) {
      outer.destroy(error as Error);
      return;
    }
    // Node reads as soon as it is connected, behind this event.
    inner.once('connect', () => void Promise.resolve().then(apply));
    inner.once('secureConnect', over);
    attach(inner);
  };
  const handshake: Handshake = {
    read(reading) {
      isReading = reading;
      if (inner === undefined && !outer.destroyed) begin();
      else apply();
    },
  };
  const over = (): void => {
    isReading = true;
    turns.over(handshake);
  };
  outer.once('close', over);
  turns.add(handshake);
}
