/**
 * Seats of priority and fairness: what a request has while its priority level serves it
 * (src/flowcontrol; flags and answers as in the reference).
 *
 *     request      a seat or more, as long as it is answered; none any more when its answer has
 *                  waited for its reader for a second in all (slow-readers.ts)
 *     watch        the same until it has sent the state that was asked for; and a place among the
 *                  open streams (in-flight.ts), until it ends
 *     exec, attach, log, portforward, proxy     none
 *     the health of all                         none where its level is not exempt, for it must be
 *                                               answered whatever is stored of schemas
 *
 * Invariants: whose questions to authorizers are about whom he asks to be has no seat yet; every
 * answer behind it names the schema and the level that the request was judged by.
 */
import type { Attributes } from '../../authorization/authorizer.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { FlowTicket, retryAfterSeconds } from '../../flowcontrol/flow-control.ts';
import type { FlowControl } from '../../flowcontrol/flow-control.ts';
import type { HttpExchange } from '../../transport/http-exchange.ts';
import type { DocumentAnswer } from '../answer.ts';
import { isLongRunning } from '../request-info.ts';
import { isHealthCheck, isStream, noSeatAnswer } from './in-flight.ts';
import type { CountedSeat, InFlight, Seat, SeatRequest, Seats } from './in-flight.ts';
import { ReaderWait } from './slow-readers.ts';
import type { SlowReaders } from './slow-readers.ts';

type SeatKind = 'usual' | 'health' | 'long-running';

interface Giving {
  readonly flow: FlowControl;
  readonly slowReaders: SlowReaders;
  readonly schemaHeader: string;
  readonly levelHeader: string;
}

/** `streams`: it counts those only. */
export function createFlowSeats(
  flow: FlowControl,
  streams: InFlight,
  slowReaders: SlowReaders,
  { name }: Pick<Identity, 'name'>,
): Seats {
  const start = `X-${name.charAt(0).toUpperCase()}${name.slice(1)}-PF`;
  const giving = {
    flow,
    slowReaders,
    schemaHeader: `${start}-FlowSchema-UID`,
    levelHeader: `${start}-PriorityLevel-UID`,
  };
  return {
    get streamsCount() {
      return streams.streamsCount;
    },
    begin(info) {
      const open = isStream(info) ? streams.begin(info) : undefined;
      const passes = open === undefined && isLongRunning(info);
      const kind = passes ? 'long-running' : isHealthCheck(info) ? 'health' : 'usual';
      return new FlowSeat(giving, open, kind);
    },
  };
}

class FlowSeat implements Seat {
  readonly #giving: Giving;
  /** Of a watch. */
  readonly #open: CountedSeat | undefined;
  readonly #kind: SeatKind;
  /** Undefined: it has not asked, or is a watch that only stays open, which there are many of. */
  #ticket: FlowTicket | undefined = undefined;
  #watched: FlowTicket['watched'] = undefined;
  #wait: ReaderWait | undefined = undefined;

  constructor(giving: Giving, open: CountedSeat | undefined, kind: SeatKind) {
    this.#giving = giving;
    this.#open = open;
    this.#kind = kind;
  }

  get refusal(): DocumentAnswer {
    return noSeatAnswer(this.#ticket === undefined ? 1 : retryAfterSeconds(this.#ticket));
  }

  enter(
    attributes: Attributes,
    request: SeatRequest,
    impersonates = false,
  ): boolean | Promise<boolean> {
    const isDone = this.#kind === 'long-running' || this.#ticket !== undefined;
    if (isDone || impersonates) return true;
    if (this.#open?.enter(attributes) === false) return false;
    const { flow } = this.#giving;
    if (this.#kind === 'health') {
      const judgedBy = flow.find(attributes);
      if (judgedBy.use.object.shape.kind !== 'exempt') {
        this.#name(request.exchange, judgedBy);
        return true;
      }
    }
    const ticket = new FlowTicket();
    this.#ticket = ticket;
    const { exchange, query, startMs } = request;
    const entered = flow.enter(ticket, attributes, query, exchange, startMs);
    this.#name(exchange, ticket.inForce);
    return entered;
  }

  #name(exchange: HttpExchange, judgedBy: FlowTicket['inForce']): void {
    const { levelHeader, schemaHeader } = this.#giving;
    exchange.setAnswerHeader(schemaHeader, judgedBy?.uid ?? '');
    exchange.setAnswerHeader(levelHeader, judgedBy?.use.object.uid ?? '');
  }

  begun(): void {
    const ticket = this.#ticket;
    if (ticket === undefined) return;
    this.#giving.flow.finish(ticket);
    this.#watched = ticket.watched;
    this.#ticket = undefined;
  }

  waits(isWaiting: boolean): void {
    if (this.#ticket === undefined) return;
    const { slowReaders } = this.#giving;
    this.#wait ??= new ReaderWait(() => this.begun());
    if (isWaiting) slowReaders.begin(this.#wait);
    else slowReaders.end(this.#wait);
  }

  leave(): void {
    if (this.#wait !== undefined) this.#giving.slowReaders.end(this.#wait);
    this.begun();
    this.#giving.flow.forgetWatch(this.#watched);
    this.#watched = undefined;
    this.#open?.leave();
  }
}
