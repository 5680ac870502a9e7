/**
 * The handshakes of a listener over TLS, in a queue (handshake-queue.ts).
 *
 * Node's own listener is called when a connection's turn comes, and until the handshake is over its
 * socket is read from in its turns only, and what comes is counted (client-flight.ts).
 *
 * Invariant: a handshake that is over has given its place back, whatever becomes of its connection.
 *
 * Elsewhere: the check of certificates (authentication/peer-verifier.ts).
 */
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { networkOf } from '../../stdx/network-of.ts';
import { boundFlight } from './client-flight.ts';
import type { ClientFlight } from './client-flight.ts';
import { createHandshakeQueue } from './handshake-queue.ts';
import type { HandshakeConnection } from './handshake-queue.ts';
import { leaveUnread } from './peer-certificate.ts';
import { setReading } from './reading.ts';
import type { ReadTurns } from './read-turns.ts';

export interface HandshakeOptions {
  /** For those that wait to begin. */
  readonly timeoutMs: number;
  /** What a client may send behind its hello; from `libraryBytesMax` on it is not counted. */
  readonly certificateBytesMax: number;
  /** Of the listener: for its connections when their handshakes are over. */
  readonly readTurns: ReadTurns;
  /** It has sent more, and is cut. */
  readonly onTooLong?: ((address: string) => void) | undefined;
  /** Its handshake is over, and what was to serve it has failed. It is cut. */
  readonly onUnserved?: ((error: unknown) => void) | undefined;
}

/** The library of TLS takes no more of a client's certificates. */
const libraryBytesMax = 100 * 1024;

export function queueHandshakes(
  server: HttpsServer,
  options: HandshakeOptions,
  clock: Clock,
  timers: Timers,
): void {
  const line = createHandshakeQueue(clock, timers);
  const waiting = new Map<string, Waiting>();
  const { timeoutMs } = options;
  const begin = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (raw: Socket) => {
    const name = nameOf(raw);
    const slow = timers.after(timeoutMs, () => raw.destroy());
    const connection = connectionOf(raw, options, () => {
      slow.cancel();
      for (const listener of begin) listener.call(server, raw);
    });
    connection.read(false);
    const onClose = (): void => {
      slow.cancel();
      connection.close();
      over(name, connection.unverified);
    };
    raw.on('close', onClose);
    waiting.set(name, { connection, done: () => raw.off('close', onClose) });
    line.add(connection);
  });
  /** `verified`: or there was nothing to be verified. */
  const over = (name: string, verified: boolean): void => {
    const member = waiting.get(name);
    if (member === undefined) return;
    waiting.delete(name);
    line.over(member.connection, verified);
  };
  const serve = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    const member = waiting.get(nameOf(socket));
    const verified = isVerified(socket);
    if (!verified && (member?.connection.bytesRead ?? 0) > chainBytesMax) leaveUnread(socket);
    over(nameOf(socket), verified);
    member?.done();
    // The library of TLS, which calls, loses what is thrown.
    try {
      for (const listener of serve) listener.call(server, socket);
    } catch (error) {
      socket.destroy();
      options.onUnserved?.(error);
    }
  });
  server.on('tlsClientError', (_error: Error, socket: TLSSocket) => {
    const name = nameOf(socket);
    over(name, waiting.get(name)?.connection.unverified === true);
  });
}

/** The certificate of the server alone takes more; an alert, or the wish for another hello, less.
 */
const answerBytesMin = 256;

/** Of a handshake: a longer chain that nobody has signed is not even read. */
const chainBytesMax = 16 * 1024;

/** Of the connection, while it is there. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Or there is nothing to be verified. */
function isVerified(socket: TLSSocket): boolean {
  // The leaf alone: reading what came with it takes a millisecond each.
  return socket.authorized || Object.keys(socket.getPeerCertificate(false)).length === 0;
}

interface ServerConnection extends HandshakeConnection {
  /** No certificate has been looked at: it was not asked for one, however long its hello is, or
   * what it sent was too long. */
  readonly unverified: boolean;
  /** The client has gone. */
  close(): void;
}

interface Waiting {
  readonly connection: ServerConnection;
  /** The handshake is done: what belongs to it is let go of. */
  done(): void;
}

function connectionOf(
  raw: Socket,
  { certificateBytesMax, onTooLong: onCut, readTurns }: HandshakeOptions,
  begin: () => void,
): ServerConnection {
  const { remoteAddress = '' } = raw;
  const bytesMax = certificateBytesMax < libraryBytesMax ? certificateBytesMax : Infinity;
  const isAnswered = (): boolean => raw.bytesWritten >= answerBytesMin;
  let flight: ClientFlight | undefined;
  const connection: ServerConnection = {
    address: networkOf(remoteAddress),
    begin() {
      const onTooLong = (): void => {
        raw.destroy();
        onCut?.(remoteAddress);
      };
      flight = boundFlight(raw, begin, { bytesMax, isAnswered, onTooLong }, readTurns);
      // Node takes it for one that is being read from.
      connection.read(true);
    },
    read(reading) {
      if (!raw.destroyed) setReading(raw, reading);
    },
    get bytesRead() {
      return raw.bytesRead;
    },
    get gone() {
      return raw.destroyed;
    },
    close: () => flight?.gone(),
    get helloBytes() {
      return flight?.helloBytes ?? 0;
    },
    get unverified() {
      return !isAnswered() || flight?.refused === true;
    },
  };
  return connection;
}
