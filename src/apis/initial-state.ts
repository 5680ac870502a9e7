/**
 * What the server itself writes into a new object: the state that controllers and nodes start from.
 *
 * What it is not: defaults (a client could have written those), what admission gives a pod, or what
 * controllers write later.
 *
 *     pods                     phase Pending, and the class of service, which resources decide and
 *                              which stays; with scheduling gates, the condition that says so
 *     volumes, claims          phase Pending
 *     jobs                     a selector of their own and the labels that it selects, unless
 *                              manualSelector says that the client knows better
 */
import type { Identity } from '../apimachinery/identity.ts';
import { objects, part } from '../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { withStatusOf } from '../registry/strategy.ts';
import type { KindStrategy } from '../registry/strategy.ts';
import { lookup } from '../stdx/lookup.ts';
import { qosClassOf } from './pods/qos-class.ts';

type Strategies = Readonly<Record<string, Partial<KindStrategy>>>;

export function initialStateStrategies(identity: Identity): Strategies {
  const pending = (object: ApiObject): ApiObject => ({ ...object, status: { phase: 'Pending' } });
  return lookup({
    '/persistentvolumeclaims': { prepareForCreate: pending },
    '/persistentvolumes': { prepareForCreate: pending },
    '/pods': {
      prepareForCreate: (pod) => ({
        ...pod,
        status: { phase: 'Pending', qosClass: qosClassOf(pod), ...gatedConditions(pod) },
      }),
      prepareForUpdate: (next, current) => withStatusOf(withPriorityOf(next, current), current),
      prepareForStatusUpdate: withQosClassOf,
    },
    'batch/jobs': { prepareForCreate: (job) => withSelector({ ...job, status: {} }, identity) },
  });
}

/** Whoever looks at a pod that waits sees why nobody schedules it. */
function gatedConditions(pod: ApiObject): JsonObject {
  if (objects(part(pod, 'spec'), 'schedulingGates').length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
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

/** The class is told once and stays: whoever writes the status need not repeat it. */
function withQosClassOf(next: ApiObject, current: ApiObject): ApiObject {
  const status = part(next, 'status');
  const { qosClass } = part(current, 'status');
  if (qosClass === undefined || status['qosClass'] !== undefined) return next;
  return { ...next, status: { ...status, qosClass } };
}

function withSelector(job: ApiObject, identity: Identity): ApiObject {
  const spec = part(job, 'spec');
  const { name, uid } = job.metadata;
  if (spec['manualSelector'] === true || uid === undefined || name === undefined) return job;
  const own = identity.fill('batch.{labelDomain}/controller-uid');
  const generated = {
    [own]: uid,
    [identity.fill('batch.{labelDomain}/job-name')]: name,
    // Their names before they had a domain.
    'controller-uid': uid,
    'job-name': name,
  };
  const template = part(spec, 'template');
  const metadata = part(template, 'metadata');
  const labels = { ...(part(metadata, 'labels') as Record<string, string>), ...generated };
  const matchLabels = { ...part(part(spec, 'selector'), 'matchLabels'), [own]: uid };
  // A job without labels has those of its pods, as whenever it is read.
  const unlabelled = Object.keys(job.metadata.labels ?? {}).length === 0;
  return {
    ...job,
    ...(unlabelled ? { metadata: { ...job.metadata, labels } } : {}),
    spec: {
      ...spec,
      selector: { ...part(spec, 'selector'), matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}
