/**
 * NodeRestriction: limits the content that a kubelet may write (spec 2, section 5.5). The
 * authorizer of mode Node decides which objects it may write at all.
 *
 *     pods              mirror pods on itself, which must not let it read more; delete, evict and
 *                       report on pods that are bound to it
 *     nodes             its own, without labels that attract pods and without changing its taints
 *     serviceaccounts   tokens for pods bound to it, for the audiences that these pods name
 *     leases, CSINodes, ResourceSlices, claims      its own; of a claim the result of a resize
 *     signing requests  for the signers of kubelets: for its own name
 *
 * It limits nobody else, and it does not depend on which authorizers are configured.
 *
 * It looks at what the kubelet said, before the rules of the kind drop or refuse any of it: who
 * says more than it may is told so, even where nothing would have come of it.
 *
 * Invariants: a kubelet's user without the name of a node may write none of these.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { newNotFound } from '../../apimachinery/status-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { nodeNameOf, nodeUserPrefix } from '../../authorization/node/node-identity.ts';
import { nodeOfPod } from '../../authorization/node/pod-references.ts';
import { readSigningRequest } from '../../pki/certificate-requests.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type {
  AdmissionObjects,
  AdmissionPlugin,
  Ask,
  MutatePass,
  Refusal,
  Review,
} from '../admission.ts';
import { mirrorPodRefusal } from './mirror-pods.ts';
import { nodeRefusal } from './node-objects.ts';
import { tokenRefusal } from './token-requests.ts';

export interface NodeRestrictionRules {
  /** Tokens are for audiences that the pod names, or that the node has a right to. */
  readonly audiences: boolean;
  /** It may ask for certificates in the names of others. */
  readonly anyCertificates: boolean;
}

const pods = { group: '', resource: 'pods' } as const;

type Rule = (node: string, review: Review, ask: Ask) => Refusal;

export function nodeRestriction(
  identity: Identity,
  objects: AdmissionObjects,
  { anyCertificates, audiences }: NodeRestrictionRules,
): AdmissionPlugin {
  const key = (group: string, resource: string): string => `${identity.fill(group)}/${resource}`;
  const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
    [key('', 'pods'), (node, review) => podRefusal(node, review, identity, objects)],
    [key('', 'bindings'), bindingRefusal],
    [key('', 'nodes'), (node, review) => nodeRefusal(node, review, identity)],
    [key('', 'persistentvolumeclaims'), claimRefusal],
    [
      key('', 'serviceaccounts'),
      (node, review, ask) => tokenRefusal(node, review, { identity, objects, audiences }, ask),
    ],
    [
      key('coordination.{domain}', 'leases'),
      (node, review) => leaseRefusal(node, review, identity),
    ],
    [
      key('storage.{domain}', 'csinodes'),
      (node, { current, name, next }) =>
        nameIn(name, next, current) === node
          ? undefined
          : 'can only access CSINode with the same name as the requesting node',
    ],
    [key('resource.{domain}', 'resourceslices'), sliceRefusal],
    [
      key('certificates.{domain}', 'certificatesigningrequests'),
      (node, review) => (anyCertificates ? undefined : requestRefusal(node, review, identity)),
    ],
  ]);
  const ruleOf = ({ resource: { group, resource } }: Pick<Review, 'resource'>): Rule | undefined =>
    rules.get(`${group}/${resource}`);
  const refusal = (review: Review, { ask }: Pick<MutatePass, 'ask'>): Refusal => {
    const node = nodeNameOf(review.user);
    if (node === undefined) return undefined;
    if (node === '') return `could not determine node from user ${quote(review.user.name)}`;
    return ruleOf(review)?.(node, review, ask);
  };
  return {
    name: 'NodeRestriction',
    concerns: (user, target) => nodeNameOf(user) !== undefined && ruleOf(target) !== undefined,
    current: ({ resource: { resource }, subresource }) =>
      looksAround.has(`${resource}/${subresource}`) ? objects.current() : undefined,
    admits: ['CREATE', 'UPDATE'],
    admit: (proposed, pass) => refusal(proposed, pass) ?? proposed.next,
    admitDeletion: refusal,
  };
}

/** What it reviews by other objects, which may have been written a moment ago. */
const looksAround: ReadonlySet<string> = new Set([
  'pods/',
  'pods/eviction',
  'serviceaccounts/token',
]);

/** A deletion and an update name the object in the path, a creation in the object. */
function nameIn(name: string, next: ApiObject | undefined, current: ApiObject | undefined): string {
  return (current ?? next)?.metadata.name ?? name;
}

