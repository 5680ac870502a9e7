/**
 * Fields that a pod for one operating system may not set, in the pod and in its containers.
 *
 * Elsewhere: the validation of the fields that it may set (security-contexts.ts).
 */
import { forbidden } from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import type { Problems } from '../../../validation/checks.ts';
import { containerLists } from '../pod-parts.ts';

/** Of a pod that names its system. */
export function systemRules(spec: JsonObject, path: string): Problems {
  const windows = text(part(spec, 'os'), 'name') === 'windows';
  const detail = windows ? windowsDetail : 'windows options cannot be set for a linux pod';
  const isForeign = (field: string): boolean =>
    windows ? !onEverySystem.has(field) : field === 'windowsOptions';
  const ofContext = (holder: JsonObject, at: string): Problems =>
    Object.keys(part(holder, 'securityContext'))
      .filter(isForeign)
      .map((name) => forbidden(`${at}.securityContext.${name}`, detail));
  const shared = windows ? hostFields.filter((name) => spec[name] === true) : [];
  return [
    ...shared.map((name) => forbidden(`${path}.${name}`, detail)),
    ...ofContext(spec, path),
    ...containerLists.flatMap((list) =>
      objects(spec, list).flatMap((each, at) => ofContext(each, `${path}.${list}[${at}]`)),
    ),
  ];
}

const windowsDetail = 'cannot be set for a windows pod';

const hostFields = ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'] as const;

const onEverySystem: ReadonlySet<string> = new Set(['windowsOptions', 'runAsNonRoot']);
