/**
 * Rules of pods, and of the pods in the templates of workloads.
 *
 * A pod that is there stays as it is: only the fields of `mayChange` change, because nodes and the
 * scheduler have acted on the others.
 */
import { deepEqual } from '../../stdx/deep-equal.ts';
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import { validateLabels } from '../../apimachinery/validation/object-meta.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import {
  between,
  each,
  form,
  items,
  needed,
  noProblems,
  numberOf,
  objects,
  part,
  text,
  textMap,
  together,
} from './checks.ts';
import type { Problems } from './checks.ts';
import { containerRules, initContainerRules, mainContainerRules } from './containers.ts';
import { templateMetadataRules } from './labels.ts';
import type { KindRules } from './kind-rules.ts';
import { volumesRules } from './volumes.ts';

const int32Max = 2_147_483_647;

export const podRules: KindRules = {
  validate: (pod) => podSpecRules(part(pod, 'spec'), 'spec'),
  validateUpdate: podUpdateRules,
};

export const podTemplateRules: KindRules = {
  validate: (object) => templateRules(part(object, 'template'), 'template'),
};

export function templateRules(template: JsonObject, path: string): Problems {
  return together(
    templateMetadataRules(part(template, 'metadata'), `${path}.metadata`),
    podSpecRules(part(template, 'spec'), `${path}.spec`),
  );
}

export function podSpecRules(spec: JsonObject, path: string): Problems {
  const volumes = objects(spec, 'volumes');
  const context = {
    volumes: new Set(volumes.map((volume) => text(volume, 'name'))),
    names: new Set<string>(),
  };
  const containers = each(objects(spec, 'containers'), (container, at) => {
    const here = `${path}.containers[${at}]`;
    return together(containerRules(container, here, context), mainContainerRules(container, here));
  });
  const initial = each(objects(spec, 'initContainers'), (container, at) => {
    const here = `${path}.initContainers[${at}]`;
    return together(containerRules(container, here, context), initContainerRules(container, here));
  });
  return together(
    volumesRules(volumes, `${path}.volumes`),
    containers,
    initial,
    placementRules(spec, path),
    identityRules(spec, path),
    sharingRules(spec, path),
  );
}

function placementRules(spec: JsonObject, path: string): Problems {
  return together(
    validateLabels(`${path}.nodeSelector`, textMap(spec, 'nodeSelector')),
    form(`${path}.nodeName`, text(spec, 'nodeName'), checkDns1123Subdomain),
    each(objects(spec, 'tolerations'), (toleration, at) =>
      tolerationRules(toleration, `${path}.tolerations[${at}]`),
    ),
    each(objects(spec, 'topologySpreadConstraints'), (constraint, at) => {
      const skew = numberOf(constraint['maxSkew']) ?? 1;
      const field = `${path}.topologySpreadConstraints[${at}].maxSkew`;
      return skew > 0 ? noProblems : [invalid(field, skew, 'must be greater than zero')];
    }),
  );
}

