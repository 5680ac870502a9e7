/** Rules of CSI drivers, of what nodes say about them, of capacities and of attribute classes. */
import { duplicate, forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { checkDns1123Subdomain, checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  each,
  form,
  nonNegative,
  nonNegativeAmount,
  noProblems,
  numberOf,
  together,
  unchanged,
  repetitions,
  uniqueBy,
} from './checks.ts';
import type { Problems } from './checks.ts';
import { driverNameRules, parameterRules, provisionerRules } from './driver-names.ts';
import type { KindRules } from './kind-rules.ts';
import { labelSelectorRules } from './labels.ts';
import { tokenSecondsRules } from './token-seconds.ts';

const leastUpdateSeconds = 10;

export const csiDriverRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const field = 'spec.nodeAllocatableUpdatePeriodSeconds';
    const period = numberOf(spec['nodeAllocatableUpdatePeriodSeconds']) ?? leastUpdateSeconds;
    return together(
      tokenRequestRules(objects(spec, 'tokenRequests'), 'spec.tokenRequests'),
      period < leastUpdateSeconds
        ? [invalid(field, period, 'must be greater than or equal to 10 seconds')]
        : noProblems,
    );
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    return together(
      // The reference names this field in its own way.
      unchanged('spec.attachedRequired', spec['attachRequired'], before['attachRequired']),
      unchanged(
        'spec.volumeLifecycleModes',
        spec['volumeLifecycleModes'],
        before['volumeLifecycleModes'],
      ),
    );
  },
};

/** One token for each audience; that of the server is the empty one. */
function tokenRequestRules(requests: readonly JsonObject[], path: string): Problems {
  const audiences = new Set<string>();
  return each(requests, (request, at) => {
    const audience = text(request, 'audience');
    if (audiences.has(audience)) return [duplicate(`${path}[${at}].audience`, audience)];
    audiences.add(audience);
    return tokenSecondsRules(`${path}[${at}].expirationSeconds`, request['expirationSeconds']);
  });
}

const nodeIdMax = 256;

export const csiNodeRules: KindRules = {
  validate: (object) => {
    const drivers = objects(part(object, 'spec'), 'drivers');
    return together(
      each(drivers, (driver, at) => nodeDriverRules(driver, `spec.drivers[${at}]`)),
      uniqueBy(drivers, 'spec.drivers', 'name'),
    );
  },
  validateUpdate: (next, current) => {
    const before = new Map(
      objects(part(current, 'spec'), 'drivers').map((driver) => [text(driver, 'name'), driver]),
    );
    return each(objects(part(next, 'spec'), 'drivers'), (driver) => {
      const known = before.get(text(driver, 'name'));
      return known === undefined ? noProblems : unchanged('spec.drivers', driver, known);
    });
  },
};

function nodeDriverRules(driver: JsonObject, path: string): Problems {
  const id = text(driver, 'nodeID');
  const keys = texts(driver, 'topologyKeys');
  const isRepeated = repetitions<string>();
  return together(
    driverNameRules(`${path}.name`, text(driver, 'name')),
    id.length > nodeIdMax
      ? [invalid(`${path}.nodeID`, id, `must be ${nodeIdMax} characters or less`)]
      : noProblems,
    nonNegative(part(driver, 'allocatable'), `${path}.allocatable`, ['count']),
    each(keys, (key) => {
      if (key === '') return [required(path)];
      if (isRepeated(key)) return [duplicate(path, key)];
      return form(path, key, checkQualifiedName);
    }),
  );
}

export const csiStorageCapacityRules: KindRules = {
  validate: (object) =>
    together(
      labelSelectorRules(part(object, 'nodeTopology'), 'nodeTopology'),
      form('storageClassName', text(object, 'storageClassName'), checkDns1123Subdomain),
      nonNegativeAmount('capacity', object['capacity']),
      nonNegativeAmount('maximumVolumeSize', object['maximumVolumeSize']),
    ),
  validateUpdate: (next, current) =>
    each(['nodeTopology', 'storageClassName'], (name) =>
      unchanged(name, next[name], current[name]),
    ),
};

export const volumeAttributesClassRules: KindRules = {
  validate: (object) =>
    together(
      provisionerRules('driverName', text(object, 'driverName')),
      parameterRules(object, false),
    ),
  validateUpdate: (next, current) =>
    each(['driverName', 'parameters'], (name) =>
      deepEqual(next[name], current[name])
        ? noProblems
        : [forbidden(name, `updates to ${name} are forbidden.`)],
    ),
};
