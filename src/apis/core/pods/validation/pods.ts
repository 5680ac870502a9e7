/** Rules of pods, and of the pods in the templates of workloads. */
import { duplicate, forbidden, invalid, required } from '../../../../apimachinery/field-error.ts';
import type { Identity } from '../../../../apimachinery/identity.ts';
import { items, objects, part, text, textMap } from '../../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../../../apimachinery/validation/names.ts';
import { validateLabels } from '../../../../apimachinery/validation/object-meta.ts';
import { matchKeysRules } from '../match-label-keys.ts';
import {
  containerRules,
  hostPortRules,
  initContainerRules,
  mainContainerRules,
} from './containers.ts';
import type { ContainerContext } from './containers.ts';
import { systemRules } from './operating-systems.ts';
import { annotatedPod } from './annotated-pod.ts';
import { annotationRules, annotationUpdateRules, deletionCostRules } from './pod-annotations.ts';
import { profileAnnotationRules } from './profile-annotations.ts';
import { dnsRules, hostAliasRules, hostNetworkRules } from './pod-network.ts';
import { affinityRules, gatesRules, spreadRules, tolerationRules } from './pod-placement.ts';
import { podResourceRules } from './pod-resources.ts';
import { podStatusRules } from './pod-status.ts';
import { podUpdateRules } from './pod-updates.ts';
import { resourceRules } from './resource-requirements.ts';
import { hostNamespaceRules, hostProcessRules, podSecurityRules } from './security-contexts.ts';
import { sourceOf, volumesRules } from './volumes.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  between,
  each,
  form,
  givenForm,
  noProblems,
  numberOf,
} from '../../../validation/checks.ts';
import type { KindRules } from '../../../validation/kind-rules.ts';
import { templateMetadataRules } from '../../../validation/labels.ts';

const int32Max = 2_147_483_647;

export function podRules(identity: Identity): KindRules {
  const annotations = (next: ApiObject, current: ApiObject): Problems =>
    annotationUpdateRules(next, current, identity);
  return {
    validate: (pod) =>
      allErrors(
        annotationRules(annotatedPod(pod), identity),
        podSpecRules(part(pod, 'spec'), 'spec', pod),
      ),
    validateCreate: (pod) =>
      allErrors(
        profileAnnotationRules(annotatedPod(pod), identity),
        deletionCostRules(annotatedPod(pod), identity),
        createRules(pod),
      ),
    validateUpdate: (next, current) =>
      allErrors(
        annotations(next, current),
        deletionCostRules(annotatedPod(next), identity, annotatedPod(current)),
        podUpdateRules(next, current),
      ),
    validateStatusUpdate: (next, current) =>
      allErrors(annotations(next, current), podStatusRules(next, current)),
  };
}

/** What comes to a pod later only. */
function createRules(pod: ApiObject): Problems {
  const spec = part(pod, 'spec');
  const gated = text(spec, 'nodeName') !== '' && items(spec, 'schedulingGates').length > 0;
  const held = 'cannot be set until all schedulingGates have been cleared';
  return allErrors(
    items(spec, 'ephemeralContainers').length > 0
      ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')]
      : noProblems,
    gated ? [forbidden('spec.nodeName', held)] : noProblems,
    matchKeysRules(spec, 'spec'),
  );
}

export const podTemplateRules: KindRules = {
  validate: (object) => templateRules(part(object, 'template'), 'template'),
};

