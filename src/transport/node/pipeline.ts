/**
 * Requests of one connection of HTTP/1.1 that have come and are not answered yet. Node answers
 * them in order, and reads on meanwhile.
 *
 * Bound: `pipelinedMax`. Policy: the connection is cut; clients of this API send one at a time.
 * Node's parser works off all that a read brought, a thousand requests, also when their connection
 * has been destroyed by the first of them: so it is stopped at the next head. The other pauses that
 * it knows take effect behind the read. What stops it is not documented: where a version of Node
 * lacks it, the rest is worked off.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** When a client goes, node closes each of them in the same turn. */
const pipelinedMax = 100;

/** Of node: whom its parser tells of a head, and what that answers: below zero, the parser fails
 * there. */
interface WithParser {
  readonly parser?: { onIncoming?: () => number } | null;
}

/** Counts an unanswered request; false: there are too many, and its connection is cut. */
export type Pipeline = (socket: Socket, res: ServerResponse) => boolean;

export function createPipeline(): Pipeline {
  const unanswered = new WeakMap<Socket, number>();
  const answered = function (this: ServerResponse): void {
    const { socket } = this.req;
    unanswered.set(socket, (unanswered.get(socket) as number) - 1);
  };
  return (socket, res) => {
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > pipelinedMax || socket.destroyed) {
      cut(socket);
      return false;
    }
    unanswered.set(socket, count);
    res.on('close', answered);
    return true;
  };
}

function cut(socket: Socket): void {
  const { parser } = socket as WithParser;
  if (parser) parser.onIncoming = stopParser;
  socket.destroy();
}

function stopParser(): number {
  return -1;
}
