/**
 * What the ports answer while the store is read, which takes a minute for millions of objects; from
 * then on the server's own handler has them.
 *
 *     /livez             200: a restart would only begin the reading anew
 *     /readyz, /healthz  500, with the checks that are still to pass
 *     anything else      503 with Retry-After, as long as the start has taken by then
 *
 * Invariants: nobody's credentials are looked at and no body is read; what is answered says nothing
 * of what is stored. Nothing of it is counted or audited, for nothing was done.
 */
import { parseQuery } from '../../apimachinery/query.ts';
import { newServiceUnavailable, StatusError } from '../../apimachinery/status-error.ts';
import { answerHealth } from '../../endpoints/plain-paths.ts';
import { createHealth, healthEndpoints } from '../../endpoints/health.ts';
import type { Health } from '../../endpoints/health.ts';
import { sendStatusError } from '../../endpoints/status-response.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { ExchangeHandler, HttpExchange } from '../../transport/http-exchange.ts';
import type { CompletedConfig } from '../config/options.ts';
import { identityLeaseHook } from './background.ts';
import { checksWhileStarting } from './health-checks.ts';
import type { EarlyCheckDeps } from './health-checks.ts';
import type { Serving } from './serving.ts';

/** Clients wait this long, at least and at most, before they ask again. */
const retryAfterSeconds = { min: 1, max: 5 } as const;

type Served = Pick<Serving, 'handler' | 'handshakeFailed'>;

/** Between the ports and who has them. */
export interface Front extends Served {
  /** Who has them from now on. */
  give(serving: Served): void;
}

export interface FrontDeps extends Pick<
  EarlyCheckDeps,
  'identity' | 'servicesHealthy' | 'shuttingDown'
> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export function createFront(config: CompletedConfig, deps: FrontDeps): Front {
  let served: Served = { handler: earlyAnswers(config, deps), handshakeFailed: () => undefined };
  return {
    handler: (exchange) => served.handler(exchange),
    handshakeFailed: () => served.handshakeFailed(),
    give(serving) {
      served = serving;
    },
  };
}

function earlyAnswers(config: CompletedConfig, deps: FrontDeps): ExchangeHandler {
  const { access, featureGates, load, tokens } = config;
  const { modes } = access.authorization;
  const health = createHealth(
    checksWhileStarting({
      ...deps,
      controllers: tokens.controllers,
      priorityAndFairness: load.priorityAndFairness,
      // Without modes a file has them, which has not been read.
      usesRbac: modes.length === 0 || modes.includes('RBAC'),
      backgroundHooks: featureGates.get('APIServerIdentity') ? [identityLeaseHook] : [],
    }),
  );
  const startedMs = deps.clock.monotonicMs();
  const elapsedSeconds = (): number => Math.ceil((deps.clock.monotonicMs() - startedMs) / 1000);
  return (exchange) => {
    const { method } = exchange;
    const endpoint = healthEndpoints.find((name) => exchange.path === `/${name}`);
    if (endpoint !== undefined && (method === 'GET' || method === 'HEAD')) {
      void answerProbe(exchange, health, endpoint);
      return;
    }
    const { max, min } = retryAfterSeconds;
    const seconds = Math.min(max, Math.max(min, elapsedSeconds()));
    const message = 'the server is starting: it still reads its store';
    sendStatusError(exchange, newServiceUnavailable(message, seconds));
  };
}

async function answerProbe(
  exchange: HttpExchange,
  health: Health,
  endpoint: (typeof healthEndpoints)[number],
): Promise<void> {
  const query = parseQuery(exchange.query);
  const answer =
    query instanceof StatusError ? query : await answerHealth({ health }, { query }, endpoint, '');
  if (answer instanceof StatusError) sendStatusError(exchange, answer);
  else exchange.send(answer.status, answer.headers, answer.body);
}
