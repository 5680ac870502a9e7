/** Streams whose answer came before their body: they end, and not before the answer is sent. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { connect, constants } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { describe, it } from 'node:test';
import { closeWhenAnswered } from '../../src/transport/node/answered-streams.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

/** What the function asks of a stream. */
class Stream extends EventEmitter {
  destroyed = false;
  closed = false;
  state = { localClose: 0 };
  readonly closedWith: number[] = [];
  close(code: number): void {
    this.closed = true;
    this.closedWith.push(code);
  }
}

async function answered(isRead = (): boolean => false) {
  const { timers, advance } = manualTime();
  const stream = new Stream();
  closeWhenAnswered(stream as unknown as ServerHttp2Stream, isRead, timers);
  stream.emit('finish');
  await new Promise<void>((resolve) => timers.nextTurn(resolve));
  return { advance, stream };
}

describe('a stream that is answered before its body', () => {
  it('is closed without an error when the end of the answer has been sent, and not before', async () => {
    const { advance, stream } = await answered();
    for (let ms = 0; ms < 5_000; ms += 10) advance(10);
    assert.deepEqual(stream.closedWith, [], 'its client takes nothing');
    stream.state.localClose = 1;
    advance(1_000);
    assert.deepEqual(stream.closedWith, [constants.NGHTTP2_NO_ERROR]);
    advance(60_000);
    assert.equal(stream.closedWith.length, 1);
  });

  it('is left alone where its body has come, or its client has gone', async () => {
    let isRead = false;
    const { advance, stream } = await answered(() => isRead);
    advance(5);
    isRead = true;
    stream.state.localClose = 1;
    advance(60_000);
    assert.deepEqual(stream.closedWith, []);
    const gone = await answered();
    gone.stream.destroyed = true;
    gone.stream.state.localClose = 1;
    gone.advance(60_000);
    assert.deepEqual(gone.stream.closedWith, []);
  });

  it('has been answered whole, a hundred times on one connection', async () => {
    const server = await startSecureServer();
    // In megabytes: the client refuses heads of answers while its own bodies hold more.
    const session = connect(server.secureUrl, { ca: server.caPem, maxSessionMemory: 500 });
    const body = Buffer.alloc(4 * 1024 * 1024, ' ');
    const post = async (): Promise<string> => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/api/v1/namespaces/default/configmaps',
        authorization: `Bearer ${tokens.admin}`,
        'content-type': 'application/json',
      });
      let text = '';
      // What is left of the body is not wanted any more.
      stream.on('error', () => undefined);
      stream.end(body);
      stream.on('data', (piece: Buffer) => (text += piece.toString()));
      await new Promise((resolve) => stream.on('close', resolve));
      return text;
    };
    const texts = await Promise.all(Array.from({ length: 100 }, post));
    session.destroy();
    await server.remove();
    for (const text of texts) {
      assert.match(text, /"code":4(?:13|29)\}\n?$/);
    }
  });
});
