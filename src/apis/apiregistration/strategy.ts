/**
 * APIServices: which server answers for a group and version, and whether one does.
 *
 *     without spec.service   this server does                ▶ Available True, Local
 *     with spec.service      another one would, behind it    ▶ Available False, NotProxied
 *
 * Nothing is proxied: what names a service is stored and checked, and requests for its group and
 * version are answered as if it were not there. Elsewhere: the objects of this server's own
 * versions (local-api-services.ts).
 *
 * Invariant: whoever writes the object or its status, the condition Available says what this
 * server does; other conditions are the client's. Its time changes with its status only.
 */
import { part } from '../../apimachinery/members.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { withConditions } from '../strategy/own-condition.ts';
import type { KindStrategy } from '../../registry/strategy.ts';

const available = 'Available';

const local: JsonObject = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

const notProxied: JsonObject = {
  status: 'False',
  reason: 'NotProxied',
  message: 'this server does not proxy to other API servers',
};

/** What replaces functions of the generic strategy. */
export function apiServiceStrategy(): Partial<KindStrategy> {
  return {
    prepareForCreate: ({ status: _status, ...service }) => {
      const { creationTimestamp = '' } = service.metadata;
      return withAvailability(service, undefined, creationTimestamp);
    },
    prepareForUpdate: (next, current, nowMs) =>
      withAvailability({ ...next, status: part(current, 'status') }, current, formatRfc3339(nowMs)),
    prepareForStatusUpdate: (next, current, nowMs) =>
      withAvailability(next, current, formatRfc3339(nowMs)),
  };
}

function withAvailability(next: ApiObject, current: ApiObject | undefined, now: string): ApiObject {
  const says = part(next, 'spec')['service'] === undefined ? local : notProxied;
  return withConditions(next, current, now, [{ type: available, says }]);
}
