import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Header } from '../../src/transport/http-exchange.ts';
import { HeadDecoder } from '../../src/transport/http2/hpack/decoder.ts';
import type { Head } from '../../src/transport/http2/hpack/decoder.ts';
import { encodeHead, sizeUpdateToZero } from '../../src/transport/http2/hpack/encoder.ts';
import { frameOf, headBytes, prefaceText } from '../support/clients/http2-frame.ts';

const listBytesMax = 16 * 1024;
const keptName = 0x40;
const newestOfTable = 0x80 | 62;

/** Hex digits, and texts in quotes. */
function block(...parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.map((part) =>
      part.startsWith("'") ? Buffer.from(part.slice(1, -1)) : Buffer.from(part, 'hex'),
    ),
  );
}

/** A number in the bits of `mask`, with `first` above them. */
function number(first: number, mask: number, value: number): Buffer {
  if (value < mask) return Buffer.from([first | value]);
  const bytes = [first | mask];
  let rest = value - mask;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function text(of: string | Uint8Array): Buffer {
  const bytes = Buffer.from(of);
  return Buffer.concat([number(0, 0x7f, bytes.length), bytes]);
}

function literal(name: string | Uint8Array, value: string | Uint8Array, first = keptName): Buffer {
  return Buffer.concat([Buffer.from([first]), text(name), text(value)]);
}

function decode(...blocks: readonly Uint8Array[]): Head | undefined {
  const decoder = new HeadDecoder(listBytesMax);
  return blocks.map((each) => decoder.decode(each)).at(-1);
}

function isValid(name: string | Uint8Array, value: string | Uint8Array): boolean | undefined {
  return decode(literal(name, value, 0))?.isValid;
}

/** Of blocks that come one after another, as pairs. */
function pairsOf(decoder: HeadDecoder, ...blocks: readonly Uint8Array[]): string[][] {
  return blocks.map((each) => {
    const { texts, isValid: valid } = decoder.decode(each) ?? assert.fail('it can be decoded');
    assert.equal(valid, true);
    return texts.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${texts[i + 1]}`] : []));
  });
}

describe('the examples of RFC 7541', () => {
  it('C.2: fields of each kind', () => {
    const custom = block('400a', "'custom-key'", '0d', "'custom-header'");
    const decoder = new HeadDecoder(listBytesMax);
    assert.deepEqual(decoder.decode(custom), {
      texts: ['custom-key', 'custom-header'],
      bytes: 55,
      isValid: true,
    });
    const [path, secret, method, again] = pairsOf(
      decoder,
      block('040c', "'/sample/path'"),
      block('1008', "'password'", '06', "'secret'"),
      block('82'),
      block('be'),
    );
    assert.deepEqual(path, [':path: /sample/path']);
    assert.deepEqual(secret, ['password: secret']);
    assert.deepEqual(method, [':method: GET']);
    assert.deepEqual(again, ['custom-key: custom-header']);
  });

  const requests = [
    [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
    [
      ...[':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
      'cache-control: no-cache',
    ],
    [
      ...[':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com'],
      'custom-key: custom-value',
    ],
  ];

  it('C.3: requests without the Huffman code', () => {
    const pairs = pairsOf(
      new HeadDecoder(listBytesMax),
      block('828684410f', "'www.example.com'"),
      block('828684be5808', "'no-cache'"),
      block('828785bf400a', "'custom-key'", '0c', "'custom-value'"),
    );
    assert.deepEqual(pairs, requests);
  });

  it('C.4: requests with it', () => {
    const pairs = pairsOf(
      new HeadDecoder(listBytesMax),
      block('828684418cf1e3c2e5f23a6ba0ab90f4ff'),
      block('828684be5886a8eb10649cbf'),
      block('828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf'),
    );
    assert.deepEqual(pairs, requests);
  });

  const cookie = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';
  const answer = (status: number, second: number): string[] => [
    ...[`:status: ${status}`, 'cache-control: private'],
    ...[`date: Mon, 21 Oct 2013 20:13:${second} GMT`, 'location: https://www.example.com'],
  ];
  const answers = [
    answer(302, 21),
    answer(307, 21),
    [...answer(200, 22), 'content-encoding: gzip', `set-cookie: ${cookie}`],
  ];
  /** The table is one of 256 bytes: what is new pushes out what is old. */
  const sizeUpdate = '3fe101';

  it('C.5: answers without the Huffman code, and a small table', () => {
    const pairs = pairsOf(
      new HeadDecoder(listBytesMax),
      block(
        ...[sizeUpdate, '4803', "'302'", '5807', "'private'"],
        ...['611d', "'Mon, 21 Oct 2013 20:13:21 GMT'", '6e17', "'https://www.example.com'"],
      ),
      block('4803', "'307'", 'c1c0bf'),
      block(
        ...['88c1611d', "'Mon, 21 Oct 2013 20:13:22 GMT'", 'c05a04', "'gzip'"],
        ...['7738', `'${cookie}'`],
      ),
    );
    assert.deepEqual(pairs, answers);
  });

  it('C.6: answers with it, and a small table', () => {
    const pairs = pairsOf(
      new HeadDecoder(listBytesMax),
      block(
        ...[
          sizeUpdate,
          '488264025885aec3771a4b',
          '6196d07abe941054d444a8200595040b8166e082a62d1bff',
        ],
        '6e919d29ad171863c78f0b97c8e9ae82ae43d3',
      ),
      block('4883640effc1c0bf'),
      block(
        ...['88c1', '6196d07abe941054d444a8200595040b8166e084a62d1bff', 'c05a839bd9ab'],
        '77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
      ),
    );
    assert.deepEqual(pairs, answers);
  });
});

describe('a head', () => {
  it('has texts in UTF-8, and U+FFFD for what is not', () => {
    const raw = Buffer.from([0x61, 0xff, 0xc3, 0x62]);
    const head = decode(Buffer.concat([literal('a', 'é€😀'), literal('b', raw)]));
    assert.deepEqual(head?.texts, ['a', 'é€😀', 'b', 'a\ufffd\ufffdb']);
    assert.equal(head?.isValid, true);
    assert.equal(head?.bytes, 1 + 9 + 32 + 1 + 4 + 32);
  });

  it('is valid if all its names and values are, wherever they come from', () => {
    for (const name of ['a', ':path', ':x', "!#$%&'*+-.^_`|~09az"]) assert.ok(isValid(name, 'x'));
    for (const name of ['', ':', '::', 'a:', ':a:', 'A', 'a b', 'a\0', 'é', 'a\x7f', '(', ':A']) {
      assert.equal(isValid(name, 'x'), false, JSON.stringify(name));
    }
    for (const value of ['', 'a', 'a b', 'a\tb', '\x80', 'é', '"(),/:;<=>?@[\\]{}']) {
      assert.ok(isValid('a', value), JSON.stringify(value));
    }
    for (const value of [
      ' ',
      '\t',
      ' a',
      'a ',
      '\ta',
      'a\t',
      '\0',
      'a\nb',
      'a\rb',
      '\x1f',
      '\x7f',
    ]) {
      assert.equal(isValid('a', value), false, JSON.stringify(value));
    }
    const again = Buffer.from([newestOfTable]);
    assert.equal(decode(literal('a', 'b'), again)?.isValid, true);
    assert.equal(decode(literal('a', '\0'), again)?.isValid, false);
    assert.equal(decode(literal('A', 'b'), again)?.isValid, false);
    const named = Buffer.concat([number(0, 0x0f, 62), text('c')]);
    assert.deepEqual(decode(literal('a', '\0'), named), {
      texts: ['a', 'c'],
      bytes: 34,
      isValid: true,
    });
    assert.equal(decode(literal('A', 'b'), named)?.isValid, false);
  });

  it('beyond the limit is counted, and the table is kept right', () => {
    const decoder = new HeadDecoder(100);
    const [first, second] = [literal('a', 'x'.repeat(67)), literal('b', 'y')];
    const exact = decoder.decode(first);
    assert.equal(exact?.bytes, 100);
    assert.equal(exact?.texts.length, 2);
    const both = decoder.decode(Buffer.concat([first, second]));
    assert.equal(both?.bytes, 134);
    assert.deepEqual(both?.texts, ['a', 'x'.repeat(67)]);
    assert.deepEqual(decoder.decode(Buffer.from([newestOfTable]))?.texts, ['b', 'y']);
    const long = literal('c'.repeat(200), 'z');
    assert.deepEqual(decoder.decode(long), { texts: [], bytes: 233, isValid: true });
    const value = Buffer.concat([number(0, 0x0f, 62), text('w')]);
    assert.deepEqual(decoder.decode(value), { texts: [], bytes: 233, isValid: true });
    assert.deepEqual(decoder.decode(Buffer.from([newestOfTable + 1]))?.texts, ['b', 'y']);
  });

  it('that names a long header again and again is only counted', () => {
    const decoder = new HeadDecoder(listBytesMax);
    const length = 4096 - 33;
    decoder.decode(literal('a', 'x'.repeat(length)));
    const head = decoder.decode(Buffer.alloc(64 * 1024, newestOfTable));
    assert.equal(head?.bytes, 64 * 1024 * 4096);
    assert.equal(head?.texts.length, 2 * 4);
  });
});

