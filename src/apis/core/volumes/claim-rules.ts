/** Rules of PersistentVolumeClaims, and of the claim templates in pods. */
import { forbidden, invalid, notSupported, required } from '../../../apimachinery/field-error.ts';
import type { Identity } from '../../../apimachinery/identity.ts';
import { items, part, text, texts } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../../apimachinery/validation/names.ts';
import type { Problems } from '../../validation/checks.ts';
import {
  allErrors,
  compareAmounts,
  each,
  form,
  givenForm,
  noProblems,
  nonNegativeAmount,
  positiveAmount,
  unchanged,
} from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { labelSelectorRules } from '../../validation/labels.ts';
import { classAnnotation } from '../../warnings/replaced-annotations.ts';
import { withBothSources } from './claim-sources.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';

const onceInOnePod = 'ReadWriteOncePod';

const accessModes: readonly string[] = [
  'ReadOnlyMany',
  'ReadWriteMany',
  'ReadWriteOnce',
  onceInOnePod,
];

/** One pod alone means no other mode. */
export function accessModeRules(modes: readonly string[], field: string): Problems {
  const [known, unknown] = [true, false].map((wanted) =>
    modes.filter((mode) => accessModes.includes(mode) === wanted),
  );
  const alone = modes.includes(onceInOnePod) && known?.some((mode) => mode !== onceInOnePod);
  return allErrors(
    each(unknown ?? [], (mode) => [notSupported(field, mode, accessModes)]),
    alone === true
      ? [forbidden(field, `may not use ${onceInOnePod} with other access modes`)]
      : noProblems,
  );
}

export function claimSpecRules(spec: JsonObject, path: string): Problems {
  const requests = part(part(spec, 'resources'), 'requests');
  const storage = `${path}.resources[storage]`;
  return allErrors(
    items(spec, 'accessModes').length === 0
      ? [required(`${path}.accessModes`, 'at least 1 access mode is required')]
      : noProblems,
    labelSelectorRules(part(spec, 'selector'), `${path}.selector`),
    accessModeRules(texts(spec, 'accessModes'), `${path}.accessModes`),
    requests['storage'] === undefined
      ? [required(storage)]
      : positiveAmount(storage, requests['storage']),
    each(['storageClassName', 'volumeAttributesClassName'], (name) =>
      form(`${path}.${name}`, text(spec, name), checkDns1123Subdomain),
    ),
    dataRules(spec, path),
  );
}

/** What a volume holds from the beginning. */
function dataRules(spec: JsonObject, path: string): Problems {
  const [source, reference] = [part(spec, 'dataSource'), part(spec, 'dataSourceRef')];
  const [hasSource, hasReference] = ['dataSource', 'dataSourceRef'].map(
    (name) => spec[name] !== undefined,
  );
  const foreign = text(reference, 'namespace') !== '';
  const { namespace: _namespace, ...local } = reference;
  return allErrors(
    hasSource === true ? dataSourceRules(source, `${path}.dataSource`) : noProblems,
    hasReference === true ? dataSourceRules(reference, `${path}.dataSourceRef`) : noProblems,
    hasSource === true && foreign
      ? [
          invalid(
            path,
            `${path}.dataSource`,
            'may not be specified when dataSourceRef.namespace is specified',
          ),
        ]
      : noProblems,
    hasSource === true && hasReference === true && !foreign && !deepEqual(source, local)
      ? [invalid(path, `${path}.dataSource`, 'must match dataSourceRef')]
      : noProblems,
  );
}

function dataSourceRules(source: JsonObject, path: string): Problems {
  const [group, kind] = [text(source, 'apiGroup'), text(source, 'kind')];
  const core = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return allErrors(
    group === '' && kind !== 'PersistentVolumeClaim' ? [invalid(path, kind, core)] : noProblems,
    form(`${path}.apiGroup`, group, checkDns1123Subdomain),
    form(`${path}.namespace`, text(source, 'namespace'), checkDns1123Label),
  );
}

const claimMessage =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName ' +
  'for bound claims';

/** What a claim counts beside its storage belongs to somebody, who says so in the name. */
function sizeNameRules(name: string, field: string): Problems {
  const wrong = givenForm(field, name, checkQualifiedName);
  if (wrong.length > 0) return wrong;
  return !name.includes('/') && name !== 'storage'
    ? [notSupported(field, name, ['storage'])]
    : noProblems;
}

const resizing: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizePending',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
];

const statesField = 'status.allocatedResourceStatuses';
const sizesField = 'status.allocatedResources';

