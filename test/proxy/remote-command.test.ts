/** Commands: what a kubelet says at the end is read once, and for nobody who has gone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, it, mock } from 'node:test';
import { newUnknownError } from '../../src/apimachinery/status-error.ts';
import { runCommand } from '../../src/proxy/remote-command.ts';
import { AbortCallbacks } from '../../src/stdx/requester.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import type { Conversation, HttpExchange } from '../../src/transport/http-exchange.ts';
import { fakeExchange } from '../support/doubles/fake-exchange.ts';
import { eventually } from '../support/clients/watch-client.ts';

/** Streams of a command with stdout alone. */
const errorStream = 1;
const stdoutStream = 3;

function dataFrame(stream: number, bytes: string, isLast: boolean): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE(bytes.length, 4);
  head[4] = isLast ? 1 : 0;
  return Buffer.concat([head, Buffer.from(bytes)]);
}

const status = JSON.stringify({ metadata: {}, status: 'Failure', message: 'so it ended' });

describe('a command in a container', () => {
  const streams = { stdin: false, stdout: true, stderr: false, tty: false };
  const agent = new http.Agent();
  const server = http.createServer();
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  after(() => {
    agent.destroy();
    server.close();
  });

  /** Of a client who hears `said`. */
  async function run() {
    const said: string[] = [];
    const left = new AbortCallbacks();
    const conversation: Conversation = {
      closed: false,
      write: (message) => said.push(Buffer.from(message).toString('latin1')) > 0,
      onDrain: () => undefined,
      end: () => undefined,
      abort: () => undefined,
      receive: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    };
    const exchange: HttpExchange = {
      ...fakeExchange('GET', {}, ''),
      webSocketProtocols: ['v5.channel.k8s.io'],
      converse: () => conversation,
      onAbort: (callback) => left.add(callback),
      offAbort: (callback) => left.remove(callback),
    };
    const passed = {
      url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      method: 'POST',
      headers: [],
      agent,
      body: undefined,
      dialTimeoutMs: 10_000,
      unreachable: (why: string) => newUnknownError(why),
    };
    const over = runCommand(exchange, passed, { streams, domain: 'k8s.io' }, systemTimers);
    const [, kubelet] = (await once(server, 'upgrade')) as [unknown, Socket];
    kubelet.on('error', () => undefined).resume();
    kubelet.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    return { kubelet, leave: () => left.call(), over, said };
  }

  it('ends once, however often its streams do', async () => {
    const { kubelet, over, said } = await run();
    const parse = mock.method(JSON, 'parse');
    const ends = Array.from({ length: 500 }, () => dataFrame(stdoutStream, '', true));
    kubelet.write(Buffer.concat([dataFrame(errorStream, status, true), ...ends]));
    await over;
    kubelet.end(Buffer.concat(ends));
    await once(kubelet, 'close');
    assert.equal(parse.mock.callCount(), 1);
    parse.mock.restore();
    assert.deepEqual(said.slice(1), [`\x03${status}`]);
  });

  it('that ends for nobody is not read', async () => {
    const { kubelet, leave, over, said } = await run();
    const parse = mock.method(JSON, 'parse');
    kubelet.write(dataFrame(errorStream, status, true));
    kubelet.write(dataFrame(stdoutStream, 'x', false));
    await eventually('it is there', () => said.includes('\x01x'));
    leave();
    await over;
    assert.equal(parse.mock.callCount(), 0);
    parse.mock.restore();
  });

  it('what is said in pieces of a byte is one text', async () => {
    const { kubelet, over, said } = await run();
    const pieces = [...status].map((each) => dataFrame(errorStream, each, false));
    kubelet.write(Buffer.concat([...pieces, dataFrame(errorStream, '', true)]));
    kubelet.end(dataFrame(stdoutStream, '', true));
    await over;
    assert.deepEqual(said.slice(1), [`\x03${status}`]);
  });
});
