/**
 * The answer to new requests during shutdown with `--shutdown-send-retry-after`: retry, over
 * another connection.
 */
import { healthEndpoints } from '../../endpoints/health.ts';
import type { HttpExchange } from '../../transport/http-exchange.ts';

const retryAfterSeconds = 5;

/** False: it is to be served; probes are served to the end. */
export function refuseDuringShutdown(exchange: HttpExchange): boolean {
  const [, root = ''] = exchange.path.split('/', 2);
  if (healthEndpoints.some((endpoint) => endpoint === root)) return false;
  exchange.send(
    429,
    [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Retry-After', String(retryAfterSeconds)],
    ],
    'The apiserver is shutting down, please try again later.\n',
  );
  return true;
}
