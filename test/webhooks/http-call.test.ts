/** A call to another server settles in its time, whatever comes back, and leaves nothing open. */
import assert from 'node:assert/strict';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { ClientRequest } from 'node:http';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { systemTimers } from '../../src/stdx/clock.ts';
import { sliceBytesMax, writeInTurns } from '../../src/webhooks/body-turns.ts';
import { callHttp, HttpCallError } from '../../src/webhooks/http-call.ts';
import type { HttpAnswer, HttpCall } from '../../src/webhooks/http-call.ts';
import { agentInTurns } from '../../src/webhooks/read-turns.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';
import type { DepartingRequester } from '../support/doubles/departing-requester.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

interface Row {
  readonly title: string;
  readonly serve: (socket: Socket) => void;
  readonly problem: HttpCallError['problem'];
  readonly message: RegExp;
}

const head = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

const rows: readonly Row[] = [
  {
    title: '101 with an upgrade',
    serve: (socket) => {
      socket.write(head('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: x'));
    },
    problem: 'broken',
    message: /status 101/,
  },
  {
    title: '101 without an upgrade',
    serve: (socket) => void socket.write(head('HTTP/1.1 101 Switching Protocols')),
    problem: 'broken',
    message: /status 101/,
  },
  {
    title: 'a connection that is closed at once',
    serve: (socket) => void socket.destroy(),
    problem: 'broken',
    message: /hang up|ECONNRESET|closed/,
  },
  {
    title: 'a connection that is ended at once',
    serve: (socket) => void socket.end(),
    problem: 'broken',
    message: /hang up|closed/,
  },
  {
    title: 'silence',
    serve: () => undefined,
    problem: 'late',
    message: /in time/,
  },
  {
    title: 'half a head, then silence',
    serve: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Le'),
    problem: 'late',
    message: /in time/,
  },
  {
    title: 'half a body, then silence',
    serve: (socket) => void socket.write(`${head('HTTP/1.1 200 OK', 'Content-Length: 9')}{}`),
    problem: 'late',
    message: /in time/,
  },
  {
    title: 'half a body, then the end',
    serve: (socket) => void socket.end(`${head('HTTP/1.1 200 OK', 'Content-Length: 9')}{}`),
    problem: 'broken',
    message: /aborted|cut short/,
  },
  {
    title: 'half of a chunked body, then a reset',
    serve: (socket) => {
      socket.write(`${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}2\r\n{}\r\n`, () => {
        socket.resetAndDestroy();
      });
    },
    problem: 'broken',
    message: /aborted|ECONNRESET|cut short/,
  },
  {
    title: 'interim answers without end',
    serve: (socket) => {
      const text = head('HTTP/1.1 103 Early Hints', 'Link: </x>').repeat(64);
      const more = (): void => void (socket.destroyed || socket.write(text, more));
      more();
    },
    problem: 'broken',
    message: /interim/,
  },
  {
    title: 'a body without end',
    serve: (socket) => {
      socket.write(head('HTTP/1.1 200 OK'));
      const more = (): void => void (socket.destroyed || socket.write('x'.repeat(1024), more));
      more();
    },
    problem: 'too large',
    message: /too long/,
  },
  {
    title: 'a body in pieces of one byte',
    serve: (socket) => {
      socket.write(head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'));
      const more = (): void =>
        void (socket.destroyed || socket.write('1\r\nx\r\n'.repeat(64), more));
      more();
    },
    problem: 'broken',
    message: /small pieces/,
  },
  {
    title: 'what is not HTTP',
    serve: (socket) => void socket.end('SSH-2.0-nothing of yours\r\n'),
    problem: 'broken',
    message: /Parse Error/,
  },
  {
    title: 'a head without end',
    serve: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        if (!socket.destroyed) socket.write(`X-A: ${'a'.repeat(900)}\r\n`, more);
      };
      more();
    },
    problem: 'broken',
    message: /Overflow|overflow/,
  },
];

