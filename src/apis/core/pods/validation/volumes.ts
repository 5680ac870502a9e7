/** Rules of the volumes of a pod. */
import { forbidden, invalid, required } from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
} from '../../../../apimachinery/validation/names.ts';
import { fileFieldRules, resourceFieldRules } from './container-environment.ts';
import { backstep, descendingPath } from './container-mounts.ts';
import { gitRules, oneSource, podSources, sharedSources } from './volume-sources.ts';
import type { SourceRules } from './volume-sources.ts';
import { claimSpecRules } from '../../volumes/claim-rules.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  compareAmounts,
  each,
  form,
  givenAmong,
  needed,
  noProblems,
  numberOf,
  uniqueBy,
} from '../../../validation/checks.ts';
import { signerNameRules } from '../../../validation/signer-names.ts';
import { labelSelectorRules, templateMetadataRules } from '../../../validation/labels.ts';
import { tokenSecondsRules } from '../../../validation/token-seconds.ts';
import { lookup } from '../../../../stdx/lookup.ts';

const modeMax = 0o777;

const modeMessage = 'must be a number between 0 and 0777 (octal), both inclusive';

/** `pod`: whose volumes they are, unless they are of a template. */
export function volumesRules(
  volumes: readonly JsonObject[],
  path: string,
  pod: ApiObject | undefined,
): Problems {
  return allErrors(
    each(volumes, (volume, at) => volumeRules(volume, `${path}[${at}]`)),
    uniqueBy(volumes, path, 'name'),
    pod === undefined ? noProblems : ofPodRules(volumes, path, pod),
  );
}

/** Undefined without any. */
export function sourceOf(volume: JsonObject): string | undefined {
  for (const name in volume) if (name !== 'name') return name;
  return undefined;
}

function volumeRules(volume: JsonObject, path: string): Problems {
  const sources = podSources(Object.keys(volume).filter((name) => name !== 'name'));
  const [source] = sources;
  const rules = source === undefined ? undefined : (own[source] ?? sharedSources[source]);
  return allErrors(
    form(`${path}.name`, text(volume, 'name'), checkDns1123Label),
    oneSource(sources, path),
    rules === undefined || source === undefined
      ? noProblems
      : rules(part(volume, source), `${path}.${source}`),
  );
}

/** Claims that are made for a pod carry its name. */
function ofPodRules(volumes: readonly JsonObject[], path: string, pod: ApiObject): Problems {
  const { name = '' } = pod.metadata;
  const made = new Set(
    volumes
      .filter((volume) => volume['ephemeral'] !== undefined)
      .map((volume) => `${name}-${text(volume, 'name')}`),
  );
  return each(volumes, (volume, at) => madeClaimRules(volume, `${path}[${at}]`, name, made));
}

function madeClaimRules(
  volume: JsonObject,
  path: string,
  pod: string,
  made: ReadonlySet<string>,
): Problems {
  const used = text(part(volume, 'persistentVolumeClaim'), 'claimName');
  const named = text(volume, 'name');
  const claim = `${pod}-${named}`;
  const foreign = 'must not reference a PVC that gets created for an ephemeral volume';
  return allErrors(
    made.has(used)
      ? [invalid(`${path}.persistentVolumeClaim.claimName`, used, foreign)]
      : noProblems,
    volume['ephemeral'] !== undefined && pod !== ''
      ? checkDns1123Subdomain(claim).map((problem) =>
          invalid(`${path}.name`, named, `PVC name "${claim}": ${problem}`),
        )
      : noProblems,
  );
}

/** Of pods only. */
const own: Readonly<Record<string, SourceRules>> = lookup({
  emptyDir: (source, path) =>
    (compareAmounts(source['sizeLimit'], '0') ?? 0) < 0
      ? [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
      : noProblems,
  gitRepo: gitRules,
  secret: (source, path) => allErrors(needed(source, path, 'secretName'), filesRules(source, path)),
  configMap: (source, path) => allErrors(needed(source, path, 'name'), filesRules(source, path)),
  downwardAPI: (source, path) =>
    allErrors(
      modeRules(source['defaultMode'], `${path}.defaultMode`),
      // The reference does not say which of the files.
      each(objects(source, 'items'), (file) => fieldFileRules(file, path)),
    ),
  projected: projectedRules,
  csi: (source, path) =>
    allErrors(
      sharedSources['csi']?.(source, path) ?? noProblems,
      source['nodePublishSecretRef'] === undefined
        ? noProblems
        : allErrors(
            needed(part(source, 'nodePublishSecretRef'), `${path}.nodePublishSecretRef`, 'name'),
            form(
              `${path}.name`,
              text(part(source, 'nodePublishSecretRef'), 'name'),
              checkDns1123Subdomain,
            ),
          ),
    ),
  ephemeral: (source, path) => {
    if (source['volumeClaimTemplate'] === undefined) {
      return [required(`${path}.volumeClaimTemplate`)];
    }
    const template = part(source, 'volumeClaimTemplate');
    const here = `${path}.volumeClaimTemplate`;
    const { labels: _labels, annotations: _annotations, ...others } = part(template, 'metadata');
    return allErrors(
      templateMetadataRules(part(template, 'metadata'), `${here}.metadata`),
      Object.keys(others).map((name) => forbidden(`${here}.metadata.${name}`, 'cannot be set')),
      claimSpecRules(part(template, 'spec'), `${here}.spec`),
    );
  },
});

function projectedRules(projected: JsonObject, path: string): Problems {
  const paths = new Set<string>();
  return allErrors(
    modeRules(projected['defaultMode'], `${path}.defaultMode`),
    each(objects(projected, 'sources'), (source, at) => {
      const here = `${path}.sources[${at}]`;
      const given = givenAmong(source, projections);
      return allErrors(
        each(given, (name) => projectionRules(name, part(source, name), here, path)),
        conflictRules(source, given, path, paths),
        given.length > 1
          ? [forbidden(here, 'may not specify more than 1 volume type per source')]
          : noProblems,
      );
    }),
  );
}

const projections = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
];

