/**
 * Versions that differ from their hub in one or two fields (spec 2, section 9.3).
 */
import { text } from '../../apimachinery/members.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { FieldMaps } from './conversion.ts';
import {
  annotationOf,
  defined,
  eachOf,
  inside,
  renamed,
  swapped,
  withAnnotations,
  without,
} from './fields.ts';

function renamedAt(
  path: readonly string[],
  names: readonly (readonly [string, string])[],
): FieldMaps {
  return {
    toHub: (object) => inside(object, path, (inner) => renamed(inner, names)),
    fromHub: (object) => inside(object, path, (inner) => renamed(inner, swapped(names))),
  };
}

/** PriorityLevelConfiguration of flowcontrol/v1beta1 and v1beta2. */
export const priorityLevelMaps: FieldMaps = renamedAt(
  ['spec', 'limited'],
  [['assuredConcurrencyShares', 'nominalConcurrencyShares']],
);

/** v1beta3 takes no shares for 30; with this mark it takes none for none, as v1 does. */
export function keepsZeroShares(annotation: string): FieldMaps {
  return {
    toHub(level) {
      const spec = level['spec'];
      const limited = isJsonObject(spec) ? spec['limited'] : undefined;
      if (!isJsonObject(spec) || !isJsonObject(limited)) return level;
      // v1beta3 does not write what is zero: the mark alone says that it was said.
      const said = limited['nominalConcurrencyShares'] !== undefined;
      if (said || annotationOf(level, annotation) === undefined) return level;
      return { ...level, spec: { ...spec, limited: { ...limited, nominalConcurrencyShares: 0 } } };
    },
    fromHub(level) {
      const spec = level['spec'];
      const limited = isJsonObject(spec) ? spec['limited'] : undefined;
      const zero = isJsonObject(limited) && limited['nominalConcurrencyShares'] === 0;
      if (!zero || annotationOf(level, annotation) !== undefined) return level;
      return withAnnotations(level, { [annotation]: '' });
    },
  };
}

/** Reviews of authorization/v1beta1. */
export const accessReviewMaps: FieldMaps = renamedAt(['spec'], [['group', 'groups']]);

const runtimeClassFields = ['overhead', 'scheduling'] as const;

/** RuntimeClass of node/v1alpha1 has its fields in a spec. */
export const runtimeClassMaps: FieldMaps = {
  toHub(object) {
    const { spec, ...rest } = object;
    if (!isJsonObject(spec)) return object;
    const { runtimeHandler: handler, overhead, scheduling } = spec;
    return { ...rest, ...defined({ handler, overhead, scheduling }) };
  },
  fromHub(object) {
    const { handler: runtimeHandler, overhead, scheduling } = object;
    const spec = defined({ runtimeHandler, overhead, scheduling });
    return { ...without(object, 'handler', ...runtimeClassFields), spec };
  },
};

/** Subjects of rbac/v1alpha1 name an apiVersion where later ones name a group; of the kinds that
 * RBAC knows, the kind says which. */
export function subjectMaps(group: string): FieldMaps {
  const known = new Map([
    ['ServiceAccount', { apiVersion: 'v1', apiGroup: undefined }],
    ['User', { apiVersion: `${group}/v1alpha1`, apiGroup: group }],
    ['Group', { apiVersion: `${group}/v1alpha1`, apiGroup: group }],
  ]);
  return {
    toHub: (binding) =>
      eachOf(binding, 'subjects', ({ apiVersion, ...subject }) => {
        const own = known.get(text(subject, 'kind'));
        const named = typeof apiVersion === 'string' ? groupOf(apiVersion) : undefined;
        return defined({ ...subject, apiGroup: own === undefined ? named : own.apiGroup });
      }),
    fromHub: (binding) =>
      eachOf(binding, 'subjects', ({ apiGroup, ...subject }) => {
        const own = known.get(text(subject, 'kind'));
        const named = typeof apiGroup === 'string' && apiGroup !== '' ? apiGroup : undefined;
        if (own?.apiGroup === named) return defined({ ...subject, apiVersion: own?.apiVersion });
        return named === undefined ? subject : { ...subject, apiVersion: `${named}/` };
      }),
  };
}

/** Undefined for the core group. */
function groupOf(apiVersion: string): string | undefined {
  const end = apiVersion.indexOf('/');
  return end <= 0 ? undefined : apiVersion.slice(0, end);
}

/** An empty selector means nothing in policy/v1beta1 and everything in v1; each is told the other
 * by an expression over a label that no pod has. */
export function disruptionBudgetMaps(label: string): FieldMaps {
  const oneOf = (operator: string): JsonObject => ({
    matchExpressions: [{ key: label, operator }],
  });
  const none = oneOf('Exists');
  const all = oneOf('DoesNotExist');
  const everything: JsonObject = {};
  const selectorMap =
    (rows: readonly (readonly [JsonObject, JsonObject])[]) =>
    (object: JsonObject): JsonObject =>
      inside(object, ['spec'], (spec) => {
        const found = rows.find(([from]) => deepEqual(spec['selector'], from));
        return found === undefined ? spec : { ...spec, selector: found[1] };
      });
  return {
    toHub: selectorMap([
      [everything, none],
      [all, everything],
    ]),
    fromHub: selectorMap([
      [none, everything],
      [everything, all],
    ]),
  };
}

/** EndpointSlice of discovery/v1beta1: zone and node were keys of a topology map. */
export function endpointSliceMaps(zoneKey: string, hostKey: string): FieldMaps {
  return {
    toHub: (slice) =>
      eachOf(slice, 'endpoints', (endpoint) => {
        const { topology, ...rest } = endpoint;
        if (!isJsonObject(topology)) return endpoint;
        const zone = topology[zoneKey];
        const repeated = topology[hostKey] === endpoint['nodeName'] ? [hostKey] : [];
        const deprecatedTopology = without(topology, zoneKey, ...repeated);
        return { ...rest, ...defined({ zone, ...unlessEmpty({ deprecatedTopology }) }) };
      }),
    fromHub: (slice) =>
      eachOf(slice, 'endpoints', (endpoint) => {
        const { deprecatedTopology, zone, ...rest } = endpoint;
        const old = isJsonObject(deprecatedTopology) ? deprecatedTopology : {};
        const node = endpoint['nodeName'];
        const topology = defined({
          ...old,
          ...(zone === undefined ? {} : { [zoneKey]: zone }),
          ...(node === undefined || hostKey in old ? {} : { [hostKey]: node }),
        });
        return { ...rest, ...unlessEmpty({ topology }) };
      }),
  };
}

function unlessEmpty(object: JsonObject): JsonObject {
  const [value] = Object.values(object);
  return isJsonObject(value) && Object.keys(value).length > 0 ? object : {};
}

/** autoscaling/v2beta2 does not know the tolerance of a scaling rule. */
export const withoutTolerance: FieldMaps = {
  toHub: (object) => object,
  fromHub: (object) =>
    ['scaleUp', 'scaleDown'].reduce(
      (changed: JsonObject, rules) =>
        inside(changed, ['spec', 'behavior', rules], (each) => without(each, 'tolerance')),
      object,
    ),
};
