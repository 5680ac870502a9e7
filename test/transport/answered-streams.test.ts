/** Streams whose answer came before their body: the answer is whole. */
import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { describe, it } from 'node:test';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';

describe('a stream that is answered before its body', () => {
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
