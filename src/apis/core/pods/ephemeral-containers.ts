/**
 * pods/ephemeralcontainers: containers that are added to a running pod for debugging
 * (spec 1, section 1.3).
 *
 * Invariants: a write here changes spec.ephemeralContainers and nothing else; an added container
 * never changes.
 */
import { duplicate, forbidden, notFound, required } from '../../../apimachinery/field-error.ts';
import type { FieldError } from '../../../apimachinery/field-error.ts';
import { objects, text } from '../../../apimachinery/members.ts';
import { quote } from '../../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../../apimachinery/validation/names.ts';
import { requiredForm } from '../../validation/checks.ts';
import { objectsAt, specOf } from './pod-parts.ts';
import type { SubresourceRules } from '../../../registry/strategy.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';

const path = 'spec.ephemeralContainers';

/** Nothing restarts or watches such a container, and the node has reserved nothing for it. */
const notForEphemeral = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resources',
  'resizePolicy',
  'restartPolicy',
];

export function ephemeralContainerRules(staticAnnotation: string): SubresourceRules {
  return {
    prepare(next, current) {
      const containers = specOf(next)['ephemeralContainers'];
      const { ephemeralContainers: _old, ...spec } = specOf(current);
      const added = containers === undefined ? {} : { ephemeralContainers: containers };
      return { ...current, spec: { ...spec, ...added } };
    },
    validate(next, current) {
      if (current.metadata.annotations?.[staticAnnotation] !== undefined) {
        return [forbidden('', 'static pods do not support ephemeral containers')];
      }
      return [...keptErrors(next, current), ...containerErrors(next)];
    },
  };
}

function keptErrors(next: ApiObject, current: ApiObject): readonly FieldError[] {
  const wanted = new Map(
    objectsAt(next, 'ephemeralContainers').map((each) => [each['name'], each]),
  );
  return objectsAt(current, 'ephemeralContainers').flatMap((old) => {
    const same = wanted.get(old['name']);
    const name = quote(String(old['name']));
    if (same === undefined) {
      return [forbidden(path, `existing ephemeral containers ${name} may not be removed`)];
    }
    if (deepEqual(same, old)) return [];
    return [forbidden(path, `existing ephemeral containers ${name} may not be changed`)];
  });
}

function containerErrors(next: ApiObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const targets = new Set(namesOf(objectsAt(next, 'containers')));
  const taken = new Set([...targets, ...namesOf(objectsAt(next, 'initContainers'))]);
  const volumes = new Set(namesOf(objectsAt(next, 'volumes')));
  objectsAt(next, 'ephemeralContainers').forEach((container, index) => {
    const at = `${path}[${index}]`;
    const { targetContainerName: target } = container;
    const [name, image] = [text(container, 'name'), text(container, 'image')];
    if (taken.has(name)) errors.push(duplicate(`${at}.name`, name));
    taken.add(name);
    errors.push(...requiredForm(`${at}.name`, name, checkDns1123Label));
    if (image === '') errors.push(required(`${at}.image`));
    errors.push(...mountErrors(container, at, volumes));
    if (typeof target === 'string' && target !== '' && !targets.has(target)) {
      errors.push(notFound(`${at}.targetContainerName`, target));
    }
    errors.push(...uselessFields(container, at));
  });
  return errors;
}

/** It may look at the volumes of the pod, as they are. */
function mountErrors(
  container: JsonObject,
  at: string,
  volumes: ReadonlySet<string>,
): readonly FieldError[] {
  return objects(container, 'volumeMounts').flatMap((mount, index) => {
    const here = `${at}.volumeMounts[${index}]`;
    const name = text(mount, 'name');
    const parts = ['subPath', 'subPathExpr'].filter((field) => text(mount, field) !== '');
    return [
      ...(name === '' || volumes.has(name) ? [] : [notFound(`${here}.name`, name)]),
      ...parts.map((field) => forbidden(`${here}.${field}`, notAllowed)),
    ];
  });
}

const notAllowed = 'cannot be set for an Ephemeral Container';

function uselessFields(container: JsonObject, at: string): readonly FieldError[] {
  return notForEphemeral
    .filter((field) => isSet(container[field]))
    .map((field) => forbidden(`${at}.${field}`, notAllowed));
}

function isSet(value: JsonObject[string]): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

function namesOf(containers: readonly JsonObject[]): readonly string[] {
  return containers.map(({ name }) => name).filter((name) => typeof name === 'string');
}
