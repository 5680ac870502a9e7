/**
 * HTTP/1.1 clients on bare sockets, for load and for cutting: one request at a time on a connection
 * that is kept, and responses that are handed out piece by piece as they come.
 *
 * What it is not: strict (raw-http.ts is) or general: Content-Length and chunked bodies only.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** The connection ended before the answer: whether the request took effect is not known. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export interface ResponseEvents {
  head(status: number, headers: ReadonlyMap<string, string>): void;
  body(bytes: Buffer): void;
  end(): void;
}

/** Feed it what the socket gives; it tells what it finds. Any number of responses, in order. */
export class ResponseParser {
  readonly #events: ResponseEvents;
  #state: 'status' | 'header' | 'fixed' | 'size' | 'data' | 'data-end' | 'trailer' = 'status';
  #line = '';
  #left = 0;
  #status = 0;
  #headers = new Map<string, string>();

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  feed(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'fixed' || this.#state === 'data') {
        const size = Math.min(this.#left, bytes.length - at);
        this.#left -= size;
        const piece = bytes.subarray(at, at + size);
        at += size;
        const isLast = this.#left === 0;
        const wasFixed = this.#state === 'fixed';
        if (isLast) this.#state = wasFixed ? 'status' : 'data-end';
        this.#events.body(piece);
        if (isLast && wasFixed) this.#events.end();
        continue;
      }
      const newline = bytes.indexOf(10, at);
      const end = newline < 0 ? bytes.length : newline + 1;
      this.#line += bytes.toString('latin1', at, end);
      at = end;
      if (newline < 0) return;
      const line = this.#line.trimEnd();
      this.#line = '';
      this.#take(line);
    }
  }

  #take(line: string): void {
    switch (this.#state) {
      case 'status':
        if (line === '') return;
        this.#status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0);
        if (this.#status === 0) throw new Error(`not a status line: ${JSON.stringify(line)}`);
        this.#headers = new Map();
        this.#state = 'header';
        return;
      case 'header':
        if (line === '') return this.#begin();
        this.#headers.set(
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 1).trim(),
        );
        return;
      case 'size':
        this.#left = parseInt(line, 16);
        if (Number.isNaN(this.#left)) throw new Error(`no chunk size: ${JSON.stringify(line)}`);
        this.#state = this.#left === 0 ? 'trailer' : 'data';
        return;
      case 'data-end':
        if (line !== '') throw new Error(`no end of chunk: ${JSON.stringify(line)}`);
        this.#state = 'size';
        return;
      case 'trailer':
        if (line !== '') return;
        this.#state = 'status';
        this.#events.end();
        return;
      default:
        throw new Error('a body is not made of lines');
    }
  }

  #begin(): void {
    const chunked = this.#headers.get('transfer-encoding') === 'chunked';
    this.#left = Number(this.#headers.get('content-length') ?? 0);
    this.#state = chunked ? 'size' : this.#left > 0 ? 'fixed' : 'status';
    this.#events.head(this.#status, this.#headers);
    if (this.#state === 'status') this.#events.end();
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** One kept connection, made when it is needed and again after it was lost. */
export class HttpConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Rejects with ConnectionLost when the connection ends first. One request at a time. */
  request(
    method: string,
    target: string,
    body?: string | Buffer,
    contentType = 'application/json',
    accept?: string,
  ): Promise<Answer> {
    const socket = (this.#socket ??= this.#open());
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body as string);
    const content =
      body === undefined
        ? ''
        : `Content-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n`;
    const shown = accept === undefined ? '' : `Accept: ${accept}\r\n`;
    const head = `${method} ${target} HTTP/1.1\r\nHost: test\r\n${shown}${content}\r\n`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.write(bytes.length > 0 ? Buffer.concat([Buffer.from(head, 'latin1'), bytes]) : head);
    });
  }

  /** The answer's body as JSON, whatever its status. */
  async json<T>(
    method: string,
    target: string,
    body?: object,
    contentType?: string,
  ): Promise<{ status: number; value: T }> {
    const answer = await this.request(
      method,
      target,
      body === undefined ? undefined : JSON.stringify(body),
      contentType,
    );
    return { status: answer.status, value: JSON.parse(answer.body.toString()) as T };
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    let answer: { status: number; headers: ReadonlyMap<string, string> } | undefined;
    let body: Buffer[] = [];
    const parser = new ResponseParser({
      head: (status, headers) => {
        answer = { status, headers };
        body = [];
      },
      body: (bytes) => void body.push(bytes),
      end: () => {
        const waiting = this.#waiting;
        this.#waiting = undefined;
        const { status, headers } = answer as NonNullable<typeof answer>;
        if (headers.get('connection')?.toLowerCase() === 'close') this.#forget(socket);
        waiting?.resolve({ status, headers, body: Buffer.concat(body) });
      },
    });
    socket.on('data', (bytes) => parser.feed(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const isCurrent = this.#socket === socket;
      this.#forget(socket);
      if (!isCurrent) return;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.reject(new ConnectionLost('the connection ended before the answer'));
    });
    return socket;
  }

  #forget(socket: Socket): void {
    if (this.#socket === socket) this.#socket = undefined;
  }
}

/** One number of the metrics page: the sum of its series, whatever their labels. */
export async function metricOf(port: number, name: string): Promise<number> {
  const connection = new HttpConnection(port);
  const { body } = await connection.request('GET', '/metrics');
  connection.close();
  const page = body.toString();
  if (!page.includes(`# TYPE ${name} `)) throw new Error(`no metric ${name}`);
  const lines = page.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}
