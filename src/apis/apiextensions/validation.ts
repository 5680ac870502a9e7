/**
 * Rules of custom resource definitions: names, versions, printer columns, conversion, and what a
 * schema must say to be structural.
 *
 * What it is not: what only the stable version demands of a schema. Schemas are looked at as far as
 * this says, not compiled.
 *
 * Bounds: one error for each wrong place of a schema, `schemaErrorsMax` of them at most.
 */
import {
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import {
  allErrors,
  each,
  form,
  formEach,
  needed,
  noProblems,
  unchanged,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

const schemaErrorsMax = 100;

export const definitionRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return allErrors(
      ownNameRules(object),
      groupRules(text(spec, 'group')),
      versionsRules(spec),
      namesRules(part(spec, 'names')),
      conversionRules(part(spec, 'conversion')),
    );
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    const [names, was] = [part(spec, 'names'), part(before, 'names')];
    return allErrors(
      unchanged('spec.group', spec['group'], before['group']),
      unchanged('spec.names.plural', names['plural'], was['plural']),
      isEstablished(current)
        ? allErrors(
            unchanged('spec.scope', spec['scope'], before['scope']),
            unchanged('spec.names.kind', names['kind'], was['kind']),
          )
        : noProblems,
    );
  },
};

/** What the stable version demands beside: the older one takes objects of any shape. */
export function schemaProblems(object: ApiObject): Problems {
  const versions = objects(part(object, 'spec'), 'versions');
  return allErrors(
    each(versions, (version, at) =>
      part(version, 'schema')['openAPIV3Schema'] === undefined
        ? [required(`spec.versions[${at}].schema.openAPIV3Schema`, 'schemas are required')]
        : noProblems,
    ),
    partsRules(versions, [schemaPart]),
  );
}

export function unknownFieldProblems(object: ApiObject): Problems {
  if (part(object, 'spec')['preserveUnknownFields'] !== true) return noProblems;
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in ' +
    'spec.versions[*].schema instead';
  return [invalid('spec.preserveUnknownFields', true, detail)];
}

function isEstablished(object: ApiObject): boolean {
  return objects(part(object, 'status'), 'conditions').some(
    (condition) =>
      text(condition, 'type') === 'Established' && text(condition, 'status') === 'True',
  );
}

