/**
 * Gathers the requests that arrive together, and spreads their beginnings. After a restart, for
 * example, hundreds of sockets may have one ready in the same turn of the event loop, and beginning
 * one (authentication, authorization, parsing) takes some tenths of a millisecond.
 *
 *     request ─▶ waits until the sockets of this turn have been read ─┬─▶ begins, with others
 *                                                                    └─▶ in a later turn
 *
 * Some begin in one callback, so their steps alternate: each step runs for all of them before one
 * goes on to the next. The processor's caches do not hold all code that a write walks through, and
 * so it is fetched once for several writes: that makes a create an eighth cheaper. Nothing can stop
 * them, so how many writes do is learned from what the last ones took: in a process that is new one
 * takes as long as many do later.
 *
 * Elsewhere: the bound on how many there are (in-flight.ts), and on what a request does once it has
 * begun (stdx/turns.ts).
 *
 * Invariants: health checks wait for nobody but each other: above `healthChecksMax` in one turn,
 * which one segment of pipelined ones may bring, they begin in the next. Requests begin in the
 * order in which they came, at least one in each turn, and none after `turnMs`. A client that has
 * gone while it waited costs nothing. Bound: as many as there are requests on all connections.
 */
import type { Clock, Timers } from '../../stdx/clock.ts';
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { ExchangeHandler, HttpExchange } from '../../transport/http-exchange.ts';
import { healthEndpoints } from '../health.ts';

const KiB = 1024;

export const requestTurnLimits = {
  /** Time for beginning requests in one turn. Policy: the others begin in the next. */
  turnMs: 8,
  /** Waiting requests that begin in one turn. */
  beginningsMax: 64,
  /** Requests that begin in one callback, and what they may weigh together, for nothing else is
   * looked at in between: the bytes of their bodies (`togetherBytesMax` where none are stated) and
   * `changeBytes` for each that changes what is there, which may be larger than its body. Policy:
   * the others begin in the next callback; one that weighs more begins alone. */
  togetherMax: 16,
  togetherBytesMax: 32 * KiB,
  changeBytes: 8 * KiB,
  /** Health checks that begin in one turn. Policy: the others begin in the next. */
  healthChecksMax: 64,
} as const;

/** `startMs`: when it came; `nowMs`: when it begins. Both monotonic. */
export type BeginRequest = (exchange: HttpExchange, startMs: number, nowMs: number) => void;

export interface RequestTurnsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'nextTurn'>;
}

/** Calls `begin` in a callback of this turn or a later one; `forget` when the client has gone by
 * then. */
export function createRequestTurns(
  { clock, timers }: RequestTurnsDeps,
  begin: BeginRequest,
  forget: (exchange: HttpExchange) => void,
): ExchangeHandler {
  const waiting = new RingBuffer<Waiting>();
  const health = createHealthTurns(timers, begin, forget);
  /** Callbacks that have been asked for: one for each that waits, for each may begin alone. Where
   * nobody is left they cost nothing. */
  let askedCount = 0;
  let isBegun = false;
  let leftCount = 0;
  let turnEndsMs = 0;
  const writes = createWritesTogether();

  const startTurn = (nowMs: number): void => {
    isBegun = true;
    leftCount = requestTurnLimits.beginningsMax;
    turnEndsMs = nowMs + requestTurnLimits.turnMs;
    // Before everything that this turn asks for.
    timers.nextTurn(() => {
      isBegun = false;
      writes.forget();
    });
  };
  const ask = (): void => {
    const some = Math.min(waiting.length, requestTurnLimits.beginningsMax);
    for (; askedCount < some; askedCount += 1) timers.nextTurn(beginSome);
  };
  /** In a callback of their own: what they leave to promises is run, and their time is counted,
   * before the next ones begin. */
  const beginSome = (): void => {
    askedCount -= 1;
    writes.learn(clock);
    if (waiting.length === 0) return;
    const nowMs = clock.monotonicMs();
    if (!isBegun) startTurn(nowMs);
    if (nowMs < turnEndsMs) beginTogether(nowMs);
    ask();
  };
  const beginTogether = (nowMs: number): void => {
    let some = Math.min(leftCount, requestTurnLimits.togetherMax);
    let weight = 0;
    let writesCount = 0;
    while (some > 0 && waiting.length > 0) {
      const { exchange, startMs } = waiting.at(0);
      if (exchange.closed) {
        waiting.shift();
        forget(exchange);
        continue;
      }
      const own = weightOf(exchange);
      if (weight > 0 && weight + own > requestTurnLimits.togetherBytesMax) break;
      if (isWrite(exchange) && writesCount === writes.max) break;
      if (isWrite(exchange)) writesCount += 1;
      waiting.shift();
      weight += own;
      some -= 1;
      leftCount -= 1;
      begin(exchange, startMs, nowMs);
    }
    writes.began(writesCount, nowMs);
  };
  return (exchange) => {
    const nowMs = clock.monotonicMs();
    if (isHealthPath(exchange.path)) return health(exchange, nowMs);
    waiting.push({ exchange, startMs: nowMs });
    ask();
  };
}

/** How many writes may begin in one callback: twice as many as the last time, and not more than
 * would take `turnMs`. */
function createWritesTogether() {
  let max = 1;
  /** Those that are being measured: until the next callback of their turn. */
  let begun: { readonly count: number; readonly atMs: number } | undefined;
  return {
    get max() {
      return max;
    },
    began(count: number, atMs: number): void {
      begun = count === 0 ? undefined : { count, atMs };
    },
    learn(clock: Pick<Clock, 'monotonicMs'>): void {
      if (begun === undefined) return;
      const { count, atMs } = begun;
      begun = undefined;
      const tookMs = clock.monotonicMs() - atMs;
      const fitting = Math.floor((requestTurnLimits.turnMs * count) / tookMs);
      // Few that were quick say nothing of more than twice as many.
      const most = Math.min(fitting, Math.max(max, 2 * count), requestTurnLimits.togetherMax);
      max = Math.max(1, most);
    },
    /** What comes in another turn says nothing of the time that they took. */
    forget(): void {
      begun = undefined;
    },
  };
}

function isWrite({ method }: HttpExchange): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** In bytes; see requestTurnLimits. */
function weightOf(exchange: HttpExchange): number {
  const { method } = exchange;
  if (!isWrite(exchange)) return 0;
  const { changeBytes, togetherBytesMax } = requestTurnLimits;
  const stated = exchange.header('content-length');
  const unstated = method === 'DELETE' ? 0 : togetherBytesMax;
  const bytes = stated === undefined ? unstated : Number(stated);
  return method === 'POST' ? bytes : bytes + changeBytes;
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
