/** Unanswered requests of one connection of HTTP/1.1, over node's own server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as setImmediateOnce } from 'node:timers/promises';
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

  const opened = async (onRequest: (no: number, res: ServerResponse) => void) => {
    const pipeline = createPipeline();
    // Newer releases of node tell it those behind as well, a second time.
    const closed = new Set<number>();
    let heads = 0;
    const server = createServer((req: IncomingMessage, res: ServerResponse) => {
      const no = (heads += 1);
      assert(pipeline(req.socket, res));
      res.on('close', () => closed.add(no));
      onRequest(no, res);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    const closing = async (count: number): Promise<readonly number[]> => {
      while (closed.size < count) await setImmediateOnce();
      server.close();
      client.destroy();
      return [...closed].sort((a, b) => a - b);
    };
    return { client, closing };
  };

  it('all of a client that goes are closed, whichever is being answered', async () => {
    let first: ServerResponse | undefined;
    const { client, closing } = await opened((no, res) => {
      if (no === 1) first = res;
      if (no === 2) res.end('x');
      if (no < 5) return;
      // Behind the first the second has ended, and the third is on its way.
      setImmediate(() => first?.end('x'));
      setTimeout(() => client.resetAndDestroy(), 20);
    });
    client.write(shapes.get.repeat(5));
    assert.deepEqual(await closing(5), [1, 2, 3, 4, 5]);
  });

  for (const [what, first] of [
    ['has not ended', (res: ServerResponse) => void res.write('x'.repeat(10_000_000))],
    ['is not taken', (res: ServerResponse) => void res.end('x'.repeat(10_000_000))],
  ] as const) {
    it(`behind an answer that ${what} nothing is answered when the client has ended`, async () => {
      const responses: ServerResponse[] = [];
      const { client, closing } = await opened((no, res) => {
        responses.push(res);
        if (no < 2) return;
        // Node reads no further where a request comes behind an answer that is not taken.
        first(responses[0] as ServerResponse);
        client.end();
      });
      client.pause();
      client.write(shapes.get.repeat(2));
      const isOver = what === 'has not ended';
      assert.deepEqual(await closing(isOver ? 2 : 1), isOver ? [1, 2] : [2]);
    });
  }
});
