/** Unanswered requests of one connection of HTTP/1.1, over node's own server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createPipeline } from '../../src/transport/node/pipeline.ts';

const shapes = {
  get: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  post: 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
};

/** What becomes of requests that are sent in one segment and answered when all have been read. */
async function send(count: number, shape: string) {
  const pipeline = createPipeline();
  const waiting: ServerResponse[] = [];
  const seen = { heads: 0, answers: 0 };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    seen.heads += 1;
    if (pipeline(req.socket, res)) waiting.push(res);
    if (seen.heads === 1) setImmediate(() => waiting.forEach((each) => each.end('x')));
  });
  server.on('clientError', (_error, socket) => void socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  const closed = once(client, 'close');
  client.on('data', (bytes: Buffer) => {
    seen.answers += bytes.toString('latin1').split('HTTP/1.1 200').length - 1;
    if (seen.answers === count) client.destroy();
  });
  client.write(shape.repeat(count));
  await closed;
  server.close();
  return seen;
}

describe('pipelined requests', () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(`up to a hundred are answered, beyond them the connection is cut: ${name}`, async () => {
      assert.deepEqual(await send(100, shape), { heads: 100, answers: 100 });
      assert.equal((await send(101, shape)).answers, 0);
    });

    // Node worked off all that the read had brought: a thousand of them in one turn.
    it(`behind those that cut their connection no more heads are read: ${name}`, async () => {
      assert.equal((await send(1_000, shape)).heads, 101);
    });
  }
});