function podRefusal(
  node: string,
  review: Review,
  identity: Identity,
  objects: AdmissionObjects,
): Refusal {
  const { current, next, subresource } = review;
  const isOwn = current !== undefined && nodeOfPod(current) === node;
  switch (subresource) {
    case '':
      if (next === undefined) {
        if (isOwn) return undefined;
        return `node ${quote(node)} can only delete pods with spec.nodeName set to itself`;
      }
      if (current === undefined) return mirrorPodRefusal(node, next, identity, objects);
      return (
        'unexpected operation "UPDATE", ' +
        `node ${quote(node)} can only create and delete mirror pods`
      );
    case 'status':
      return podStatusRefusal(node, review, isOwn);
    case 'eviction':
      return evictionRefusal(node, review, objects);
    default:
      return (
        `unexpected pod subresource ${quote(subresource)}, ` +
        "only 'status' and 'eviction' are allowed"
      );
  }
}

/** Where pods go is not for nodes to say, whichever way a binding is posted. */
function bindingRefusal(node: string): Refusal {
  return `node ${quote(node)} is not allowed to bind pods`;
}

function evictionRefusal(
  node: string,
  { name, namespace }: Review,
  objects: AdmissionObjects,
): Refusal {
  const pod = objects.get(pods, namespace, name);
  if (pod === undefined) return newNotFound(pods, name);
  if (nodeOfPod(pod) === node) return undefined;
  return `node ${node} can only evict pods with spec.nodeName set to itself`;
}

function podStatusRefusal(node: string, { current, next }: Review, isOwn: boolean): Refusal {
  if (!isOwn) {
    return (
      `node ${quote(node)} can only update pod status for pods ` +
      'with spec.nodeName set to itself'
    );
  }
  if (!deepEqual(next?.metadata.labels ?? {}, current?.metadata.labels ?? {})) {
    return `node ${quote(node)} cannot update labels through pod status`;
  }
  if (!deepEqual(claimStatuses(next), claimStatuses(current))) {
    return `node ${quote(node)} cannot update resource claim statues`;
  }
  return undefined;
}

function claimStatuses(pod: ApiObject | undefined): JsonValue {
  const status = pod?.['status'];
  return (isJsonObject(status) ? status['resourceClaimStatuses'] : undefined) ?? [];
}

const claimStatusFields = [
  'capacity',
  'conditions',
  'allocatedResourceStatuses',
  'allocatedResources',
] as const;

function claimRefusal(node: string, { current, next, subresource }: Review): Refusal {
  if (subresource !== 'status' || next === undefined || current === undefined) {
    return 'may only update PVC status';
  }
  if (deepEqual(withoutReport(next), withoutReport(current))) return undefined;
  return (
    `node ${quote(node)} is not allowed to update fields other than ` +
    'status.quantity and status.conditions'
  );
}

/** A claim without what its node reports. */
function withoutReport(claim: ApiObject): JsonValue {
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = claim.metadata;
  const status: Record<string, JsonValue | undefined> = isJsonObject(claim['status'])
    ? { ...claim['status'] }
    : {};
  for (const field of claimStatusFields) delete status[field];
  return { ...claim, metadata, status };
}

function leaseRefusal(
  node: string,
  { current, name, namespace, next }: Review,
  { namespaces }: Identity,
): Refusal {
  if (namespace !== namespaces.nodeLease) {
    return `can only access leases in the ${quote(namespaces.nodeLease)} system namespace`;
  }
  if (nameIn(name, next, current) === node) return undefined;
  return 'can only access node lease with the same name as the requesting node';
}

/** Which slices it may change the authorizer knows; what is in a new one it does not. */
function sliceRefusal(node: string, { current, next }: Review): Refusal {
  if (next !== undefined && current !== undefined) return undefined;
  const spec = (next ?? current)?.['spec'];
  if (isJsonObject(spec) && spec['nodeName'] === node) return undefined;
  const what = next === undefined ? 'delete' : 'create';
  return `can only ${what} ResourceSlice with the same NodeName as the requesting node`;
}

/** Of signers whose certificates say which node somebody is. What else is in it they judge. */
function requestRefusal(node: string, { current, next }: Review, { signers }: Identity): Refusal {
  if (next === undefined || current !== undefined) return undefined;
  const spec = part(next, 'spec');
  const signer = text(spec, 'signerName');
  if (signer !== signers.kubeletServing && signer !== signers.kubeletClient) return undefined;
  const pem = Buffer.from(text(spec, 'request'), 'base64').toString('latin1');
  const read = readSigningRequest(pem);
  if (read.kind === 'invalid') return `unable to parse csr: ${read.problem}`;
  const own = `${nodeUserPrefix}${node}`;
  return read.request.commonName === own ? undefined : `can only create a node CSR with CN=${own}`;
}
