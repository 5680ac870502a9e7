/**
 * Rules of how admission plug-ins choose requests: by operation, resource, labels and expressions.
 *
 * Whoever evaluates expressions says what is wrong with them.
 */
import { duplicate, invalid, required, tooMany } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkPathSegmentName, checkQualifiedName } from '../../apimachinery/validation/names.ts';
import type { Problems } from '../validation/checks.ts';
import {
  allErrors,
  each,
  form,
  formEach,
  noProblems,
  uniqueBy,
  uniqueTexts,
} from '../validation/checks.ts';
import { labelSelectorRules } from '../validation/labels.ts';
import { lookup } from '../../stdx/lookup.ts';

const conditionsMax = 64;

export function matchConditionRules(conditions: readonly JsonObject[], path: string): Problems {
  if (conditions.length === 0) return noProblems;
  return allErrors(
    conditions.length > conditionsMax
      ? [tooMany(path, conditions.length, conditionsMax)]
      : noProblems,
    each(conditions, (condition, at) =>
      allErrors(
        blankRules(condition, `${path}[${at}]`, 'expression'),
        form(`${path}[${at}].name`, text(condition, 'name'), checkQualifiedName),
      ),
    ),
    uniqueBy(conditions, path, 'name'),
  );
}

/** What is only white space says nothing; what is empty has been missed already. */
export function blankRules(holder: JsonObject, path: string, name: string, detail = ''): Problems {
  const value = text(holder, name);
  return value !== '' && value.trim() === '' ? [required(`${path}.${name}`, detail)] : noProblems;
}

export function operationRules(rule: JsonObject, path: string): Problems {
  const resources = texts(rule, 'resources');
  return allErrors(
    each(['operations', 'apiGroups', 'apiVersions'], (name) => {
      const values = texts(rule, name);
      const field = `${path}.${name}`;
      if (values.length === 0) return [required(field)];
      if (values.length === 1 || !values.includes('*')) return noProblems;
      return [invalid(field, values, `if '*' is present, must not specify other ${phrases[name]}`)];
    }),
    each(texts(rule, 'apiVersions'), (version, at) =>
      version === '' ? [required(`${path}.apiVersions[${at}]`)] : noProblems,
    ),
    resources.length === 0
      ? [required(`${path}.resources`)]
      : resourcesRules(resources, `${path}.resources`),
  );
}

const phrases: Readonly<Record<string, string>> = lookup({
  operations: 'operations',
  apiGroups: 'API groups',
  apiVersions: 'API versions',
});

/** `pods`, `pods/status`, and each side of the slash may be all of them. */
function resourcesRules(resources: readonly string[], field: string): Problems {
  const whole = new Set<string>();
  const everywhere = new Set<string>();
  const singly = each(resources, (resource, at) => {
    const here = `${field}[${at}]`;
    if (resource === '') return [required(here)];
    const slash = resource.indexOf('/');
    if (slash === -1) return noProblems;
    const [name, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const covered = (by: string): Problems => [
      invalid(here, resource, `if '${by}' is present, must not specify ${resource}`),
    ];
    const problems = allErrors(
      whole.has(name) ? covered(`${name}/*`) : noProblems,
      everywhere.has(sub) ? covered(`*/${sub}`) : noProblems,
    );
    if (sub === '*') whole.add(name);
    if (name === '*') everywhere.add(sub);
    return problems;
  });
  // Only the last one counts, as in the reference: `pods, *` is taken.
  const plain = resources.findLast((resource) => resource !== '' && !resource.includes('/'));
  const others = "if '*' is present, must not specify other resources without subresources";
  return allErrors(
    singly,
    resources.length > 1 && resources.includes('*/*')
      ? [invalid(field, resources, "if '*/*' is present, must not specify other resources")]
      : noProblems,
    resources.includes('*') && plain !== '*' ? [invalid(field, resources, others)] : noProblems,
  );
}

/** Of a policy and of a binding; `conditions` stand beside it. */
export function matchResourcesRules(match: JsonObject, path: string): Problems {
  return allErrors(
    each(['namespaceSelector', 'objectSelector'], (name) =>
      labelSelectorRules(part(match, name), `${path}.${name}`),
    ),
    each(['resourceRules', 'excludeResourceRules'], (name) =>
      each(objects(match, name), (rule, at) => namedRules(rule, `${path}.${name}[${at}]`)),
    ),
  );
}

function namedRules(rule: JsonObject, path: string): Problems {
  const names = texts(rule, 'resourceNames');
  return allErrors(
    formEach(`${path}.resourceNames`, names, checkPathSegmentName),
    uniqueTexts(`${path}.resourceNames`, names),
    operationRules(rule, path),
  );
}

/** Which keys are there twice. */
export function uniqueKeys(list: readonly JsonObject[], path: string, name: string): Problems {
  const seen = new Set<string>();
  return each(list, (item, at) => {
    const key = text(item, name);
    const repeated = seen.has(key);
    seen.add(key);
    return repeated ? [duplicate(`${path}[${at}].${name}`, key)] : noProblems;
  });
}
