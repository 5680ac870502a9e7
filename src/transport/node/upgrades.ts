/**
 * Requests over HTTP/1.1 that ask for another protocol. For them node takes its parser off the
 * connection before anybody is asked. Each is answered as any other request, and its connection
 * ends with the answer; one that asks for WebSocket may be answered with messages instead.
 *
 *     asks for another protocol, no body ─▶ a request; HTTP is spoken, or WebSocket (granted),
 *                                             or what another server speaks (bytes)
 *                                  body  ─▶ read anew, as a request that asks for nothing
 *
 * One that comes before the answer to the request ahead of it ends the connection. What comes
 * behind one that is answered in HTTP is dropped: its sender was told that the connection ends.
 */
import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { MessageFraming } from '../http-exchange.ts';
import type { Header } from '../http-exchange.ts';
import { safeHeaderValue, utf8AsLatin1 } from '../header-rules.ts';
import { acceptedKey } from './message-socket.ts';
import type { HttpServerOfNode } from './servers.ts';

/** What a connection may become, until its request is answered. */
export interface Upgradable {
  /** The connection itself, on which WebSocket has been granted, with the headers that the answer
   * has by now. Undefined: it could not be. */
  webSocket(framing: MessageFraming): Socket | undefined;
  /** The connection itself, on which 101 and these headers have been said. Paused. */
  bytes(headers: readonly Header[]): Socket;
}

const upgradable = new WeakMap<object, Upgradable>();

export function upgradableOf(request: object): Upgradable | undefined {
  return upgradable.get(request);
}

type Connected = (this: unknown, socket: Socket) => void;

/** `connected`: node's own listener for connections, by which one is read anew. */
export function serveUpgrades(server: HttpServerOfNode, connected: Connected): void {
  server.on('upgrade', (req: IncomingMessage, socket: Socket, rest: Buffer) => {
    const res = new ServerResponse(req);
    if (!given(res, socket)) return void socket.destroy();
    if (hasBody(req)) {
      res.detachSocket(socket);
      return readAnew(server, connected, req, socket, rest);
    }
    // Not above: a connection may be read anew many times, and node listens then.
    socket.on('error', ignore);
    res.shouldKeepAlive = false;
    res.on('finish', () => {
      res.detachSocket(socket);
      socket.destroySoon();
    });
    const halfClosed = (): void => void socket.destroy();
    socket.on('end', halfClosed);
    upgradable.set(req, {
      webSocket({ protocol }) {
        socket.off('end', halfClosed);
        if (!socket.readable || !socket.writable) return undefined;
        res.detachSocket(socket);
        const chosen = protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`];
        socket.write(switching([...acceptance(req), ...linesOf(res), ...chosen]), 'latin1');
        if (rest.length > 0) socket.unshift(rest);
        return socket;
      },
      bytes(headers) {
        socket.off('end', halfClosed);
        res.detachSocket(socket);
        socket.pause();
        socket.write(switching(headers.map(lineOf)), 'latin1');
        if (rest.length > 0) socket.unshift(rest);
        return socket;
      },
    });
    server.emit('request', req, res);
    // Nobody else reads it; a client that goes is noticed so.
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') socket.resume();
  });
}

/** False: an answer ahead of it is on its way, behind which nobody would read any more. */
function given(res: ServerResponse, socket: Socket): boolean {
  try {
    res.assignSocket(socket);
    return true;
  } catch {
    return false;
  }
}

function switching(lines: readonly string[]): string {
  return ['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n');
}

function lineOf([name, value]: Header): string {
  return `${name}: ${utf8AsLatin1(safeHeaderValue(value))}`;
}

function acceptance({ headers }: IncomingMessage): readonly string[] {
  const key = acceptedKey(headers['sec-websocket-key'] ?? '');
  return ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${key}`];
}

/** Of the answer's own. */
function linesOf(res: ServerResponse): readonly string[] {
  return Object.entries(res.getHeaders()).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [String(value)]).map((each) => `${name}: ${each}`),
  );
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** What a connection is asked to become, and what belongs to that. */
const upgradeHeaders: readonly string[] = ['upgrade', 'http2-settings'];

/** Without these, for the connection is asked for more: to be closed, or kept. */
function connectionOptions(value: string): string {
  const options = value.split(',').map((option) => option.trim());
  return options.filter((option) => !upgradeHeaders.includes(option.toLowerCase())).join(', ');
}

/** The same head without what it asks for, and what has come behind it. */
function readAnew(
  server: HttpServerOfNode,
  connected: Connected,
  req: IncomingMessage,
  socket: Socket,
  rest: Buffer,
): void {
  const { httpVersion, method, rawHeaders, url } = req;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const value = rawHeaders[at + 1] as string;
    const known = name.toLowerCase();
    if (upgradeHeaders.includes(known)) continue;
    lines.push(`${name}: ${known === 'connection' ? connectionOptions(value) : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]));
  connected.call(server, socket);
}

function ignore(): void {
  // The 'close' event that follows says all there is to know.
}
