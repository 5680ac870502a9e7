/**
 * Annotations of a pod that decide what its node does, and what the node may read: they are set
 * with the pod and stay, also in writes to its status.
 */
import { forbidden, invalid } from '../../../../apimachinery/field-error.ts';
import type { Identity } from '../../../../apimachinery/identity.ts';
import { part, text } from '../../../../apimachinery/members.ts';
import type { ApiObject } from '../../../../apimachinery/unstructured.ts';
import { ownMember } from '../../../../stdx/lookup.ts';
import type { Problems } from '../../../validation/checks.ts';
import { each, noProblems } from '../../../validation/checks.ts';

/** Of a pod that mirrors one which a node runs from a file of its own. */
export function mirrorAnnotation({ labelDomain }: Identity): string {
  return `${labelDomain}/config.mirror`;
}

export function annotationRules(pod: ApiObject, identity: Identity): Problems {
  const key = mirrorAnnotation(identity);
  const value = ownMember(pod.metadata.annotations ?? {}, key);
  if (value === undefined || text(part(pod, 'spec'), 'nodeName') !== '') return noProblems;
  return [invalid(at(key), value, 'must set spec.nodeName if mirror pod annotation is set')];
}

export function annotationUpdateRules(
  next: ApiObject,
  current: ApiObject,
  identity: Identity,
): Problems {
  const [now, was] = [next.metadata.annotations ?? {}, current.metadata.annotations ?? {}];
  const mirror = mirrorAnnotation(identity);
  const profile = identity.fill('container.apparmor.security.beta.{labelDomain}/');
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
