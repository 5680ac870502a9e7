/**
 * Rules of the sources of persistent volumes: those that they share with the volumes of pods, and
 * what is said of them only here.
 *
 * The schema says which other fields must be given.
 */
import { invalid, required } from '../../../apimachinery/field-error.ts';
import { part, text } from '../../../apimachinery/members.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
} from '../../../apimachinery/validation/names.ts';
import { lookup } from '../../../stdx/lookup.ts';
import { allErrors, each, form, givenForm, needed, noProblems } from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import { sharedSources } from '../pods/validation/volume-sources.ts';
import { withoutBacksteps } from '../pods/validation/container-mounts.ts';

/** `volume`: the name of the volume. */
type SourceRules = (source: JsonObject, path: string, volume: string) => Problems;

/** A volume is of no namespace; its secrets are. */
const driverSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

function driverSecretRules(source: JsonObject, path: string): Problems {
  return each(driverSecrets, (name) => {
    if (source[name] === undefined) return noProblems;
    const reference = part(source, name);
    const here = `${path}.${name}`;
    return allErrors(
      neededOf(source, path, name, ['name', 'namespace']),
      form(`${here}.name`, text(reference, 'name'), checkDns1123Subdomain),
      form(`${here}.namespace`, text(reference, 'namespace'), checkDns1123Label),
    );
  });
}

/** What a reference must say, where there is one. */
function neededOf(
  source: JsonObject,
  path: string,
  name: string,
  members: readonly string[],
): Problems {
  if (source[name] === undefined) return noProblems;
  const reference = part(source, name);
  return each(members, (member) => needed(reference, `${path}.${name}`, member));
}

const portalMax = 64;

function portalRules(source: JsonObject, path: string, volume: string): Problems {
  const portal = text(source, 'targetPortal');
  const length = Buffer.byteLength(`${volume}:${portal}`, 'utf8');
  if (source['initiatorName'] === undefined || length <= portalMax) return noProblems;
  const detail =
    'with an initiatorName, the name of the volume, a colon and this may have ' +
    `${portalMax} bytes together`;
  // Spelt like this by the reference.
  return [invalid(`${path}.targetportal`, portal, detail)];
}

const ownSources: Readonly<Record<string, SourceRules>> = lookup({
  local: (source, path) => withoutBacksteps(`${path}.path`, text(source, 'path')),
  csi: driverSecretRules,
  iscsi: (source, path, volume) =>
    allErrors(portalRules(source, path, volume), neededOf(source, path, 'secretRef', ['name'])),
  cinder: (source, path) => neededOf(source, path, 'secretRef', ['name', 'namespace']),
  scaleIO: (source, path) => needed(source, path, 'volumeName'),
  storageos: (source, path) =>
    allErrors(
      needed(source, path, 'volumeName'),
      neededOf(source, path, 'secretRef', ['name', 'namespace']),
    ),
  glusterfs: (source, path) =>
    givenForm(`${path}.endpointsNamespace`, source['endpointsNamespace'], checkDns1123Label),
  azureFile: (source, path) =>
    source['secretNamespace'] === '' ? [required(`${path}.secretNamespace`)] : noProblems,
});

export function volumeSourceRules(
  name: string,
  source: JsonObject,
  path: string,
  volume: string,
): Problems {
  return allErrors(
    sharedSources[name]?.(source, path) ?? noProblems,
    ownSources[name]?.(source, path, volume) ?? noProblems,
  );
}
