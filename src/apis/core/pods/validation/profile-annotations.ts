/**
 * Profiles that a pod names twice, in an annotation and in the field that came after it: what one
 * node's agent reads and another's must be the same. Asked of new pods only.
 */
import { forbidden } from '../../../../apimachinery/field-error.ts';
import type { Identity } from '../../../../apimachinery/identity.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../../apimachinery/unstructured.ts';
import { ownMember } from '../../../../stdx/lookup.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, each, noProblems } from '../../../validation/checks.ts';
import { appArmorPrefix, localhost } from '../app-armor.ts';
import { containerLists } from '../pod-parts.ts';

export function profileAnnotationRules(pod: ApiObject, identity: Identity): Problems {
  const { annotations } = pod.metadata;
  if (annotations === undefined) return noProblems;
  const spec = part(pod, 'spec');
  const own = part(spec, 'securityContext');
  const seccomp = identity.fill('seccomp.security.alpha.{labelDomain}/pod');
  const ofContainer = identity.fill('container.seccomp.security.alpha.{labelDomain}/');
  const appArmor = appArmorPrefix(identity);
  const windows = text(part(spec, 'os'), 'name') === 'windows';
  return allErrors(
    matches(own['seccompProfile'], ownMember(annotations, seccomp), 'spec', 'seccomp'),
    each(containerLists, (list) =>
      each(objects(spec, list), (container, at) => {
        const [path, name] = [`spec.${list}[${at}]`, text(container, 'name')];
        const context = part(container, 'securityContext');
        const profile = context['appArmorProfile'] ?? own['appArmorProfile'];
        const annotation = windows ? undefined : ownMember(annotations, `${appArmor}${name}`);
        const older = ownMember(annotations, `${ofContainer}${name}`);
        return allErrors(
          matches(context['seccompProfile'], older, path, 'seccomp'),
          matches(profile, annotation, path, 'appArmor'),
        );
      }),
    ),
  );
}

/** What an annotation says for a type of profile that is no file. */
const saidFor: ReadonlyMap<string, string> = new Map([
  ['Unconfined', 'unconfined'],
  ['RuntimeDefault', 'runtime/default'],
]);

function matches(
  profile: JsonValue | undefined,
  annotation: string | undefined,
  path: string,
  sort: 'seccomp' | 'appArmor',
): Problems {
  if (annotation === undefined || !isJsonObject(profile)) return noProblems;
  const field = differing(profile, annotation, sort);
  if (field === undefined) return noProblems;
  const detail = `must say the same as the pod's ${sort} annotation`;
  return [forbidden(`${path}.securityContext.${sort}Profile.${field}`, detail)];
}

function differing(profile: JsonObject, annotation: string, sort: string): string | undefined {
  const type = text(profile, 'type');
  if (type === 'Localhost') {
    if (!annotation.startsWith(localhost)) return 'type';
    const file = annotation.slice(localhost.length);
    return file === profile['localhostProfile'] ? undefined : 'localhostProfile';
  }
  const docker = sort === 'seccomp' && type === 'RuntimeDefault' && annotation === 'docker/default';
  const said = saidFor.get(type);
  return docker || said === undefined || said === annotation ? undefined : 'type';
}
