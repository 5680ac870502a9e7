/** The watches of the bench: one that its server ends is a failure at once, not a wait. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { it } from 'node:test';
import { openWatchers } from '../../bench/load/watchers.ts';

/** Of each watch: what it is answered with. */
async function serverOf(answer: (res: ServerResponse) => void) {
  const server = createServer((_, res) => answer(res));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, sockets, port: (server.address() as AddressInfo).port };
}

it('bench: who waits for events is told that the server has ended a watch whose connection stays', async () => {
  const answers: ServerResponse[] = [];
  const { port, server, sockets } = await serverOf((res) => {
    answers.push(res);
    res.write('{}\n');
  });
  const watchers = await openWatchers({ port, path: '/w', count: 3 });
  const reached = watchers.reached(9);
  answers[1]?.end();
  await assert.rejects(reached, /the server ended a watch of \/w/);
  while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  server.close();
});

it('bench: a watch whose connection is closed before its answer is no audience', async () => {
  const { port, server } = await serverOf((res) => res.destroy());
  await assert.rejects(
    openWatchers({ port, path: '/w', count: 3 }),
    /ended before its answer|RESET/,
  );
  server.close();
});
