/**
 * Rules of the versions of a definition: which there are, what each says when it is deprecated, and
 * what it shows: columns, scale, selectable fields.
 */
import { duplicate, invalid, required, tooLong, tooMany } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1035Label } from '../../apimachinery/validation/names.ts';
import { versionsDump } from '../../apiextensions/acceptance/dumps.ts';
import { rulePath } from '../../apiextensions/schema/rule-path.ts';
import { columnsMax } from '../../apiextensions/project/printer-columns.ts';
import { asSchema } from '../../apiextensions/schema/structural-schema.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { allErrors, each, noProblems } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';

export function versionsRules(object: ApiObject, current: ApiObject | undefined): Problems {
  const given = part(object, 'spec')['versions'];
  const versions = objects(part(object, 'spec'), 'versions');
  const before = objects(part(current, 'spec'), 'versions');
  const field = 'spec.versions';
  const stored = versions.filter((version) => version['storage'] === true).length;
  const names = new Set(versions.map((version) => text(version, 'name')));
  const shared = new Set(
    parts.filter(({ name }) => areEqual(versions, name)).map(({ name }) => name),
  );
  const whole = (detail: string): FieldError => ({
    ...invalid(field, [...versions], detail),
    shown: versionsDump(Array.isArray(given) ? versions : undefined, shared),
  });
  return allErrors(
    each(versions, (version, at) => versionRules(version, `${field}[${at}]`)),
    firstNameRules(text(versions[0], 'name')),
    names.size < versions.length ? [whole('must contain unique version names')] : noProblems,
    stored === 1 ? noProblems : [whole('must have exactly one version marked as storage version')],
    each(parts, (each) => partRules(each, versions, before, shared)),
  );
}

/** The reference also keeps the first version by itself, as definitions had only one once. */
function firstNameRules(name: string): Problems {
  const problems = name === '' ? [] : checkDns1035Label(name);
  return problems.length === 0 ? noProblems : [invalid('spec.version', name, problems.join(','))];
}

const warningMax = 256;

