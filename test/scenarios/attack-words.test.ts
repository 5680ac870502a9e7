/**
 * Words that every object of the language answers to. Wherever a client may put a word, each of
 * these is answered like a word of the same form that means nothing: same status, same body, same
 * warnings. So nothing is looked up through a prototype.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { wordRows } from '../support/data/borrowed-words.ts';
import type { WordRow } from '../support/data/borrowed-words.ts';
import { RawConnection } from '../support/clients/raw-http.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

/** Each with its harmless like, of the same letters' kinds and length. */
const words: readonly (readonly [word: string, like: string])[] = [
  ['constructor', 'constructoz'],
  ['__proto__', '__protq__'],
  ['toString', 'toStrinh'],
  ['hasOwnProperty', 'hasOwnPropertz'],
  ['valueOf', 'valueOg'],
];
const maps = '/api/v1/namespaces/default/configmaps';
/** What differs between two equal requests. */
const times = ['creationTimestamp', 'deletionTimestamp', 'time'];
const own = new Set(['uid', 'resourceVersion', 'continue', ...times]);

const asked = (row: WordRow, word: string, domain: string): WordRow => {
  const fill = (text: string): string => text.replaceAll('~', word).replaceAll('{domain}', domain);
  const headers = Object.entries(row.headers ?? {}).map(([k, v]) => [k, fill(v)] as const);
  return {
    request: fill(row.request),
    body: row.body === undefined ? undefined : fill(row.body),
    headers: Object.fromEntries(headers),
  };
};

const servers = [
  { identity: 'kubernetes', store: 'memory', transport: 'uws' },
  { identity: 'svc', store: 'lmdb', transport: 'node' },
] as const;

for (const options of servers) {
  describe(`words of the language (${options.transport}, ${options.store})`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(options);
      const data = { seeded: 'a', other: 'b' };
      const made = await server.request('POST', maps, {
        body: { metadata: { name: 'seeded', labels: { a: 'x' } }, data },
      });
      assert.equal(made.status, 201, made.text);
    });
    after(() => server.remove());

    const { domain } = identityOf(options.identity);
    const answer = (row: WordRow, word: string): Promise<Reply> => {
      const { request, body, headers } = asked(row, word, domain);
      const [method = '', target = ''] = request.split(' ');
      return server.request(method, target, { body, headers });
    };

    for (const row of wordRows) {
      it(`${row.request} ${row.body ?? ''} ${Object.values(row.headers ?? {}).join(' ')}`, async () => {
        for (const [word, like] of words) {
          const reply = await answer(row, word);
          const expected = await answer(row, like);
          assert.ok(reply.status < 500, reply.text);
          assert.deepEqual(comparable(reply, word), comparable(expected, like), word);
          if (reply.status >= 400) assert.equal(reply.body['code'], reply.status, reply.text);
        }
      });
    }

    it('keeps them as keys of data', async () => {
      for (const [at, [word]] of words.entries()) {
        const body = `{"metadata":{"name":"kept-${at}"},"data":{"${word}":"${word}"}}`;
        const headers = { 'content-type': 'application/json' };
        const made = await server.request('POST', maps, { body, headers });
        assert.equal(made.status, 201, made.text);
        const read = await server.request('GET', `${maps}/kept-${at}`);
        assert.ok(read.text.includes(`"data":{"${word}":"${word}"}`), read.text);
      }
    });

    it('as methods they are refused and counted as no verb of their own', async () => {
      for (const [word] of words) {
        for (const method of [word, word.toUpperCase()]) {
          const status = await statusOf(server, method);
          assert.ok([0, 400, 405].includes(status), `${method}: ${status}`);
        }
      }
      const { text } = await server.request('GET', '/metrics');
      const counted = text.split('\n').filter((line) => line.startsWith('apiserver_request'));
      assert.ok(counted.length > 0);
      for (const line of counted) {
        assert.doesNotMatch(line, /native code|\[object|function|undefined/);
        for (const [word] of words) assert.ok(!line.includes(`"${word}"`), line);
      }
    });

    it('no prototype has got a member', () => {
      assert.deepEqual(Object.keys(Object.prototype), []);
      assert.equal(({} as { x?: unknown }).x, undefined);
    });
  });
}

/** Of a request without a body, on a connection of its own; 0 where it is closed instead. */
async function statusOf(server: TestServer, method: string): Promise<number> {
  const connection = new RawConnection(Number(new URL(server.url).port));
  connection.request(method, maps, 'Connection: close\r\n');
  const status = await connection.response().then(
    (response) => response.status,
    () => 0,
  );
  connection.destroy();
  return status;
}

function comparable({ status, text, headers }: Reply, word: string): unknown {
  const plain = (said: string): string => said.replaceAll(word, '~');
  const body: unknown = text.startsWith('{') ? JSON.parse(plain(text), without) : plain(text);
  return { status, body, warning: plain(String(headers['warning'])) };
}

const without = (key: string, value: unknown): unknown => (own.has(key) ? null : value);
