/**
 * A client of HTTP/2 for load: frames written by hand, all requests of a connection the same GET.
 *
 * What it is sent is neither copied nor kept: frames are followed through one buffer that all
 * connections share, which works because each read is taken before the next. Windows are as large
 * as they may be. The first request names its headers, the others point at the first one's, as
 * clients' do.
 */
import tls from 'node:tls';
import {
  flags,
  frameHeadBytes,
  frameTypes,
  preface,
  settingIds,
  windowAtFirst,
  windowMax,
  writeFrameHead,
  writeUint32,
} from '../../src/transport/http2/protocol.ts';
import { STALL_MS } from './deliveries.ts';
import { MARK } from './objects.ts';

const READ_BUFFER_BYTES = 64 * 1024;
/** One more byte than is ever read, for the mark that ends every search. */
export const http2Buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES + 1);
const window = http2Buffer.subarray(0, READ_BUFFER_BYTES);

/** The status 200, by the static table. */
const statusOk = 0x88;
/** A server that enters nothing into the table says so ahead of its first head. */
const emptyTable = 0x20;
/** What has come of a window before it is given back. */
const WINDOW_STEP = 2 ** 30;

/** Streams are told by their number on the connection, from 0. */
export interface Http2Reader {
  /** An answer has begun, with the status 200. */
  begun(stream: number): void;
  /** Bytes of a body: http2Buffer from here to there. */
  data(stream: number, from: number, to: number): void;
  ended(stream: number): void;
  /** So many bytes were read, and all their frames told. */
  read(bytes: number): void;
  /** Nothing more is to be had. */
  lost(why: string): void;
}

export interface Http2Target {
  readonly port: number;
  readonly path: string;
  readonly token?: string | undefined;
}

function frame(type: number, flagBits: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(frameHeadBytes + payload.length);
  writeFrameHead(bytes, 0, payload.length, type, flagBits, stream);
  bytes.set(payload, frameHeadBytes);
  return bytes;
}

function numberBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeUint32(bytes, 0, value);
  return bytes;
}

const giveWindow = (bytes: number): Buffer =>
  frame(frameTypes.windowUpdate, 0, 0, numberBytes(bytes));

const opening = Buffer.concat([
  preface,
  frame(
    frameTypes.settings,
    0,
    0,
    Buffer.concat([Buffer.from([0, settingIds.initialWindowSize]), numberBytes(windowMax)]),
  ),
  giveWindow(windowMax - windowAtFirst),
]);
const settingsTaken = frame(frameTypes.settings, flags.ack, 0, new Uint8Array(0));

/** Head blocks (RFC 7541): the first enters four literals into the table, the others name them. */
function headBlocks({ path, token = 'nobody' }: Http2Target): readonly [Buffer, Buffer] {
  // By their names' numbers in the static table.
  const literals: readonly (readonly [name: number, value: string])[] = [
    [4, path],
    [1, 'bench'],
    [19, 'application/json'],
    [23, `Bearer ${token}`],
  ];
  const getOverHttps = Buffer.from([0x82, 0x87]);
  const entered = literals.map(([name, value]) => {
    const rest = value.length - 127;
    const length = rest < 0 ? [value.length] : [127, rest];
    return Buffer.concat([Buffer.from([0x40 | name, ...length]), Buffer.from(value)]);
  });
  // The newest entry of the table has the number 62.
  const named = literals.map((_, i) => 0x80 | (62 + literals.length - 1 - i));
  return [Buffer.concat([getOverHttps, ...entered]), Buffer.from([...getOverHttps, ...named])];
}

export class Http2Client {
  readonly #socket: tls.TLSSocket;
  readonly #reader: Http2Reader;
  readonly #blocks: readonly [Buffer, Buffer];
  #asked = 0;
  #isClosed = false;
  /** Of the frame that is being read. */
  readonly #head = new Uint8Array(frameHeadBytes);
  #headLength = 0;
  #rest = 0;
  #stream = 0;
  #isFirst = false;
  #untilWindow = WINDOW_STEP;