export function tolerationRules(toleration: JsonObject, path: string): Problems {
  const key = text(toleration, 'key');
  const operator = text(toleration, 'operator');
  const value = text(toleration, 'value');
  const effect = text(toleration, 'effect');
  const all =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return together(
    form(`${path}.key`, key, checkQualifiedName),
    key === '' && operator !== 'Exists' ? [invalid(`${path}.operator`, operator, all)] : noProblems,
    toleration['tolerationSeconds'] !== undefined && effect !== 'NoExecute'
      ? [
          invalid(
            `${path}.effect`,
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : noProblems,
    operator === 'Exists' && value !== ''
      ? [invalid(`${path}.operator`, toleration, "value must be empty when `operator` is 'Exists'")]
      : noProblems,
    operator === 'Exists' ? noProblems : form(`${path}.operator`, value, checkLabelValue),
  );
}

function identityRules(spec: JsonObject, path: string): Problems {
  return together(
    form(`${path}.serviceAccountName`, text(spec, 'serviceAccountName'), checkDns1123Subdomain),
    form(`${path}.hostname`, text(spec, 'hostname'), checkDns1123Label),
    form(`${path}.subdomain`, text(spec, 'subdomain'), checkDns1123Label),
    each(objects(spec, 'imagePullSecrets'), (secret, at) =>
      needed(secret, `${path}.imagePullSecrets[${at}]`, 'name'),
    ),
    between(`${path}.activeDeadlineSeconds`, spec['activeDeadlineSeconds'], 1, int32Max),
  );
}

function sharingRules(spec: JsonObject, path: string): Problems {
  if (spec['hostPID'] !== true || spec['shareProcessNamespace'] !== true) return [];
  const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [invalid(`${path}.shareProcessNamespace`, true, detail)];
}

const updateMessage =
  'pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only ' +
  'additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set ' +
  'to 1 if it was previously negative)';

function podUpdateRules(next: ApiObject, current: ApiObject): Problems {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  const resized = ['containers', 'initContainers'].filter(
    (name) => objects(spec, name).length !== objects(before, name).length,
  );
  if (resized.length > 0) {
    return resized.map((name) =>
      forbidden(`spec.${name}`, 'pod updates may not add or remove containers'),
    );
  }
  const rest = deepEqual(withoutMutable(spec, before), withoutMutable(before, before));
  return [
    ...deadlineRules(spec, before),
    ...addedTolerationsRules(spec, before),
    ...gateRules(spec, before),
    ...(rest ? [] : [forbidden('spec', updateMessage)]),
  ];
}

/** What is left of a spec when everything that may change is taken out. */
function withoutMutable(spec: JsonObject, before: JsonObject): JsonObject {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...rest
  } = spec;
  const plain: Record<string, JsonObject[string]> = { ...rest };
  for (const name of ['containers', 'initContainers']) {
    if (plain[name] === undefined) continue;
    plain[name] = objects(spec, name).map(({ image: _image, ...container }) => container);
  }
  const grace = numberOf(before['terminationGracePeriodSeconds']) ?? 0;
  if (grace < 0 && plain['terminationGracePeriodSeconds'] === 1) {
    plain['terminationGracePeriodSeconds'] = before['terminationGracePeriodSeconds'];
  }
  // While gates hold it back, where the pod may go can still be said.
  if (items(before, 'schedulingGates').length > 0) {
    delete plain['nodeSelector'];
    delete plain['affinity'];
  }
  return plain;
}

function deadlineRules(spec: JsonObject, before: JsonObject): Problems {
  const field = 'spec.activeDeadlineSeconds';
  const was = numberOf(before['activeDeadlineSeconds']);
  const now = numberOf(spec['activeDeadlineSeconds']);
  if (was === undefined) return [];
  if (now === undefined) {
    return [invalid(field, null, 'must not update from a positive integer to nil value')];
  }
  return now > was ? [invalid(field, now, 'must be less than or equal to previous value')] : [];
}

function addedTolerationsRules(spec: JsonObject, before: JsonObject): Problems {
  const plain = ({ tolerationSeconds: _seconds, ...rest }: JsonObject): JsonObject => rest;
  const now = objects(spec, 'tolerations').map(plain);
  const kept = objects(before, 'tolerations')
    .map(plain)
    .every((toleration) => now.some((each) => deepEqual(each, toleration)));
  if (kept) return [];
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbidden('spec.tolerations', detail)];
}

function gateRules(spec: JsonObject, before: JsonObject): Problems {
  const known = new Set(objects(before, 'schedulingGates').map((gate) => text(gate, 'name')));
  const added = objects(spec, 'schedulingGates').find((gate) => !known.has(text(gate, 'name')));
  if (added === undefined) return [];
  const detail =
    'only deletion is allowed, but found new scheduling gate ' + `'${text(added, 'name')}'`;
  return [forbidden('spec.schedulingGates', detail)];
}

/** Of a template whose pods another object restarts: they must end to be ended. */
export function restartRules(
  template: JsonObject,
  path: string,
  allowed: readonly string[],
): Problems {
  const policy = text(part(template, 'spec'), 'restartPolicy');
  if (policy === '' || allowed.includes(policy)) return [];
  const shown = allowed.map((each) => `"${each}"`).join(', ');
  return [required(`${path}.spec.restartPolicy`, `valid values: ${shown}`)];
}
