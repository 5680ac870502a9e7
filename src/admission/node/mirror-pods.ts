/**
 * Mirror pods, the only pods that a kubelet may create: each mirrors a pod that it runs from a
 * file.
 *
 * Invariants: a mirror pod is bound to the node, owned by its Node and nothing else, and refers to
 * no other object: the node may read what its pods refer to, and could so read anything.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import { newNotFound } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { nodeOfPod, podReferences } from '../../authorization/node/pod-references.ts';
import type { AdmissionObjects, Refusal } from '../admission.ts';

const nodes = { group: '', resource: 'nodes' } as const;

export function mirrorPodRefusal(
  node: string,
  pod: ApiObject,
  { labelDomain }: Identity,
  objects: AdmissionObjects,
): Refusal {
  const annotation = `${labelDomain}/config.mirror`;
  if (pod.metadata.annotations?.[annotation] === undefined) {
    return (
      `pod does not have ${quote(annotation)} annotation, ` +
      `node ${quote(node)} can only create mirror pods`
    );
  }
  if (nodeOfPod(pod) !== node) {
    return `node ${quote(node)} can only create pods with spec.nodeName set to itself`;
  }
  return ownerRefusal(node, pod, objects) ?? referenceRefusal(node, pod);
}

function ownerRefusal(node: string, pod: ApiObject, objects: AdmissionObjects): Refusal {
  const [owner, ...more] = pod.metadata.ownerReferences ?? [];
  const only = `node ${quote(node)} can only create pods with`;
  if (more.length > 0) return `${only} a single owner reference set to itself`;
  const isNode = owner?.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === node;
  if (!isNode) return `${only} an owner reference set to itself`;
  if (owner.controller !== true) return `${only} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) {
    return `node ${quote(node)} must not set blockOwnerDeletion on an owner reference`;
  }
  const found = objects.get(nodes, '', node);
  if (found === undefined) return newNotFound(nodes, node);
  const { uid = '' } = found.metadata;
  if (owner.uid === uid) return undefined;
  return `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

/** By the resource that is referred to; in the order in which they are looked for. */
const referred: readonly (readonly [string, string])[] = [
  ['serviceaccounts', 'a service account'],
  ['secrets', 'secrets'],
  ['configmaps', 'configmaps'],
  ['clustertrustbundles', 'clustertrustbundles'],
  ['persistentvolumeclaims', 'persistentvolumeclaims'],
  ['resourceclaims', 'resourceclaims'],
];

function referenceRefusal(node: string, pod: ApiObject): Refusal {
  // Without an annotation that would hide what a mirror pod refers to.
  const names = new Set([...podReferences(pod, '')].map((found) => found.split(' ')[0]));
  const spec = part(pod, 'spec');
  if (projects(spec, 'clusterTrustBundle')) names.add('clustertrustbundles');
  if (objects(spec, 'resourceClaims').length > 0) names.add('resourceclaims');
  const found = referred.find(([resource]) => names.has(resource));
  if (found === undefined) return undefined;
  return `node ${quote(node)} can not create pods that reference ${found[1]}`;
}

function projects(spec: JsonObject, source: string): boolean {
  return objects(spec, 'volumes').some((volume) => {
    const projected = volume['projected'];
    const sources = isJsonObject(projected) ? objects(projected, 'sources') : [];
    return sources.some((each) => each[source] !== undefined);
  });
}
