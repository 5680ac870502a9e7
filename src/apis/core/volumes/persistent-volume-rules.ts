/** Rules of persistent volumes, and of those inside a VolumeAttachment. */
import { forbidden, invalid, notSupported, required } from '../../../apimachinery/field-error.ts';
import { items, part, text, texts } from '../../../apimachinery/members.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../../../apimachinery/validation/names.ts';
import { nodeSelectorRules } from '../nodes/node-selectors.ts';
import { oneSource, persistentSources } from '../pods/validation/volume-sources.ts';
import { accessModeRules } from './claim-rules.ts';
import { volumeSourceRules } from './persistent-volume-sources.ts';
import {
  allErrors,
  each,
  form,
  immutableMessage,
  noProblems,
  positiveAmount,
  unchanged,
} from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';

/** Members of a volume's spec that are not its source. */
const notSources: ReadonlySet<string> = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

function sourcesOf(spec: JsonObject): readonly string[] {
  return persistentSources(Object.keys(spec).filter((name) => !notSources.has(name)));
}

export const persistentVolumeRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return allErrors(
      accessRules(spec, 'spec'),
      capacityRules(part(spec, 'capacity'), 'spec.capacity'),
      affinityRules(spec),
      sourceRules(spec, 'spec', object.metadata.name ?? ''),
      recycleRules(spec),
      each(['storageClassName', 'volumeAttributesClassName'], (name) =>
        form(`spec.${name}`, text(spec, name), checkDns1123Subdomain),
      ),
      attributesRules(spec),
    );
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    const detail = 'spec.persistentvolumesource is immutable after creation';
    return allErrors(
      deepEqual(fixedSource(spec, before), fixedSource(before, before))
        ? noProblems
        : [forbidden('spec.persistentvolumesource', detail)],
      // These two stand under shorter names in the reference.
      unchanged('volumeMode', spec['volumeMode'], before['volumeMode']),
      before['nodeAffinity'] === undefined ||
        deepEqual(spec['nodeAffinity'], before['nodeAffinity'])
        ? noProblems
        : [
            invalid(
              'nodeAffinity',
              spec['nodeAffinity'] ?? null,
              `${immutableMessage}, except for updating from beta label to GA`,
            ),
          ],
    );
  },
};

/** The secret with which a volume grows may be added. */
function fixedSource(spec: JsonObject, before: JsonObject): JsonObject {
  const source = Object.fromEntries(sourcesOf(spec).map((name) => [name, spec[name]]));
  const grows = part(before, 'csi')['controllerExpandSecretRef'] !== undefined;
  if (spec['csi'] === undefined || grows) return source;
  const { controllerExpandSecretRef: _secret, ...csi } = part(spec, 'csi');
  return { ...source, csi };
}

function accessRules(spec: JsonObject, path: string): Problems {
  return allErrors(
    items(spec, 'accessModes').length === 0 ? [required(`${path}.accessModes`)] : noProblems,
    accessModeRules(texts(spec, 'accessModes'), `${path}.accessModes`),
  );
}

function capacityRules(capacity: JsonObject, path: string): Problems {
  const names = Object.keys(capacity);
  return allErrors(
    names.length === 0 ? [required(path)] : noProblems,
    capacity['storage'] === undefined || names.length > 1
      ? [notSupported(path, capacity, ['storage'])]
      : noProblems,
    each(names, (name) => positiveAmount(`${path}[${name}]`, capacity[name])),
  );
}

function affinityRules(spec: JsonObject): Problems {
  const affinity = part(spec, 'nodeAffinity');
  const path = 'spec.nodeAffinity';
  if (spec['nodeAffinity'] === undefined) {
    return spec['local'] === undefined
      ? noProblems
      : [required(path, 'Local volume requires node affinity')];
  }
  return affinity['required'] === undefined
    ? [required(`${path}.required`, 'must specify required node constraints')]
    : nodeSelectorRules(part(affinity, 'required'), `${path}.required`);
}

function sourceRules(spec: JsonObject, path: string, volume: string): Problems {
  const sources = sourcesOf(spec);
  const [source] = sources;
  if (source === undefined) return [required(path, 'must specify a volume type')];
  const here = `${path}.${source}`;
  return allErrors(
    oneSource(sources, path),
    volumeSourceRules(source, part(spec, source), here, volume),
  );
}

/** What a node needs is not emptied. */
function recycleRules(spec: JsonObject): Problems {
  const root = /^\/[./]*$/.test(text(part(spec, 'hostPath'), 'path'));
  return root && text(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
    ? [
        forbidden(
          'spec.persistentVolumeReclaimPolicy',
          "may not be 'recycle' for a hostPath mount of '/'",
        ),
      ]
    : noProblems;
}

function attributesRules(spec: JsonObject): Problems {
  const name = spec['volumeAttributesClassName'];
  if (name === undefined) return noProblems;
  return allErrors(
    name === ''
      ? [required('spec.volumeAttributesClassName', 'an empty string is disallowed')]
      : noProblems,
    spec['csi'] === undefined
      ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : noProblems,
  );
}

/** A volume that only an attachment knows. */
export function inlineVolumeRules(spec: JsonObject, path: string): Problems {
  const detail = 'may not be specified in the context of inline volumes';
  const unknown = ['claimRef', 'capacity', 'nodeAffinity', 'storageClassName'];
  const only = { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' };
  return allErrors(
    each(unknown, (name) =>
      spec[name] === undefined ? noProblems : [forbidden(`${path}.${name}`, detail)],
    ),
    each(Object.entries(only), ([name, value]) =>
      spec[name] === undefined || spec[name] === value
        ? noProblems
        : [forbidden(`${path}.${name}`, `may only be ${value} in the context of inline volumes`)],
    ),
    spec['csi'] === undefined
      ? [required(`${path}.csi`, 'has to be specified in the context of inline volumes')]
      : noProblems,
    accessRules(spec, path),
    sourceRules(spec, path, ''),
  );
}
