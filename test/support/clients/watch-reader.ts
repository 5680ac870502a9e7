/**
 * Reads a watch: one event at a time, in the order they came, from a chunked HTTP response.
 *
 * What it is not: tolerant. A line that is not one JSON document, or bytes after the last line
 * break, fail the reader.
 */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

export interface ReadEvent {
  readonly type: string;
  readonly object: WatchedObject;
}

export interface WatchedObject extends JsonObject {
  readonly metadata: JsonObject & { readonly name?: string; readonly resourceVersion?: string };
}

export interface WatchReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next event, or undefined when the server has ended the watch. */
  next(): Promise<ReadEvent | undefined>;
  /** Exactly this many events. */
  take(count: number): Promise<ReadEvent[]>;
  /** Everything up to the end. */
  rest(): Promise<ReadEvent[]>;
  /** The whole body as text, for an answer that is no stream. */
  text(): Promise<string>;
  close(): void;
}

/** A guard against waiting for ever, not a promise about time. */
const patienceMs = 120_000;

export function readWatch(response: IncomingMessage): WatchReader {
  const lines = linesOf(response);
  const next = async (): Promise<ReadEvent | undefined> => {
    const read = await patiently(lines.next(), response);
    if (read.done === true) return undefined;
    return JSON.parse(read.value) as ReadEvent;
  };
  const rest = async (): Promise<ReadEvent[]> => {
    const events: ReadEvent[] = [];
    for (let event = await next(); event !== undefined; event = await next()) events.push(event);
    return events;
  };
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    rest,
    async take(count) {
      const events: ReadEvent[] = [];
      while (events.length < count) {
        const event = await next();
        assert(event !== undefined, `the watch ended after ${events.length} of ${count} events`);
        events.push(event);
      }
      return events;
    },
    async text() {
      const all: string[] = [];
      for await (const line of lines) all.push(line);
      return all.join('\n');
    },
    close: () => response.destroy(),
  };
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void, undefined> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (response.statusCode !== 200) {
    if (rest !== '') yield rest;
    return;
  }
  assert.equal(rest.trim(), '', 'a watch ends behind a line break');
}

function patiently<T>(work: Promise<T>, response: IncomingMessage): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no event within ${patienceMs} ms`));
      response.destroy();
    }, patienceMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
