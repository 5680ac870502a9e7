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
import type { HttpExchange } from '../../transport/http-exchange.ts';
import { sendStatusError } from '../status-response.ts';

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
  send(exchange: HttpExchange, query: QueryParameters): void;
}

const listPath = '/debug/actors';
const eventsPath = '/debug/actors/events';

export function createActorsDebug({ inspect, residents }: ActorsDebugging): ActorsDebug {
  let streams = 0;
  return {
    serves: (path) => path === listPath || (path === eventsPath && inspect !== undefined),
    send(exchange, query) {
      if (exchange.path === listPath || inspect === undefined) {
        sendList(exchange, query, residents);
        return;
      }
      if (streams >= streamsMax) {
        const error = newTooManyRequests('too many streams of actors', retryAfterSeconds);
        sendStatusError(exchange, error);
        return;
      }
      streams += 1;
      sendEvents(exchange, inspect, () => (streams -= 1));
    },
  };
}

function sendList(
  exchange: HttpExchange,
  query: QueryParameters,
  residents: ActorsDebugging['residents'],
): void {
  const after = numberOf(query, 'continue', 0);
  const limit = numberOf(query, 'limit', rowsMax);
  if (after === undefined || limit === undefined || limit === 0) {
    const why = 'limit and continue of /debug/actors are whole numbers, limit above 0';
    sendStatusError(exchange, newBadRequest(why));
    return;
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
  exchange.send(200, [['Content-Type', 'application/json']], encodeJson(body));
}

function numberOf(query: QueryParameters, name: string, byDefault: number): number | undefined {
  const text = queryValue(query, name) ?? '';
  if (text === '') return byDefault;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function sendEvents(
  exchange: HttpExchange,
  inspect: NonNullable<ActorsDebugging['inspect']>,
  ended: () => void,
): void {
  const headers = [
    ['Content-Type', 'text/event-stream'],
    ['Cache-Control', 'no-store'],
  ] as const;
  const stream = exchange.stream(200, headers, Buffer.from(': \n\n'));
  let isWritable = true;
  let lost = 0;
  let stop: (() => void) | undefined;
  const say = (text: string): void => {
    isWritable = stream.write(Buffer.from(text));
    if (isWritable) return;
    stream.onDrain(() => {
      isWritable = true;
      if (lost === 0) return;
      const text = `: ${lost} events were lost\n\n`;
      lost = 0;
      say(text);
    });
  };
  const end = (): void => {
    stop?.();
    if (stop !== undefined) ended();
    stop = undefined;
  };
  stop = inspect((json) => {
    if (isWritable) say(`data: ${json}\n\n`);
    else lost += 1;
  });
  exchange.onAbort(end);
}
