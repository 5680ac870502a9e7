/**
 * The Node authorizer: what a kubelet may do, as far as it concerns its own node (spec 2, section
 * 5.5).
 *
 *     user system:node:NAME of group system:nodes
 *       secrets, config maps, claims, volumes             of pods bound to it, to read
 *       tokens of accounts                                of pods bound to it, to make
 *       its pods, its Node, its Lease, its CSINode, its slices and attachments
 *       anything else                                     as the rules of the role system:node say
 *
 * It cannot deny: others behind it may allow more. What a node may write into its objects is
 * limited by admission.
 *
 * A report on a pod that is gone passes, and so do its deletion and its eviction: a node often
 * comes too late, and takes "not found" for the end of its work and "forbidden" for a fault. That
 * tells it no more than the creation of a mirror pod does, which fails when the name is taken.
 * Should the pod be made before the request is carried out, admission looks at whose it is.
 *
 * Invariants: a function of the attributes and of the graph. Lists of pods and slices have to be
 * limited to the node by a field selector, lists of anything that the graph keeps to one name.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { Attributes, Authorizer, Decision, RuleResolver, UserRules } from '../authorizer.ts';
import { noOpinion } from '../authorizer.ts';
import { rulesAllow } from '../rbac/policy-rules.ts';
import type { PolicyRule } from '../rbac/policy-rules.ts';
import type { NodeGraph } from './node-graph.ts';
import { nodeNameOf } from './node-identity.ts';
import { reference } from './pod-references.ts';

export interface NodeAuthorizer extends Authorizer, RuleResolver {
  authorize(attributes: Attributes): Decision;
}

/** Undefined: allowed. Else why there is no opinion. */
type Check = (node: string, attributes: Attributes) => string | undefined;

/** `rules`: those of the default role system:node, for what is not told apart by node. */
export function createNodeAuthorizer(
  graph: NodeGraph,
  identity: Identity,
  rules: readonly PolicyRule[],
): NodeAuthorizer {
  const checks = checksOf(graph, identity);
  return {
    name: 'Node',
    authorize(attributes) {
      const node = nodeNameOf(attributes.user);
      if (node === undefined) return noOpinion;
      if (node === '') {
        return {
          kind: 'no-opinion',
          reason: `unknown node for user ${quote(attributes.user.name)}`,
        };
      }
      const check = attributes.isResourceRequest
        ? checks.get(`${attributes.apiGroup}/${attributes.resource}`)
        : undefined;
      if (check === undefined) {
        return rulesAllow(rules, attributes) ? allowed : noOpinion;
      }
      const why = check(node, attributes);
      return why === undefined ? allowed : { kind: 'no-opinion', reason: why };
    },
    rulesFor: (user) => (nodeNameOf(user) === undefined ? noRules : unlisted),
  };
}

const allowed: Decision = { kind: 'allow', reason: '' };

const noRules: UserRules = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: false,
  evaluationError: '',
};
const unlisted: UserRules = {
  ...noRules,
  incomplete: true,
  evaluationError: 'node authorizer does not support user rule resolution',
};

const readVerbs: readonly string[] = ['get', 'list', 'watch'];
const ownVerbs: readonly string[] = ['create', 'get', 'update', 'patch', 'delete'];

function checksOf(graph: NodeGraph, identity: Identity): ReadonlyMap<string, Check> {
  const key = (group: string, resource: string): string => `${identity.fill(group)}/${resource}`;
  const related = (node: string, a: Attributes): string | undefined =>
    graph.refersTo(node, reference(a.resource, a.namespace, a.name)) ? undefined : unrelated(node);
  return new Map<string, Check>([
    [key('', 'secrets'), (node, a) => readOne(a, readVerbs) ?? related(node, a)],
    [key('', 'configmaps'), (node, a) => readOne(a, readVerbs) ?? related(node, a)],
    [key('', 'persistentvolumeclaims'), (node, a) => claimCheck(a) ?? related(node, a)],
    [
      key('resource.{domain}', 'resourceclaims'),
      (node, a) => readOne(a, ['get']) ?? related(node, a),
    ],
    [key('', 'serviceaccounts'), (node, a) => accountCheck(a) ?? related(node, a)],
    [
      key('', 'persistentvolumes'),
      (node, a) => clusterGet(a) ?? (graph.hasVolume(node, a.name) ? undefined : unrelated(node)),
    ],
    [
      key('storage.{domain}', 'volumeattachments'),
      (node, a) =>
        clusterGet(a) ??
        (graph.owns(node, 'volumeattachments', a.name) ? undefined : unrelated(node)),
    ],
    [key('', 'nodes'), nodeCheck],
    [key('', 'pods'), (node, a) => podCheck(graph, node, a)],
    [key('coordination.{domain}', 'leases'), (node, a) => leaseCheck(node, a, identity)],
    [key('storage.{domain}', 'csinodes'), csiNodeCheck],
    [key('resource.{domain}', 'resourceslices'), (node, a) => sliceCheck(graph, node, a)],
  ]);
}

