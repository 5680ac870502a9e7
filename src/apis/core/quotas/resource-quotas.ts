/**
 * ResourceQuotas: how much the objects of a namespace may ask for.
 *
 * Bounds: `hardNamesMax` names in one; in one that has more they may only become fewer.
 */
import { invalid, required } from '../../../apimachinery/field-error.ts';
import { items, objects, part, text, texts } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { resourceNameRules, standardNames } from '../pods/validation/resource-requirements.ts';
import { ageColumn, column, nameColumn, table } from '../../tables/columns.ts';
import { partAt, printedAt } from '../../tables/fields.ts';
import {
  allErrors,
  each,
  immutableMessage,
  itemsAtMost,
  noProblems,
  nonNegativeAmount,
  wholeAmount,
} from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import { countedResources } from '../../validation/counted-resources.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { roundingOf } from '../../defaults/amounts.ts';

const standardOfQuotas: ReadonlySet<string> = new Set(
  [...standardNames].filter((name) => name !== 'storage'),
);

function isQuotaName(name: string): boolean {
  return standardOfQuotas.has(name) || name.includes('hugepages-');
}

/** What a scope that pods are in can bound. */
const podResources: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

const volumeResources: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'requests.storage',
]);

function fitsScope(scope: string, resource: string): boolean {
  switch (scope) {
    case 'BestEffort':
      return resource === 'pods';
    case 'VolumeAttributesClass':
      return volumeResources.has(resource);
    default:
      return !podScopes.has(scope) || podResources.has(resource);
  }
}

const podScopes: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
]);

function isScope(scope: string): boolean {
  return podScopes.has(scope) || scope === 'BestEffort' || scope === 'VolumeAttributesClass';
}

const exclusiveScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

/** Each name stands three times in a quota, twice of that in its status, and no object has more
 * than some thousand fields (count-fields.ts): there is room for metadata besides. */
const hardNamesMax = 1_000;

/** Scopes, requirements of their selectors, and the values of those, all together: each write that
 * it may bound is compared with them. */
const scopeTextsMax = 1_000;

function scopeTextsOf(object: ApiObject): readonly JsonValue[] {
  const spec = part(object, 'spec');
  const requirements = objects(part(spec, 'scopeSelector'), 'matchExpressions');
  const values = requirements.flatMap((requirement) => items(requirement, 'values'));
  return [...texts(spec, 'scopes'), ...requirements, ...values];
}

function sizeRules(object: ApiObject, current?: ApiObject): Problems {
  const [names, scopes] = [hardNamesOf(object), scopeTextsOf(object)];
  const before = current && [hardNamesOf(current).length, scopeTextsOf(current).length];
  return allErrors(
    itemsAtMost(names, 'spec.hard', Math.max(hardNamesMax, before?.[0] ?? 0)),
    itemsAtMost(scopes, 'spec.scopeSelector', Math.max(scopeTextsMax, before?.[1] ?? 0)),
  );
}

function hardNamesOf(object: ApiObject): readonly string[] {
  return Object.keys(part(part(object, 'spec'), 'hard'));
}

const resourceQuotaRules: KindRules = {
  validateStatusUpdate: countedRules,
  validateCreate: (object) => sizeRules(object),
  validate: (object) => {
    const spec = part(object, 'spec');
    const hard = part(spec, 'hard');
    const names = Object.keys(hard);
    return allErrors(
      each(names, (name) => amountRules(name, hard[name], `spec.hard[${name}]`)),
      scopesRules(texts(spec, 'scopes'), 'spec.scopes', names),
      selectorRules(objects(part(spec, 'scopeSelector'), 'matchExpressions'), spec, names),
    );
  },
  validateUpdate: (next, current) => {
    const [now, was] = [next, current].map((object) => texts(part(object, 'spec'), 'scopes'));
    const wanted = new Set(now);
    const same = wanted.size === new Set(was).size && was?.every((s) => wanted.has(s));
    return allErrors(
      same === true ? noProblems : [invalid('spec.scopes', now, immutableMessage)],
      sizeRules(next, current),
    );
  },
};

function countedRules(object: ApiObject): Problems {
  const status = part(object, 'status');
  return each(['hard', 'used'], (list) => {
    const amounts = part(status, list);
    return each(Object.keys(amounts), (name) =>
      amountRules(name, amounts[name], `status.${list}[${name}]`),
    );
  });
}

