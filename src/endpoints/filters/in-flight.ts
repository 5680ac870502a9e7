/**
 * Limits how many requests are being answered at a time, separately for reads, writes and streams;
 * above a limit a request gets 429 (spec 2, section 1; flags and answer as in the reference).
 *
 * This is what there is without priority and fairness (flow-seats.ts), but for open streams, whose
 * limit is here in any case. There are no queues: nobody waits here. The transport bounds the bytes
 * of bodies and answers.
 *
 * Invariants: a request holds one seat at most, until it has been answered, a stream until it has
 * ended; `leave` gives it back once. Who asks for the health of all and nothing more, and
 * `system:masters`, hold none, so that operators can always find out what is wrong.
 * Bounds: `max` of each class, and a quarter more for callers who hold few seats, so that one
 * caller cannot stop the others (caller.ts says who is one). 0: no bound.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { QueryParameters } from '../../apimachinery/query.ts';
import type { Attributes } from '../../authorization/authorizer.ts';
import type { HttpExchange } from '../../transport/http-exchange.ts';
import { documentAnswer } from '../answer.ts';
import type { DocumentAnswer } from '../answer.ts';
import { callerOf } from '../caller.ts';
import { healthEndpoints } from '../health.ts';
import type { RequestInfo } from '../request-info.ts';

export interface InFlightLimits {
  /** 0: no bound. */
  readonly readOnlyMax: number;
  readonly mutatingMax: number;
  readonly streamsMax: number;
}

/** Who gives seats: these limits, or the priority levels (flow-seats.ts). */
export interface Seats {
  begin(info: RequestInfo): Seat;
  /** Streams that are open, of those who are counted. */
  readonly streamsCount: number;
}

export interface InFlight extends Seats {
  begin(info: RequestInfo): CountedSeat;
}

/** What a seat is asked for; a watch keeps its seat as long as it is open, and this not. */
export interface SeatRequest {
  readonly exchange: HttpExchange;
  /** Undefined: it could not be read. */
  readonly query: QueryParameters | undefined;
  /** When it came, monotonic. */
  readonly startMs: number;
}

/** Of one request. */
export interface Seat {
  /** False: there is none, the caller has to retry. A seat that is held stays with its holder.
   * `impersonates`: he asks to be somebody else, and others are asked whether he may. */
  enter(
    attributes: Attributes,
    request: SeatRequest,
    impersonates?: boolean,
  ): boolean | Promise<boolean>;
  /** The answer to who has none. */
  readonly refusal: DocumentAnswer;
  /** Of a watch, which has sent the state that was asked for: it only stays open. */
  begun(): void;
  /** The answer waits for its reader, from `true` to `false`. */
  waits(isWaiting: boolean): void;
  /** Once or never entered is the same. */
  leave(): void;
}

export function createInFlight(
  limits: InFlightLimits,
  identity: Pick<Identity, 'namespaces'>,
): InFlight {
  const caller = (user: UserInfo): string => callerOf(user, identity);
  const readOnly = new Kind(limits.readOnlyMax, caller);
  const mutating = new Kind(limits.mutatingMax, caller);
  const streams = new Kind(limits.streamsMax, caller);
  const kindOf = (info: RequestInfo): Kind => {
    if (isStream(info)) return streams;
    return readingVerbs.has(info.verb) ? readOnly : mutating;
  };
  return {
    get streamsCount() {
      return streams.count;
    },
    begin: (info) => new CountedSeat(kindOf(info), isHealthCheck(info)),
  };
}

/** In the words of the reference; no Status. */
export function noSeatAnswer(retryAfterSeconds: number): DocumentAnswer {
  return documentAnswer(
    429,
    [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Retry-After', String(retryAfterSeconds)],
    ],
    'Too many requests, please try again later.\n',
  );
}

const refusal = noSeatAnswer(1);

const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

export function isStream({ verb, resource }: RequestInfo): boolean {
  return verb === 'watch' && resource !== undefined;
}

/** A path below is another question for the authorizers, and there is no end of them. */
export function isHealthCheck({ path, resource, verb }: RequestInfo): boolean {
  if (resource !== undefined || (verb !== 'get' && verb !== 'head')) return false;
  return healthEndpoints.some((endpoint) => path === `/${endpoint}`);
}

/** Of callers who have gone; above it they are forgotten. */
const idleCallersMax = 1_024;

interface CallerCount {
  count: number;
}

class Kind {
  readonly #max: number;
  readonly #reserve: number;
  readonly #littleMax: number;
  /** Callers stay here when they hold nothing: a Map that turns over all the time is made anew. */
  readonly #callers = new Map<string, CallerCount>();
  readonly #callerOf: (user: UserInfo) => string;
  #idleCallers = 0;
  count = 0;

  constructor(max: number, callerOf: (user: UserInfo) => string) {
    this.#callerOf = callerOf;
    this.#max = max === 0 ? Infinity : max;
    this.#reserve = Math.ceil(max / 4);
    this.#littleMax = Math.max(1, Math.floor(this.#reserve / 8));
  }

  enter(user: UserInfo): CallerCount | undefined {
    const name = this.#callerOf(user);
    let caller = this.#callers.get(name);
    if (this.count >= this.#max) {
      const little = (caller?.count ?? 0) < this.#littleMax;
      if (!little || this.count >= this.#max + this.#reserve) return undefined;
    }
    if (caller === undefined) {
      caller = { count: 0 };
      this.#callers.set(name, caller);
    } else if (caller.count === 0) this.#idleCallers -= 1;
    caller.count += 1;
    this.count += 1;
    return caller;
  }

  leave(caller: CallerCount): void {
    this.count -= 1;
    caller.count -= 1;
    if (caller.count > 0) return;
    this.#idleCallers += 1;
    if (this.#idleCallers > idleCallersMax) this.#forgetIdle();
  }

  #forgetIdle(): void {
    for (const [name, { count }] of this.#callers) if (count === 0) this.#callers.delete(name);
    this.#idleCallers = 0;
  }
}

export class CountedSeat implements Seat {
  readonly #kind: Kind;
  readonly #isHealthCheck: boolean;
  #caller: CallerCount | undefined;

  constructor(kind: Kind, isHealthCheck: boolean) {
    this.#kind = kind;
    this.#isHealthCheck = isHealthCheck;
  }

  get refusal(): DocumentAnswer {
    return refusal;
  }

  enter({ user }: Pick<Attributes, 'user'>, _?: SeatRequest, impersonates = false): boolean {
    if (this.#caller !== undefined || (this.#isHealthCheck && !impersonates)) return true;
    if (user.groups.includes(wellKnownGroups.masters)) return true;
    this.#caller = this.#kind.enter(user);
    return this.#caller !== undefined;
  }

  begun(): void {
    // It is counted while it is open.
  }

  waits(): void {
    // There are many seats, and few for one caller.
  }

  leave(): void {
    const caller = this.#caller;
    if (caller === undefined) return;
    this.#caller = undefined;
    this.#kind.leave(caller);
  }
}
