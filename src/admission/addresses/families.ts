/**
 * The IP families of a service's addresses: those that it names, those of its addresses, and those
 * of the cluster. One address is chosen for each family.
 *
 *     policy     that of the writer, else that from before, else SingleStack; RequireDualStack for
 *                a new headless service without a selector
 *     families   named ▶ those of the addresses ▶ the cluster's first ▶ its second, if the policy
 *                wants two and the cluster has two
 *
 * Invariants: pure. A service with PreferDualStack whose addresses and families do not change keeps
 * them, even if the cluster has changed. Messages are those of the reference.
 */
import { invalid, invalidTexts } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

export type Family = 'IPv4' | 'IPv6';

export interface FamilyPorts {
  /** Of the cluster, the main one first. */
  readonly cluster: readonly Family[];
  /** What is wrong with the addresses and families that a spec names. */
  readonly problems: (spec: JsonObject) => readonly FieldError[];
}

const policyField = 'spec.ipFamilyPolicy';

/** `spec`: with both fields of its addresses. `before`: undefined for a new service. The spec with
 * its policy and families, or what is wrong. */
export function withFamilies(
  spec: JsonObject,
  before: JsonObject | undefined,
  { cluster, problems }: FamilyPorts,
): JsonObject | readonly FieldError[] {
  if (before !== undefined && prefersAsBefore(spec, before)) return spec;
  const hidden = texts(spec, 'clusterIPs')[0] === 'None';
  const free = hidden && Object.keys(part(spec, 'selector')).length === 0;
  const usual = free ? 'RequireDualStack' : 'SingleStack';
  // Who says an empty one has named one that there is not.
  const said = spec['ipFamilyPolicy'] === undefined ? before : spec;
  const policy = said?.['ipFamilyPolicy'] === undefined ? usual : text(said, 'ipFamilyPolicy');
  const unsound = problems({ ...spec, ipFamilyPolicy: policy });
  if (unsound.length > 0) return unsound;
  const released = before === undefined ? spec : withReleased(spec, before, policy);
  const addresses = texts(released, 'clusterIPs');
  const families = texts(released, 'ipFamilies');
  const wrong: FieldError[] = [
    ...(before === undefined ? [] : reductions(spec, before, policy)),
    ...excesses(addresses, families, policy),
  ];
  const all = [...families];
  for (const [at, address] of hidden ? [] : addresses.entries()) {
    if (at < all.length) continue;
    const family = address.includes(':') ? 'IPv6' : 'IPv4';
    if (cluster.includes(family)) all.push(family);
    else wrong.push(unconfigured(at, addresses, family));
  }
  if (wrong.length === 0 && !free) wrong.push(...missing(all, policy, cluster));
  if (wrong.length > 0) return wrong;
  const [main = 'IPv4'] = cluster;
  if (all.length === 0) all.push(main);
  const isDual = policy !== 'SingleStack' && (free || cluster.length > 1);
  if (isDual && all.length === 1) all.push(all[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  return { ...released, ipFamilyPolicy: policy, ipFamilies: all };
}

/** It is neither given a family nor loses one because the cluster has changed. */
function prefersAsBefore(spec: JsonObject, before: JsonObject): boolean {
  const isSame = (name: string): boolean => deepEqual(texts(spec, name), texts(before, name));
  const prefers = (each: JsonObject): boolean => text(each, 'ipFamilyPolicy') === 'PreferDualStack';
  const same = text(spec, 'type') === text(before, 'type') && prefers(spec) && prefers(before);
  return same && isSame('clusterIPs') && isSame('ipFamilies');
}

/** Who says SingleStack and leaves the lists as they were gives up the second of each. */
function withReleased(spec: JsonObject, before: JsonObject, policy: string): JsonObject {
  if (policy !== 'SingleStack') return spec;
  let released = spec;
  for (const name of ['clusterIPs', 'ipFamilies']) {
    const own = texts(spec, name);
    if (own.length < 2 || !deepEqual(own, texts(before, name))) continue;
    released = { ...released, [name]: own.slice(0, 1) };
  }
  return released;
}

/** Who leaves the second of a list away has to say so in the policy, too. */
function reductions(spec: JsonObject, before: JsonObject, policy: string): readonly FieldError[] {
  if (policy === 'SingleStack') return [];
  const isLess = (name: string): boolean => {
    const own = texts(spec, name).length;
    return own > 0 && own < texts(before, name).length;
  };
  const must = (what: string): FieldError =>
    invalid(policyField, policy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(isLess('clusterIPs') ? [must('cluster IP')] : []),
    ...(isLess('ipFamilies') ? [must('IP family')] : []),
  ];
}

function excesses(
  addresses: readonly string[],
  families: readonly string[],
  policy: string,
): readonly FieldError[] {
  if (policy !== 'SingleStack') return [];
  const must = (what: string): FieldError => {
    const two = "must be 'RequireDualStack' or 'PreferDualStack'";
    return invalid(policyField, policy, `${two} when multiple ${what} are specified`);
  };
  return [
    ...(addresses.length === 2 ? [must('cluster IPs')] : []),
    ...(families.length === 2 ? [must('IP families')] : []),
  ];
}

function unconfigured(at: number, addresses: readonly string[], family: Family): FieldError {
  const detail = `${family} is not configured on this cluster`;
  return invalidTexts(`spec.clusterIPs[${at}]`, addresses, detail);
}

/** What is asked for and the cluster does not have. */
function missing(
  families: readonly string[],
  policy: string,
  cluster: readonly Family[],
): readonly FieldError[] {
  const detail = 'this cluster is not configured for dual-stack services';
  const isOneTooFew = policy === 'RequireDualStack' && cluster.length < 2;
  return [
    ...(isOneTooFew ? [invalid(policyField, policy, detail)] : []),
    ...families.flatMap((family, at) =>
      cluster.some((each) => each === family)
        ? []
        : [invalid(`spec.ipFamilies[${at}]`, family, 'not configured on this cluster')],
    ),
  ];
}