function amountRules(name: string, amount: JsonValue | undefined, field: string): Problems {
  const unknown = !name.includes('/') && !isQuotaName(name);
  return allErrors(
    resourceNameRules(name, field),
    unknown ? [invalid(field, name, 'must be a standard resource for quota')] : noProblems,
    nonNegativeAmount(field, amount),
    countedResources.has(name) ? wholeAmount(field, amount) : noProblems,
  );
}

const unsupportedScope = 'unsupported scope';

function scopesRules(scopes: readonly string[], field: string, names: readonly string[]): Problems {
  const standard = names.filter(isQuotaName);
  return allErrors(
    each(scopes, (scope) =>
      allErrors(
        isScope(scope) ? noProblems : [invalid(field, scopes, unsupportedScope)],
        each(standard, (name) =>
          !fitsScope(scope, name)
            ? [invalid(field, scopes, 'unsupported scope applied to resource')]
            : noProblems,
        ),
      ),
    ),
    conflictRules(scopes, field, scopes),
  );
}

function conflictRules(
  scopes: readonly string[],
  field: string,
  shown: readonly string[],
): Problems {
  return each(exclusiveScopes, ([one, other]) =>
    scopes.includes(one) && scopes.includes(other)
      ? [invalid(field, shown, 'conflicting scopes')]
      : noProblems,
  );
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, " +
  'ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ' +
  'ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

function selectorRules(
  requirements: readonly JsonObject[],
  spec: JsonObject,
  names: readonly string[],
): Problems {
  const path = 'spec.scopeSelector.matchExpressions';
  const standard = names.filter(isQuotaName);
  return allErrors(
    each(requirements, (requirement) => {
      const scope = text(requirement, 'scopeName');
      const operator = text(requirement, 'operator');
      const valued = scope === 'PriorityClass' || scope === 'VolumeAttributesClass';
      return allErrors(
        each(standard, (name) =>
          !fitsScope(scope, name)
            ? [invalid(path, spec['scopeSelector'], 'unsupported scope applied to resource')]
            : noProblems,
        ),
        isScope(scope) ? noProblems : [invalid(`${path}.scopeName`, scope, unsupportedScope)],
        valued || operator === 'Exists' || !isScope(scope)
          ? noProblems
          : [invalid(`${path}.operator`, operator, onlyExists)],
        operators.includes(operator)
          ? valuesRules(operator, items(requirement, 'values'), `${path}.values`)
          : [invalid(`${path}.operator`, operator, 'not a valid selector operator')],
      );
    }),
    conflictRules(
      requirements.map((requirement) => text(requirement, 'scopeName')),
      path,
      texts(spec, 'scopes'),
    ),
  );
}

function valuesRules(operator: string, values: readonly JsonValue[], field: string): Problems {
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    const detail =
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return [required(field, detail)];
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    const detail =
      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return [invalid(field, values, detail)];
  }
  return noProblems;
}

const operators: readonly string[] = ['DoesNotExist', 'Exists', 'In', 'NotIn'];

/** Requests in one column, limits in the other: `cpu: 1/2, memory: 1Gi/4Gi`. */
function usage(object: JsonObject, limits: boolean): string {
  const used = partAt(object, 'status', 'used');
  return Object.entries(partAt(object, 'status', 'hard'))
    .filter(([resource]) => resource.startsWith('limits.') === limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${printedAt(used, resource) || '0'}/${String(hard)}`)
    .join(', ');
}

const resourceQuotaTable = table([
  nameColumn,
  column('Request', 'What is used, of what may be used.', (object) => usage(object, false)),
  column('Limit', 'What limits add up to, of what they may.', (object) => usage(object, true)),
  ageColumn,
]);

const resourceQuotaDefaults: DefaultTable = {
  fields: {},
  complete: {
    'core/v1.ResourceQuotaSpec': roundingOf('hard'),
    'core/v1.ResourceQuotaStatus': roundingOf('hard', 'used'),
  },
};

export const resourceQuotas: KindDefinition = {
  resource: '/resourcequotas',
  returnsDeletedObject: true,
  defaults: resourceQuotaDefaults,
  validation: resourceQuotaRules,
  // Reported where the reference reports them: of the list.
  schemaExemptions: {
    optional: `core.ScopedResourceSelectorRequirement.operator
      core.ScopedResourceSelectorRequirement.scopeName`,
    openValues: `core.ResourceQuotaSpec.scopes core.ScopedResourceSelectorRequirement.operator
      core.ScopedResourceSelectorRequirement.scopeName`,
  },
  table: resourceQuotaTable,
};
