/**
 * The attack list: requests hidden in requests. What a front proxy and this server might read
 * differently is refused, or read in the one way that makes the hidden request a body; it leaves
 * no event and changes nothing. Over both ports: HTTP/1.1 of uWebSockets.js and of node.
 *
 * The hidden request is the administrator's own, with a good token: were it read as a request, it
 * would delete the config map `open`, and the audit log would have it.
 */
import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { before, it } from 'node:test';
import { openPath, startAttackBench } from '../support/servers/attack-bench.ts';
import type { AttackBench, Port } from '../support/servers/attack-bench.ts';
import { attackSuites } from '../support/checks/attack-suites.ts';
import { tokens } from '../support/servers/secure-server.ts';

const ports = ['plain', 'tls'] as const;

let bench: AttackBench;
const { suite, run } = attackSuites(async (store) => {
  bench = await startAttackBench({ store, 'idle-timeout': '2s', 'request-timeout': '2s' });
  return bench;
});

const authorized = `Host: x\r\nAuthorization: Bearer ${tokens.admin}\r\n`;
/** Stands in the place of what tells one hidden request from another, and is as long. */
const mark = 'which';
const hidden = `DELETE ${openPath}?hidden=${mark} HTTP/1.1\r\n${authorized}\r\n`;
const post = `POST /version?outer=1 HTTP/1.1\r\n${authorized}`;
const length = (text: string): string => String(Buffer.byteLength(text));
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const last = '0\r\n\r\n';

/** What a socket says to these bytes until it is closed; nothing more is sent, but `then` once it
 * has begun to answer: uWebSockets.js closes where a request comes before the answer to the last. */
function said(port: Port, bytes: string, then = ''): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket =
      port === 'plain'
        ? connectTcp(bench.plainPort, '127.0.0.1')
        : connectTls({
            port: bench.securePort,
            host: '127.0.0.1',
            ca: bench.server.caPem,
            ALPNProtocols: ['http/1.1'],
          });
    let text = '';
    socket.on(port === 'plain' ? 'connect' : 'secureConnect', () => socket.write(bytes, 'latin1'));
    socket.on('data', (piece) => (text += piece.toString('latin1')));
    socket.once('data', () => void (then !== '' && socket.write(then, 'latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

const rows: readonly (readonly [string, string])[] = [
  [
    'a length and chunked: the length hides it',
    `${post}Content-Length: ${length(last + hidden)}\r\nTransfer-Encoding: chunked\r\n\r\n${last}${hidden}`,
  ],
  [
    'chunked and a length: the chunk hides it',
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunk(hidden)}${last}`,
  ],
  [
    'two lengths, the short one first',
    `${post}Content-Length: 0\r\nContent-Length: ${length(hidden)}\r\n\r\n${hidden}`,
  ],
  [
    'two lengths, the long one first',
    `${post}Content-Length: ${length(hidden)}\r\nContent-Length: 0\r\n\r\n${hidden}`,
  ],
  ['two lengths in one header', `${post}Content-Length: 0, ${length(hidden)}\r\n\r\n${hidden}`],
  ['a length with a sign', `${post}Content-Length: +0\r\n\r\n${hidden}`],
  ['a negative length', `${post}Content-Length: -1\r\n\r\n${hidden}`],
  ['a length in hexadecimal', `${post}Content-Length: 0x0\r\n\r\n${hidden}`],
  ['a length that is no number', `${post}Content-Length: none\r\n\r\n${hidden}`],
  ['a length beyond counting', `${post}Content-Length: 18446744073709551616\r\n\r\n${hidden}`],
  [
    'a space before the colon',
    `${post}Content-Length : ${length(hidden)}\r\nContent-Length: 0\r\n\r\n${hidden}`,
  ],
  [
    'a folded header',
    `${post}Transfer-Encoding:\r\n chunked\r\nContent-Length: ${length(last + hidden)}\r\n\r\n${last}${hidden}`,
  ],
  [
    'a folded header at the beginning',
    `POST /version?outer=1 HTTP/1.1\r\n Transfer-Encoding: chunked\r\n${authorized}Content-Length: 0\r\n\r\n${last}${hidden}`,
  ],
  [
    'another transfer encoding',
    `${post}Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n${hidden}`,
  ],
  [
    'chunked before another encoding',
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n${last}${hidden}`,
  ],
  [
    'two transfer encodings',
    `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${last}${hidden}`,
  ],
  ['junk for a chunk size', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n${hidden}`],
  ['a chunk size with a sign', `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n${hidden}`],
  ['a chunk size with 0x', `${post}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${hidden}`],
  [
    'a chunk size beyond counting',
    `${post}Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n${hidden}`,
  ],
  ['a chunk longer than its size', `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n${hidden}`],
  ['a header that ends its line early', `${post}X: a\r${hidden}\r\n\r\n`],
  ['a header with a NUL', `${post}X: a\0b\r\nContent-Length: 0\r\n\r\n${hidden}`],
  ['no version', `GET /version\r\n${hidden}`],
  [
    'an old version with a body',
    `POST /version HTTP/1.0\r\n${authorized}Content-Length: 0\r\n\r\n${hidden}`,
  ],
  ['a target with a space', `GET /version HTTP/1.1\r\n x HTTP/1.1\r\n${authorized}\r\n${hidden}`],
];

suite('a request hidden in a request leaves no event and changes nothing:', () => {
  it('(one that is not hidden is found: two on one connection)', async () => {
    const open = `GET ${openPath}?shown=`;
    const end = ` HTTP/1.1\r\n${authorized}`;
    for (const port of ports) {
      const first = `${open}1${port}${end}\r\n`;
      const second = `${open}2${port}${end}Connection: close\r\n\r\n`;
      const answers = await said(port, first, second);
      assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 2, `${port}: ${answers}`);
      for (const shown of [1, 2]) {
        const uri = `${openPath}?shown=${shown}${port}`;
        assert.ok(bench.events().some((event) => event['requestURI'] === uri));
      }
    }
  });

  const answers = new Map<string, string>();
  let revision = '';
  before(async () => {
    revision = await bench.revision();
    // All at once: one that is held open is given up after its time only.
    const sent = rows.flatMap(([, bytes], at) =>
      ports.map(async (port) => {
        const id = idOf(at, port);
        answers.set(id, await said(port, bytes.replaceAll(mark, id)));
      }),
    );
    await Promise.all(sent);
  });

  for (const [at, [what]] of rows.entries()) {
    for (const port of ports) {
      it(`${what}, over ${port}`, () => {
        const id = idOf(at, port);
        const text = answers.get(id) ?? '';
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
        assert.ok(statuses.length <= 1, `one answer at most: ${statuses.join(' ')}`);
        const uri = `hidden=${id}`;
        const found = bench.events().filter((event) => String(event['requestURI']).includes(uri));
        assert.deepEqual(found.length, 0);
      });
    }
  }

  it('after all of it', async () => {
    assert.equal(await bench.revision(), revision);
  });
});

/** As long as `mark`. */
function idOf(row: number, port: Port): string {
  return `${port.slice(0, 2)}${String(row).padStart(3, '0')}`;
}

run();