function claimStatusRules(claim: ApiObject): Problems {
  const status = part(claim, 'status');
  const allocated = part(status, 'allocatedResources');
  const capacity = part(status, 'capacity');
  return allErrors(
    each(Object.keys(capacity), (name) =>
      nonNegativeAmount(`status.capacity[${name}]`, capacity[name]),
    ),
    each(Object.entries(part(status, 'allocatedResourceStatuses')), ([name, state]) =>
      allErrors(
        sizeNameRules(name, statesField),
        typeof state === 'string' && resizing.includes(state)
          ? noProblems
          : [notSupported(statesField, name, resizing)],
      ),
    ),
    each(Object.keys(allocated), (name) => {
      const wrong = sizeNameRules(name, sizesField);
      return wrong.length > 0
        ? wrong
        : nonNegativeAmount(`${sizesField}[${name}]`, allocated[name]);
    }),
  );
}

export function persistentVolumeClaimRules(identity: Identity): KindRules {
  return {
    validateStatusUpdate: (next) => claimStatusRules(next),
    validate: (object) => claimSpecRules(part(object, 'spec'), 'spec'),
    validateUpdate: (next, current) => claimUpdateRules(next, current, identity),
  };
}

function claimUpdateRules(next: ApiObject, current: ApiObject, identity: Identity): Problems {
  const [spec, before] = [part(next, 'spec'), withBothSources(part(current, 'spec'))];
  const bound = text(part(current, 'status'), 'phase') === 'Bound';
  const { mayBeNamed, problems } = classChange(next, current, identity);
  const open = bound ? ['volumeAttributesClassName'] : [];
  if (before['volumeName'] === undefined) open.push('volumeName');
  if (mayBeNamed) open.push('storageClassName');
  return allErrors(
    problems,
    deepEqual(fixedOfClaim(spec, before, bound, open), fixedOfClaim(before, before, bound, open))
      ? noProblems
      : [forbidden('spec', claimMessage)],
    sizeRules(spec, before, current),
    unchanged('volumeMode', spec['volumeMode'], before['volumeMode']),
    classRules(spec, before),
  );
}

interface ClassChange {
  /** The class that was not in its field may be written there. */
  readonly mayBeNamed: boolean;
  readonly problems: Problems;
}

/** The annotation that names the class is older than the field: it stays, or becomes the field. */
function classChange(next: ApiObject, current: ApiObject, identity: Identity): ClassChange {
  const annotation = identity.fill(classAnnotation);
  const [now, was] = [next, current].map(({ metadata }) => metadata.annotations?.[annotation]);
  const [named, before] = [next, current].map((of) => part(of, 'spec')['storageClassName']);
  const mayBeNamed =
    named !== undefined && before === undefined && (was === undefined || named === was);
  const becomesField = mayBeNamed && was !== undefined && (now === undefined || now === was);
  return {
    mayBeNamed,
    problems: becomesField
      ? noProblems
      : unchanged(`metadata.annotations.${annotation}`, now ?? '', was ?? ''),
  };
}

/** `open`: members that may change. What was empty when the claim was made is filled in once. */
function fixedOfClaim(
  spec: JsonObject,
  before: JsonObject,
  bound: boolean,
  open: readonly string[],
): JsonObject {
  const kept = Object.entries(spec).filter(([name]) => !open.includes(name));
  const fixed: Record<string, JsonObject[string]> = Object.fromEntries(kept);
  const resources = part(spec, 'resources');
  if (bound && resources['requests'] !== undefined) {
    const { storage } = part(part(before, 'resources'), 'requests');
    const requests = { ...part(resources, 'requests'), storage };
    fixed['resources'] = { ...resources, requests };
  }
  return fixed;
}

/** A volume grows; less is asked for only where growing has failed. */
function sizeRules(spec: JsonObject, before: JsonObject, current: ApiObject): Problems {
  const [now = '0', was] = [spec, before].map(
    (of) => part(part(of, 'resources'), 'requests')['storage'],
  );
  if ((compareAmounts(now, was) ?? 0) >= 0) return noProblems;
  const had = part(part(current, 'status'), 'capacity')['storage'] ?? '0';
  return (compareAmounts(now, had) ?? 1) > 0
    ? noProblems
    : [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

function classRules(spec: JsonObject, before: JsonObject): Problems {
  const field = 'spec.volumeAttributesClassName';
  const [now, was] = [spec, before].map((of) => of['volumeAttributesClassName']);
  if (was === undefined || now === was) return noProblems;
  if (now === undefined) return [forbidden(field, 'update from non-nil value to nil is forbidden')];
  return now === ''
    ? [forbidden(field, 'update from non-nil value to an empty string is forbidden')]
    : noProblems;
}
