/**
 * DefaultTolerationSeconds: a pod stays for a while on a node that is not ready or unreachable.
 *
 *     a pod without a toleration for one of these taints tolerates it for
 *     `--default-not-ready-toleration-seconds`, `--default-unreachable-toleration-seconds`
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { AdmissionPlugin } from '../admission.ts';

export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

export function defaultTolerations(
  { labelDomain }: Identity,
  seconds: TolerationSeconds,
): AdmissionPlugin {
  const wanted = [
    tolerationOf(`node.${labelDomain}/not-ready`, seconds.notReady),
    tolerationOf(`node.${labelDomain}/unreachable`, seconds.unreachable),
  ];
  return {
    name: 'DefaultTolerationSeconds',
    resources: ['/pods'],
    concerns: () => true,
    admits: ['CREATE', 'UPDATE'],
    admit: ({ next }) => withTolerations(next, wanted),
  };
}

function tolerationOf(key: string, tolerationSeconds: number): JsonObject {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds };
}

function withTolerations(pod: ApiObject, wanted: readonly JsonObject[]): ApiObject {
  const spec = part(pod, 'spec');
  const own = objects(spec, 'tolerations');
  const missing = wanted.filter(
    ({ key, effect }) =>
      !own.some((toleration) => {
        const [ownKey, ownEffect] = [text(toleration, 'key'), text(toleration, 'effect')];
        return (ownKey === '' || ownKey === key) && (ownEffect === '' || ownEffect === effect);
      }),
  );
  if (missing.length === 0) return pod;
  return { ...pod, spec: { ...spec, tolerations: [...own, ...missing] } };
}
