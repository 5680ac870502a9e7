/** Rules of quotas and limit ranges: of which resources, in which scopes, between which bounds. */
import { duplicate, forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import { items, objects, part, text, texts } from '../../apimachinery/members.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { ownMember } from '../../stdx/lookup.ts';
import {
  compareAmounts,
  each,
  form,
  immutableMessage,
  nonNegativeAmount,
  noProblems,
  together,
  wholeAmount,
} from './checks.ts';
import type { Problems } from './checks.ts';
import type { KindRules } from './kind-rules.ts';
import { resourceNameRules, standardNames } from './resource-requirements.ts';

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
      return podResources.has(resource);
  }
}

const exclusiveScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

export const resourceQuotaRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const hard = part(spec, 'hard');
    const names = Object.keys(hard);
    return together(
      each(names, (name) => amountRules(name, hard[name], `spec.hard[${name}]`)),
      scopesRules(texts(spec, 'scopes'), 'spec.scopes', names),
      selectorRules(objects(part(spec, 'scopeSelector'), 'matchExpressions'), spec, names),
    );
  },
  validateUpdate: (next, current) => {
    const [now, was] = [next, current].map((object) => texts(part(object, 'spec'), 'scopes'));
    const wanted = new Set(now);
    const same = wanted.size === new Set(was).size && was?.every((s) => wanted.has(s));
    return same === true ? noProblems : [invalid('spec.scopes', now, immutableMessage)];
  },
};

function amountRules(name: string, amount: JsonValue | undefined, field: string): Problems {
  const unknown = !name.includes('/') && !isQuotaName(name);
  return together(
    resourceNameRules(name, field),
    unknown ? [invalid(field, name, 'must be a standard resource for quota')] : noProblems,
    nonNegativeAmount(field, amount),
    counted.has(name) ? wholeAmount(field, amount) : noProblems,
  );
}

/** What has no parts. */
const counted: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

function scopesRules(scopes: readonly string[], field: string, names: readonly string[]): Problems {
  return together(
    each(scopes, (scope) =>
      each(names, (name) =>
        standardOfQuotas.has(name) && !fitsScope(scope, name)
          ? [invalid(field, scopes, 'unsupported scope applied to resource')]
          : noProblems,
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
  return together(
    each(requirements, (requirement) => {
      const scope = text(requirement, 'scopeName');
      const operator = text(requirement, 'operator');
      const valued = scope === 'PriorityClass' || scope === 'VolumeAttributesClass';
      return together(
        each(names, (name) =>
          standardOfQuotas.has(name) && !fitsScope(scope, name)
            ? [invalid(path, spec['scopeSelector'], 'unsupported scope applied to resource')]
            : noProblems,
        ),
        valued || operator === 'Exists' || operator === ''
          ? noProblems
          : [invalid(`${path}.operator`, operator, onlyExists)],
        valuesRules(operator, items(requirement, 'values'), `${path}.values`),
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

const bounds = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

export const limitRangeRules: KindRules = {
  validate: (object) => {
    const seen = new Set<string>();
    return each(objects(part(object, 'spec'), 'limits'), (limit, at) => {
      const path = `spec.limits[${at}]`;
      const type = text(limit, 'type');
      const repeated = seen.has(type);
      seen.add(type);
      return together(
        limitTypeRules(type, `${path}.type`),
        repeated ? [duplicate(`${path}.type`, type)] : noProblems,
        type === 'Pod' ? podLimitRules(limit, path) : noProblems,
        type === 'PersistentVolumeClaim' ? claimLimitRules(limit, path) : noProblems,
        each(bounds, (name) =>
          each(Object.keys(part(limit, name)), (resource) =>
            resourceNameRules(resource, `${path}.${name}[${resource}]`, ofContainers(type)),
          ),
        ),
        orderRules(limit, path),
        ratioRules(part(limit, 'maxLimitRequestRatio'), `${path}.maxLimitRequestRatio`),
      );
    });
  },
};

function ofContainers(type: string): boolean {
  return type === 'Pod' || type === 'Container';
}

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];

function limitTypeRules(type: string, field: string): Problems {
  const problems = form(field, type, checkQualifiedName);
  if (problems.length > 0 || type === '' || type.includes('/') || limitTypes.includes(type)) {
    return problems;
  }
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function podLimitRules(limit: JsonObject, path: string): Problems {
  return ['default', 'defaultRequest']
    .filter((name) => Object.keys(part(limit, name)).length > 0)
    .map((name) => forbidden(`${path}.${name}`, "may not be specified when `type` is 'Pod'"));
}

function claimLimitRules(limit: JsonObject, path: string): Problems {
  const some = ['min', 'max'].some((name) => part(limit, name)['storage'] !== undefined);
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  return some ? noProblems : [required(`${path}.limits`, detail)];
}

/** Lower, higher, and how the messages name them. The lower one is at fault, where not said. */
const orders: readonly (readonly [string, string, string, string, string])[] = [
  ['min', 'max', 'min', 'min value', 'max value'],
  ['min', 'defaultRequest', 'defaultRequest', 'min value', 'default request value'],
  ['defaultRequest', 'max', 'defaultRequest', 'default request value', 'max value'],
  ['defaultRequest', 'default', 'defaultRequest', 'default request value', 'default limit value'],
  ['min', 'default', 'default', 'min value', 'default value'],
  ['default', 'max', 'default', 'default value', 'max value'],
];

function orderRules(limit: JsonObject, path: string): Problems {
  return each(orders, ([lower, higher, at, lowName, highName]) => {
    const [lows, highs] = [part(limit, lower), part(limit, higher)];
    return each(Object.keys(lows), (name) => {
      const [low, high] = [lows[name], ownMember(highs, name)];
      if ((compareAmounts(low, high) ?? 0) <= 0) return noProblems;
      const [least, most] = [String(low), String(high)];
      const detail = `${lowName} ${least} is greater than ${highName} ${most}`;
      return [invalid(`${path}.${at}[${name}]`, ownMember(part(limit, at), name), detail)];
    });
  });
}

function ratioRules(ratios: JsonObject, path: string): Problems {
  return each(Object.keys(ratios), (name) =>
    (compareAmounts(ratios[name], '1') ?? 0) < 0
      ? [invalid(`${path}[${name}]`, ratios[name], `ratio ${String(ratios[name])} is less than 1`)]
      : noProblems,
  );
}
