/**
 * Rules of containers: names, images and ports, and the rules of environment, mounts, probes,
 * resources and security contexts from the other modules.
 *
 * Bounds: one error for each wrong field.
 */
import { duplicate, forbidden, invalid, required } from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../../../apimachinery/validation/names.ts';
import { environmentRules } from './container-environment.ts';
import type { VolumeSources } from './container-mounts.ts';
import { mountRules } from './container-mounts.ts';
import { lifecycleRules, probesOf } from './probes.ts';
import { resourceRules } from './resource-requirements.ts';
import { securityRules } from './security-contexts.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  checkPortName,
  each,
  form,
  givenAmong,
  needed,
  noProblems,
  numberOf,
  oneOf,
  portNumber,
} from '../../../validation/checks.ts';

export interface ContainerContext {
  readonly volumes: VolumeSources;
  /** Of containers seen so far, of every kind. */
  readonly names: Set<string>;
  /** Names of the claims for devices of the pod. */
  readonly claims: ReadonlySet<string>;
  /** How long the pod may take to end, where it says so. */
  readonly graceSeconds: number | undefined;
  /** Its users are those of the host. */
  readonly hostUsers: boolean;
  /** Its containers are never started again. */
  readonly once: boolean;
  /** A pod itself, not a template of one. */
  readonly isPod: boolean;
}

export function containerRules(
  container: JsonObject,
  path: string,
  context: ContainerContext,
): Problems {
  return allErrors(
    nameRules(text(container, 'name'), `${path}.name`, context.names),
    needed(container, path, 'image'),
    context.isPod ? imageRules(text(container, 'image'), `${path}.image`) : noProblems,
    portRules(objects(container, 'ports'), `${path}.ports`),
    environmentRules(container, path),
    mountRules(container, path, context.volumes),
    resourceRules(part(container, 'resources'), `${path}.resources`, context.claims),
    container['resizePolicy'] === undefined
      ? noProblems
      : resizeRules(objects(container, 'resizePolicy'), `${path}.resizePolicy`, context.once),
    container['securityContext'] === undefined
      ? noProblems
      : securityRules(
          part(container, 'securityContext'),
          `${path}.securityContext`,
          context.hostUsers,
        ),
  );
}

function imageRules(image: string, field: string): Problems {
  return image.trim() === image
    ? noProblems
    : [invalid(field, image, 'must not have leading or trailing whitespace')];
}

/** Containers that keep running: probes and hooks, and no restart policy of their own. */
export function mainContainerRules(
  container: JsonObject,
  path: string,
  context: ContainerContext,
): Problems {
  return allErrors(
    lifecycleRules(part(container, 'lifecycle'), `${path}.lifecycle`, context.graceSeconds),
    probesOf(container, path),
    container['restartPolicy'] === undefined
      ? noProblems
      : [forbidden(`${path}.restartPolicy`, 'may not be set for non-init containers')],
  );
}

const whileRunning = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

export function initContainerRules(
  container: JsonObject,
  path: string,
  context: ContainerContext,
): Problems {
  if (text(container, 'restartPolicy') === 'Always') {
    return allErrors(
      lifecycleRules(part(container, 'lifecycle'), `${path}.lifecycle`, context.graceSeconds),
      probesOf(container, path),
    );
  }
  const detail = 'may not be set for init containers without restartPolicy=Always';
  return each(givenAmong(container, whileRunning), (name) => [
    forbidden(`${path}.${name}`, detail),
  ]);
}

function nameRules(name: string, field: string, names: Set<string>): Problems {
  if (name === '') return [];
  if (names.has(name)) return [duplicate(field, name)];
  names.add(name);
  return form(field, name, checkDns1123Label);
}

function portRules(ports: readonly JsonObject[], path: string): Problems {
  const names = new Set<string>();
  return each(ports, (port, at) => {
    const here = `${path}[${at}]`;
    const name = text(port, 'name');
    const problems = form(`${here}.name`, name, checkPortName);
    const repeated = name !== '' && problems.length === 0 && names.has(name);
    names.add(name);
    return allErrors(
      problems,
      repeated ? [duplicate(`${here}.name`, name)] : noProblems,
      port['containerPort'] === 0
        ? [required(`${here}.containerPort`)]
        : portNumber(`${here}.containerPort`, port['containerPort']),
      port['hostPort'] === 0 ? noProblems : portNumber(`${here}.hostPort`, port['hostPort']),
    );
  });
}

/** Which ports of the host are taken, by the containers that run at once. */
export function hostPortRules(
  containers: readonly JsonObject[],
  path: string,
  taken: Set<string>,
): Problems {
  return each(containers, (container, at) =>
    each(objects(container, 'ports'), (port, i) => {
      const host = numberOf(port['hostPort']) ?? 0;
      if (host === 0) return noProblems;
      const id = `${text(port, 'protocol')}/${text(port, 'hostIP')}/${host}`;
      if (taken.has(id)) return [duplicate(`${path}[${at}].ports[${i}].hostPort`, id)];
      taken.add(id);
      return noProblems;
    }),
  );
}

const resizable = ['cpu', 'memory'];

function resizeRules(policies: readonly JsonObject[], path: string, once: boolean): Problems {
  const seen = new Set<string>();
  const never = "must be 'NotRequired' when `restartPolicy` is 'Never'";
  return each(policies, (policy, at) => {
    const name = text(policy, 'resourceName');
    const repeated = seen.has(name);
    seen.add(name);
    const restart = text(policy, 'restartPolicy');
    return allErrors(
      repeated ? [duplicate(`${path}[${at}]`, name)] : noProblems,
      oneOf(path, name, resizable),
      once && restart === 'RestartContainer' ? [invalid(path, restart, never)] : noProblems,
    );
  });
}
