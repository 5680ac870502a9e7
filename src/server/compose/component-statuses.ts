/**
 * ComponentStatuses: the state of the components behind this server, checked when a client asks.
 *
 *     controller-manager   whoever runs the controllers: this server or, over a shared store, the
 *                          one that holds their Lease
 *     storage              the store, as /readyz asks it: it works, and its log is followed
 *
 * No scheduler runs here, so none is listed: a line about one would be a guess. Elsewhere: health
 * as machines ask for it (health.ts).
 *
 * Bound: asking takes as long as the health checks may take.
 */
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { ResourceView } from '../../endpoints/request.ts';
import type { Storage } from '../../storage/storage.ts';
import type { LogFollow } from './log-follow.ts';

/** What a component says; `error`: why it is not healthy. */
export type ComponentHealth =
  | { readonly kind: 'healthy'; readonly message: string }
  | { readonly kind: 'unhealthy'; readonly error: string };

export interface ComponentsDeps {
  readonly storage: Pick<Storage, 'failure'>;
  readonly logFollow: Pick<LogFollow, 'isCurrent'>;
  readonly controllers: () => ComponentHealth;
}

export function componentStatuses(deps: ComponentsDeps): ResourceView {
  return async () => [
    componentStatus('controller-manager', deps.controllers()),
    componentStatus('storage', await storageHealth(deps)),
  ];
}

async function storageHealth({ storage, logFollow }: ComponentsDeps): Promise<ComponentHealth> {
  const failure = storage.failure();
  if (failure !== undefined) {
    return {
      kind: 'unhealthy',
      error: `the store ${failure.code === 'full' ? 'is full' : 'has failed'}`,
    };
  }
  if (await logFollow.isCurrent()) return { kind: 'healthy', message: 'ok' };
  return { kind: 'unhealthy', error: 'the store does not answer, or its log stands still' };
}

function componentStatus(name: string, health: ComponentHealth): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    metadata: { name },
    conditions: [conditionOf(health)],
  };
}

function conditionOf(health: ComponentHealth): JsonObject {
  const type = 'Healthy';
  return health.kind === 'healthy'
    ? { type, status: 'True', message: health.message }
    : { type, status: 'False', error: health.error };
}
