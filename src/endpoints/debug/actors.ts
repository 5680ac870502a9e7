/**
 * What the actors of this server are doing, for its operators: `GET /debug/actors` lists those in
 * memory, `GET /debug/actors/events` (where --inspect-actors is on) streams what happens to them as
 * server-sent events. Both are non-resource URLs: whoever may `get` them may see names and states
 * of all objects, and nothing of what is in them.
 *
 * Bounds: `rowsMax` rows in an answer, which says where to go on; `streamsMax` streams, which
 * lose events while their readers are slow, and say how many.
 */
import { encodeJson } from '../../apimachinery/codecs/json.ts';
import { queryValue } from '../../apimachinery/query.ts';
import type { QueryParameters } from '../../apimachinery/query.ts';
import { newBadRequest, newTooManyRequests } from '../../apimachinery/status-error.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { HttpExchange, ResponseStream } from '../../transport/http-exchange.ts';
import { documentAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';

const rowsMax = 500;
const streamsMax = 4;
const retryAfterSeconds = 5;

/** Those in memory, in the order in which they came; `sequence` grows and is never used again. */
export interface ActorRow {
  readonly sequence: number;
  readonly row: JsonObject;
}

export interface ActorsDebugging {
  readonly residents: (after: number) => Iterable<ActorRow>;
  /** Undefined: nobody may inspect. Calls back with JSON texts until the result is called. */
  readonly inspect: ((write: (json: string) => void) => () => void) | undefined;
}

export interface ActorsDebug {
  /** Whether the path is one of these. */
  serves(path: string): boolean;
  answer(exchange: HttpExchange, query: QueryParameters): Answer;
}

const listPath = '/debug/actors';
const eventsPath = '/debug/actors/events';

export function createActorsDebug({ inspect, residents }: ActorsDebugging): ActorsDebug {
  let streams = 0;
  return {
    serves: (path) => path === listPath || (path === eventsPath && inspect !== undefined),
    answer(exchange, query) {
      if (exchange.path === listPath || inspect === undefined) return listOf(query, residents);
      if (streams >= streamsMax) {
        return newTooManyRequests('too many streams of actors', retryAfterSeconds);
      }
      streams += 1;
      return eventsFor(exchange, inspect, () => (streams -= 1));
    },
  };
}

function listOf(query: QueryParameters, residents: ActorsDebugging['residents']): Answer {
  const after = numberOf(query, 'continue', 0);
  const limit = numberOf(query, 'limit', rowsMax);
  if (after === undefined || limit === undefined || limit === 0) {
    const why = 'limit and continue of /debug/actors are whole numbers, limit above 0';
    return newBadRequest(why);
  }
  const items: JsonObject[] = [];
  let last = 0;
  let more = false;
  for (const { row, sequence } of residents(after)) {
    more = items.length === Math.min(limit, rowsMax);
    if (more) break;
    items.push(row);
    last = sequence;
  }
  const body: JsonObject = more ? { items, continue: String(last) } : { items };
  return documentAnswer(200, [['Content-Type', 'application/json']], encodeJson(body));
}

function numberOf(query: QueryParameters, name: string, byDefault: number): number | undefined {
  const text = queryValue(query, name) ?? '';
  if (text === '') return byDefault;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** `ended`: the stream is over. */
function eventsFor(
  exchange: HttpExchange,
  inspect: NonNullable<ActorsDebugging['inspect']>,
  ended: () => void,
): Answer {
  return {
    kind: 'stream',
    headers: [
      ['Content-Type', 'text/event-stream'],
      ['Cache-Control', 'no-store'],
    ],
    preamble: Buffer.from(': \n\n'),
    begin: (stream) => {
      const stop = inspect(eventWriter(stream));
      exchange.onAbort(() => {
        stop();
        ended();
      });
    },
  };
}

/** Drops events while the stream is backed up, and then says how many. */
function eventWriter(stream: ResponseStream): (json: string) => void {
  let isWritable = true;
  let lost = 0;
  const write = (text: string): void => {
    isWritable = stream.write(Buffer.from(text));
    if (!isWritable) stream.onDrain(drained);
  };
  const drained = (): void => {
    isWritable = true;
    if (lost === 0) return;
    const text = `: ${lost} events were lost\n\n`;
    lost = 0;
    write(text);
  };
  return (json) => {
    if (isWritable) write(`data: ${json}\n\n`);
    else lost += 1;
  };
}
