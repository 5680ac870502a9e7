import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { RawConnection, headerOf } from '../support/clients/raw-http.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const mebibyte = 1024 * 1024;
/** `SLUICE_FULL_SIZE=1`: as many connections as the attack had, and the default bound. */
const full = process.env['SLUICE_FULL_SIZE'] === '1';
const bound = (full ? 256 : 4) * mebibyte;
const crowd = full ? 600 : 20;

for (const transport of ['uws', 'node'] as const) {
  describe(`bytes of bodies over ${transport}`, () => {
    let server: TestServer;
    const open: RawConnection[] = [];
    const post = (framing: string): RawConnection => {
      const connection = new RawConnection(Number(new URL(server.url).port));
      open.push(connection);
      connection.request('POST', maps, `Content-Type: application/json\r\n${framing}\r\n`);
      return connection;
    };
    const held = async (): Promise<number> => {
      const { text } = await server.request('GET', '/metrics');
      return Number(/^sluice_request_body_bytes (\d+)$/m.exec(text)?.[1]);
    };
    const large = `Content-Length: ${3 * mebibyte}`;
    const object = (name: string) => ({ metadata: { name }, data: { k: 'v' } });
    const create = (name: string) => server.request('POST', maps, { body: object(name) });

    before(async () => {
      server = await startTestServer({
        transport,
        'max-inflight-body-bytes': String(bound),
        'max-mutating-requests-inflight': '0',
      });
    });
    after(async () => {
      for (const connection of open) connection.destroy();
      await server.remove();
    });

    test('a body is reckoned by the length it states; above the bound 429', async () => {
      const all = Array.from({ length: crowd }, () => post(large));
      const fit = Math.floor(bound / (3 * mebibyte));
      let answered = 0;
      const ends = all.map(async (each) => {
        const end = await each.response().catch(() => undefined);
        answered += 1;
        return end;
      });
      while ((await held()) !== fit * 3 * mebibyte);
      while (answered < crowd - fit) await new Promise((done) => setTimeout(done, 20));
      assert.equal((await create(`small-${transport}`)).status, 201, 'small ones always fit');
      for (const each of all) each.destroy();
      const refused = (await Promise.all(ends)).filter((end) => end !== undefined);
      assert.equal(refused.length, crowd - fit);
      for (const response of refused) {
        assert.equal(response.status, 429);
        assert.deepEqual(headerOf(response, 'retry-after'), ['1']);
        assert.match(response.body.toString(), /"reason":"TooManyRequests"/);
      }
      while ((await held()) > 0);
    });

    test('a chunked body counts as it grows', async () => {
      const piece = Buffer.alloc(mebibyte, ' ');
      const grow = (connection: RawConnection): void => {
        connection.write(`${piece.length.toString(16)}\r\n`);
        connection.write(piece);
        connection.write('\r\n');
      };
      const stated = Array.from({ length: Math.floor(bound / (3 * mebibyte)) }, () => post(large));
      while ((await held()) < stated.length * 3 * mebibyte);
      const chunked = post('Transfer-Encoding: chunked');
      grow(chunked);
      grow(chunked);
      assert.equal((await chunked.response()).status, 429);
      for (const each of [...stated, chunked]) each.destroy();
      while ((await held()) > 0);
    });

    test('what was read is given back with the answer, whatever it is', async () => {
      assert.equal((await create(`kept-${transport}`)).status, 201);
      const text = 'x'.repeat(2 * mebibyte);
      for (const body of [`{${text}`, JSON.stringify({ ...object('big'), data: { text } })]) {
        const headers = { 'content-type': 'application/json' };
        const { status } = await server.request('POST', maps, { body, headers });
        assert.ok(status >= 400, String(status));
      }
      assert.equal(await held(), 0);
    });
  });
}
