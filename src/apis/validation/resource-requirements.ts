/** Rules of what a container requests and is limited to. */
import { invalid, required } from '../../apimachinery/field-error.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  compareAmounts,
  each,
  form,
  isNegativeAmount,
  nonNegativeAmount,
  noProblems,
  part,
  together,
} from './checks.ts';
import type { Problems } from './checks.ts';

const ofContainers: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Names without a domain that mean something, though not all of them in a container. */
export const standardNames: ReadonlySet<string> = new Set([
  ...ofContainers,
  ...[...ofContainers].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
]);

/** `inContainer`: fewer names mean something there. */
export function resourceNameRules(name: string, field: string, inContainer = false): Problems {
  if (ofContainers.has(name)) return noProblems;
  const problems = [...form(field, name, checkQualifiedName)];
  const other = 'must be a standard resource for containers';
  if (problems.length > 0) {
    return inContainer && !name.includes('/')
      ? [...problems, invalid(field, name, other)]
      : problems;
  }
  if (isHugePage(name)) return problems;
  if (name.includes('/')) return inContainer ? extendedNameRules(name, field) : problems;
  if (!standardNames.has(name) && !name.includes('hugepages-')) {
    const detail = 'must be a standard resource type or fully qualified';
    problems.push(invalid(field, name, detail));
  }
  if (inContainer)
    problems.push(invalid(field, name, 'must be a standard resource for containers'));
  return problems;
}

function isHugePage(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** What nodes have of devices; quotas ask for it under a name with a prefix of its own. */
function extendedNameRules(name: string, field: string): Problems {
  const long = checkQualifiedName(`requests.${name}`).length > 0;
  return name.startsWith('requests.') || long
    ? [invalid(field, name, "doesn't follow extended resource name standard")]
    : noProblems;
}

function amountRules(list: JsonObject, path: string): Problems {
  return each(Object.keys(list), (name) => {
    const amount = list[name];
    // Nearly all are like this: then no path is asked for.
    if (ofContainers.has(name) && !isNegativeAmount(amount)) return noProblems;
    const field = `${path}[${name}]`;
    return together(resourceNameRules(name, field, true), nonNegativeAmount(field, amount));
  });
}

export function resourceRules(resources: JsonObject, path: string): Problems {
  const limits = part(resources, 'limits');
  const requests = part(resources, 'requests');
  return together(
    amountRules(limits, `${path}.limits`),
    amountRules(requests, `${path}.requests`),
    each(Object.keys(requests), (name) => limitRules(name, requests, limits, path)),
  );
}

function limitRules(
  name: string,
  requests: JsonObject,
  limits: JsonObject,
  path: string,
): Problems {
  const limit = limits[name];
  const request = requests[name];
  // What devices there are cannot be promised twice.
  const fixed = name.includes('/') || isHugePage(name);
  if (limit === undefined) {
    if (!fixed) return noProblems;
    return [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = request === limit ? 0 : (compareAmounts(request, limit) ?? 0);
  const shown = String(limit);
  if (fixed && order !== 0) {
    return [invalid(`${path}.requests`, request, `must be equal to ${name} limit of ${shown}`)];
  }
  if (order <= 0) return noProblems;
  const detail = `must be less than or equal to ${name} limit of ${shown}`;
  return [invalid(`${path}.requests`, request, detail)];
}
