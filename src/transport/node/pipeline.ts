/**
 * Requests of one connection of HTTP/1.1 that have come and are not answered yet. Node answers
 * them in order, and reads on meanwhile.
 *
 * Node closes with its connection the answer whose turn it is. Those behind it, which nobody will
 * take either, are closed here, for what is done or held for them has to end: Node 20 does not, and
 * newer ones tell them a second time.
 * When the client has ended its side node ends its own, and what has not been answered by then
 * cannot be. So the connection is closed then, and not when the other side has taken what there
 * is: it may never do so, and over TLS node does not always notice that it has gone.
 *
 * Bound: `pipelinedMax`. Policy: the connection is cut; clients of this API send one at a time.
 * Node's parser works off all that a read brought, a thousand requests, also when their connection
 * has been destroyed by the first of them: so it is stopped at the next head. The other pauses that
 * it knows take effect behind the read. What stops it is not documented: where a version of Node
 * lacks it, the rest is worked off.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** When a client goes, each of them is closed in the same turn. */
const pipelinedMax = 100;

/** Of node: whom its parser tells of a head, and what that answers: below zero, the parser fails
 * there. */
interface WithParser {
  readonly parser?: { onIncoming?: () => number } | null;
}

/** Counts an unanswered request; false: there are too many, and its connection is cut. */
export type Pipeline = (socket: Socket, res: ServerResponse) => boolean;

export function createPipeline(): Pipeline {
  const unanswered = new WeakMap<Socket, ServerResponse[]>();
  const answered = function (this: ServerResponse): void {
    const ofSocket = unanswered.get(this.req.socket) as ServerResponse[];
    const at = ofSocket.indexOf(this);
    if (at >= 0) ofSocket.splice(at, 1);
  };
  const closed = function (this: Socket): void {
    // Who is told takes himself out.
    const others = unanswered.get(this)?.filter(({ socket }) => socket === null) ?? [];
    for (const res of others) res.emit('close');
  };
  const ended = function (this: Socket): void {
    if (unanswered.get(this)?.[0]?.writableEnded === false) this.destroy();
    else closed.call(this);
  };
  return (socket, res) => {
    let ofSocket = unanswered.get(socket);
    if (ofSocket === undefined) {
      unanswered.set(socket, (ofSocket = []));
      socket.on('close', closed).on('end', ended);
    }
    if (ofSocket.length >= pipelinedMax || socket.destroyed) {
      cut(socket);
      return false;
    }
    ofSocket.push(res);
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