function versionRules(version: JsonObject, path: string): Problems {
  const warning = version['deprecationWarning'];
  const name = text(version, 'name');
  const wrong = (detail: string): FieldError =>
    invalid(`${path}.deprecationWarning`, warning, detail);
  const problems = checkDns1035Label(name);
  return allErrors(
    problems.length === 0 ? noProblems : [invalid(`${path}.name`, name, problems.join(','))],
    typeof warning !== 'string'
      ? noProblems
      : warningProblems(warning, version['deprecated'] === true).map(wrong),
  );
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function warningProblems(warning: string, deprecated: boolean): readonly string[] {
  if (!deprecated) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (Buffer.byteLength(warning, 'utf8') > warningMax) {
    problems.push(`must be <= ${warningMax} characters long`);
  }
  if (warning === '') problems.push('must not be an empty string');
  let at = 0;
  for (const char of warning) {
    if (!printable.test(char)) {
      const where = `non-printable character found at index ${at}`;
      problems.push(`must only contain printable UTF-8 characters; ${where}`);
      break;
    }
    at += Buffer.byteLength(char, 'utf8');
  }
  return problems;
}

/** A part that versions may agree on, and where errors in it stand when they do. */
interface VersionPart {
  readonly name: 'schema' | 'additionalPrinterColumns' | 'subresources' | 'selectableFields';
  readonly shared: string;
  rules(
    version: JsonObject,
    path: string,
    before: JsonObject | undefined,
    sharing: VersionSharing,
  ): Problems;
}

/** Where a part stands: for all versions, or in its own. */
interface VersionSharing {
  readonly isShared: boolean;
  /** Whether the schema stands for all versions. */
  readonly sharesSchema: boolean;
}

const parts: readonly VersionPart[] = [
  // Its rules are those of schemas.
  { name: 'schema', shared: 'validation', rules: () => noProblems },
  {
    name: 'additionalPrinterColumns',
    shared: 'additionalPrinterColumns',
    rules: columnsRules,
  },
  {
    name: 'subresources',
    shared: 'subresources',
    rules: (version, path, before) => {
      const { scale } = part(version, 'subresources');
      if (!isJsonObject(scale)) return noProblems;
      const isOld = deepEqual(part(before, 'subresources')['scale'], scale);
      return scaleRules(scale, `${path}.scale`, isOld);
    },
  },
  { name: 'selectableFields', shared: 'selectableFields', rules: selectableRules },
];

function columnsRules(version: JsonObject, path: string, before: JsonObject | undefined): Problems {
  const columns = objects(version, 'additionalPrinterColumns');
  const isOld = before !== undefined && deepEqual(before['additionalPrinterColumns'], [...columns]);
  if (columns.length > columnsMax && !isOld) return [tooMany(path, columns.length, columnsMax)];
  return each(columns, (column, at) => columnRules(column, `${path}[${at}]`));
}

/** An empty list says as much as none. */
function areEqual(versions: readonly JsonObject[], name: string): boolean {
  const said = versions.map(({ [name]: value }) =>
    Array.isArray(value) && value.length === 0 ? undefined : value,
  );
  return said.every((each) => deepEqual(each, said[0]));
}

/** The reference keeps what all versions say in one place, and names that. */
function partRules(
  { name, rules, shared }: VersionPart,
  versions: readonly JsonObject[],
  before: readonly JsonObject[],
  allShared: ReadonlySet<string>,
): Problems {
  const isShared = allShared.has(name);
  const sharing = { isShared, sharesSchema: allShared.has('schema') };
  const was = (version: JsonObject): JsonObject | undefined =>
    before.find((each) => each['name'] === version['name']);
  const [first] = versions;
  if (isShared && first !== undefined) return rules(first, `spec.${shared}`, was(first), sharing);
  return each(versions, (version, at) =>
    rules(version, `spec.versions[${at}].${name}`, was(version), sharing),
  );
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

const columnFormats = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
];

function columnRules(column: JsonObject, path: string): Problems {
  const [type, format] = [text(column, 'type'), text(column, 'format')];
  const oneOf = (list: readonly string[]): string => `must be one of ${list.join(',')}`;
  const field = `${path}.JSONPath`;
  const jsonPath = text(column, 'jsonPath');
  return allErrors(
    text(column, 'name') === '' ? [required(`${path}.name`)] : noProblems,
    type === ''
      ? [required(`${path}.type`, oneOf(columnTypes))]
      : columnTypes.includes(type)
        ? noProblems
        : [invalid(`${path}.type`, type, oneOf(columnTypes))],
    format === '' || columnFormats.includes(format)
      ? noProblems
      : [invalid(`${path}.format`, format, oneOf(columnFormats))],
    jsonPath === '' ? [required(field)] : simplePath(field, jsonPath),
  );
}

function simplePath(field: string, path: string): Problems {
  if (path.startsWith('.')) return noProblems;
  return [invalid(field, path, 'must be a simple json path starting with .')];
}

/** Where the counts lie, below which part of the object, and whether they must be said. */
const scalePaths = [
  ['specReplicasPath', ['.spec.'], 'under .spec', true],
  ['statusReplicasPath', ['.status.'], 'under .status', true],
  ['labelSelectorPath', ['.spec.', '.status.'], 'under either .spec or .status', false],
] as const;

/** Each name of a path is a level of the object that a scale is written into: fewer of them fit in
 * this than a body may have. */
const scalePathMax = 1_024;

function scaleRules(scale: JsonObject, path: string, isOld: boolean): Problems {
  return each(scalePaths, ([name, roots, under, needed]) => {
    const field = `${path}.${name}`;
    const value = text(scale, name);
    if (value === '') return needed ? [required(field)] : noProblems;
    if (value.length > scalePathMax && !isOld) return [tooLong(field, scalePathMax)];
    const problems = simplePath(field, value);
    if (problems.length > 0 || roots.some((root) => value.startsWith(root))) return problems;
    return [invalid(field, value, `should be a json path ${under}`)];
  });
}

const selectableMax = 8;
const selectableTypes = ['string', 'boolean', 'integer'];

/** They need a schema that stands where they do: as in the reference, versions either share both
 * or neither. */
function selectableRules(
  version: JsonObject,
  path: string,
  before: JsonObject | undefined,
  { isShared, sharesSchema }: VersionSharing,
): Problems {
  const fields = objects(version, 'selectableFields');
  if (fields.length === 0) return noProblems;
  const schema = part(version, 'schema')['openAPIV3Schema'];
  if (!isJsonObject(schema) || isShared !== sharesSchema) {
    const detail = isShared
      ? 'may only be set when validations.schema is included'
      : 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [invalid(path, '', detail)];
  }
  const seen = new Set<string>();
  const problems = each(fields, (field, at) => {
    return selectableProblems(text(field, 'jsonPath'), schema, `${path}[${at}].jsonPath`, seen);
  });
  const isOld = before !== undefined && deepEqual(before['selectableFields'], [...fields]);
  if (seen.size <= selectableMax || isOld) return problems;
  return [...problems, tooMany(path, seen.size, selectableMax)];
}

function selectableProblems(
  jsonPath: string,
  schema: JsonObject,
  field: string,
  seen: Set<string>,
): Problems {
  if (jsonPath === '') return [required(field)];
  const found = rulePath(jsonPath, asSchema(schema), { brackets: false });
  if (found.kind === 'invalid') {
    return [invalid(field, jsonPath, `is an invalid path: ${found.problem}`)];
  }
  const problems: FieldError[] = [];
  if (found.root === 'metadata') {
    problems.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
  }
  if (!selectableTypes.includes(found.schema?.type ?? '')) {
    const detail =
      'must point to a field of type string, boolean or integer. ' +
      'Enum string fields and strings with formats are allowed.';
    problems.push(invalid(field, jsonPath, detail));
  }
  if (seen.has(found.field)) problems.push(duplicate(field, jsonPath));
  seen.add(found.field);
  return problems;
}
