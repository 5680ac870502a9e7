/**
 * Priority and fairness: every request is classified, and is served, waits or is refused by the
 * state of its priority level (exact details of extensions, section 7).
 *
 *     request ─▶ schema (configuration.ts) ─▶ seats it takes (work-estimate.ts) ─▶ its level
 *                                                                                (level.ts)
 *     served ◀─ at once, or woken in one of the next turns (waiting-room.ts) ◀────── │
 *     refused ◀─ the queue is full, its time is over, its client or the server goes ◀┘
 *
 * Each process has its own levels and seats.
 *
 * Invariants: what is served at once costs no promise, closure or timer. A client that goes while
 * it waits leaves its queue at once. Bounds: those of the files that are named here.
 */
import type { Attributes } from '../authorization/authorizer.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import { requestTimeoutMs } from '../apimachinery/request-timeout.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Requester } from '../stdx/requester.ts';
import type { Configuration } from './configuration.ts';
import type { Levels, LevelUse, SchemaInForce } from './levels.ts';
import { Ticket } from './ticket.ts';
import type { WaitingRoom } from './waiting-room.ts';
import { WatchTally } from './watch-tally.ts';
import type { Watched } from './watch-tally.ts';
import { createEstimate } from './work-estimate.ts';

/** Of the time that a request may take it may wait a fourth, and no longer than `waitMaxMs`. */
const waitPart = 4;
const waitMaxMs = 60_000;

/** Of one request. */
export class FlowTicket extends Ticket {
  inForce: SchemaInForce | undefined = undefined;
  watched: Watched | undefined = undefined;
}

export interface FlowControlDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly levels: Levels;
  readonly configuration: Configuration;
  readonly room: WaitingRoom;
  /** Objects that are stored of what the path names; undefined: it is not served here. */
  readonly countOf: (attributes: Attributes) => number | undefined;
  /** Of requests that do not say how long they may take. */
  readonly requestTimeoutMs: number;
}

export interface FlowControl extends Pick<Levels, 'all' | 'counts'> {
  /** What the request is judged by. */
  find(attributes: Attributes): SchemaInForce;
  /** Whether the request, which came at `startMs` (monotonic), is served. */
  enter(
    ticket: FlowTicket,
    attributes: Attributes,
    query: QueryParameters | undefined,
    client: Requester,
    startMs: number,
  ): boolean | Promise<boolean>;
  /** It has been served; a watch has begun. Once, or never entered, is the same. */
  finish(ticket: FlowTicket): void;
  /** A watch has ended. Undefined: it was not counted. */
  forgetWatch(watched: Watched | undefined): void;
  /** What was stored at the start has been read: then `start` resolves. */
  readonly isRead: boolean;
  start(): Promise<void>;
  /** Who waits is told to come again; nobody waits from now on. */
  stopWaiting(): void;
  stop(): void;
}

export function createFlowControl(deps: FlowControlDeps): FlowControl {
  const { clock, configuration, countOf, levels, room } = deps;
  const watches = new WatchTally();
  const estimate = createEstimate({ countOf, watches });
  const { endedIn, refused, served } = outcomes(deps, watches);

  const wait = async (
    ticket: FlowTicket,
    attributes: Attributes,
    client: Requester,
    untilMs: number,
  ): Promise<boolean> => {
    const isServed = await room.wait(ticket, client, untilMs);
    const waitedMs = clock.monotonicMs() - ticket.arrivedMs;
    return isServed ? served(ticket, attributes, waitedMs) : refused(ticket, waitedMs);
  };
  return {
    all: levels.all,
    find: (attributes) => configuration.find(attributes),
    get counts() {
      return levels.counts;
    },
    get isRead() {
      return configuration.isRead;
    },
    enter(ticket, attributes, query, client, startMs) {
      const inForce = configuration.find(attributes);
      const { level, widest } = inForce.use;
      const nowMs = clock.monotonicMs();
      ticket.inForce = inForce;
      ticket.counts = inForce.counts;
      ticket.schema = inForce.name;
      ticket.attributes = attributes;
      ticket.arrivedMs = nowMs;
      ticket.flow = flowOf(inForce, attributes);
      estimate(ticket, attributes, query, widest);
      const outcome = level.admit(ticket, nowMs);
      if (outcome === 'started') return served(ticket, attributes, 0);
      if (outcome !== 'waiting') return refused(ticket, 0);
      const mayMs = mayWaitMs(attributes.verb, query, deps.requestTimeoutMs);
      return wait(ticket, attributes, client, startMs + mayMs);
    },
    finish(ticket) {
      const { attributes, counts, inForce, startedMs, state } = ticket;
      if (state !== 'executing' || inForce === undefined) return;
      const nowMs = clock.monotonicMs();
      counts?.executed((nowMs - startedMs) / 1000, attributes?.verb === 'watch');
      inForce.use.level.finish(ticket, nowMs);
      endedIn(inForce.use);
    },
    forgetWatch(watched) {
      if (watched !== undefined) watches.remove(watched);
    },
    start() {
      levels.start();
      return configuration.start();
    },
    stopWaiting: () => room.stop(),
    stop() {
      configuration.stop();
      levels.stop();
    },
  };
}

/** What follows from how a request fared. */
function outcomes(
  { clock, configuration, countOf }: FlowControlDeps,
  watches: Pick<WatchTally, 'add'>,
) {
  const endedIn = (use: LevelUse): void => {
    if (use.isQuiescing && use.level.isIdle) configuration.lookAgain();
  };
  /** Where nobody waits nothing is counted of it. */
  const countWait = ({ counts, inForce }: FlowTicket, waitedMs: number, served: boolean): void => {
    if (inForce?.use.object.shape.kind !== 'exempt') counts?.waited(waitedMs / 1000, served);
  };
  return {
    endedIn,
    refused(ticket: FlowTicket, waitedMs: number): false {
      countWait(ticket, waitedMs, false);
      const { inForce } = ticket;
      if (inForce === undefined) return false;
      inForce.use.retryAfter.refused(clock.monotonicMs());
      endedIn(inForce.use);
      return false;
    },
    served(ticket: FlowTicket, attributes: Attributes, waitedMs: number): true {
      countWait(ticket, waitedMs, true);
      const isWatch = attributes.verb === 'watch';
      if (isWatch && countOf(attributes) !== undefined) ticket.watched = watches.add(attributes);
      return true;
    },
  };
}

function mayWaitMs(verb: string, query: QueryParameters | undefined, mostMs: number): number {
  const asked = verb === 'watch' || query === undefined ? undefined : requestTimeoutMs(query);
  const timeoutMs = asked === undefined || asked <= 0 ? mostMs : Math.min(asked, mostMs);
  return Math.min(timeoutMs / waitPart, waitMaxMs);
}

/** Where there is one queue nobody is told apart. */
function flowOf({ tellsApart, use }: SchemaInForce, attributes: Attributes): string {
  if (tellsApart === undefined || use.object.shape.kind !== 'queue') return '';
  return tellsApart === 'ByUser' ? attributes.user.name : attributes.namespace;
}

/** For how long who was refused is told to wait. */
export function retryAfterSeconds({ inForce }: FlowTicket): number {
  return inForce?.use.retryAfter.seconds ?? 1;
}