  constructor(target: Http2Target, reader: Http2Reader) {
    this.#reader = reader;
    this.#blocks = headBlocks(target);
    const to = {
      host: '127.0.0.1',
      port: target.port,
      ALPNProtocols: ['h2'],
      // Whose certificate the server has is not what is measured.
      rejectUnauthorized: false,
      onread: {
        buffer: window,
        callback: (nread: number) => {
          this.#take(nread);
          return true;
        },
      },
    };
    this.#socket = tls.connect(to);
    this.#socket.setTimeout(STALL_MS, () => this.#lose('a server is silent'));
    this.#socket.on('error', (error) => this.#lose(error.message));
    this.#socket.on('close', () => this.#lose('the server closed a connection'));
  }

  connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once('close', () => reject(new Error('a connection was refused')));
      this.#socket.once('secureConnect', () => {
        this.#socket.setNoDelay(true).write(opening);
        resolve();
      });
    });
  }

  /** From now on it may be quiet. */
  wait(): void {
    this.#socket.setTimeout(0);
  }

  /** So many requests more, in one write. */
  ask(count: number): void {
    const frames = Array.from({ length: count }, () => {
      const block = this.#blocks[this.#asked === 0 ? 0 : 1];
      const id = 2 * this.#asked + 1;
      this.#asked += 1;
      return frame(frameTypes.headers, flags.endHeaders | flags.endStream, id, block);
    });
    this.#socket.write(Buffer.concat(frames));
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #lose(why: string): void {
    if (this.#isClosed) return;
    this.close();
    this.#reader.lost(why);
  }

  #take(nread: number): void {
    http2Buffer[nread] = MARK;
    let at = 0;
    while (at < nread && !this.#isClosed) {
      while (this.#headLength < frameHeadBytes && at < nread) {
        this.#head[this.#headLength++] = http2Buffer[at++] as number;
        if (this.#headLength === frameHeadBytes) this.#begin();
      }
      if (this.#headLength < frameHeadBytes) break;
      const end = Math.min(nread, at + this.#rest);
      if (end > at) this.#piece(at, end);
      this.#rest -= end - at;
      at = end;
      if (this.#rest === 0) this.#end();
    }
    this.#untilWindow -= nread;
    if (this.#untilWindow <= 0) {
      // Framing counts with it: a little too much is given, and far less than has been used.
      this.#socket.write(giveWindow(WINDOW_STEP / 2));
      this.#untilWindow = WINDOW_STEP / 2;
    }
    this.#reader.read(nread);
  }

  #begin(): void {
    const [a = 0, b = 0, c = 0, , , d = 0, e = 0, f = 0, g = 0] = this.#head;
    this.#rest = (a << 16) | (b << 8) | c;
    this.#stream = (((d & 0x7f) << 24) | (e << 16) | (f << 8) | g) >> 1;
    this.#isFirst = true;
  }

  #piece(from: number, to: number): void {
    const type = this.#head[3];
    if (type === frameTypes.data) this.#reader.data(this.#stream, from, to);
    if (type === frameTypes.headers && this.#isFirst) {
      const first = http2Buffer[from] === emptyTable ? from + 1 : from;
      if (http2Buffer[first] === statusOk) this.#reader.begun(this.#stream);
      else this.#lose(`a request was refused: ${http2Buffer.toString('latin1', from, to)}`);
    }
    this.#isFirst = false;
  }

  #end(): void {
    this.#headLength = 0;
    const [, , , type, flagBits = 0] = this.#head;
    if (type === frameTypes.data || type === frameTypes.headers) {
      if (flagBits & flags.endStream) this.#reader.ended(this.#stream);
    } else if (type === frameTypes.settings) {
      if (!(flagBits & flags.ack)) this.#socket.write(settingsTaken);
    } else if (type === frameTypes.rstStream || type === frameTypes.goaway) {
      this.#lose(`the server has reset a stream or said GOAWAY (${type})`);
    } else if (type === frameTypes.ping) {
      this.#lose('the server asks for an answer to a PING, which this client has none for');
    }
  }
}
