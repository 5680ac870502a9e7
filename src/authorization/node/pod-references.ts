/**
 * The objects that a pod or a volume refers to, which its node may read (spec 2, section 5.5, mode
 * Node).
 *
 * Invariants: pure; names that are no texts are passed over. A mirror pod refers to nothing: its
 * node wrote it itself and could refer to anything.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

/** `secrets ns/name`, `configmaps ns/name`, `persistentvolumeclaims ns/name` ... */
export type Reference = string;

export function reference(resource: string, namespace: string, name: string): Reference {
  return `${resource} ${namespace}/${name}`;
}

/** Volume types whose secret is `secretRef.name`. */
const secretRefVolumes = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'];

export function nodeOfPod(pod: ApiObject): string {
  return text(part(pod, 'spec'), 'nodeName');
}

/** `mirrorAnnotation`: <labelDomain>/config.mirror. */
export function podReferences(pod: ApiObject, mirrorAnnotation: string): ReadonlySet<Reference> {
  const found = new Set<Reference>();
  const { namespace = '', name = '', annotations } = pod.metadata;
  if (annotations?.[mirrorAnnotation] !== undefined) return found;
  const spec = part(pod, 'spec');
  const add = (resource: string, of: string): void => {
    if (of !== '') found.add(reference(resource, namespace, of));
  };
  add('serviceaccounts', text(spec, 'serviceAccountName') || text(spec, 'serviceAccount'));
  for (const secret of objects(spec, 'imagePullSecrets')) add('secrets', text(secret, 'name'));
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of objects(spec, list)) addContainer(container, add);
  }
  for (const volume of objects(spec, 'volumes')) addVolume(volume, name, add);
  for (const claim of objects(spec, 'resourceClaims')) {
    add('resourceclaims', text(claim, 'resourceClaimName'));
  }
  for (const claim of objects(part(pod, 'status'), 'resourceClaimStatuses')) {
    add('resourceclaims', text(claim, 'resourceClaimName'));
  }
  return found;
}

type Add = (resource: string, name: string) => void;

function addContainer(container: JsonObject, add: Add): void {
  for (const variable of objects(container, 'env')) {
    const from = part(variable, 'valueFrom');
    add('secrets', text(part(from, 'secretKeyRef'), 'name'));
    add('configmaps', text(part(from, 'configMapKeyRef'), 'name'));
  }
  for (const source of objects(container, 'envFrom')) {
    add('secrets', text(part(source, 'secretRef'), 'name'));
    add('configmaps', text(part(source, 'configMapRef'), 'name'));
  }
}

function addVolume(volume: JsonObject, podName: string, add: Add): void {
  add('secrets', text(part(volume, 'secret'), 'secretName'));
  add('configmaps', text(part(volume, 'configMap'), 'name'));
  add('persistentvolumeclaims', text(part(volume, 'persistentVolumeClaim'), 'claimName'));
  if (isJsonObject(volume['ephemeral'])) {
    add('persistentvolumeclaims', `${podName}-${text(volume, 'name')}`);
  }
  for (const source of objects(part(volume, 'projected'), 'sources')) {
    add('secrets', text(part(source, 'secret'), 'name'));
    add('configmaps', text(part(source, 'configMap'), 'name'));
  }
  add('secrets', text(part(volume, 'azureFile'), 'secretName'));
  add('secrets', text(part(part(volume, 'csi'), 'nodePublishSecretRef'), 'name'));
  for (const type of secretRefVolumes) {
    add('secrets', text(part(part(volume, type), 'secretRef'), 'name'));
  }
}

export interface VolumeReferences {
  /** `ns/name` of the claim that it is bound to; undefined: none. */
  readonly claim: string | undefined;
  readonly secrets: ReadonlySet<Reference>;
}

/** Secrets of a persistent volume that a node needs; those for controllers alone are left out. */
export function volumeReferences(volume: ApiObject): VolumeReferences {
  const spec = part(volume, 'spec');
  const claimRef = part(spec, 'claimRef');
  const namespace = text(claimRef, 'namespace');
  const claim =
    text(claimRef, 'name') === '' ? undefined : `${namespace}/${text(claimRef, 'name')}`;
  const secrets = new Set<Reference>();
  const add = (ref: JsonObject, name: string, namespaceField: string): void => {
    const secret = text(ref, name);
    if (secret !== '') {
      secrets.add(reference('secrets', text(ref, namespaceField) || namespace, secret));
    }
  };
  add(part(spec, 'azureFile'), 'secretName', 'secretNamespace');
  for (const type of secretRefVolumes) {
    add(part(part(spec, type), 'secretRef'), 'name', 'namespace');
  }
  for (const field of ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef']) {
    add(part(part(spec, 'csi'), field), 'name', 'namespace');
  }
  return { claim, secrets };
}
