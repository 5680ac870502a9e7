/**
 * Writes into the status of each validating admission policy whether its expressions fit the kinds
 * that its rules name.
 *
 *     a policy of a new generation ─▶ checked in turns ─▶ status.typeChecking, observedGeneration
 *
 * Elsewhere: the check itself (admission/policies/type-check.ts), which is handed in. A policy is
 * in force without it.
 *
 * Invariants: one write for a generation; conditions of others stay. Bound: one policy at a time.
 */
import { part } from '../apimachinery/members.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';
import { cachedObject, repairObject } from './system/ensured-object.ts';

export interface PolicyTypeChecksDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** The kind of the policies. */
  readonly kind: KindInfo;
  /** Of status.typeChecking.expressionWarnings. */
  readonly check: (policy: ApiObject) => Promise<readonly JsonObject[]>;
  readonly onError: (policy: string, error: unknown) => void;
}

export function createPolicyTypeChecks(deps: PolicyTypeChecksDeps): Controller {
  const { kind, onError, queues, registry, timers } = deps;
  return createKeyQueue({
    name: 'policy-type-checks',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    sources: [{ resource: kind.storage, keysOf: (_namespace, name) => [name] }],
    work: (name) => checkPolicy(deps, name),
    onError,
  });
}

async function checkPolicy({ check, kind, registry }: PolicyTypeChecksDeps, name: string) {
  const target = { kind, namespace: '', name };
  const found = cachedObject(registry, target);
  if (found === undefined || isChecked(found)) return;
  const warnings = await check(found);
  const { generation } = found.metadata;
  const repaired = (current: ApiObject): ApiObject | undefined => {
    // Its next generation is checked when that is seen.
    if (current.metadata.generation !== generation || isChecked(current)) return undefined;
    const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
    const status = { ...part(current, 'status'), observedGeneration: generation, typeChecking };
    return { ...current, status: status as JsonObject };
  };
  await repairObject(registry, target, repaired, { subresource: 'status' });
}

function isChecked(policy: ApiObject): boolean {
  return part(policy, 'status')['observedGeneration'] === policy.metadata.generation;
}
