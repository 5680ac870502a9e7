/**
 * Rules of slices whose devices share counters, or that say for each device where it is. They are
 * the same beside the rules by hand and beside the declared ones.
 *
 * Bounds: lists that are longer than they may be are not looked at.
 */
import { invalid, required } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { nodeSelectorRules } from '../core/nodes/node-selectors.ts';
import {
  allErrors,
  each,
  form,
  givenAmong,
  noProblems,
  requiredForm,
  uniqueBy,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { devicesMax } from '../validation/names-in-domains.ts';
import { hasFlatDevices } from './slice-rules.ts';

/** Of all shared sets of a slice, of one device, of all devices of a slice. */
const sharedCountersMax = 32;

const deviceCountersMax = 32;

const sliceCountersMax = 1024;

type Counters = ReadonlyMap<string, JsonObject>;

export function sliceCounterRules(slice: ApiObject): Problems {
  const spec = part(slice, 'spec');
  const sets = objects(spec, 'sharedCounters');
  const devices = objects(spec, 'devices');
  if (devices.length > devicesMax) return noProblems;
  const flat = hasFlatDevices(slice);
  const instances = devices.map((device) => (flat ? device : part(device, 'basic')));
  const used = instances.reduce((sum, instance) => sum + usedBy(instance), 0);
  const shared = new Map(sets.map((set) => [text(set, 'name'), part(set, 'counters')]));
  const perDevice = spec['perDeviceNodeSelection'] === true;
  return allErrors(
    each(instances, (instance, at) => {
      const path = flat ? `spec.devices[${at}]` : `spec.devices[${at}].basic`;
      return allErrors(
        consumptionRules(instance, path, shared),
        placeRules(instance, path, perDevice),
      );
    }),
    tooManyCounters('spec.devices', used, sliceCountersMax, 'counters in devices'),
    sharedRules(sets, 'spec.sharedCounters'),
  );
}

const countOf = (holder: JsonObject): number => Object.keys(part(holder, 'counters')).length;

function usedBy(instance: JsonObject): number {
  return objects(instance, 'consumesCounters').reduce((sum, each) => sum + countOf(each), 0);
}

function tooManyCounters(field: string, count: number, max: number, what: string): Problems {
  if (count <= max) return noProblems;
  return [invalid(field, count, `the total number of ${what} must not exceed ${max}`)];
}

function sharedRules(sets: readonly JsonObject[], field: string): Problems {
  const count = sets.reduce((sum, set) => sum + countOf(set), 0);
  const long = tooManyCounters(field, count, sharedCountersMax, 'shared counters');
  if (long.length > 0) return long;
  return allErrors(
    each(sets, (set, at) => setRules(set, `${field}[${at}]`, 'name')),
    uniqueBy(sets, field, 'name'),
  );
}

/** Of a set, or of what a device takes of one. */
function setRules(set: JsonObject, path: string, name: string): Problems {
  const counters = Object.keys(part(set, 'counters'));
  return allErrors(
    requiredForm(`${path}.${name}`, text(set, name), checkDns1123Label),
    counters.length === 0 ? [required(`${path}.counters`)] : noProblems,
    each(counters, (key) =>
      checkDns1123Label(key).map((problem) => invalid(`${path}.counters[${key}]`, key, problem)),
    ),
  );
}

function consumptionRules(instance: JsonObject, path: string, shared: Counters): Problems {
  const taken = objects(instance, 'consumesCounters');
  const field = `${path}.consumesCounters`;
  const long = tooManyCounters(path, usedBy(instance), deviceCountersMax, 'counters');
  if (long.length > 0) return long;
  return allErrors(
    each(taken, (one, at) => setRules(one, `${field}[${at}]`, 'counterSet')),
    uniqueBy(taken, field, 'counterSet'),
    each(taken, (one, at) => sourceRules(one, `${field}[${at}]`, shared)),
  );
}

/** What a device takes, its slice has. */
function sourceRules(taken: JsonObject, path: string, shared: Counters): Problems {
  const name = text(taken, 'counterSet');
  const counters = shared.get(name);
  const known = 'defined in the ResourceSlice sharedCounters';
  if (counters === undefined) {
    return [invalid(`${path}.counterSet`, name, `must reference a counterSet ${known}`)];
  }
  return each(Object.keys(part(taken, 'counters')), (key) =>
    Object.hasOwn(counters, key)
      ? noProblems
      : [invalid(`${path}.counters`, key, `must reference a counter ${known}`)],
  );
}

const places = ['nodeName', 'nodeSelector', 'allNodes'];

function placeRules(instance: JsonObject, path: string, perDevice: boolean): Problems {
  const given = givenAmong(instance, places);
  if (!perDevice) {
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is ' +
      'set to true in the ResourceSlice spec';
    return given.length === 0 ? noProblems : [invalid(path, undefined, detail)];
  }
  const { allNodes, nodeName, nodeSelector } = instance;
  const set = given.filter((name) => instance[name] !== '' && instance[name] !== false);
  return allErrors(
    nodeName === ''
      ? [invalid(`${path}.nodeName`, nodeName, 'must not be empty')]
      : form(`${path}.nodeName`, text(instance, 'nodeName'), checkDns1123Subdomain),
    nodeSelector === undefined
      ? noProblems
      : nodeSelectorRules(part(instance, 'nodeSelector'), `${path}.nodeSelector`),
    allNodes === false
      ? [invalid(`${path}.allNodes`, false, 'must be either unset or set to true')]
      : noProblems,
    onePlaceRules(set, path),
  );
}

function onePlaceRules(set: readonly string[], path: string): Problems {
  if (set.length === 1) return noProblems;
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when ' +
    '`perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) return [required(path, detail)];
  return [invalid(path, `{${set.map((name) => `\`${name}\``).join(', ')}}`, detail)];
}
