/** Bodies in the clear in tiny chunks: who sends thousands in one read is cut within it. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { it } from 'node:test';
import { systemTimers } from '../../src/stdx/clock.ts';
import { bodyTurnLimits } from '../../src/transport/body-turns.ts';
import { createChunkTurns } from '../../src/transport/node/chunk-turns.ts';

const head = 'POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n';

it('thousands of chunks of one byte in one read end their connection, and others are served', async () => {
  const server = createServer((req, res) => {
    let bytes = 0;
    req.on('error', () => undefined);
    req.on('data', (piece: Buffer) => (bytes += piece.length));
    req.on('end', () => res.end(String(bytes)));
  });
  const countChunks = createChunkTurns(systemTimers);
  let pieces = 0;
  server.on('connection', (socket: Socket) => {
    countChunks(socket, { read: () => (pieces += 1) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = (body: string): Promise<string> =>
    new Promise((resolve) => {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port }, () => void socket.write(head + body));
      socket.on('error', () => undefined).on('close', () => resolve(text));
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString();
        socket.end();
      });
    });
  const { smallPiecesPerBody, smallPiecesPerTurn } = bodyTurnLimits;
  const few = `${'1\r\na\r\n'.repeat(smallPiecesPerBody)}0\r\n\r\n`;
  assert.match(await send(few), /\r\n\r\n512$/);
  assert.equal(pieces, smallPiecesPerBody);
  const many = '1\r\na\r\n'.repeat(4 * smallPiecesPerTurn);
  const floods = Array.from({ length: 4 }, () => send(many));
  for (const text of await Promise.all(floods)) assert.equal(text, '');
  // Their parsers are used again.
  for (let again = 0; again < 8; again += 1) assert.match(await send(few), /\r\n\r\n512$/);
  server.close();
});
