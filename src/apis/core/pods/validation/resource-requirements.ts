/** Rules of the requests and limits of a container. */
import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  required,
} from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import {
  compareQuantities,
  parseQuantity,
  roundUpQuantity,
} from '../../../../apimachinery/quantity.ts';
import type { Quantity } from '../../../../apimachinery/quantity.ts';
import type { JsonObject, JsonValue } from '../../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkQualifiedName,
} from '../../../../apimachinery/validation/names.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  compareAmounts,
  each,
  form,
  isNegativeAmount,
  noProblems,
  nonNegativeAmount,
  wholeAmount,
} from '../../../validation/checks.ts';
import { ownMember } from '../../../../stdx/lookup.ts';

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

const hugePages = 'hugepages-';

function isHugePage(name: string): boolean {
  return name.startsWith(hugePages);
}

/** Of devices and huge pages a limit is what is requested: they cannot be promised twice. */
export function isPromisedOnce(name: string): boolean {
  return name.includes('/') || isHugePage(name);
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
    return allErrors(
      resourceNameRules(name, field, true),
      nonNegativeAmount(field, amount),
      name.includes('/') ? wholeAmount(field, amount) : noProblems,
      isHugePage(name) ? wholePages(name, field, amount) : noProblems,
    );
  });
}

/** Pages are given out whole; their size is in the name of the resource. */
function wholePages(name: string, field: string, amount: JsonValue | undefined): Problems {
  const page = parseQuantity(name.slice(hugePages.length));
  const given = typeof amount === 'string' ? parseQuantity(amount) : undefined;
  const size = page === undefined ? 0n : unitsOf(page);
  const exact = page !== undefined && compareQuantities(roundUpQuantity(page, 0), page) === 0;
  const units = given === undefined ? 0n : unitsOf(given);
  if (exact && size > 0n && units % size === 0n) return noProblems;
  return [invalid(field, amount, `${String(amount)} is not positive integer multiple of ${name}`)];
}

/** Begun units count. */
function unitsOf(quantity: Quantity): bigint {
  const { unscaled, exp10 } = roundUpQuantity(quantity, 0);
  return unscaled * 10n ** BigInt(exp10);
}

const noClaims: ReadonlySet<string> = new Set();

/** `claims`: names of the claims for devices that the pod has. */
export function resourceRules(
  resources: JsonObject,
  path: string,
  claims: ReadonlySet<string> = noClaims,
): Problems {
  const limits = part(resources, 'limits');
  const requests = part(resources, 'requests');
  return allErrors(
    amountRules(limits, `${path}.limits`),
    amountRules(requests, `${path}.requests`),
    each(Object.keys(requests), (name) => limitRules(name, requests, limits, path)),
    pageRules(limits, requests, path),
    resources['claims'] === undefined
      ? noProblems
      : claimRules(objects(resources, 'claims'), `${path}.claims`, claims),
  );
}

/** Huge pages alone run nothing. */
function pageRules(limits: JsonObject, requests: JsonObject, path: string): Problems {
  let pages = false;
  for (const list of [limits, requests]) {
    for (const name in list) {
      if (name === 'cpu' || name === 'memory') return noProblems;
      if (isHugePage(name)) pages = true;
    }
  }
  return pages ? [forbidden(path, 'HugePages require cpu or memory')] : noProblems;
}

function claimRules(
  used: readonly JsonObject[],
  path: string,
  claims: ReadonlySet<string>,
): Problems {
  const seen = new Set<string>();
  const known = claims.size === 0 ? ' which is empty' : `: ${[...claims].sort().join(', ')}`;
  return each(used, (claim, at) => {
    const name = text(claim, 'name');
    const request = text(claim, 'request');
    const id = request === '' ? name : `${name}/${request}`;
    const repeated = seen.has(name) || seen.has(id);
    seen.add(id);
    const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
    return allErrors(
      repeated ? [duplicate(`${path}[${at}]`, id)] : noProblems,
      form(`${path}[${at}].request`, request, checkDns1123Label),
      name === '' || claims.has(name)
        ? noProblems
        : [{ ...notFound(`${path}[${at}]`, name), detail }],
    );
  });
}

function limitRules(
  name: string,
  requests: JsonObject,
  limits: JsonObject,
  path: string,
): Problems {
  const limit = ownMember(limits, name);
  const request = ownMember(requests, name);
  const fixed = isPromisedOnce(name);
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
