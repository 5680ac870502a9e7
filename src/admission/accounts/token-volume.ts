/**
 * The volume that gives a pod its account's token, the server's CA and the name of its namespace,
 * and the mounts of it: client libraries use these to reach the API from within a cluster.
 *
 *     kube-api-access-<5>: projected, mode 0644
 *       token       of the account, for about an hour, renewed by the node
 *       ca.crt      of the config map that each namespace has
 *       namespace   of the pod
 *     at /var/run/secrets/<labelDomain>/serviceaccount, read only
 *
 * Invariants: a container that already mounts something there keeps it. The volume is added once,
 * and only if a container mounts it; a volume with such a name that the pod already has is used
 * instead.
 */
import { generateName } from '../../apimachinery/names.ts';
import { objects, text } from '../../apimachinery/members.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { Prng } from '../../stdx/prng.ts';

const volumePrefix = 'kube-api-access-';

/** Seven seconds above an hour: what asked for an hour exactly asked for itself. */
const tokenSeconds = 3607;
/** 0644. */
const fileMode = 420;

export function withTokenVolume(
  spec: JsonObject,
  { configMaps, labelDomain }: Pick<Identity, 'configMaps' | 'labelDomain'>,
  prng: Prng,
): JsonObject {
  const mountPath = `/var/run/secrets/${labelDomain}/serviceaccount`;
  const volumes = objects(spec, 'volumes');
  const own = volumes.map((volume) => text(volume, 'name'));
  const existing = own.find((name) => name.startsWith(volumePrefix));
  const name = existing ?? generateName(volumePrefix, prng);
  const mount = { name, readOnly: true, mountPath };
  let mounted = false;
  const withMount = (container: JsonObject): JsonObject => {
    const mounts = objects(container, 'volumeMounts');
    if (mounts.some((each) => text(each, 'mountPath') === mountPath)) return container;
    mounted = true;
    return { ...container, volumeMounts: [...mounts, mount] };
  };
  const lists: Record<string, readonly JsonObject[]> = {};
  for (const list of ['initContainers', 'containers']) {
    if (spec[list] !== undefined) lists[list] = objects(spec, list).map(withMount);
  }
  if (!mounted) return spec;
  if (existing !== undefined) return { ...spec, ...lists };
  return { ...spec, ...lists, volumes: [...volumes, tokenVolume(name, configMaps.rootCa)] };
}

function tokenVolume(name: string, rootCa: string): JsonObject {
  const namespace = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  return {
    name,
    projected: {
      defaultMode: fileMode,
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        { configMap: { name: rootCa, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: namespace }] } },
      ],
    },
  };
}
