/**
 * RuntimeClass: a pod gets the overhead of its class, and the node selector and tolerations of
 * nodes that support it.
 *
 *     overhead     that of the class; the pod may not name another
 *     scheduling   node selector and tolerations, added to the pod's own
 *
 * Invariants: a pod without a class has no overhead.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { canonicalQuantity } from '../../apimachinery/quantity.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { ownMember } from '../../stdx/lookup.ts';
import type { AdmissionObjects, AdmissionPlugin, Refusal } from '../admission.ts';
import { mergedTolerations } from './tolerations.ts';

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const noOverhead =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

export function runtimeClasses({ fill }: Identity, known: AdmissionObjects): AdmissionPlugin {
  const classes = { group: fill('node.{domain}'), resource: 'runtimeclasses' };
  /** A text: there is none of that name. */
  const classOf = (pod: ApiObject): ApiObject | string | undefined => {
    const name = text(part(pod, 'spec'), 'runtimeClassName');
    if (name === '') return undefined;
    const found = known.get(classes, '', name);
    return found ?? `pod rejected: RuntimeClass ${quote(name)} not found`;
  };
  return {
    name: 'RuntimeClass',
    resources: ['/pods'],
    concerns: (_user, { operations }) => operations.includes('CREATE'),
    current: () => known.current(),
    admits: ['CREATE'],
    admit({ next }) {
      const found = classOf(next);
      if (found === undefined) return next;
      return typeof found === 'string' ? found : withClass(next, found);
    },
    validate({ next, operation }) {
      if (next === undefined || operation !== 'CREATE') return undefined;
      const found = classOf(next);
      return typeof found === 'string' ? found : overheadRefusal(next, found);
    },
  };
}

function withClass(pod: ApiObject, runtimeClass: ApiObject): ApiObject | NonNullable<Refusal> {
  const spec = part(pod, 'spec');
  let changed = spec;
  const overhead = overheadOf(runtimeClass);
  if (overhead !== undefined) {
    const own = spec['overhead'];
    if (own !== undefined && !sameAmounts(part(spec, 'overhead'), overhead)) return otherOverhead;
    changed = { ...changed, overhead };
  }
  if (runtimeClass['scheduling'] === undefined) return { ...pod, spec: changed };
  const scheduling = part(runtimeClass, 'scheduling');
  const [own, wanted] = [part(spec, 'nodeSelector'), part(scheduling, 'nodeSelector')];
  for (const key of Object.keys(wanted)) {
    const [ours, its] = [ownMember(own, key), wanted[key]];
    if (ours === undefined || ours === its) continue;
    const ofClass = `runtimeClass.scheduling.nodeSelector[${key}] = ${String(its)}`;
    return `conflict: ${ofClass}; pod.spec.nodeSelector[${key}] = ${String(ours)}`;
  }
  const nodeSelector = { ...own, ...wanted };
  const tolerations = mergedTolerations(
    objects(spec, 'tolerations'),
    objects(scheduling, 'tolerations'),
  );
  changed = {
    ...changed,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  };
  return { ...pod, spec: changed };
}

/** Undefined: the class has none. */
function overheadOf(runtimeClass: ApiObject | undefined): JsonObject | undefined {
  const overhead = runtimeClass?.['overhead'];
  return overhead === undefined ? undefined : part(part(runtimeClass, 'overhead'), 'podFixed');
}

function overheadRefusal(pod: ApiObject, runtimeClass: ApiObject | undefined): Refusal {
  const spec = part(pod, 'spec');
  const wanted = overheadOf(runtimeClass);
  if (wanted === undefined) return spec['overhead'] === undefined ? undefined : noOverhead;
  return sameAmounts(part(spec, 'overhead'), wanted) ? undefined : otherOverhead;
}

function sameAmounts(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  const canonical = (amount: unknown): string | undefined => canonicalQuantity(String(amount));
  return names.every((name) => canonical(a[name]) === canonical(ownMember(b, name)));
}
