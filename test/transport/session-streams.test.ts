/** Streams of HTTP/2 that have ended: nothing of them is kept by what node knew them by. */
import assert from 'node:assert/strict';
import { connect, createServer } from 'node:http2';
import type { ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { NumberTable } from '../../src/stdx/number-table.ts';
import { letStreamsGo } from '../../src/transport/node/session-streams.ts';

/** Those that node has of a session. */
function streamsOf(session: ServerHttp2Session): unknown {
  const states = session as unknown as Record<symbol, { streams?: unknown } | null | undefined>;
  const symbols = Object.getOwnPropertySymbols(session);
  return symbols.map((symbol) => states[symbol]?.streams).find((each) => each !== undefined);
}

it('node keeps the streams of a session in a table that lets go of them, and serves as before', async () => {
  const server = createServer();
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    letStreamsGo(session);
    sessions.push(session);
  });
  let ended = 0;
  server.on('stream', (stream) => {
    stream.on('error', () => undefined).on('close', () => (ended += 1));
    if (ended % 3 !== 2) stream.respond();
    stream.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const ask = async (): Promise<void> => {
    const stream = client.request();
    stream.on('error', () => undefined).resume();
    await new Promise((resolve) => stream.on('close', resolve));
  };
  for (let wave = 0; wave < 5; wave += 1) await Promise.all(Array.from({ length: 40 }, ask));
  const [session] = sessions;
  assert.ok(session !== undefined);
  const streams = streamsOf(session);
  assert.ok(streams instanceof NumberTable);
  while (ended < 200) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(streams.size, 0);
  // A session that is closed waits for its streams, and ends with them.
  const last = client.request({}, { endStream: false });
  await new Promise((resolve) => last.on('response', resolve));
  assert.equal(streams.size, 1);
  const closed = new Promise((resolve) => session.on('close', resolve));
  client.destroy();
  await closed;
  assert.equal(streams.size, 0);
  server.close();
});