function unrelated(node: string): string {
  return `no relationship found between node ${quote(node)} and this object`;
}

function readOne(a: Attributes, verbs: readonly string[]): string | undefined {
  if (!verbs.includes(a.verb) || a.subresource !== '') {
    return verbs.length === 1
      ? 'can only get individual resources of this type'
      : 'can only read resources of this type';
  }
  if (a.name === '') return 'No Object name found';
  return a.namespace === '' ? 'can only read namespaced object of this type' : undefined;
}

function clusterGet(a: Attributes): string | undefined {
  if (a.verb !== 'get' || a.subresource !== '') {
    return 'can only get individual resources of this type';
  }
  return a.name === '' ? 'No Object name found' : undefined;
}

/** A node reports what it has resized. */
function claimCheck(a: Attributes): string | undefined {
  if (a.subresource !== 'status') return readOne(a, ['get']);
  if (['update', 'patch'].includes(a.verb) && a.name !== '') return undefined;
  return 'can only update PVC status';
}

/** A node makes tokens for its pods. Only later releases let it read the accounts, too. */
function accountCheck(a: Attributes): string | undefined {
  if (a.subresource !== 'token' || a.verb !== 'create') {
    return 'can only create tokens for individual service accounts';
  }
  return a.name === '' ? 'No Object name found' : undefined;
}

function nodeCheck(node: string, a: Attributes): string | undefined {
  if (a.name === node) {
    const own = ['get', 'list', 'watch', 'create', 'update', 'patch'].includes(a.verb);
    const status = a.subresource === 'status' && ['update', 'patch'].includes(a.verb);
    if ((own && a.subresource === '') || status) return undefined;
  }
  if (a.verb === 'create' && a.name === '' && a.subresource === '') return undefined;
  return `node ${quote(node)} cannot ${a.verb} other nodes`;
}

function podCheck(graph: NodeGraph, node: string, a: Attributes): string | undefined {
  const bound = a.name !== '' && graph.hasPod(node, a.namespace, a.name);
  const boundOrGone = bound || (a.name !== '' && !graph.knowsPod(a.namespace, a.name));
  switch (a.subresource) {
    case '':
      // Mirror pods, under names of its own; admission looks at what is in them.
      if (a.verb === 'create') return undefined;
      if (a.verb === 'get' ? bound : a.verb === 'delete' && boundOrGone) return undefined;
      if (!['list', 'watch'].includes(a.verb)) break;
      if (a.selectedFields?.get('spec.nodeName') === node || bound) return undefined;
      return 'can only list/watch pods with spec.nodeName field selector';
    case 'status':
      if (['update', 'patch'].includes(a.verb) && boundOrGone) return undefined;
      break;
    case 'eviction':
      if (a.verb === 'create' && boundOrGone) return undefined;
      break;
    default:
  }
  return unrelated(node);
}

function leaseCheck(node: string, a: Attributes, identity: Identity): string | undefined {
  if (!ownVerbs.includes(a.verb) || a.subresource !== '') {
    return 'can only get, create, update, patch, or delete a node lease';
  }
  const { nodeLease } = identity.namespaces;
  if (a.namespace !== nodeLease)
    return `can only access leases in the ${quote(nodeLease)} system namespace`;
  // A create by POST has no name in its URL; admission looks at the one inside.
  const isOwn = a.name === node || (a.verb === 'create' && a.name === '');
  return isOwn ? undefined : 'can only access node lease with the same name as the requesting node';
}

function csiNodeCheck(node: string, a: Attributes): string | undefined {
  if (!ownVerbs.includes(a.verb) || a.subresource !== '') {
    return 'can only get, create, update, patch, or delete a CSINode';
  }
  const isOwn = a.name === node || (a.verb === 'create' && a.name === '');
  return isOwn ? undefined : 'can only access CSINode with the same name as the requesting node';
}

function sliceCheck(graph: NodeGraph, node: string, a: Attributes): string | undefined {
  if (a.subresource !== '') return 'cannot access a subresource of a ResourceSlice';
  switch (a.verb) {
    case 'create':
      // What node it is for stands inside; admission looks at it.
      return undefined;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return graph.owns(node, 'resourceslices', a.name) ? undefined : unrelated(node);
    case 'list':
    case 'watch':
    case 'deletecollection':
      if (a.selectedFields?.get('spec.nodeName') === node) return undefined;
      return `can only ${a.verb} ResourceSlices with spec.nodeName field selector`;
    default:
      return `${a.verb} is no verb for a node's ResourceSlice`;
  }
}
