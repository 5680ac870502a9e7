/**
 * The fields of a pod that the server sets, and keeps on updates.
 *
 *     create    phase Pending and the QoS class, which the resources decide, once and for all;
 *               with scheduling gates, the condition that reports them; keys of labels in its
 *               affinity become requirements (match-label-keys.ts), annotations of AppArmor
 *               profiles fields (app-armor.ts)
 *     update    the status, and the fields that its priority class sets
 *     status    the QoS class
 */
import { objects, part } from '../../../apimachinery/members.ts';
import type { Identity } from '../../../apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import type { KindStrategy } from '../../../registry/strategy.ts';
import { withAppArmorFields } from './app-armor.ts';
import { withMatchedLabels } from './match-label-keys.ts';
import { qosClassOf } from './qos-class.ts';
import { withStatusOf } from '../../../registry/strategy.ts';

export function podStrategy(_generic: KindStrategy, identity: Identity): Partial<KindStrategy> {
  return {
    prepareForCreate: (pod) => ({
      ...withAppArmorFields(withMatchedLabels(pod), identity),
      status: { phase: 'Pending', qosClass: qosClassOf(pod), ...gatedConditions(pod) },
    }),
    prepareForUpdate: (next, current) => withStatusOf(withPriorityOf(next, current), current),
    prepareForStatusUpdate: withQosClassOf,
    gracePeriodSeconds: podGracePeriod,
  };
}

/** A waiting pod shows why nothing schedules it. */
function gatedConditions(pod: ApiObject): JsonObject {
  if (objects(part(pod, 'spec'), 'schedulingGates').length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
    lastTransitionTime: pod.metadata.creationTimestamp ?? null,
  };
  return { conditions: [condition] };
}

/** What its class gave it stays, also when a file that never had it is written again. */
function withPriorityOf(next: ApiObject, current: ApiObject): ApiObject {
  const spec = part(next, 'spec');
  const { preemptionPolicy, priority } = part(current, 'spec');
  const kept = {
    ...(spec['priority'] === undefined && priority !== undefined ? { priority } : {}),
    ...(spec['preemptionPolicy'] === undefined && preemptionPolicy !== undefined
      ? { preemptionPolicy }
      : {}),
  };
  return Object.keys(kept).length === 0 ? next : { ...next, spec: { ...spec, ...kept } };
}

/** The class is set once and stays: whoever writes the status need not repeat it. */
function withQosClassOf(next: ApiObject, current: ApiObject): ApiObject {
  const status = part(next, 'status');
  const { qosClass } = part(current, 'status');
  if (qosClass === undefined || status['qosClass'] !== undefined) return next;
  return { ...next, status: { ...status, qosClass } };
}

const graceSeconds = 30;

/** A pod that no node runs, or that has ended, need not be waited for (spec 1, section 3.1). */
function podGracePeriod(object: ApiObject, requested: number | undefined): number {
  const [spec, status] = [part(object, 'spec'), part(object, 'status')];
  const ended = status['phase'] === 'Failed' || status['phase'] === 'Succeeded';
  const bound = typeof spec['nodeName'] === 'string' && spec['nodeName'] !== '';
  if (!bound || ended) return 0;
  const own = spec['terminationGracePeriodSeconds'];
  const period = requested ?? (typeof own === 'number' ? own : graceSeconds);
  return period < 0 ? 1 : period;
}
