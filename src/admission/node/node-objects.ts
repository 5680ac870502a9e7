/**
 * What a kubelet may write into its Node: nothing that attracts pods or gives it the right to read
 * more objects.
 *
 * Invariants: labels of the cluster's own domains belong to the administrator, except those that
 * describe the machine. A kubelet may set taints and owners only while it registers its Node.
 * Owners matter because the garbage collector deletes a Node whose owner is missing, and the
 * kubelet could then register again with other taints.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { part } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { ownMember } from '../../stdx/lookup.ts';
import type { Refusal, Review } from '../admission.ts';

export function nodeRefusal(
  node: string,
  { current, name, next }: Review,
  identity: Identity,
): Refusal {
  const written = (current ?? next)?.metadata.name ?? name;
  if (written !== node) {
    return `node ${quote(node)} is not allowed to modify node ${quote(written)}`;
  }
  if (next === undefined) return undefined;
  return current === undefined
    ? registrationRefusal(node, next, identity)
    : updateRefusal(node, next, current, identity);
}

function registrationRefusal(node: string, next: ApiObject, identity: Identity): Refusal {
  if (specOf(next)['configSource'] !== undefined) {
    return `node ${quote(node)} is not allowed to create pods with a non-nil configSource`;
  }
  const labels = forbiddenLabels(next, undefined, identity);
  if (labels.length === 0) return undefined;
  return `node ${quote(node)} is not allowed to set the following labels: ${labels.join(', ')}`;
}

function updateRefusal(
  node: string,
  next: ApiObject,
  current: ApiObject,
  identity: Identity,
): Refusal {
  const [spec, before] = [specOf(next), specOf(current)];
  const source = spec['configSource'];
  if (source !== undefined && !deepEqual(source, before['configSource'] ?? null)) {
    const what = 'update configSource to a new non-nil configSource';
    return `node ${quote(node)} is not allowed to ${what}`;
  }
  if (!deepEqual(spec['taints'] ?? [], before['taints'] ?? [])) {
    return `node ${quote(node)} is not allowed to modify taints`;
  }
  const owners = (object: ApiObject) => object.metadata.ownerReferences ?? [];
  if (!deepEqual([...owners(next)], [...owners(current)])) {
    return `node ${quote(node)} is not allowed to modify ownerReferences`;
  }
  const labels = forbiddenLabels(next, current, identity);
  if (labels.length === 0) return undefined;
  return `is not allowed to modify labels: ${labels.join(', ')}`;
}

function specOf(object: ApiObject): JsonObject {
  return part(object, 'spec');
}

/** What describes the machine. `{labelDomain}` is filled in. */
const machineLabels: ReadonlySet<string> = new Set([
  '{labelDomain}/hostname',
  '{labelDomain}/os',
  '{labelDomain}/arch',
  'topology.{labelDomain}/zone',
  'topology.{labelDomain}/region',
  'failure-domain.beta.{labelDomain}/zone',
  'failure-domain.beta.{labelDomain}/region',
  'node.{labelDomain}/instance-type',
  'beta.{labelDomain}/instance-type',
  'beta.{labelDomain}/os',
  'beta.{labelDomain}/arch',
]);

/** Those that were set, changed or removed and are not the node's to write, in order. */
function forbiddenLabels(
  next: ApiObject,
  current: ApiObject | undefined,
  identity: Identity,
): readonly string[] {
  const [labels, before] = [next.metadata.labels ?? {}, current?.metadata.labels ?? {}];
  const keys = new Set([...Object.keys(labels), ...Object.keys(before)]);
  return [...keys]
    .filter(
      (key) => ownMember(labels, key) !== ownMember(before, key) && isForbidden(key, identity),
    )
    .sort();
}

function isForbidden(label: string, { domain, fill, labelDomain }: Identity): boolean {
  const slash = label.indexOf('/');
  const prefix = slash < 0 ? '' : label.slice(0, slash);
  const within = (parent: string): boolean => prefix === parent || prefix.endsWith(`.${parent}`);
  if (within(`node-restriction.${labelDomain}`)) return true;
  if (!within(labelDomain) && !within(domain)) return false;
  if (within(`kubelet.${labelDomain}`) || within(`node.${labelDomain}`)) return false;
  return ![...machineLabels].some((known) => fill(known) === label);
}
