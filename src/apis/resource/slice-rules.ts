/**
 * Rules of resource slices, written by hand (spec 1, section 2.8).
 *
 * Elsewhere: the same rules as declarations (slice-declarations.ts). Objects come in the version
 * they were written in: devices hold what they are under `basic`, or beside their name in newer
 * versions.
 *
 * Bounds: see names-in-domains.ts. Below a list of too many devices nothing is looked at.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import {
  duplicate,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../apimachinery/field-error.ts';
import { items, objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import { nodeSelectorRules } from '../core/nodes/node-selectors.ts';
import type { Problems } from '../validation/checks.ts';
import { form, givenAmong, givenForm, numberOf, unchanged } from '../validation/checks.ts';
import * as formats from '../validation/names-in-domains.ts';

export function resourceSliceProblems(slice: ApiObject, current: ApiObject | undefined): Problems {
  const spec = part(slice, 'spec');
  const flat = hasFlatDevices(slice);
  return [
    ...driverRules(text(spec, 'driver'), 'spec.driver'),
    ...poolRules(part(spec, 'pool'), 'spec.pool'),
    ...(current === undefined ? [] : fixedRules(spec, part(current, 'spec'))),
    ...nodeRules(spec),
    ...devicesRules(spec, flat),
  ];
}

/** From v1beta2 on a device has no `basic`. */
export function hasFlatDevices(slice: ApiObject): boolean {
  return !/\/(v1alpha3|v1beta1)$/.test(slice.apiVersion);
}

function bounded(field: string, value: string, max: number): readonly FieldError[] {
  return Buffer.byteLength(value, 'utf8') > max ? [tooLong(field, max)] : [];
}

function driverRules(driver: string, field: string): Problems {
  if (driver === '') return [required(field)];
  return [
    ...bounded(field, driver, formats.driverNameBytesMax),
    ...form(field, driver, formats.checkDriverName),
  ];
}

function poolRules(pool: JsonObject, path: string): Problems {
  const name = text(pool, 'name');
  const count = numberOf(pool['resourceSliceCount']) ?? 0;
  const generation = numberOf(pool['generation']) ?? 0;
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...bounded(`${path}.name`, name, formats.poolNameBytesMax),
    ...form(`${path}.name`, name, formats.checkPoolName),
    ...(count <= 0
      ? [
          invalid(
            `${path}.resourceSliceCount`,
            pool['resourceSliceCount'] ?? 0,
            'must be greater than zero',
          ),
        ]
      : []),
    ...(generation < 0
      ? [invalid(`${path}.generation`, pool['generation'], 'must be greater than or equal to zero')]
      : []),
  ];
}

/** The pool and where it is stay; its generation and what is in it change. */
function fixedRules(spec: JsonObject, before: JsonObject): Problems {
  return [
    ...unchanged('spec.pool.name', part(spec, 'pool')['name'], part(before, 'pool')['name']),
    ...unchanged('spec.driver', spec['driver'], before['driver']),
    ...unchanged('spec.nodeName', spec['nodeName'], before['nodeName']),
  ];
}

const placements = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'];

const onePlacement =
  'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

