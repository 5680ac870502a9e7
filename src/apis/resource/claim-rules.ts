/**
 * Rules of claims for devices, of the classes they name, and of taints on devices.
 *
 * Requests say what they want under `exactly`, or beside their name in older versions; objects come
 * in the version they were written in.
 */
import { invalid, notSupported, required, tooLong } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import {
  allErrors,
  each,
  form,
  givenForm,
  itemsAtMost,
  needed,
  noProblems,
  numberOf,
  unchanged,
  uniqueBy,
  uniqueTexts,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { driverNameRules } from '../validation/driver-names.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { templateMetadataRules } from '../validation/labels.ts';
import {
  checkPoolName,
  checkQualifiedIdentifier,
  poolNameBytesMax,
} from '../validation/names-in-domains.ts';
import { configsOf, parametersRules } from './opaque-parameters.ts';

const listMax = 32;

const alternativesMax = 8;

const expressionBytesMax = 10 * 1024;

export const resourceClaimRules: KindRules = {
  validate: (claim) => claimRules(part(part(claim, 'spec'), 'devices'), 'spec.devices'),
  validateCreate: (claim) =>
    parametersRules(configsOf(part(part(claim, 'spec'), 'devices')), 'spec.devices.config'),
  validateUpdate: (next, current) => unchanged('spec', next['spec'], current['spec']),
};

export const resourceClaimTemplateRules: KindRules = {
  validate: (template) => {
    const spec = part(template, 'spec');
    return allErrors(
      templateMetadataRules(part(spec, 'metadata'), 'spec.metadata'),
      claimRules(part(part(spec, 'spec'), 'devices'), 'spec.spec.devices'),
    );
  },
  validateCreate: (template) => {
    const spec = part(part(template, 'spec'), 'spec');
    return parametersRules(configsOf(part(spec, 'devices')), 'spec.spec.devices.config');
  },
  validateUpdate: (next, current) => unchanged('spec', next['spec'], current['spec']),
};

function claimRules(devices: JsonObject, path: string): Problems {
  const requests = objects(devices, 'requests');
  const constraints = objects(devices, 'constraints');
  const configs = objects(devices, 'config');
  const names = requestNames(requests);
  return allErrors(
    each(requests, (request, at) => requestRules(request, `${path}.requests[${at}]`)),
    itemsAtMost(requests, `${path}.requests`, listMax),
    uniqueBy(requests, `${path}.requests`, 'name'),
    each(constraints, (constraint, at) =>
      constraintRules(constraint, `${path}.constraints[${at}]`, names),
    ),
    itemsAtMost(constraints, `${path}.constraints`, listMax),
    each(configs, (config, at) => {
      const here = `${path}.config[${at}]`;
      return allErrors(
        referenceRules(texts(config, 'requests'), `${here}.requests`, names),
        configurationRules(config, here),
      );
    }),
    itemsAtMost(configs, `${path}.config`, listMax),
  );
}

/** What others may refer to: requests, and their alternatives after a slash. */
export function requestNames(requests: readonly JsonObject[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const request of requests) {
    const name = text(request, 'name');
    names.add(name);
    for (const other of objects(request, 'firstAvailable'))
      names.add(`${name}/${text(other, 'name')}`);
  }
  return names;
}

function nameRules(holder: JsonObject, path: string): Problems {
  return givenForm(`${path}.name`, text(holder, 'name'), checkDns1123Label);
}

function requestRules(request: JsonObject, path: string): Problems {
  const alternatives = objects(request, 'firstAvailable');
  const flat = request['deviceClassName'] !== undefined;
  const exact = request['exactly'] !== undefined;
  const own = flat ? 'deviceClassName' : 'exactly';
  const one = `exactly one of \`${own}\` or \`firstAvailable\` is required`;
  if (alternatives.length > 0 && (flat || exact)) {
    return allErrors(nameRules(request, path), [
      invalid(path, undefined, `${one}, but multiple fields are set`),
    ]);
  }
  if (alternatives.length > 0) {
    const field = `${path}.firstAvailable`;
    return allErrors(
      nameRules(request, path),
      each(alternatives, (other, at) =>
        allErrors(nameRules(other, `${field}[${at}]`), wantedRules(other, `${field}[${at}]`)),
      ),
      itemsAtMost(alternatives, field, alternativesMax),
      uniqueBy(alternatives, field, 'name'),
    );
  }
  return allErrors(
    nameRules(request, path),
    flat ? wantedRules(request, path) : noProblems,
    exact ? wantedRules(part(request, 'exactly'), `${path}.exactly`) : noProblems,
    flat || exact ? noProblems : [required(path, one)],
  );
}

const modes = ['All', 'ExactCount'];

/** Of which class, how many and which of them. */
function wantedRules(wanted: JsonObject, path: string): Problems {
  const mode = text(wanted, 'allocationMode');
  const count = numberOf(wanted['count']) ?? 0;
  const none = `must not be specified when allocationMode is '${mode}'`;
  return allErrors(
    needed(wanted, path, 'deviceClassName'),
    form(`${path}.deviceClassName`, text(wanted, 'deviceClassName'), checkDns1123Subdomain),
    selectorsRules(objects(wanted, 'selectors'), `${path}.selectors`),
    modes.includes(mode) ? noProblems : [notSupported(`${path}.allocationMode`, mode, modes)],
    mode === 'All' && count !== 0 ? [invalid(`${path}.count`, count, none)] : noProblems,
    mode === 'ExactCount' && count <= 0
      ? [invalid(`${path}.count`, count, 'must be greater than zero')]
      : noProblems,
    each(objects(wanted, 'tolerations'), (toleration, at) =>
      tolerationRules(toleration, `${path}.tolerations[${at}]`),
    ),
  );
}

function selectorsRules(selectors: readonly JsonObject[], path: string): Problems {
  return allErrors(
    each(selectors, (selector, at) => {
      const here = `${path}[${at}].cel`;
      if (selector['cel'] === undefined) return [required(here)];
      const cel = part(selector, 'cel');
      const long = Buffer.byteLength(text(cel, 'expression'), 'utf8') > expressionBytesMax;
      return allErrors(
        needed(cel, here, 'expression'),
        long ? [tooLong(`${here}.expression`, expressionBytesMax)] : noProblems,
      );
    }),
    itemsAtMost(selectors, path, listMax),
  );
}

const effects = ['NoExecute', 'NoSchedule'];

const operators = ['Equal', 'Exists'];

function tolerationRules(toleration: JsonObject, path: string): Problems {
  const [key, operator] = [text(toleration, 'key'), text(toleration, 'operator')];
  const effect = text(toleration, 'effect');
  const value = text(toleration, 'value');
  const exists = operator === 'Exists';
  return allErrors(
    form(`${path}.key`, key, checkQualifiedName),
    operator === ''
      ? [required(`${path}.operator`)]
      : operators.includes(operator)
        ? noProblems
        : [notSupported(`${path}.operator`, operator, operators)],
    exists && value !== ''
      ? [invalid(`${path}.value`, value, 'must be empty for operator `Exists`')]
      : noProblems,
    exists ? noProblems : form(`${path}.value`, value, checkLabelValue),
    effect === '' || effects.includes(effect)
      ? noProblems
      : [notSupported(`${path}.effect`, effect, effects)],
  );
}

function constraintRules(
  constraint: JsonObject,
  path: string,
  names: ReadonlySet<string>,
): Problems {
  const attribute = text(constraint, 'matchAttribute');
  const field = `${path}.matchAttribute`;
  return allErrors(
    referenceRules(texts(constraint, 'requests'), `${path}.requests`, names),
    attribute === '' ? [required(field)] : form(field, attribute, checkQualifiedIdentifier),
    attribute !== '' && !attribute.includes('/')
      ? [
          invalid(
            field,
            attribute,
            'a fully qualified name must be a domain and a name separated by a slash',
          ),
        ]
      : noProblems,
  );
}

const unknownRequest =
  'must be the name of a request in the claim or the name of a request and a subrequest ' +
  "separated by '/'";

export function referenceRules(
  references: readonly string[],
  field: string,
  names: ReadonlySet<string>,
): Problems {
  return allErrors(
    each(references, (name, at) => requestReference(name, `${field}[${at}]`, names)),
    itemsAtMost(references, field, listMax),
    uniqueTexts(field, references),
  );
}

export function requestReference(
  name: string,
  field: string,
  names: ReadonlySet<string>,
): Problems {
  return names.has(name) ? noProblems : [invalid(field, name, unknownRequest)];
}

export function configurationRules(config: JsonObject, path: string): Problems {
  if (config['opaque'] === undefined) return [required(`${path}.opaque`)];
  const opaque = part(config, 'opaque');
  return allErrors(
    needed(opaque, `${path}.opaque`, 'driver'),
    driverNameRules(`${path}.opaque.driver`, text(opaque, 'driver')),
    needed(opaque, `${path}.opaque`, 'parameters'),
  );
}

export const deviceClassRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const configs = objects(spec, 'config');
    return allErrors(
      selectorsRules(objects(spec, 'selectors'), 'spec.selectors'),
      each(configs, (config, at) => configurationRules(config, `spec.config[${at}]`)),
      itemsAtMost(configs, 'spec.config', listMax),
    );
  },
  validateCreate: (object) => parametersRules(configsOf(part(object, 'spec')), 'spec.config'),
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    if (deepEqual(spec['config'], before['config'])) return noProblems;
    return parametersRules(configsOf(spec), 'spec.config');
  },
};

