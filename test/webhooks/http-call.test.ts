/** A call to another server settles in its time, whatever comes back, and leaves nothing open. */
import assert from 'node:assert/strict';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { systemTimers } from '../../src/stdx/clock.ts';
import { callHttp, HttpCallError } from '../../src/webhooks/http-call.ts';
import type { HttpAnswer, HttpCall } from '../../src/webhooks/http-call.ts';
import { agentInTurns } from '../../src/webhooks/read-turns.ts';
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
      const error = await call().then(
        () => assert.fail('there was an answer'),
        (failure: unknown) => failure,
      );
      assert.ok(error instanceof HttpCallError, String(error));
      assert.equal(error.problem, row.problem, error.message);
      assert.match(error.message, row.message);
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