function projectionRules(name: string, source: JsonObject, path: string, volume: string): Problems {
  const here = `${path}.${name}`;
  switch (name) {
    case 'downwardAPI':
      return each(objects(source, 'items'), (file) => fieldFileRules(file, here));
    case 'serviceAccountToken':
      return allErrors(
        tokenSecondsRules(`${here}.expirationSeconds`, source['expirationSeconds']),
        reservedPath(`${volume}.path`, text(source, 'path')),
      );
    case 'clusterTrustBundle':
      return bundleRules(source, here);
    default:
      return allErrors(needed(source, here, 'name'), filesRules(source, here));
  }
}

/** Of the files of one volume each has a path of its own. */
function conflictRules(
  source: JsonObject,
  given: readonly string[],
  path: string,
  paths: Set<string>,
): Problems {
  return each(given, (name) => {
    const from = part(source, name);
    const files = name === 'clusterTrustBundle' ? [from] : objects(from, 'items');
    return each(files, (item) => {
      const file = text(item, 'path');
      if (file === '') return noProblems;
      const shown = text(from, 'name') === '' ? file : text(from, 'name');
      if (paths.has(file)) return [invalid(path, shown, 'conflicting duplicate paths')];
      paths.add(file);
      return noProblems;
    });
  });
}

function bundleRules(source: JsonObject, path: string): Problems {
  const given = givenAmong(source, ['name', 'signerName']);
  const unused = 'labelSelector must be unset if name is specified';
  const byName = given.includes('name');
  return allErrors(
    given.length === 2
      ? [invalid(path, source, 'only one of name and signerName may be used')]
      : noProblems,
    given.length === 0
      ? [required(path, 'either name or signerName must be specified')]
      : noProblems,
    byName && source['labelSelector'] !== undefined
      ? [invalid(`${path}.labelSelector`, source['labelSelector'], unused)]
      : noProblems,
    signerNameRules(`${path}.signerName`, text(source, 'signerName')),
    labelSelectorRules(part(source, 'labelSelector'), `${path}.labelSelector`),
    reservedPath(`${path}.path`, text(source, 'path')),
  );
}

function fieldFileRules(file: JsonObject, path: string): Problems {
  const [field, resource] = [file['fieldRef'], file['resourceFieldRef']];
  const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
  return allErrors(
    reservedPath(`${path}.path`, text(file, 'path')),
    field === undefined ? noProblems : fileFieldRules(part(file, 'fieldRef'), `${path}.fieldRef`),
    field !== undefined && resource !== undefined ? [invalid(path, 'resource', both)] : noProblems,
    field === undefined && resource !== undefined
      ? resourceFieldRules(part(file, 'resourceFieldRef'), `${path}.resourceFieldRef`, true)
      : noProblems,
    field === undefined && resource === undefined
      ? [required(path, 'one of fieldRef and resourceFieldRef is required')]
      : noProblems,
    modeRules(file['mode'], `${path}.mode`),
  );
}

function filesRules(source: JsonObject, path: string): Problems {
  return allErrors(
    modeRules(source['defaultMode'], `${path}.defaultMode`),
    each(objects(source, 'items'), (item, at) => {
      const here = `${path}.items[${at}]`;
      return allErrors(
        modeRules(item['mode'], `${here}.mode`),
        reservedPath(`${here}.path`, text(item, 'path')),
      );
    }),
  );
}

/** Below where it starts, and not one of the names that nodes use there themselves. */
function reservedPath(field: string, path: string): Problems {
  return allErrors(
    descendingPath(field, path),
    path.startsWith('..') && !backstep.test(path)
      ? [invalid(field, path, "must not start with '..'")]
      : noProblems,
  );
}

function modeRules(mode: JsonValue | undefined, field: string): Problems {
  const number = numberOf(mode) ?? 0;
  return number < 0 || number > modeMax ? [invalid(field, mode, modeMessage)] : noProblems;
}