function nodeRules(spec: JsonObject): Problems {
  const set = givenAmong(spec, placements).filter(
    (name) => spec[name] !== false && spec[name] !== '',
  );
  const selector = part(spec, 'nodeSelector');
  const terms = items(selector, 'nodeSelectorTerms');
  const field = 'spec.nodeSelector';
  return [
    ...(spec['nodeName'] === ''
      ? [invalid('spec.nodeName', '', 'must be either unset or set to a non-empty string')]
      : form('spec.nodeName', text(spec, 'nodeName'), checkDns1123Subdomain)),
    ...(spec['nodeSelector'] === undefined ? [] : nodeSelectorRules(selector, field)),
    ...(spec['nodeSelector'] !== undefined && terms.length > 1
      ? [invalid(`${field}.nodeSelectorTerms`, terms, 'must have exactly one node selector term')]
      : []),
    ...['allNodes', 'perDeviceNodeSelection']
      .filter((name) => spec[name] === false)
      .map((name) => invalid(`spec.${name}`, false, 'must be either unset or set to true')),
    ...(set.length === 0 ? [required('spec', onePlacement)] : []),
    ...(set.length > 1
      ? [
          invalid(
            'spec',
            `{${set.map((name) => `\`${name}\``).join(', ')}}`,
            `${onePlacement}, but multiple fields are set`,
          ),
        ]
      : []),
  ];
}

function devicesRules(spec: JsonObject, flat: boolean): Problems {
  const devices = objects(spec, 'devices');
  if (devices.length > formats.devicesMax) {
    return [tooMany('spec.devices', devices.length, formats.devicesMax)];
  }
  const seen = new Set<string>();
  const repeated = devices.flatMap((device, at) => {
    const name = text(device, 'name');
    if (seen.has(name)) return [duplicate(`spec.devices[${at}].name`, name)];
    seen.add(name);
    return [];
  });
  return [
    ...devices.flatMap((device, at) => deviceRules(device, `spec.devices[${at}]`, flat)),
    ...repeated,
  ];
}

function deviceRules(device: JsonObject, path: string, flat: boolean): Problems {
  const named = givenForm(`${path}.name`, text(device, 'name'), checkDns1123Label);
  if (flat) return [...named, ...instanceRules(device, path)];
  if (device['basic'] === undefined) return [...named, required(`${path}.basic`)];
  return [...named, ...instanceRules(part(device, 'basic'), `${path}.basic`)];
}

function instanceRules(instance: JsonObject, path: string): Problems {
  const attributes = part(instance, 'attributes');
  const capacity = part(instance, 'capacity');
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const most = formats.attributesAndCapacitiesMax;
  const detail = `the total number of attributes and capacities must not exceed ${most}`;
  return [
    ...(count > most ? [invalid(path, count, detail)] : []),
    ...Object.keys(attributes).flatMap((name) => [
      ...keyRules(name, `${path}.attributes[${name}]`),
      ...attributeRules(part(attributes, name), `${path}.attributes[${name}]`),
    ]),
    ...Object.keys(capacity).flatMap((name) => keyRules(name, `${path}.capacity[${name}]`)),
    ...taintsRules(objects(instance, 'taints'), `${path}.taints`),
  ];
}

function keyRules(name: string, field: string): Problems {
  return formats.checkQualifiedIdentifier(name).map((problem) => invalid(field, name, problem));
}

const oneValue = 'exactly one value must be specified';

function attributeRules(attribute: JsonObject, path: string): Problems {
  const given = givenAmong(attribute, ['bool', 'int', 'string', 'version']);
  const version = attribute['version'];
  const most = formats.attributeValueBytesMax;
  return [
    ...bounded(`${path}.string`, text(attribute, 'string'), most),
    ...(typeof version === 'string'
      ? formats
          .checkSemanticVersion(version)
          .map((problem) => invalid(`${path}.version`, version, problem))
      : []),
    ...bounded(`${path}.version`, text(attribute, 'version'), most),
    ...(given.length === 0 ? [required(path, oneValue)] : []),
    ...(given.length > 1 ? [invalid(path, attribute, oneValue)] : []),
  ];
}

const effects = ['NoExecute', 'NoSchedule'];

function taintsRules(taints: readonly JsonObject[], path: string): Problems {
  if (taints.length > formats.taintsMax) return [tooMany(path, taints.length, formats.taintsMax)];
  return taints.flatMap((taint, at) => {
    const here = `${path}[${at}]`;
    const [key, effect] = [text(taint, 'key'), text(taint, 'effect')];
    return [
      ...givenForm(`${here}.key`, key, checkQualifiedName),
      ...form(`${here}.value`, text(taint, 'value'), checkLabelValue),
      ...(effect === '' ? [required(`${here}.effect`)] : []),
      ...(effect === '' || effects.includes(effect)
        ? []
        : [notSupported(`${here}.effect`, effect, effects)]),
    ];
  });
}