export function templateRules(template: JsonObject, path: string): Problems {
  const spec = part(template, 'spec');
  return allErrors(
    // The reference leaves `metadata` out of these paths.
    templateMetadataRules(part(template, 'metadata'), path),
    podSpecRules(spec, `${path}.spec`),
    spec['ephemeralContainers'] !== undefined && items(spec, 'ephemeralContainers').length > 0
      ? [
          forbidden(
            `${path}.spec.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        ]
      : noProblems,
  );
}

/** `pod`: of a pod itself, not of a template. */
function podSpecRules(spec: JsonObject, path: string, pod?: ApiObject): Problems {
  const volumes = objects(spec, 'volumes');
  const context = contextOf(spec, volumes, pod !== undefined);
  const main = objects(spec, 'containers');
  const initial = objects(spec, 'initContainers');
  return allErrors(
    volumes.length === 0 ? noProblems : volumesRules(volumes, `${path}.volumes`, pod),
    spec['resourceClaims'] === undefined
      ? noProblems
      : claimsRules(objects(spec, 'resourceClaims'), `${path}.resourceClaims`),
    each(main, (container, at) => {
      const here = `${path}.containers[${at}]`;
      return allErrors(
        containerRules(container, here, context),
        mainContainerRules(container, here, context),
      );
    }),
    hostPortRules(main, `${path}.containers`, new Set()),
    each(initial, (container, at) => {
      const here = `${path}.initContainers[${at}]`;
      return allErrors(
        containerRules(container, here, context),
        initContainerRules(container, here, context),
      );
    }),
    hostNetworkRules(spec, path, pod !== undefined),
    placementRules(spec, path),
    identityRules(spec, path),
    spec['securityContext'] === undefined ? noProblems : podSecurityRules(spec, path),
    hostNamespaceRules(spec, path),
    hostProcessRules(spec, path),
    dnsRules(spec, path),
    rarelyGivenRules(spec, path),
  );
}

function contextOf(
  spec: JsonObject,
  volumes: readonly JsonObject[],
  isPod: boolean,
): ContainerContext {
  return {
    volumes: new Map(volumes.map((volume) => [text(volume, 'name'), sourceOf(volume) ?? ''])),
    names: new Set(),
    claims: new Set(objects(spec, 'resourceClaims').map((claim) => text(claim, 'name'))),
    graceSeconds: numberOf(spec['terminationGracePeriodSeconds']),
    hostUsers: spec['hostUsers'] !== false,
    once: text(spec, 'restartPolicy') === 'Never',
    isPod,
  };
}

function claimsRules(claims: readonly JsonObject[], path: string): Problems {
  const seen = new Set<string>();
  const names = ['resourceClaimName', 'resourceClaimTemplateName'];
  return each(claims, (claim, at) => {
    const here = `${path}[${at}]`;
    const name = text(claim, 'name');
    const given = names.filter((field) => claim[field] !== undefined);
    const repeated = seen.has(name);
    seen.add(name);
    return allErrors(
      repeated ? [duplicate(`${here}.name`, name)] : form(`${here}.name`, name, checkDns1123Label),
      given.length === 2
        ? [
            invalid(
              here,
              claim,
              'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
            ),
          ]
        : noProblems,
      given.length === 0
        ? [
            invalid(
              here,
              claim,
              'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
            ),
          ]
        : noProblems,
      each(given, (field) => form(`${here}.${field}`, text(claim, field), checkDns1123Subdomain)),
    );
  });
}

function placementRules(spec: JsonObject, path: string): Problems {
  return allErrors(
    validateLabels(`${path}.nodeSelector`, textMap(spec, 'nodeSelector')),
    form(`${path}.nodeName`, text(spec, 'nodeName'), checkDns1123Subdomain),
    each(objects(spec, 'tolerations'), (toleration, at) =>
      tolerationRules(toleration, `${path}.tolerations[${at}]`),
    ),
    spec['affinity'] === undefined
      ? noProblems
      : affinityRules(part(spec, 'affinity'), `${path}.affinity`),
    spec['topologySpreadConstraints'] === undefined
      ? noProblems
      : spreadRules(
          objects(spec, 'topologySpreadConstraints'),
          `${path}.topologySpreadConstraints`,
        ),
    spec['schedulingGates'] === undefined
      ? noProblems
      : gatesRules(objects(spec, 'schedulingGates'), `${path}.schedulingGates`),
  );
}

const names = ['serviceAccountName', 'priorityClassName'];

function identityRules(spec: JsonObject, path: string): Problems {
  return allErrors(
    each(names, (name) => form(`${path}.${name}`, text(spec, name), checkDns1123Subdomain)),
    givenForm(`${path}.runtimeClassName`, spec['runtimeClassName'], checkDns1123Subdomain),
    form(`${path}.hostname`, text(spec, 'hostname'), checkDns1123Label),
    form(`${path}.subdomain`, text(spec, 'subdomain'), checkDns1123Label),
    between(`${path}.activeDeadlineSeconds`, spec['activeDeadlineSeconds'], 1, int32Max),
  );
}

function rarelyGivenRules(spec: JsonObject, path: string): Problems {
  return allErrors(
    spec['hostAliases'] === undefined
      ? noProblems
      : hostAliasRules(objects(spec, 'hostAliases'), `${path}.hostAliases`),
    each(objects(spec, 'readinessGates'), (gate, at) =>
      givenForm(
        `${path}.readinessGates[${at}].conditionType`,
        text(gate, 'conditionType'),
        checkQualifiedName,
      ),
    ),
    spec['overhead'] === undefined
      ? noProblems
      : resourceRules({ limits: part(spec, 'overhead') }, `${path}.overhead`),
    spec['resources'] === undefined
      ? noProblems
      : podResourceRules(part(spec, 'resources'), spec, `${path}.resources`),
    spec['os'] === undefined ? noProblems : systemRules(spec, path),
  );
}

const endingPolicies = ['OnFailure', 'Never'];

/** Of a template whose pods shall end: by default they would not. */
export function restartRules(template: JsonObject, path: string): Problems {
  const policy = text(part(template, 'spec'), 'restartPolicy');
  if (policy !== 'Always') return [];
  const shown = endingPolicies.map((each) => `"${each}"`).join(', ');
  return [required(`${path}.spec.restartPolicy`, `valid values: ${shown}`)];
}
