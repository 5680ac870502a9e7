/** A condition in a pod's status, set as clients and nodes expect it: one of a type, with the time
 * at which its status last changed. Nothing is null in it: what is stored has no nulls, so the next
 * write would otherwise be a change. */
import { formatRfc3339 } from '../../../apimachinery/time.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../apimachinery/unstructured.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** The same pod when the condition is there already. Pure. */
export function withPodCondition(pod: ApiObject, wanted: PodCondition, nowMs: number): ApiObject {
  const status = isJsonObject(pod['status']) ? pod['status'] : {};
  const conditions = podConditions(pod);
  const old = conditions.find((each) => each['type'] === wanted.type);
  const kept = old !== undefined && old['status'] === wanted.status;
  const probed = old?.['lastProbeTime'] ?? undefined;
  const since = kept ? (old['lastTransitionTime'] ?? undefined) : undefined;
  const condition: JsonObject = {
    type: wanted.type,
    status: wanted.status,
    ...(probed === undefined ? {} : { lastProbeTime: probed }),
    lastTransitionTime: since ?? formatRfc3339(nowMs),
    ...(wanted.reason === undefined ? {} : { reason: wanted.reason }),
    ...(wanted.message === undefined ? {} : { message: wanted.message }),
  };
  if (deepEqual(old, condition)) return pod;
  const next =
    old === undefined
      ? [...conditions, condition]
      : conditions.map((each) => (each === old ? condition : each));
  return { ...pod, status: { ...status, conditions: next } };
}

function podConditions(pod: ApiObject): readonly JsonObject[] {
  const { status } = pod;
  const conditions = isJsonObject(status) ? status['conditions'] : undefined;
  return Array.isArray(conditions) ? (conditions as readonly JsonValue[]).filter(isJsonObject) : [];
}

export function isPodReady(pod: ApiObject): boolean {
  return podConditions(pod).some((each) => each['type'] === 'Ready' && each['status'] === 'True');
}