describe('a call to another server', () => {
  let serve: Row['serve'] = () => undefined;
  const open = new Set<Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => serve(socket));
  });
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  after(() => void server.close());

  const call = (changes: Partial<HttpCall> = {}, timers = systemTimers) => {
    const { port } = server.address() as AddressInfo;
    const agent = agentInTurns(false, {});
    const defaults = { method: 'POST', body: '{}', agent, answerBytesMax: 4096 } as const;
    const url = new URL(`http://127.0.0.1:${port}/`);
    return callHttp({ ...defaults, url, headers: {}, timeoutMs: 500, ...changes }, timers);
  };
  const allClosed = async (): Promise<void> => {
    for (const socket of open) await new Promise((resolve) => socket.once('close', resolve));
  };

  for (const row of rows) {
    it(`${row.title}: it fails as ${row.problem}, once, and closes the connection`, async () => {
      serve = row.serve;
      const timeoutMs = row.problem === 'late' ? 500 : 20_000;
      const error = await call({ timeoutMs }).then(
        () => assert.fail('there was an answer'),
        (failure: unknown) => failure,
      );
      assert.ok(error instanceof HttpCallError, String(error));
      assert.equal(error.problem, row.problem, error.message);
      assert.match(error.message, row.message);
      await allClosed();
    });
  }

  it('a long body is sent a slice at a time, each when the one before it is taken', async () => {
    const body = ['a', 'b', 'c'].map((each) => Buffer.from(each.repeat(sliceBytesMax + 1)));
    const written: number[] = [];
    const taken: (() => void)[] = [];
    const sent: Buffer[] = [];
    const request = Object.assign(
      new Writable({
        highWaterMark: 16 * 1024 * 1024,
        write(chunk: Buffer, _encoding, done) {
          written.push(chunk.length);
          sent.push(chunk);
          taken.push(done);
        },
      }),
      { socket: null },
    );
    const waiting: (() => boolean)[] = [];
    const turns = { later: (passOn: () => boolean) => void waiting.push(passOn) };
    writeInTurns(request as unknown as ClientRequest, body, turns);
    while (!request.writableEnded) {
      assert.equal(request.writableLength, written.at(-1), 'nothing else waits');
      taken.shift()?.();
      await setImmediate();
      assert.equal(waiting.length, 1, 'the next has its turn');
      assert.equal(waiting.shift()?.(), false);
    }
    assert.deepEqual(written, [sliceBytesMax, 1, sliceBytesMax, 1, sliceBytesMax, 1]);
    assert.ok(Buffer.concat(sent).equals(Buffer.concat(body)));
  });

  for (const body of [`${'é'.repeat(1_000_000)}.`, [Buffer.from(`${'x'.repeat(2_000_000)}.`)]]) {
    it(`a long body (${typeof body}) arrives as it was`, async () => {
      const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.concat(body);
      const got: Buffer[] = [];
      serve = (socket) => {
        socket.on('data', (part) => {
          got.push(part);
          if (part.at(-1) === 0x2e) socket.end(head('HTTP/1.1 204 No Content'));
        });
      };
      const headers = { 'Content-Length': String(bytes.length) };
      assert.equal((await call({ body, headers, timeoutMs: 20_000 })).status, 204);
      // Its beginning came with the head.
      const end = Buffer.concat(got);
      assert.ok(end.length > bytes.length - 70_000);
      assert.ok(end.equals(bytes.subarray(-end.length)));
    });
  }

  it('an answer that comes before the body is taken is the answer, and closes the connection', async () => {
    serve = (socket) => {
      socket.pause();
      socket.write(`${head('HTTP/1.1 413 Content Too Large', 'Content-Length: 2')}no`);
    };
    const size = 64 * 1024 * 1024;
    const body = [Buffer.alloc(size)];
    const agent = agentInTurns(false, { keepAlive: true });
    const headers = { 'Content-Length': String(size) };
    const { status } = await call({ body, headers, agent, timeoutMs: 20_000 });
    assert.equal(status, 413);
    for (const socket of open) socket.resume();
    await allClosed();
  });

  for (const [title, keepAlive] of [
    ['of its own', false],
    ['that is kept', true],
  ] as const) {
    it(`who asked goes: it fails as left, once, and closes a connection ${title}`, async () => {
      serve = () => undefined;
      const agent = agentInTurns(false, { keepAlive, maxSockets: 1 });
      const [goes, waits, stays] = [1, 2, 3].map(() => departingRequester()) as [
        DepartingRequester,
        DepartingRequester,
        DepartingRequester,
      ];
      const ended = (requester: DepartingRequester) =>
        call({ agent, requester, timeoutMs: 20_000 }).then(
          ({ body }) => body.toString(),
          (failure: unknown) => (failure as HttpCallError).problem,
        );
      const calls = [ended(goes), ended(waits), ended(stays)];
      while (open.size === 0) await setImmediate();
      // One that waits for a connection, and then the one that has it.
      waits.go();
      goes.go();
      serve = (socket) => void socket.write(`${head('HTTP/1.1 200 OK', 'Content-Length: 2')}{}`);
      assert.deepEqual(await Promise.all(calls), ['left', 'left', '{}']);
      assert.equal(await ended(goes), 'left');
      assert.deepEqual([goes.waiting, waits.waiting, stays.waiting], [0, 0, 0]);
      agent.destroy();
      await allClosed();
    });
  }

  it('an answer after two interim ones is the answer', async () => {
    serve = (socket) => {
      const hints = head('HTTP/1.1 103 Early Hints');
      socket.end(`${hints}${hints}${head('HTTP/1.1 302 Found', 'Location: /x')}moved`);
    };
    const { body, status } = await call();
    assert.deepEqual([status, body.toString()], [302, 'moved']);
  });

  it('a kept connection that ends is followed by a new one, all within the time of one call', async () => {
    const time = manualTime();
    const agent = agentInTurns(false, { keepAlive: true });
    const own = agentInTurns(false, {});
    const fresh = () => own;
    const keptCall = (): Promise<HttpAnswer> => call({ agent, fresh }, time.timers);
    const answer = `${head('HTTP/1.1 200 OK', 'Content-Length: 2')}{}`;
    const keep = (socket: Socket): void => {
      socket.write(answer);
      socket.once('data', () => socket.resetAndDestroy());
    };
    serve = keep;
    await keptCall();
    serve = (socket) => void socket.end(answer);
    assert.equal((await keptCall()).status, 200, 'the new one answers');
    serve = keep;
    await keptCall();
    const silent = new Promise<void>((resolve) => (serve = () => resolve()));
    const late = assert.rejects(keptCall(), /no answer in time/);
    await silent;
    assert.equal(time.pendingCount, 1);
    time.advance(500);
    await late;
    serve = keep;
    await keptCall();
    serve = (socket) => void socket.resetAndDestroy();
    await assert.rejects(keptCall(), (error) => {
      return error instanceof HttpCallError && error.problem === 'broken';
    });
    serve = keep;
    await keptCall();
    let asked = 0;
    serve = () => (asked += 1);
    const closed = () => undefined;
    await assert.rejects(call({ agent, fresh: closed }, time.timers), /hang up|ECONNRESET/);
    assert.equal(asked, 0, 'nothing is sent any more');
    agent.destroy();
    await allClosed();
  });

  it('a header that cannot be sent is an error that does not show it', async () => {
    const headers = { authorization: 'Bearer hunter2\nx: y' };
    await assert.rejects(call({ headers }), (error) => {
      assert.ok(error instanceof HttpCallError);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  });
});
