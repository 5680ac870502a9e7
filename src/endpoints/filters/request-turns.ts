/**
 * Spreads the beginnings of requests that arrive together. After a restart, for example, hundreds
 * of sockets may have one ready in the same turn of the event loop, and beginning one
 * (authentication, authorization, parsing) takes some tenths of a millisecond.
 *
 *     request ─▶ time left in this turn, and nobody waits: begins
 *        └─────▶ waits ─▶ begins in a later turn, in the order in which they came
 *
 * Elsewhere: the bound on how many there are (in-flight.ts), and on what a request does once it has
 * begun (stdx/turns.ts).
 *
 * Invariants: health checks wait for nobody but each other: above `healthChecksMax` in one turn,
 * which one segment of pipelined ones may bring, they begin in the next. At least one waiting
 * request begins in each turn. A client that has gone while it waited costs nothing. Bound: as many
 * as there are requests on all connections.
 */
import type { Clock, Timers } from '../../stdx/clock.ts';
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { ExchangeHandler, HttpExchange } from '../../transport/http-exchange.ts';
import { healthEndpoints } from '../health.ts';

export const requestTurnLimits = {
  /** Time for beginning requests in one turn. Policy: the others begin in the next. */
  turnMs: 8,
  /** Waiting requests that begin in one turn. */
  beginningsMax: 64,
  /** Health checks that begin in one turn. Policy: the others begin in the next. */
  healthChecksMax: 64,
} as const;

/** `startMs`: when it came; `nowMs`: when it begins. Both monotonic. */
export type BeginRequest = (exchange: HttpExchange, startMs: number, nowMs: number) => void;

export interface RequestTurnsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'nextTurn'>;
  /** Of the server: each request that begins is marked there. */
  readonly turnWatch: { readonly turn: number };
}

/** Calls `begin` now or in a later turn; `forget` when the client has gone by then. */
export function createRequestTurns(
  { clock, timers, turnWatch }: RequestTurnsDeps,
  begin: BeginRequest,
  forget: (exchange: HttpExchange) => void,
): ExchangeHandler {
  const waiting = new RingBuffer<Waiting>();
  const health = createHealthTurns(timers, begin, forget);
  let isAsked = false;
  /** The next one that has waited is the first of its turn. */
  let isFresh = false;
  let turn = -1;
  let turnEndsMs = 0;

  const startTurn = (nowMs: number): void => {
    turn = turnWatch.turn;
    turnEndsMs = nowMs + requestTurnLimits.turnMs;
  };
  const isOver = (nowMs: number): boolean => {
    if (turn !== turnWatch.turn) startTurn(nowMs);
    return nowMs >= turnEndsMs;
  };
  /** Each begins in a callback of its own: so what it leaves to promises is run, and its time is
   * counted, before the next one begins. */
  const askForSome = (): void => {
    const some = Math.min(waiting.length, requestTurnLimits.beginningsMax);
    for (let i = 0; i < some; i += 1) timers.nextTurn(beginOne);
    isAsked = some > 0;
    isFresh = isAsked;
    if (isAsked) timers.nextTurn(askForSome);
  };
  const beginOne = (): void => {
    const nowMs = clock.monotonicMs();
    // A new turn, also where the watch did not count the last one, for nothing was marked in it.
    if (isFresh) startTurn(nowMs);
    isFresh = false;
    if (isOver(nowMs)) return;
    while (waiting.length > 0) {
      const { exchange, startMs } = waiting.shift();
      if (!exchange.closed) return begin(exchange, startMs, nowMs);
      forget(exchange);
    }
  };
  return (exchange) => {
    const nowMs = clock.monotonicMs();
    if (isHealthPath(exchange.path)) return health(exchange, nowMs);
    if (!isOver(nowMs) && waiting.length === 0) return begin(exchange, nowMs, nowMs);
    waiting.push({ exchange, startMs: nowMs });
    if (isAsked) return;
    isAsked = true;
    timers.nextTurn(askForSome);
  };
}

interface Waiting {
  readonly exchange: HttpExchange;
  readonly startMs: number;
}

function createHealthTurns(
  timers: Pick<Timers, 'nextTurn'>,
  begin: BeginRequest,
  forget: (exchange: HttpExchange) => void,
): (exchange: HttpExchange, nowMs: number) => void {
  const waiting = new RingBuffer<Waiting>();
  let left: number = requestTurnLimits.healthChecksMax;
  const askForTurn = onceATurn(timers, () => {
    left = requestTurnLimits.healthChecksMax;
    while (waiting.length > 0 && left > 0) {
      const { exchange, startMs } = waiting.shift();
      if (exchange.closed) forget(exchange);
      else start(exchange, startMs);
    }
    if (waiting.length > 0) askForTurn();
  });
  const start = (exchange: HttpExchange, startMs: number): void => {
    left -= 1;
    askForTurn();
    begin(exchange, startMs, startMs);
  };
  return (exchange, nowMs) => {
    if (left > 0 && waiting.length === 0) return start(exchange, nowMs);
    waiting.push({ exchange, startMs: nowMs });
    askForTurn();
  };
}

const healthPaths = healthEndpoints.map((name) => `/${name}`);

function isHealthPath(path: string): boolean {
  // Cheap, for it is asked of every request: no other path that is asked for often ends so early.
  return path.charCodeAt(path.length - 1) === 0x7a
    ? healthPaths.includes(path)
    : path.length < 64 && healthPaths.some((root) => path.startsWith(`${root}/`));
}
