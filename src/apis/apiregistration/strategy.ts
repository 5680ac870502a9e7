/**
 * APIServices: which server answers for a group and version, and whether one does.
 *
 *     without spec.service   this server does     ▶ Available True, Local, at every write
 *     with spec.service      another one does     ▶ Available as was found out of that one
 *
 * Elsewhere: finding it out (src/controllers/api-service-availability.ts), and the objects of this
 * server's own versions (local-api-services.ts).
 *
 * Invariants: only a write of the status says anything about another server; what was said while
 * this one answered is taken out when it no longer does. The time of a condition changes with its
 * status only.
 */
import { objects, part } from '../../apimachinery/members.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { withConditions } from '../../apimachinery/own-condition.ts';
import type { KindStrategy } from '../../registry/strategy.ts';

const available = 'Available';

const local: JsonObject = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** What replaces functions of the generic strategy. */
export function apiServiceStrategy(): Partial<KindStrategy> {
  return {
    prepareForCreate: ({ status: _status, ...service }) => {
      const { creationTimestamp = '' } = service.metadata;
      return isLocal(service) ? withLocal(service, undefined, creationTimestamp) : service;
    },
    prepareForUpdate: (next, current, nowMs) => {
      const kept = { ...next, status: part(current, 'status') };
      return isLocal(kept) ? withLocal(kept, current, formatRfc3339(nowMs)) : withoutLocal(kept);
    },
    prepareForStatusUpdate: (next, current, nowMs) =>
      isLocal(next) ? withLocal(next, current, formatRfc3339(nowMs)) : next,
  };
}

function isLocal(service: ApiObject): boolean {
  return part(service, 'spec')['service'] === undefined;
}

function withLocal(next: ApiObject, current: ApiObject | undefined, now: string): ApiObject {
  return withConditions(next, current, now, [{ type: available, says: local }]);
}

function withoutLocal(next: ApiObject): ApiObject {
  const said = objects(part(next, 'status'), 'conditions').find(({ type }) => type === available);
  if (said?.['reason'] !== local['reason']) return next;
  return withConditions(next, undefined, '', [{ type: available, says: undefined }]);
}
