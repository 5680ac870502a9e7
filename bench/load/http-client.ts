/**
 * A keep-alive HTTP/1.1 client for load: one request at a time per connection, no pipelining,
 * answers with a Content-Length, read into one buffer that all connections share.
 *
 * What it is not: general. For everything else there is fetchText (node:http).
 */
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';

const READ_BUFFER_BYTES = 64 * 1024;
/** Connections read one after the other, and keep nothing of the buffer. */
const shared = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);

/** Instead of a status: the server has closed the connection. It does so to one that was idle for
 * ten seconds, so connections are made when they are needed. */
const NO_ANSWER = 0;

export type OnAnswer = (status: number) => void;

export interface ClientConnection {
  /** Not before the answer to the request ahead. */
  send(request: Buffer, onAnswer: OnAnswer): void;
  close(): void;
}

function connect(port: number, secure: boolean): Promise<ClientConnection> {
  return new Promise((resolve, reject) => {
    let onAnswer: OnAnswer | undefined;
    let status = 0;
    /** Bytes of the body still to come; -1 while the head has not been read. */
    let rest = -1;
    let closed = false;
    let head = '';

    const take = (nread: number): void => {
      let bodyAt = 0;
      if (rest < 0) {
        head += shared.toString('latin1', 0, Math.min(nread, 1024));
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        status = Number(head.slice(9, 12));
        const length = /content-length: *(\d+)/i.exec(head)?.[1];
        if (length === undefined) throw new Error(`an answer without a length: ${head}`);
        rest = Number(length);
        // Whole heads come in the first read of an answer, so the buffer begins with it.
        bodyAt = end + 4;
        head = '';
      }
      rest -= nread - bodyAt;
      if (rest > 0) return;
      rest = -1;
      const answered = onAnswer;
      onAnswer = undefined;
      answered?.(status);
    };

    const to = {
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (nread: number) => {
          take(nread);
          return true;
        },
      },
    };
    const socket = secure ? tls.connect({ ...to, rejectUnauthorized: false }) : net.connect(to);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      resolve({
        send(request, callback) {
          if (socket.destroyed) return callback(NO_ANSWER);
          onAnswer = callback;
          socket.write(request);
        },
        close() {
          closed = true;
          socket.destroy();
        },
      });
    });
    socket.on('error', (error) => (closed ? undefined : reject(error)));
    socket.on('close', () => {
      if (!closed) onAnswer?.(NO_ANSWER);
    });
  });
}

/** `secure`: over TLS; whose certificate the server has is not what is measured. */
export function connectMany(
  port: number,
  count: number,
  secure = false,
): Promise<ClientConnection[]> {
  return Promise.all(Array.from({ length: count }, () => connect(port, secure)));
}

export interface Driven {
  readonly requests: number;
  /** Requests by status of the answer. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Each connection sends its next request when the last one was answered, until `count` in all, or
 * until this time has passed; what is under way then is waited for. */
export function drive(
  connections: readonly ClientConnection[],
  count: number,
  requestOf: (index: number) => Buffer,
  forMs = Infinity,
): Promise<Driven> {
  const until = performance.now() + forMs;
  const statuses: Record<string, number> = {};
  let sent = 0;
  let answered = 0;
  return new Promise((resolve) => {
    const next = (connection: ClientConnection): void => {
      if (sent === count || (answered > 0 && performance.now() >= until)) return;
      const index = sent;
      sent += 1;
      connection.send(requestOf(index), (status) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        answered += 1;
        next(connection);
        if (answered === sent) resolve({ requests: answered, statuses });
      });
    };
    for (const connection of connections) next(connection);
  });
}

/** For preparation, not for load. */
export function fetchBytes(
  port: number,
  method: string,
  path: string,
  body?: Uint8Array | string,
  accept = 'application/json',
): Promise<{ readonly status: number; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          accept,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
