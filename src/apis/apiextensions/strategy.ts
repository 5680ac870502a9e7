/**
 * Definitions of custom types: kept and checked; no type is served by them yet, and their status
 * says so where clients wait for it.
 *
 *     NamesAccepted False, Established False     reason NotServed
 *     acceptedNames                              none
 *     storedVersions                             at first the one marked for storage
 *
 * What it is not: the rules of definitions (validation.ts).
 *
 * Invariant: whoever writes the definition or its status, these two conditions say what this server
 * does; the rest of the status is the client's.
 */
import { objects, part } from '../../apimachinery/members.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { withConditions } from '../strategy/own-condition.ts';
import type { KindStrategy } from '../../registry/strategy.ts';

const says: JsonObject = {
  status: 'False',
  reason: 'NotServed',
  message: 'this server does not serve custom resources: the definition is kept and has no effect',
};

const findings = [
  { type: 'NamesAccepted', says },
  { type: 'Established', says },
];

/** What replaces functions of the generic strategy. */
export function definitionStrategy(generic: KindStrategy): Partial<KindStrategy> {
  return {
    prepareForCreate(object, user) {
      const { creationTimestamp = '' } = object.metadata;
      const fresh = withStoredVersions(generic.prepareForCreate(object, user));
      return withConditions(fresh, undefined, creationTimestamp, findings);
    },
    prepareForUpdate: (next, current, nowMs) =>
      withConditions(
        generic.prepareForUpdate(next, current, nowMs),
        current,
        formatRfc3339(nowMs),
        findings,
      ),
    prepareForStatusUpdate: (next, current, nowMs) =>
      withConditions(
        generic.prepareForStatusUpdate(next, current, nowMs),
        current,
        formatRfc3339(nowMs),
        findings,
      ),
  };
}

function withStoredVersions(definition: ApiObject): ApiObject {
  const versions = objects(part(definition, 'spec'), 'versions');
  const stored = versions.find(({ storage }) => storage === true);
  if (stored === undefined) return definition;
  const storedVersions = [stored['name'] ?? ''];
  const status = { ...part(definition, 'status'), storedVersions };
  return { ...definition, status };
}
