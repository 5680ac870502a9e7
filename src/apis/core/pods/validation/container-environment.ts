/** Rules of environment variables of containers, and of the fields that they refer to. */
import { invalid, notSupported, required } from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import {
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../../../apimachinery/validation/names.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  checkConfigKey,
  each,
  form,
  givenAmong,
  givenForm,
  needed,
  noProblems,
} from '../../../validation/checks.ts';

const variableName = /^[ -<>-~]+$/;

const variableMessage =
  'a valid environment variable name must consist only of printable ASCII characters other ' +
  "than '='";

/** What the checks of texts say of nearly all of them. */
const valid: readonly string[] = [];

function checkVariableName(name: string): readonly string[] {
  return variableName.test(name) ? valid : [variableMessage];
}

const onlyOneMessage = 'may not have more than one field specified at a time';

const variableSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'];

export function environmentRules(container: JsonObject, path: string): Problems {
  const own = each(objects(container, 'env'), (variable, at) => {
    // Nearly all are plain and right: then no path is asked for.
    const plain = variable['valueFrom'] === undefined;
    if (plain && variableName.test(text(variable, 'name'))) return noProblems;
    const here = `${path}.env[${at}]`;
    return allErrors(
      form(`${here}.name`, text(variable, 'name'), checkVariableName),
      plain ? noProblems : variableSourceRules(variable, here),
    );
  });
  const imported = each(objects(container, 'envFrom'), (from, at) =>
    importRules(from, `${path}.envFrom`, at),
  );
  return allErrors(own, imported);
}

/** That there is one source is said of the whole list. */
function importRules(from: JsonObject, list: string, at: number): Problems {
  const path = `${list}[${at}]`;
  const given = givenAmong(from, ['configMapRef', 'secretRef']);
  const none = 'must specify one of: `configMapRef` or `secretRef`';
  return allErrors(
    form(`${path}.prefix`, text(from, 'prefix'), checkVariableName),
    each(given, (name) => namedRules(part(from, name), `${path}.${name}`)),
    given.length === 0 ? [invalid(list, '', none)] : noProblems,
    given.length > 1 ? [invalid(list, '', onlyOneMessage)] : noProblems,
  );
}

function namedRules(reference: JsonObject, path: string): Problems {
  return allErrors(
    needed(reference, path, 'name'),
    form(`${path}.name`, text(reference, 'name'), checkDns1123Subdomain),
  );
}

function variableSourceRules(variable: JsonObject, path: string): Problems {
  const here = `${path}.valueFrom`;
  const from = part(variable, 'valueFrom');
  const given = givenAmong(from, variableSources);
  if (given.length === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    return [invalid(here, '', detail)];
  }
  const valued = text(variable, 'value') !== '';
  return allErrors(
    each(given, (name) => sourceRules(name, part(from, name), `${here}.${name}`)),
    valued ? [invalid(here, '', 'may not be specified when `value` is not empty')] : noProblems,
    !valued && given.length > 1 ? [invalid(here, '', onlyOneMessage)] : noProblems,
  );
}

function sourceRules(name: string, source: JsonObject, path: string): Problems {
  switch (name) {
    case 'fieldRef':
      return fieldReferenceRules(source, path, variableFields);
    case 'resourceFieldRef':
      return resourceFieldRules(source, path);
    default:
      return allErrors(
        namedRules(source, path),
        form(`${path}.key`, text(source, 'key'), checkConfigKey),
      );
  }
}

const variableFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const fileFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const known: ReadonlySet<string> = new Set([
  ...variableFields,
  ...fileFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const subscriptEnd = "']";

/** `metadata.labels['a']` is of the map `metadata.labels`, at the key `a`. */
function subscriptOf(field: string): { readonly map?: string; readonly key?: string } {
  const open = field.endsWith(subscriptEnd) ? field.indexOf("['") : -1;
  const end = field.length - subscriptEnd.length;
  // Never over the end: in `a[']` nothing is between the marks.
  if (open < 1 || open + 2 > end) return {};
  return { map: field.slice(0, open), key: field.slice(open + 2, end) };
}

/** Of a file that shows a field of its pod. */
export function fileFieldRules(reference: JsonObject, path: string): Problems {
  return fieldReferenceRules(reference, path, fileFields);
}

function fieldReferenceRules(
  reference: JsonObject,
  path: string,
  supported: readonly string[],
): Problems {
  const field = text(reference, 'fieldPath');
  const version = text(reference, 'apiVersion');
  if (field === '') return noProblems;
  if (version !== '' && version !== 'v1') {
    const detail = `error converting fieldPath: unsupported pod version: ${version}`;
    return [invalid(`${path}.fieldPath`, field, detail)];
  }
  if (supported.includes(field)) return noProblems;
  const { map, key = '' } = subscriptOf(field);
  switch (map) {
    case undefined:
      return known.has(field)
        ? [notSupported(`${path}.fieldPath`, field, supported)]
        : [invalid(`${path}.fieldPath`, field, unknownField(field))];
    case 'metadata.annotations':
      return givenForm(path, key, (value) => checkQualifiedName(value.toLowerCase()));
    case 'metadata.labels':
      return givenForm(path, key, checkQualifiedName);
    default: {
      const detail = `error converting fieldPath: no key can be chosen of ${map}`;
      return [invalid(`${path}.fieldPath`, field, detail)];
    }
  }
}

function unknownField(field: string): string {
  return `error converting fieldPath: field label not supported: ${field}`;
}

const resources = ['cpu', 'ephemeral-storage', 'memory'];

const resourceFields = ['limits', 'requests'].flatMap((kind) =>
  resources.map((name) => `${kind}.${name}`),
);

const hugePages = /^(limits|requests)\.hugepages-/;

const cpuDivisors: ReadonlySet<string> = new Set(['1m', '1']);

const units = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const byteDivisors: ReadonlySet<string> = new Set(units.map((unit) => `1${unit}`));

/** `inFile`: a file is not of one container, and names it. */
export function resourceFieldRules(reference: JsonObject, path: string, inFile = false): Problems {
  const resource = text(reference, 'resource');
  const divisor = text(reference, 'divisor');
  const unnamed = inFile && text(reference, 'containerName') === '';
  const pages = hugePages.test(resource);
  return allErrors(
    unnamed ? [required(`${path}.containerName`)] : noProblems,
    unnamed || resource === '' || pages || resourceFields.includes(resource)
      ? noProblems
      : [notSupported(`${path}.resource`, resource, resourceFields)],
    divisor === '' || divisor === '0' ? noProblems : divisorRules(resource, divisor, path, pages),
  );
}

function divisorRules(resource: string, divisor: string, path: string, pages: boolean): Problems {
  const isCpu = resource.endsWith('.cpu');
  if ((isCpu ? cpuDivisors : byteDivisors).has(divisor)) return noProblems;
  const what = pages
    ? 'hugepages'
    : resource.endsWith('ephemeral-storage')
      ? 'local ephemeral storage'
      : 'memory';
  const detail = isCpu
    ? "only divisor's values 1m and 1 are supported with the cpu resource"
    : `only divisor's values ${[...byteDivisors].join(', ')} are supported with ` +
      `the ${what} resource`;
  return [invalid(`${path}.divisor`, resource, detail)];
}
