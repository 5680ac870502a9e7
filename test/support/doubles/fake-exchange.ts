/** An HTTP exchange without a socket, for what a handler answers to one request. */
import type { Header, HttpExchange } from '../../../src/transport/http-exchange.ts';

export interface FakeExchange extends HttpExchange {
  /** What was sent; undefined: nothing yet. */
  readonly sent: { readonly status: number; readonly text: string } | undefined;
}

export function fakeExchange(
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): FakeExchange {
  const all: Header[] = Object.entries(headers);
  let sent: FakeExchange['sent'];
  return {
    method,
    path: '/',
    query: '',
    scheme: 'http',
    remoteAddress: '127.0.0.1',
    peerCertificate: undefined,
    webSocketProtocols: undefined,
    upgrade: undefined,
    trace: undefined,
    converse: () => undefined,
    header: (name) => headers[name],
    headers: () => all,
    headerValues: (name) => all.filter(([each]) => each === name).map(([, value]) => value),
    someHeader: (test) => all.some(([name]) => test(name)),
    forgetHeaders: () => undefined,
    setAnswerHeader: () => undefined,
    readBody: () => Promise.resolve({ kind: 'complete', bytes: Buffer.from(body) }),
    send(status, _headers, bytes) {
      sent = { status, text: Buffer.from(bytes).toString() };
    },
    stream() {
      throw new Error('nothing is streamed here');
    },
    get answered() {
      return sent !== undefined;
    },
    get status() {
      return sent?.status ?? 0;
    },
    closed: false,
    sentBytes: 0,
    onClosed: () => undefined,
    onAbort: () => undefined,
    offAbort: () => undefined,
    get sent() {
      return sent;
    },
  };
}
