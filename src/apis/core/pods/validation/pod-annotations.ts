/**
 * Annotations of a pod that decide what its node does, and what the node may read: they are set
 * with the pod and stay, also in writes to its status.
 */
import { forbidden, invalid } from '../../../../apimachinery/field-error.ts';
import type { Identity } from '../../../../apimachinery/identity.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import { quote } from '../../../../apimachinery/quote.ts';
import type { ApiObject } from '../../../../apimachinery/unstructured.ts';
import { ownMember } from '../../../../stdx/lookup.ts';
import { appArmorPrefix, localhost } from '../app-armor.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, each, noProblems } from '../../../validation/checks.ts';
import { containerLists } from '../pod-parts.ts';

/** Of a pod that mirrors one which a node runs from a file of its own. */
export function mirrorAnnotation({ labelDomain }: Identity): string {
  return `${labelDomain}/config.mirror`;
}

export function annotationRules(pod: ApiObject, identity: Identity): Problems {
  const key = mirrorAnnotation(identity);
  const value = ownMember(pod.metadata.annotations ?? {}, key);
  const homeless = value !== undefined && text(part(pod, 'spec'), 'nodeName') === '';
  const detail = 'must set spec.nodeName if mirror pod annotation is set';
  return allErrors(
    homeless ? [invalid(at(key), value, detail)] : noProblems,
    profileRules(pod, appArmorPrefix(identity)),
  );
}

const ownProfiles: readonly string[] = ['', 'runtime/default', 'unconfined'];

/** A container whose name is mistyped would run without the profile. */
function profileRules(pod: ApiObject, prefix: string): Problems {
  const given = Object.entries(pod.metadata.annotations ?? {});
  const profiles = given.filter(([key]) => key.startsWith(prefix));
  if (profiles.length === 0) return noProblems;
  const spec = part(pod, 'spec');
  const all = containerLists.flatMap((list) => objects(spec, list));
  const names = new Set(all.map((container) => text(container, 'name')));
  return each(profiles, ([key, profile]) => {
    const name = key.slice(prefix.length);
    const known = ownProfiles.includes(profile) || profile.startsWith(localhost);
    const detail = `invalid AppArmor profile name: ${quote(profile)}`;
    return allErrors(
      names.has(name) ? noProblems : [invalid(at(key), name, 'container not found')],
      known ? noProblems : [invalid(at(key), profile, detail)],
    );
  });
}

export function annotationUpdateRules(
  next: ApiObject,
  current: ApiObject,
  identity: Identity,
): Problems {
  const [now, was] = [next.metadata.annotations ?? {}, current.metadata.annotations ?? {}];
  const mirror = mirrorAnnotation(identity);
  const profile = appArmorPrefix(identity);
  return each([...new Set([...Object.keys(was), ...Object.keys(now)])], (key) => {
    const what =
      (key === mirror && 'mirror pod annotation') ||
      (key.startsWith(profile) && 'AppArmor annotations');
    const before = ownMember(was, key);
    if (what === false || ownMember(now, key) === before) return noProblems;
    const verb = before === undefined ? 'add' : 'remove or update';
    return [forbidden(at(key), `may not ${verb} ${what}`)];
  });
}

function at(key: string): string {
  return `metadata.annotations[${key}]`;
}
