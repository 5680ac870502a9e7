/** Rules of storage classes and volume attachments. */
import { duplicate, forbidden, notSupported, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { canonicalText } from '../../stdx/canonical-text.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { checkDns1123Subdomain, checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { each, form, givenAmong, noProblems, repetitions, together } from './checks.ts';
import { unchanged, uniqueTexts } from './checks.ts';
import type { Problems } from './checks.ts';
import { driverNameRules, parameterRules, provisionerRules } from './driver-names.ts';
import type { KindRules } from './kind-rules.ts';
import { inlineVolumeRules } from './persistent-volumes.ts';

export const storageClassRules: KindRules = {
  validate: (object) => {
    const policy = text(object, 'reclaimPolicy');
    return together(
      provisionerRules('provisioner', text(object, 'provisioner')),
      parameterRules(object, true),
      policy === 'Recycle'
        ? [notSupported('reclaimPolicy', policy, ['Delete', 'Retain'])]
        : noProblems,
      topologyRules(objects(object, 'allowedTopologies'), 'allowedTopologies'),
    );
  },
  validateUpdate: (next, current) => [
    ...['parameters', 'provisioner', 'reclaimPolicy']
      .filter((name) => !deepEqual(next[name], current[name]))
      .map((name) => forbidden(name, `updates to ${name} are forbidden.`)),
    ...unchanged('volumeBindingMode', next['volumeBindingMode'], current['volumeBindingMode']),
  ],
};

function topologyRules(terms: readonly JsonObject[], path: string): Problems {
  const isRepeated = repetitions<string>();
  return each(terms, (term, at) => {
    const here = `${path}[${at}].matchLabelExpressions`;
    return together(
      expressionRules(objects(term, 'matchLabelExpressions'), here),
      isRepeated(canonicalText(term)) ? [duplicate(here, '')] : noProblems,
    );
  });
}

function expressionRules(expressions: readonly JsonObject[], path: string): Problems {
  const seen = new Set<string>();
  return each(expressions, (expression, at) => {
    const key = text(expression, 'key');
    const repeated = seen.has(key);
    seen.add(key);
    return together(
      uniqueTexts(`${path}[${at}].values`, texts(expression, 'values')),
      form(`${path}[${at}].key`, key, checkQualifiedName),
      repeated ? [duplicate(`${path}[${at}].key`, key)] : noProblems,
    );
  });
}

export const volumeAttachmentRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const name = text(part(spec, 'source'), 'persistentVolumeName');
    return together(
      attachedRules(part(spec, 'source'), 'spec.source'),
      form('spec.nodeName', text(spec, 'nodeName'), checkDns1123Subdomain),
      object.apiVersion.endsWith('/v1')
        ? together(
            driverNameRules('spec.attacher', text(spec, 'attacher')),
            form('spec.source.persistentVolumeName', name, checkDns1123Subdomain),
          )
        : noProblems,
    );
  },
  validateUpdate: (next, current) => unchanged('spec', next['spec'], current['spec']),
};

function attachedRules(source: JsonObject, path: string): Problems {
  const given = givenAmong(source, ['inlineVolumeSpec', 'persistentVolumeName']);
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (given.length === 0) return [required(path, detail)];
  if (given.length === 2) return [forbidden(path, detail)];
  if (given[0] === 'inlineVolumeSpec') {
    return inlineVolumeRules(part(source, 'inlineVolumeSpec'), `${path}.inlineVolumeSpec`);
  }
  return source['persistentVolumeName'] === ''
    ? [required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName')]
    : noProblems;
}