function ownNameRules(object: ApiObject): Problems {
  const spec = part(object, 'spec');
  const { name } = object.metadata;
  const wanted = `${text(part(spec, 'names'), 'plural')}.${text(spec, 'group')}`;
  if (name === undefined || name === '' || name === wanted) return noProblems;
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function groupRules(group: string): Problems {
  const problems = form('spec.group', group, checkDns1123Subdomain);
  if (group === '' || problems.length > 0 || group.includes('.')) return problems;
  return [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

const mixedCase = 'may have mixed case, but should otherwise match: ';

function namesRules(names: JsonObject): Problems {
  const path = 'spec.names';
  const kind = text(names, 'kind');
  return allErrors(
    each(['singular', 'listKind'], (name) => needed(names, path, name)),
    each(['plural', 'singular'], (name) =>
      form(`${path}.${name}`, text(names, name), checkDns1035Label),
    ),
    each(['kind', 'listKind'], (name) =>
      form(`${path}.${name}`, text(names, name), (value) =>
        checkDns1035Label(value.toLowerCase()).map((problem) => mixedCase + problem),
      ),
    ),
    each(['shortNames', 'categories'], (name) =>
      formEach(`${path}.${name}`, texts(names, name), checkDns1035Label),
    ),
    kind !== '' && kind === text(names, 'listKind')
      ? [invalid(`${path}.listKind`, kind, 'kind and listKind may not be the same')]
      : noProblems,
  );
}

function versionsRules(spec: JsonObject): Problems {
  const versions = objects(spec, 'versions');
  const field = 'spec.versions';
  const stored = versions.filter((version) => version['storage'] === true).length;
  const names = new Set(versions.map((version) => text(version, 'name')));
  const one = 'must have exactly one version marked as storage version';
  return allErrors(
    each(versions, (version, at) => versionRules(version, `${field}[${at}]`)),
    names.size < versions.length
      ? [invalid(field, undefined, 'must contain unique version names')]
      : noProblems,
    stored === 1 ? noProblems : [invalid(field, undefined, one)],
    partsRules(versions, parts),
  );
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

const columnFormats = [
  '',
  'int32',
  'int64',
  'float',
  'double',
  'byte',
  'date',
  'date-time',
  'password',
];

const selectableMax = 8;

function versionRules(version: JsonObject, path: string): Problems {
  const warning = version['deprecationWarning'];
  const late = 'can only be set for deprecated versions';
  return allErrors(
    form(`${path}.name`, text(version, 'name'), checkDns1035Label),
    warning !== undefined && version['deprecated'] !== true
      ? [invalid(`${path}.deprecationWarning`, warning, late)]
      : noProblems,
  );
}

type PartRules = (version: JsonObject, path: string) => Problems;

/** A part of versions, where errors in it stand when all versions agree, and its rules. */
type VersionPart = readonly [string, string, PartRules];

const schemaPart: VersionPart = [
  'schema',
  'validation',
  (version, path) =>
    part(version, 'schema')['openAPIV3Schema'] === undefined
      ? noProblems
      : schemaRules(part(part(version, 'schema'), 'openAPIV3Schema'), `${path}.openAPIV3Schema`),
];

const parts: readonly VersionPart[] = [
  [
    'additionalPrinterColumns',
    'additionalPrinterColumns',
    (version, path) =>
      each(objects(version, 'additionalPrinterColumns'), (column, at) =>
        columnRules(column, `${path}[${at}]`),
      ),
  ],
  [
    'subresources',
    'subresources',
    (version, path) => scaleRules(part(part(version, 'subresources'), 'scale'), `${path}.scale`),
  ],
  [
    'selectableFields',
    'selectableFields',
    (version, path) => {
      const count = objects(version, 'selectableFields').length;
      return count > selectableMax ? [tooMany(path, count, selectableMax)] : noProblems;
    },
  ],
];

/** The reference keeps what all versions say in one place, and names that. */
function partsRules(versions: readonly JsonObject[], of: readonly VersionPart[]): Problems {
  const [first, ...others] = versions;
  if (first === undefined) return noProblems;
  return each(of, ([name, shared, rules]) =>
    others.every((version) => deepEqual(version[name], first[name]))
      ? rules(first, `spec.${shared}`)
      : each(versions, (version, at) => rules(version, `spec.versions[${at}].${name}`)),
  );
}

function columnRules(column: JsonObject, path: string): Problems {
  const [type, format] = [text(column, 'type'), text(column, 'format')];
  const shown = columnTypes.join(', ');
  const formats = columnFormats.slice(1).join(',');
  const jsonPath = text(column, 'jsonPath');
  return allErrors(
    type === '' || columnTypes.includes(type)
      ? noProblems
      : [invalid(`${path}.type`, type, `must be one of ${shown.replaceAll(', ', ',')}`)],
    columnFormats.includes(format)
      ? noProblems
      : [invalid(`${path}.format`, format, `must be one of ${formats}`)],
    jsonPathRules(`${path}.jsonPath`, jsonPath),
  );
}

function jsonPathRules(field: string, path: string): Problems {
  if (path === '' || path.startsWith('.') || path.startsWith('[')) return noProblems;
  return [invalid(field, path, 'is not valid: it must begin with a dot')];
}

/** Where the counts lie, below which part of the object. */
const scalePaths = [
  ['specReplicasPath', ['.spec.']],
  ['statusReplicasPath', ['.status.']],
  ['labelSelectorPath', ['.spec.', '.status.']],
] as const;

function scaleRules(scale: JsonObject, path: string): Problems {
  return each(scalePaths, ([name, roots]) => {
    const value = text(scale, name);
    const fits = roots.some((root) => value.startsWith(root));
    if (value === '' || fits) return noProblems;
    const under = roots.map((root) => root.slice(0, -1)).join(' or ');
    const detail =
      roots.length > 1
        ? 'should be a json path under either .spec or .status'
        : `should be a json path under ${under}`;
    return [invalid(`${path}.${name}`, value, detail)];
  });
}

function conversionRules(conversion: JsonObject): Problems {
  const path = 'spec.conversion';
  const hook = conversion['webhook'] !== undefined;
  switch (text(conversion, 'strategy')) {
    case 'Webhook': {
      if (!hook) {
        return [
          required(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook'),
        ];
      }
      const config = part(part(conversion, 'webhook'), 'clientConfig');
      const both = (config['url'] === undefined) === (config['service'] === undefined);
      return both
        ? [required(`${path}.webhookClientConfig`, 'exactly one of url or service is required')]
        : noProblems;
    }
    case 'None':
      return hook
        ? [
            forbidden(
              `${path}.webhookClientConfig`,
              'should not be set when strategy is not set to Webhook',
            ),
          ]
        : noProblems;
    default:
      return noProblems;
  }
}

interface SchemaWalk {
  readonly errors: FieldError[];
}

const typeNames = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const unusable = ['definitions', 'dependencies', 'id', '$ref', 'patternProperties'];

const junctors = ['allOf', 'anyOf', 'oneOf'];

function schemaRules(schema: JsonObject, path: string): Problems {
  const walk: SchemaWalk = { errors: [] };
  const type = text(schema, 'type');
  if (type !== 'object') {
    const found: FieldError =
      type === ''
        ? required(`${path}.type`, 'must not be empty at the root')
        : invalid(`${path}.type`, type, 'must be object at the root');
    walk.errors.push(found);
  }
  checkSchema(schema, path, walk, true);
  return walk.errors.slice(0, schemaErrorsMax);
}

/** `structural`: not below allOf and the like, where types are not repeated. */
function checkSchema(
  schema: JsonObject,
  path: string,
  walk: SchemaWalk,
  structural: boolean,
): void {
  const { errors } = walk;
  if (errors.length >= schemaErrorsMax) return;
  const type = text(schema, 'type');
  const isRoot = path.endsWith('.openAPIV3Schema');
  const any =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (structural && type === '' && !any && !isRoot) {
    errors.push(required(`${path}.type`, 'must not be empty for specified object fields'));
  }
  if (type !== '' && !typeNames.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, typeNames));
  }
  for (const name of unusable) {
    if (schema[name] !== undefined)
      errors.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (schema['uniqueItems'] === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${path}.uniqueItems`, detail));
  }
  if (schema['properties'] !== undefined && isJsonObject(schema['additionalProperties'])) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (structural && type === 'array' && schema['items'] === undefined) {
    errors.push(required(`${path}.items`, 'must be specified'));
  }
  checkListType(schema, path, errors);
  checkBelow(schema, path, walk, structural);
}

function checkBelow(schema: JsonObject, path: string, walk: SchemaWalk, structural: boolean): void {
  const properties = part(schema, 'properties');
  for (const name of Object.keys(properties)) {
    checkSchema(part(properties, name), `${path}.properties[${name}]`, walk, structural);
  }
  for (const name of ['items', 'additionalProperties', 'not']) {
    if (!isJsonObject(schema[name])) continue;
    checkSchema(part(schema, name), `${path}.${name}`, walk, structural && name !== 'not');
  }
  for (const name of junctors) {
    objects(schema, name).forEach((inner, at) =>
      checkSchema(inner, `${path}.${name}[${at}]`, walk, false),
    );
  }
}

const listTypes = ['atomic', 'map', 'set'];

function checkListType(schema: JsonObject, path: string, errors: FieldError[]): void {
  const listType = text(schema, 'x-kubernetes-list-type');
  const keys = texts(schema, 'x-kubernetes-list-map-keys');
  const field = `${path}.x-kubernetes-list-type`;
  if (listType !== '' && text(schema, 'type') !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    errors.push(invalid(`${path}.type`, text(schema, 'type'), detail));
  }
  if (listType !== '' && !listTypes.includes(listType)) {
    errors.push(notSupported(field, listType, listTypes));
  }
  if (listType === 'map' && keys.length === 0) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, detail));
  }
  if (listType !== 'map' && keys.length > 0) {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === '' ? required(field, detail) : invalid(field, listType, detail));
  }
}
