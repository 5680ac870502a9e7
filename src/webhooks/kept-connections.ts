/**
 * How many connections an agent keeps for later, to whomever they are. Node bounds only those to
 * one server.
 */
import type http from 'node:http';
import type { Duplex } from 'node:stream';

/** What node asks when a connection could be kept, and says when one is used again: documented,
 * and missing in its types. */
interface Keeping {
  keepSocketAlive(socket: Duplex): unknown;
  reuseSocket(socket: Duplex, request: http.ClientRequest): void;
}

export function keepAtMost(agent: http.Agent, max: number): void {
  const keeping = agent as unknown as Keeping;
  const keep = keeping.keepSocketAlive.bind(agent);
  const reuse = keeping.reuseSocket.bind(agent);
  const kept = new Set<Duplex>();
  /** Those that say when they are over. */
  const known = new WeakSet<Duplex>();
  keeping.keepSocketAlive = (socket) => {
    if (kept.size >= max || keep(socket) === false) return false;
    kept.add(socket);
    if (!known.has(socket)) socket.once('close', () => kept.delete(socket));
    known.add(socket);
    return true;
  };
  keeping.reuseSocket = (socket, request) => {
    kept.delete(socket);
    reuse(socket, request);
  };
}
