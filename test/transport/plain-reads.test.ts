/** What comes in the clear is counted read by read, also what is no request. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { it } from 'node:test';
import { createPlainReads } from '../../src/transport/node/plain-reads.ts';

it('empty lines between requests are counted, and the request behind them is served', async () => {
  const server = createServer((req, res) => {
    req.resume().on('end', () => res.end('served'));
  });
  const countReads = createPlainReads();
  let texts = 0;
  server.on('connection', (socket: Socket) => {
    countReads(socket, { read: (more) => (texts += more) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const request = `GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n`;
  const sent = '\r\n'.repeat(512 * 1024) + request;
  const said = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port }, () => void socket.write(sent));
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
  assert.match(said, /served/);
  assert.equal(Math.floor(texts), 1024);
  server.close();
});
