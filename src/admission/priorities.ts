/**
 * Priority: pods have the priority of their class, and at most one class is the default of all
 * others.
 *
 *     a pod names a class            it gets the priority and preemption policy of the class
 *     it names none                  those of the class with globalDefault, else 0 and preemption
 *     it names another priority      403
 *     a second globalDefault         403
 *
 * Invariant: if two defaults were written at the same moment, the one with the lower priority
 * counts.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { part, text } from '../apimachinery/members.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { after } from '../stdx/awaitable.ts';
import type { AdmissionObjects, AdmissionPlugin, Refusal, Review } from './admission.ts';

export function priorities(identity: Identity, known: AdmissionObjects): AdmissionPlugin {
  const group = identity.fill('scheduling.{domain}');
  const classes: GroupResource = { group, resource: 'priorityclasses' };
  const isPod = ({ group: of, resource }: GroupResource): boolean =>
    of === '' && resource === 'pods';
  const isClass = ({ group: of, resource }: GroupResource): boolean =>
    of === classes.group && resource === classes.resource;
  const usual = known.first(classes, {
    read: (each) => (each['globalDefault'] === true ? each : undefined),
    isBefore: isLower,
  });
  return {
    name: 'Priority',
    resources: ['/pods', `${group}/priorityclasses`],
    concerns: (_user, { operations, resource }) =>
      operations.includes('CREATE') || (isClass(resource) && operations.includes('UPDATE')),
    current: ({ name, resource }) =>
      name === '' || isClass(resource) ? known.current() : undefined,
    admits: ['CREATE'],
    admit({ next, resource }) {
      if (!isPod(resource)) return next;
      const wanted = text(part(next, 'spec'), 'priorityClassName');
      if (wanted === '') return after(usual(), (found) => withPriority(next, found));
      const found = known.get(classes, '', wanted);
      if (found === undefined) return `no PriorityClass with name ${wanted} was found`;
      return withPriority(next, found);
    },
    validate(review) {
      const { next, resource } = review;
      if (!isClass(resource) || next?.['globalDefault'] !== true) return undefined;
      return after(usual(), (found) => defaultRefusal(found, review));
    },
  };
}

const preempts = 'PreemptLowerPriority';

function withPriority(
  pod: ApiObject,
  found: ApiObject | undefined,
): ApiObject | NonNullable<Refusal> {
  const spec = part(pod, 'spec');
  const priority = found === undefined ? 0 : Number(found['value'] ?? 0);
  const preemptionPolicy = text(found, 'preemptionPolicy') || preempts;
  const computed = (value: string | number): string =>
    `must not be provided in pod spec; priority admission controller computed ${value} from the ` +
    'given PriorityClass name';
  const given = { priority: spec['priority'], policy: spec['preemptionPolicy'] };
  if (given.priority !== undefined && given.priority !== priority) {
    return `the integer value of priority (${String(given.priority)}) ${computed(priority)}`;
  }
  if (given.policy !== undefined && given.policy !== preemptionPolicy) {
    const value = String(given.policy);
    return `the string value of PreemptionPolicy (${value}) ${computed(preemptionPolicy)}`;
  }
  const named = found?.metadata.name ?? '';
  return {
    ...pod,
    spec: {
      ...spec,
      ...(named === '' ? {} : { priorityClassName: named }),
      priority,
      preemptionPolicy,
    },
  };
}

/** Those of one value by their names. */
function isLower(a: ApiObject, b: ApiObject): boolean {
  const [valueA, valueB] = [valueOf(a), valueOf(b)];
  if (valueA !== valueB) return valueA < valueB;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '');
}

function valueOf(priorityClass: ApiObject): number {
  return Number(priorityClass['value'] ?? 0);
}

function defaultRefusal(found: ApiObject | undefined, { current, next }: Review): Refusal {
  const other = found?.metadata.name;
  if (other === undefined) return undefined;
  if (current !== undefined && other === next?.metadata.name) return undefined;
  return `PriorityClass ${other} is already marked as default. Only one default can exist`;
}
