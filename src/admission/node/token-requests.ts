/**
 * Service account tokens that a kubelet may request: those for pods that it runs.
 *
 *     bound to a pod, by uid ▶ the pod is bound to the node ▶ the pod names the audience
 *                                                           ▶ or the node has a right to it
 *
 * A pod names audiences in projected volumes, and through the CSI drivers of its volumes, which
 * request tokens themselves. The right is `request-serviceaccounts-token-audience` on a resource
 * with the name of the audience, for the account's name.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { items, objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import { newNotFound } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { nodeOfPod } from '../../authorization/node/pod-references.ts';
import type { AdmissionObjects, Ask, Refusal, Review } from '../admission.ts';
import { unanswered } from '../admission.ts';
import { question } from '../chain.ts';

export interface TokenRules {
  readonly identity: Identity;
  readonly objects: AdmissionObjects;
  readonly audiences: boolean;
}

const pods: GroupResource = { group: '', resource: 'pods' };
const claims: GroupResource = { group: '', resource: 'persistentvolumeclaims' };
const volumes: GroupResource = { group: '', resource: 'persistentvolumes' };

export function tokenRefusal(node: string, review: Review, rules: TokenRules, ask: Ask): Refusal {
  const { namespace, next, subresource } = review;
  if (subresource !== 'token' || next === undefined) return undefined;
  const spec = part(next, 'spec');
  const bound = part(spec, 'boundObjectRef');
  const name = text(bound, 'name');
  if (text(bound, 'apiVersion') !== 'v1' || text(bound, 'kind') !== 'Pod' || name === '') {
    return 'node requested token not bound to a pod';
  }
  const uid = text(bound, 'uid');
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const pod = rules.objects.get(pods, namespace, name);
  if (pod === undefined) return newNotFound(pods, name);
  if (pod.metadata.uid !== uid) {
    return (
      `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      'The object might have been deleted and then recreated'
    );
  }
  if (nodeOfPod(pod) !== node) {
    return 'node requested token bound to a pod scheduled on a different node';
  }
  return rules.audiences ? audienceRefusal(node, review, pod, rules, ask) : undefined;
}

function audienceRefusal(
  node: string,
  { name, namespace, next, user }: Review,
  pod: ApiObject,
  rules: TokenRules,
  ask: Ask,
): Refusal {
  const audiences = items(part(next, 'spec'), 'audiences');
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const [audience = ''] = audiences.map(String);
  if (namesAudience(pod, audience, rules)) return undefined;
  const verb = 'request-serviceaccounts-token-audience';
  const right = { verb, apiGroup: '', resource: audience, name };
  const allowed = ask(question(user, right, namespace));
  if (allowed !== false) return allowed ? undefined : unanswered;
  return (
    `audience ${quote(audience)} not found in pod spec volume, ` +
    `${node} is not authorized to request tokens for this audience`
  );
}

function namesAudience(pod: ApiObject, audience: string, rules: TokenRules): boolean {
  const { namespace = '' } = pod.metadata;
  return objects(part(pod, 'spec'), 'volumes').some((volume) => {
    const projected = objects(part(volume, 'projected'), 'sources').some((source) => {
      const token = source['serviceAccountToken'];
      return isJsonObject(token) && text(token, 'audience') === audience;
    });
    if (projected) return true;
    const driver = driverOf(volume, pod.metadata.name ?? '', namespace, rules.objects);
    return driver !== '' && driverAsksFor(driver, audience, rules);
  });
}

/** Of the volume itself, or of the one that its claim is bound to. */
function driverOf(
  volume: JsonObject,
  pod: string,
  namespace: string,
  objects: AdmissionObjects,
): string {
  if (isJsonObject(volume['csi'])) return text(volume['csi'], 'driver');
  const claimName = isJsonObject(volume['ephemeral'])
    ? `${pod}-${text(volume, 'name')}`
    : text(part(volume, 'persistentVolumeClaim'), 'claimName');
  const claim = claimName === '' ? undefined : objects.get(claims, namespace, claimName);
  const bound = claim === undefined ? '' : text(part(claim, 'spec'), 'volumeName');
  const found = bound === '' ? undefined : objects.get(volumes, '', bound);
  return found === undefined ? '' : text(part(part(found, 'spec'), 'csi'), 'driver');
}

function driverAsksFor(
  driver: string,
  audience: string,
  { identity, objects: stored }: TokenRules,
): boolean {
  const drivers = { group: identity.fill('storage.{domain}'), resource: 'csidrivers' };
  const found = stored.get(drivers, '', driver);
  const asked = found === undefined ? [] : objects(part(found, 'spec'), 'tokenRequests');
  return asked.some((each) => text(each, 'audience') === audience);
}
