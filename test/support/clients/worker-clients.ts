/**
 * Connections to one particular worker of several that share a port.
 *
 * The system decides who gets a connection, so they are opened until one comes out right; the first
 * line of the metrics page says who answers.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { HttpConnection, ResponseParser } from './http-connection.ts';
import { eventually, WatchStream } from './watch-client.ts';
import type { WatchStreamOptions } from './watch-client.ts';

export interface Answerer {
  readonly worker: number;
  readonly pid: number;
}

/** A connection to a worker that is just being killed is lost, and does not count as found. */
const attemptsMax = 500;

function answererOf(page: Buffer): Answerer {
  const line = /^# worker (\d+), process (\d+)$/m.exec(page.toString());
  assert.ok(line !== null, 'a worker says who it is');
  return { worker: Number(line[1]), pid: Number(line[2]) };
}

/** Who serves this connection. */
export async function answererAt(connection: HttpConnection): Promise<Answerer> {
  return answererOf((await connection.request('GET', '/metrics')).body);
}

/** The workers that answer, by number; resolves when there are `count` of them. */
export async function workersAt(port: number, count: number): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  await eventually(`${count} workers answer`, async () => {
    const connection = new HttpConnection(port);
    const { worker, pid } = await answererAt(connection).catch(() => ({ worker: 0, pid: 0 }));
    connection.close();
    if (worker > 0) found.set(worker, pid);
    return found.size === count;
  });
  return found;
}

/** A connection that this worker serves. */
export async function connectionTo(port: number, pid: number): Promise<HttpConnection> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const connection = new HttpConnection(port);
    const found = await answererAt(connection).catch(() => undefined);
    if (found?.pid === pid) return connection;
    connection.close();
  }
  throw new Error(`no connection to process ${pid}`);
}

/** A watch that this worker serves. */
export async function watchAt(
  port: number,
  pid: number,
  target: string,
  options: WatchStreamOptions,
): Promise<WatchStream> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const found = await askedWho(socket).catch(() => undefined);
    if (found?.pid === pid) {
      return new WatchStream(port, target, { ...options, socket });
    }
    socket.destroy();
  }
  throw new Error(`no connection to process ${pid}`);
}

function askedWho(socket: Socket): Promise<Answerer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const parser = new ResponseParser({
      head: () => undefined,
      body: (bytes) => void pieces.push(bytes),
      end: () => {
        socket.removeAllListeners('data');
        resolve(answererOf(Buffer.concat(pieces)));
      },
    });
    socket.on('data', (bytes) => parser.feed(bytes));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection ended before the answer')));
    socket.write('GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n');
  });
}
