/**
 * A program on an address of this machine that is not loopback, where callers may be led: it says
 * byte for byte what the test gives, which no library would say.
 */
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import tls from 'node:tls';
import { isReachable } from '../../../src/apimachinery/reachable-address.ts';
import { tlsServerOptions } from '../data/tls-pair.ts';

/** Undefined: this machine has none. */
export const reachableAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .map((each) => each.address)
  .find((each) => isReachable(each) && !each.includes(':'));

export interface RawProgram {
  readonly port: number;
  /** Heads of requests, as they came. */
  readonly heads: string[];
  /** Connections that are open. */
  readonly open: ReadonlySet<Socket>;
  close(): void;
}

/** `answer` has the connection when the head of a request is there. */
export async function startRawProgram(
  answer: (socket: Socket, head: string) => void,
  { host, secure = false }: { readonly host: string; readonly secure?: boolean },
): Promise<RawProgram> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  const serve = (socket: Socket): void => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    let seen = '';
    socket.on('data', (bytes: Buffer) => {
      seen += bytes.toString('latin1');
      const end = seen.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = seen.slice(0, end);
      seen = '';
      heads.push(head);
      answer(socket, head);
    });
  };
  const server = secure ? tls.createServer(tlsServerOptions, serve) : net.createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heads,
    open,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