export const deviceTaintRuleRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const [selector, taint] = [part(spec, 'deviceSelector'), part(spec, 'taint')];
    const at = 'spec.deviceSelector';
    const effect = text(taint, 'effect');
    return allErrors(
      form(`${at}.deviceClassName`, text(selector, 'deviceClassName'), checkDns1123Subdomain),
      selector['driver'] === '' ? [required(`${at}.driver`)] : noProblems,
      driverNameRules(`${at}.driver`, text(selector, 'driver')),
      selector['pool'] === '' ? [required(`${at}.pool`)] : noProblems,
      Buffer.byteLength(text(selector, 'pool'), 'utf8') > poolNameBytesMax
        ? [tooLong(`${at}.pool`, poolNameBytesMax)]
        : noProblems,
      form(`${at}.pool`, text(selector, 'pool'), checkPoolName),
      givenForm(`${at}.device`, selector['device'], checkDns1123Label),
      selectorsRules(objects(selector, 'selectors'), `${at}.selectors`),
      givenForm('spec.taint.key', text(taint, 'key'), checkQualifiedName),
      form('spec.taint.value', text(taint, 'value'), checkLabelValue),
      needed(taint, 'spec.taint', 'effect'),
      effect === '' || effects.includes(effect)
        ? noProblems
        : [notSupported('spec.taint.effect', effect, effects)],
    );
  },
};