describe('the dynamic table', () => {
  it('has room for 4096 bytes, and what is larger empties it', () => {
    const exact = literal('a', 'x'.repeat(4096 - 33));
    const larger = literal('a', 'x'.repeat(4096 - 32));
    const again = Buffer.from([newestOfTable]);
    assert.equal(decode(literal('b', ''), exact, again)?.bytes, 4096);
    assert.equal(decode(exact, Buffer.from([newestOfTable + 1])), undefined);
    assert.equal(decode(literal('b', ''), larger, again), undefined);
    assert.equal(decode(literal('b', ''), larger)?.bytes, 4097);
  });

  it('lets go of the oldest, whatever has come', () => {
    const decoder = new HeadDecoder(listBytesMax);
    const texts: string[] = [];
    for (let i = 0; i < 1000; i += 1) {
      texts.push(String(i).padStart(3 + (i % 5), '0'));
      assert.ok(decoder.decode(literal('n', texts[i] as string)));
      let bytes = 0;
      for (let back = 0; back <= 130; back += 1) {
        const expected = texts[i - back];
        bytes += 33 + (expected?.length ?? 0);
        if (expected === undefined || bytes > 4096) break;
        const index = number(0x80, 0x7f, 62 + back);
        assert.equal(decoder.decode(index)?.texts[1], expected);
      }
    }
    assert.equal(decoder.decode(number(0x80, 0x7f, 62 + 128)), undefined);
  });

  it('may keep a header that is named by the one that it pushes out', () => {
    const long = 'n'.repeat(2000);
    const named = Buffer.concat([Buffer.from([0x40 | 62]), text('v'.repeat(1500))]);
    const named2 = Buffer.concat([number(0x40, 0x3f, 62), text('w')]);
    assert.equal(decode(literal(long, 'u'), named.subarray(0, 0))?.texts.length, 0);
    const head = decode(literal(long, 'u'), named, named2, Buffer.from([newestOfTable]));
    assert.deepEqual(head?.texts, [long, 'w']);
  });

  it('is as large as the client says, at the beginning of a block', () => {
    const update = (bytes: number): Buffer => number(0x20, 0x1f, bytes);
    const again = Buffer.from([newestOfTable]);
    const one = literal('a', 'b');
    assert.deepEqual(decode(one, Buffer.concat([update(34), again]))?.texts, ['a', 'b']);
    assert.equal(decode(one, Buffer.concat([update(33), again])), undefined);
    assert.equal(decode(one, Buffer.concat([update(0), update(4096), again])), undefined);
    assert.deepEqual(decode(Buffer.concat([update(4096), one]), again)?.texts, ['a', 'b']);
    assert.equal(decode(Buffer.concat([update(33), one]), again), undefined);
    assert.equal(decode(update(4097)), undefined);
    assert.equal(decode(Buffer.concat([one, update(100)])), undefined);
    assert.deepEqual(decode(update(0)), { texts: [], bytes: 0, isValid: true });
  });
});

