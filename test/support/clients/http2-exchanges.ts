/** A listener with HTTP/2: what each of its exchanges was told, and how often. */
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpExchange, TransportLimits } from '../../../src/transport/http-exchange.ts';
import { defaultTransportLimits } from '../../../src/transport/http-exchange.ts';
import { createTransportLoad } from '../../../src/transport/load.ts';
import { listenNode } from '../../../src/transport/node/listen-node.ts';
import { tlsPair } from '../data/tls-pair.ts';

export interface Told {
  readonly exchange: HttpExchange;
  aborts: number;
  closes: number;
}

/** Until the test ends. */
export async function serveExchanges(
  test: Pick<TestContext, 'after'>,
  handler: (exchange: HttpExchange) => void,
  changed: Partial<TransportLimits> = {},
) {
  const limits = { ...defaultTransportLimits, ...changed };
  const load = createTransportLoad(limits);
  const told: Told[] = [];
  const server = await listenNode(
    { address: '127.0.0.1', port: 0, limits, tls: tlsPair, load },
    (exchange) => {
      const each: Told = { exchange, aborts: 0, closes: 0 };
      told.push(each);
      exchange.onAbort(() => (each.aborts += 1));
      exchange.onClosed(() => (each.closes += 1));
      handler(exchange);
    },
  );
  test.after(() => server.close());
  return {
    server,
    told,
    load,
    port: server.port,
    /** Everybody was told, and nothing is held for anybody. */
    async untilQuiet(): Promise<void> {
      const isQuiet = (): boolean =>
        told.every(({ closes }) => closes === 1) &&
        load.answers.heldBytes === 0 &&
        load.bodies.heldBytes === 0;
      while (!isQuiet()) await sleep(2);
    },
  };
}
