/**
 * AppArmor profiles of containers that annotations name, as before there was a field: a new pod
 * gets the field, which is all that new nodes' agents read. A container that has the field, or
 * whose pod has the same profile, is left as it is. Templates keep what they say: their pods get
 * the fields.
 */
import type { Identity } from '../../../apimachinery/identity.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';
import { ownMember } from '../../../stdx/lookup.ts';
import { containerLists } from './pod-parts.ts';

export const localhost = 'localhost/';

const profilePathBytesMax = 4095;

/** What the annotations of a container's AppArmor profile begin with; its name follows. */
export function appArmorPrefix(identity: Identity): string {
  return identity.fill('container.apparmor.security.beta.{labelDomain}/');
}

export function withAppArmorFields(pod: ApiObject, identity: Identity): ApiObject {
  const annotations = pod.metadata.annotations ?? {};
  const prefix = appArmorPrefix(identity);
  const spec = part(pod, 'spec');
  const given = Object.keys(annotations).some((key) => key.startsWith(prefix));
  if (!given || text(part(spec, 'os'), 'name') === 'windows') return pod;
  const ofPod = part(spec, 'securityContext')['appArmorProfile'];
  const changed: Record<string, readonly JsonObject[]> = {};
  for (const list of containerLists) {
    const before = objects(spec, list);
    if (before.length === 0) continue;
    changed[list] = before.map((container) => {
      const context = part(container, 'securityContext');
      const profile = profileOf(ownMember(annotations, `${prefix}${text(container, 'name')}`));
      const stays = context['appArmorProfile'] !== undefined || profile === undefined;
      if (stays || deepEqual(profile, ofPod)) return container;
      return { ...container, securityContext: { ...context, appArmorProfile: profile } };
    });
  }
  return { ...pod, spec: { ...spec, ...changed } };
}

/** Undefined: the annotation says none that a field could have. */
function profileOf(annotation: string | undefined): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (annotation?.startsWith(localhost) !== true) return undefined;
  const localhostProfile = annotation.slice(localhost.length);
  const valid =
    localhostProfile !== '' &&
    localhostProfile.trim() === localhostProfile &&
    Buffer.byteLength(localhostProfile, 'utf8') <= profilePathBytesMax;
  return valid ? { type: 'Localhost', localhostProfile } : undefined;
}
