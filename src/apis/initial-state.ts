/**
 * What the server itself writes into a new object: the state that controllers and nodes start from.
 *
 * What it is not: defaults (a client could have written those), or what controllers write later.
 *
 *     pods                     phase Pending, and the quality of service, which resources decide
 *     volumes, claims          phase Pending
 *     jobs                     a selector of their own and the labels that it selects, unless
 *                              manualSelector says that the client knows better
 */
import type { Identity } from '../apimachinery/identity.ts';
import { objects, part } from '../apimachinery/members.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import type { KindStrategy } from '../registry/strategy.ts';

type Strategies = Readonly<Record<string, Partial<KindStrategy>>>;

export function initialStateStrategies(identity: Identity): Strategies {
  const pending = (object: ApiObject): ApiObject => ({ ...object, status: { phase: 'Pending' } });
  return {
    '/persistentvolumeclaims': { prepareForCreate: pending },
    '/persistentvolumes': { prepareForCreate: pending },
    '/pods': {
      prepareForCreate: (pod) => ({
        ...pod,
        status: { phase: 'Pending', qosClass: qosClassOf(part(pod, 'spec')) },
      }),
    },
    'batch/jobs': { prepareForCreate: (job) => withSelector({ ...job, status: {} }, identity) },
  };
}

const judged = ['cpu', 'memory'] as const;

/** By what containers request and are limited to; nothing of it, all of it alike, or some. */
export function qosClassOf(spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = ['containers', 'initContainers'].flatMap((name) => objects(spec, name));
  let some = false;
  let all = true;
  for (const container of containers) {
    const resources = part(container, 'resources');
    const [limits, requests] = [part(resources, 'limits'), part(resources, 'requests')];
    for (const name of judged) {
      const [limit, request] = [limits[name], requests[name]];
      if (isGiven(limit) || isGiven(request)) some = true;
      if (!isGiven(limit) || limit !== request) all = false;
    }
  }
  if (!some) return 'BestEffort';
  return all ? 'Guaranteed' : 'Burstable';
}

function isGiven(amount: JsonValue | undefined): boolean {
  return amount !== undefined && amount !== '0';
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
