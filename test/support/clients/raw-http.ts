/**
 * A client on a bare socket whose response parser takes one byte at a time and accepts nothing but
 * exact framing: what a lenient client would forgive is an error here.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case; values as Latin-1, one character per byte. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

type State = 'head' | 'fixed' | 'size' | 'data' | 'data-end' | 'last-end' | 'broken';

export class RawConnection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  /** Set when the bytes received are not HTTP. */
  broken: string | undefined;
  /** Milliseconds between two reads; 0 reads at full speed. */
  readPauseMs = 0;
  receivedBytes = 0;
  readonly #headOnly: boolean[] = [];
  #state: State = 'head';
  #line = '';
  #head: { status: number; headers: [string, string][] } | undefined;
  #body = Buffer.alloc(1024);
  #bodyLength = 0;
  #left = 0;
  readonly #responses: RawResponse[] = [];
  #wake: (() => void)[] = [];
  #isClosed = false;

  /** `secure`: over TLS, whoever's certificate it is. */
  constructor(port: number, host = '127.0.0.1', secure = false) {
    const to = { port, host, noDelay: true };
    this.socket = secure ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.#isClosed = true;
        this.#notify();
        resolve();
      });
    });
    this.socket.on('data', (bytes) => {
      this.receivedBytes += bytes.byteLength;
      for (const byte of bytes) this.#feed(byte);
      this.#notify();
      if (this.readPauseMs === 0) return;
      this.socket.pause();
      setTimeout(() => this.socket.resume(), this.readPauseMs);
    });
  }

  /** Latin-1: one byte per character. */
  write(text: string | Uint8Array): void {
    if (typeof text === 'string') this.socket.write(text, 'latin1');
    else this.socket.write(text);
  }

  /** Sends a request without a body; Host is added. */
  request(method: string, target: string, headers = ''): void {
    this.expectResponse(method);
    this.write(`${method} ${target} HTTP/1.1\r\nHost: test\r\n${headers}\r\n`);
  }

  /** Says which method the next unanswered request has: the answer to HEAD has no body. */
  expectResponse(method: string): void {
    this.#headOnly.push(method === 'HEAD');
  }

  /** The next complete response. Rejects when the connection ends or breaks before it. */
  async response(): Promise<RawResponse> {
    await this.until(() => this.#responses.length > 0);
    return this.#responses.shift() as RawResponse;
  }

  /** The head of a response in progress. */
  async head(): Promise<{ status: number; headers: [string, string][] }> {
    await this.until(() => this.#head !== undefined);
    return this.#head as { status: number; headers: [string, string][] };
  }

  /** Body bytes of the response in progress. */
  get partialBody(): Buffer {
    return this.#body.subarray(0, this.#bodyLength);
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.broken !== undefined) throw new Error(this.broken);
      if (this.#isClosed) throw new Error('connection closed before what was waited for');
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    if (this.broken !== undefined) throw new Error(this.broken);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const each of wake) each();
  }

  #feed(byte: number): void {
    switch (this.#state) {
      case 'fixed':
      case 'data':
        this.#store(byte);
        this.#left -= 1;
        if (this.#left > 0) return;
        if (this.#state === 'fixed') this.#finish();
        else this.#state = 'data-end';
        return;
      case 'broken':
        return;
      default:
        this.#line += String.fromCharCode(byte);
        if (byte === 0x0a) this.#takeLine();
    }
  }

  #takeLine(): void {
    const line = this.#line;
    if (this.#state === 'head') {
      if (!line.endsWith('\r\n\r\n')) return;
      this.#line = '';
      this.#takeHead(line.slice(0, -4));
      return;
    }
    this.#line = '';
    if (!line.endsWith('\r\n')) this.#break(`line without CR: ${JSON.stringify(line)}`);
    else if (this.#state === 'size') this.#takeSize(line.slice(0, -2));
    else if (line !== '\r\n') this.#break(`chunk not ended by CRLF: ${JSON.stringify(line)}`);
    else if (this.#state === 'last-end') this.#finish();
    else this.#state = 'size';
  }

  #takeHead(text: string): void {
    const [first = '', ...lines] = text.split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]+$/.exec(first);
    if (status === null) return this.#break(`bad status line ${JSON.stringify(first)}`);
    const headers: [string, string][] = [];
    for (const line of lines) {
      const header = /^([A-Za-z0-9-]+): ([\t\x20-\x7e\x80-\xff]*)$/.exec(line);
      if (header === null) return this.#break(`bad header ${JSON.stringify(line)}`);
      headers.push([(header[1] as string).toLowerCase(), header[2] as string]);
    }
    this.#head = { status: Number(status[1]), headers };
    if (this.#head.status === 100) return this.#finish();
    const isHead = this.#headOnly.shift() ?? false;
    const length = headers.filter(([name]) => name === 'content-length');
    const chunked = headers.filter(([name]) => name === 'transfer-encoding');
    if (length.length + chunked.length > 1) return this.#break('two kinds of framing');
    if (isHead || this.#head.status === 204 || this.#head.status === 304) return this.#finish();
    if (chunked.length === 1) this.#state = 'size';
    else if (length.length === 1) {
      this.#left = Number(length[0]?.[1]);
      this.#state = 'fixed';
      if (this.#left === 0) this.#finish();
    } else this.#break('a response without framing');
  }

  #takeSize(text: string): void {
    if (!/^[0-9A-Fa-f]{1,8}$/.test(text)) {
      this.#break(`bad chunk size ${JSON.stringify(text)}`);
      return;
    }
    this.#left = parseInt(text, 16);
    this.#state = this.#left === 0 ? 'last-end' : 'data';
  }

  #store(byte: number): void {
    if (this.#bodyLength === this.#body.length) {
      this.#body = Buffer.concat([this.#body, Buffer.alloc(this.#body.length)]);
    }
    this.#body[this.#bodyLength] = byte;
    this.#bodyLength += 1;
  }

  #finish(): void {
    const head = this.#head as { status: number; headers: [string, string][] };
    this.#responses.push({ ...head, body: Buffer.from(this.partialBody) });
    this.#head = undefined;
    this.#bodyLength = 0;
    this.#state = 'head';
  }

  #break(why: string): void {
    this.#state = 'broken';
    this.broken = why;
  }
}

export function headerOf(
  response: { headers: readonly (readonly [string, string])[] },
  name: string,
) {
  return response.headers.filter(([each]) => each === name).map(([, value]) => value);
}