describe('a block that cannot be decoded', () => {
  it('names what is in no table', () => {
    for (const wrong of ['80', 'be', 'ff00', '7f00', '7e0161', '0f2f0161', 'bf', '1f2f0161']) {
      assert.equal(decode(block(wrong)), undefined, wrong);
    }
    assert.deepEqual(decode(block('bd'))?.texts, ['www-authenticate', '']);
  });

  it('ends too early, wherever it is cut', () => {
    const whole = Buffer.concat([
      literal('name', 'v'.repeat(200)),
      number(0x40, 0x3f, 62),
      text('x'),
    ]);
    const ends = new Set([0, whole.length - 3, whole.length]);
    for (let end = 0; end <= whole.length; end += 1) {
      const isWhole = decode(whole.subarray(0, end)) !== undefined;
      // The first field alone is a block, too.
      assert.equal(isWhole, ends.has(end), String(end));
    }
    assert.equal(decode(block('0001', "'a'", 'ff')), undefined);
    assert.equal(decode(block('000161', '7fffffff7f')), undefined);
  });

  it('has numbers without an end or a use', () => {
    for (const wrong of [
      ...['ffffffffffff', 'ffffffffff7f', 'ff808080808001', '3f808080808000', '7fffffffffff0f'],
      ...['000161ffffffffff7f', 'ff8080808008', 'ff80808080ff'],
    ]) {
      assert.equal(decode(block(wrong)), undefined, wrong);
    }
    // The smallest number in more bytes than it takes: 31 in six.
    assert.ok(decode(block('3f8080808000')));
  });

  it('has a text that is none by the Huffman code', () => {
    assert.equal(decode(block('00016181', '00')), undefined);
    assert.equal(decode(block('000081ff')), undefined);
    assert.deepEqual(decode(block('00016181', '07'))?.texts, ['a', '0']);
    const long = Buffer.alloc(40_000);
    const head = Buffer.concat([block('000161'), number(0x80, 0x7f, long.length), long]);
    const unlimited = new HeadDecoder(1_000_000);
    assert.equal(unlimited.decode(head)?.texts[1], '0'.repeat(64_000));
  });

  it('is found, whatever bytes it has', () => {
    const known = Buffer.concat([block('828684be5886a8eb10649cbf'), literal('a', 'b')]);
    const change = fc.tuple(fc.nat(known.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(change), (bytes, changes) => {
        const decoder = new HeadDecoder(200);
        const changed = Buffer.from(known);
        for (const [at, byte] of changes) changed[at] = byte;
        for (const each of [known, changed, bytes, changed]) {
          const head = decoder.decode(each);
          if (head === undefined) continue;
          assert.ok(head.bytes <= each.length * 4096);
          assert.ok(head.texts.length <= 2 * (200 / 32));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the head of an answer', () => {
  const decoded = (status: number, headers: readonly Header[]): readonly string[] | undefined =>
    new HeadDecoder(1_000_000).decode(encodeHead(status, headers))?.texts;

  it('names what is in the static table', () => {
    const headers: Header[] = [
      ['Content-Type', 'a/b'],
      ['Accept-Encoding', 'gzip, deflate'],
    ];
    assert.deepEqual(Buffer.from(encodeHead(200, headers)), block('880f1003', "'a/b'", '90'));
    assert.deepEqual(Buffer.from(encodeHead(204, [['age', '']])), block('8995'));
    assert.deepEqual(Buffer.from(encodeHead(409, [])), block('0803', "'409'"));
    assert.deepEqual(
      Buffer.from(encodeHead(404, [['Audit-Id', 'x']])),
      block('8d0008', "'audit-id'", '01', "'x'"),
    );
  });

  it('has values in UTF-8, of any length', () => {
    const lengths = [0, 1, 47, 48, 49, 126, 127, 128, 254, 255, 256, 5000, 70_000];
    const values = lengths.flatMap((n) => ['a'.repeat(n), 'é'.repeat(n), `${'b'.repeat(n)}😀`]);
    const headers = values.map((value, i): Header => [`X-${'n'.repeat(i * 9)}`, value]);
    const lower = headers.map(([name, value]) => [name.toLowerCase(), value]);
    for (const status of [200, 101]) {
      assert.deepEqual(decoded(status, headers), [':status', String(status), ...lower.flat()]);
    }
    assert.deepEqual(decoded(200, []), [':status', '200']);
  });

  it('stays as it is when the next one is written', () => {
    const first = encodeHead(200, [['a', 'b']]);
    const copy = Buffer.from(first);
    encodeHead(500, [['c', 'd']]);
    assert.deepEqual(Buffer.from(first), copy);
  });
});

const [headersType, settingsType, continuationType] = [1, 4, 9];
const endStreamAndHeaders = 5;

/** The blocks of heads in what a client sends, behind its preface. */
function onBlocks(socket: Socket, onBlock: (stream: number, block: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  let at = prefaceText.length;
  let fragments: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= at + headBytes) {
      const end = at + headBytes + rest.readUIntBE(at, 3);
      if (rest.length < end) return;
      const [type, flags] = [rest[at + 3] as number, rest[at + 4] as number];
      if (type === headersType || type === continuationType) {
        const priority = type === headersType && (flags & 0x20) !== 0 ? 5 : 0;
        fragments.push(rest.subarray(at + headBytes + priority, end));
        if ((flags & 4) !== 0) {
          onBlock(rest.readUInt32BE(at + 5), Buffer.concat(fragments));
          fragments = [];
        }
      }
      at = end;
    }
  });
}

/** Answers each request with what `answer` makes of its head. */
async function serve(answer: (head: Head) => Uint8Array): Promise<Server> {
  const server = createServer((socket) => {
    const decoder = new HeadDecoder(listBytesMax);
    socket.on('error', () => undefined);
    socket.write(frameOf(settingsType, 0, 0, Buffer.alloc(0)));
    onBlocks(socket, (stream, each) => {
      const head = decoder.decode(each);
      if (head === undefined) socket.destroy();
      else socket.write(frameOf(headersType, endStreamAndHeaders, stream, answer(head)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe("node's client", () => {
  it('is understood, and understands', async () => {
    const heads: Head[] = [];
    const value = `${'é'.repeat(100)}x`;
    const server = await serve((head) => {
      heads.push(head);
      const first = heads.length === 1 ? sizeUpdateToZero : new Uint8Array();
      const headers: Header[] = [
        ['Content-Type', 'a/b'],
        ['X-Number', `${heads.length}`],
        ['X-Long', value],
      ];
      return Buffer.concat([first, encodeHead(200 + heads.length, headers)]);
    });
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      for (let i = 1; i <= 50; i += 1) {
        const headers: OutgoingHttpHeaders = {
          ':path': `/of/${'long/'.repeat(i)}${i}`,
          'user-agent': 'hpack/1',
          authorization: `Bearer ${String(i % 3).repeat(900)}`,
          'x-many': ['a', 'b\tc', '~'.repeat(i)],
        };
        const request = session.request(headers, { endStream: true });
        const [answer] = (await once(request, 'response')) as [IncomingHttpHeaders];
        assert.equal(answer[':status'], 200 + i);
        assert.equal(answer['content-type'], 'a/b');
        assert.equal(answer['x-number'], `${i}`);
        assert.equal(Buffer.from(answer['x-long'] as string, 'latin1').toString(), value);
        request.resume();
        const texts = heads[i - 1]?.texts ?? [];
        const got = texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1]]] : []));
        const many = got.filter(([name]) => name === 'x-many').map(([, each]) => each);
        assert.deepEqual(many, headers['x-many']);
        for (const name of [':path', 'user-agent', 'authorization']) {
          assert.deepEqual(got.find(([each]) => each === name)?.[1], headers[name]);
        }
        assert.equal(heads[i - 1]?.isValid, true);
      }
    } finally {
      session.destroy();
      server.close();
    }
  });
});
