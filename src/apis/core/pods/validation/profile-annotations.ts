/**
 * Profiles that a pod names twice, in an annotation and in the field that came after it: what one
 * node's agent reads and another's must be the same. Asked of new pods, and of templates.
 */
import { forbidden } from '../../../../apimachinery/field-error.ts';
import type { Identity } from '../../../../apimachinery/identity.ts';
import { objects, part, text, textMap } from '../../../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../../apimachinery/unstructured.ts';
import { ownMember } from '../../../../stdx/lookup.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, each, noProblems } from '../../../validation/checks.ts';
import { appArmorPrefix, localhost } from '../app-armor.ts';
import { containerLists } from '../pod-parts.ts';
import type { AnnotatedPod } from './annotated-pod.ts';

/** The annotation of the seccomp profile of all containers. */
export function seccompKey(identity: Identity): string {
  return identity.fill('seccomp.security.alpha.{labelDomain}/pod');
}

/** What those of single containers begin with; its name follows. */
export function seccompPrefix(identity: Identity): string {
  return identity.fill('container.seccomp.security.alpha.{labelDomain}/');
}

export function profileAnnotationRules(
  { metadata, spec, specPath }: AnnotatedPod,
  identity: Identity,
): Problems {
  if (metadata['annotations'] === undefined) return noProblems;
  const annotations = textMap(metadata, 'annotations');
  const own = part(spec, 'securityContext');
  const seccomp = seccompKey(identity);
  const ofContainer = seccompPrefix(identity);
  const appArmor = appArmorPrefix(identity);
  const windows = text(part(spec, 'os'), 'name') === 'windows';
  return allErrors(
    matches(own['seccompProfile'], ownMember(annotations, seccomp), specPath, 'seccomp'),
    each(containerLists, (list) =>
      each(objects(spec, list), (container, at) => {
        const [path, name] = [`${specPath}.${list}[${at}]`, text(container, 'name')];
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
