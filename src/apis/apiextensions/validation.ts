/**
 * Rules of custom resource definitions: names, versions and what each serves, conversion, and what
 * is stored. What their schemas must be is asked of the engine of custom types
 * (src/apiextensions/acceptance).
 *
 * Invariants: paths and texts are those of the reference, which keeps in one place what all
 * versions agree on. What an update finds as it was is not validated by rules that came later.
 */
import { invalid, required, tooMany } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { structureErrors } from '../../apiextensions/acceptance/accept-schemas.ts';
import { factsOf } from '../../apiextensions/acceptance/schema-facts.ts';
import { versionSchemas } from '../../apiextensions/acceptance/version-schemas.ts';
import { allErrors, each, form, noProblems, unchanged } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { conversionRules } from './conversion-rules.ts';
import { versionsRules } from './version-rules.ts';

export const definitionRules: KindRules = {
  validateCreate: (object) => definitionProblems(object, undefined),
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    const [names, was] = [part(spec, 'names'), part(before, 'names')];
    return allErrors(
      definitionProblems(next, current),
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
  validateStatusUpdate: acceptedNamesRules,
};

function acceptedNamesRules(definition: ApiObject): Problems {
  return namesRules(part(part(definition, 'status'), 'acceptedNames'), 'status.acceptedNames');
}

function definitionProblems(object: ApiObject, current: ApiObject | undefined): Problems {
  const spec = part(object, 'spec');
  const tooMuch = countRules(object, current);
  if (tooMuch.length > 0) return tooMuch;
  return allErrors(
    current === undefined ? ownNameRules(object) : noProblems,
    groupRules(text(spec, 'group')),
    versionsRules(object, current),
    requiredNames(part(spec, 'names')),
    namesRules(part(spec, 'names'), 'spec.names'),
    conversionRules(object, current, current !== undefined && isEstablished(current)),
    acceptedNamesRules(object),
    storedVersionsRules(object),
  );
}

/** All that is served of a definition changes in one turn: each costs some tens of microseconds. */
const definitionLimits = { versions: 250, shortNames: 100, categories: 100 } as const;

/** Before anything else is looked at. What has been more already may be as many. */
function countRules(object: ApiObject, current: ApiObject | undefined): Problems {
  const problem = (path: readonly string[], name: keyof typeof definitionLimits): Problems => {
    const countOf = (of: JsonObject): number => {
      const list = path.reduce<JsonObject>((inner, step) => part(inner, step), of)[name];
      return Array.isArray(list) ? list.length : 0;
    };
    const count = countOf(object);
    const most = definitionLimits[name];
    if (count <= Math.max(most, current === undefined ? 0 : countOf(current))) return noProblems;
    return [tooMany([...path, name].join('.'), count, most)];
  };
  return allErrors(
    problem(['spec'], 'versions'),
    each(
      [
        ['spec', 'names'],
        ['status', 'acceptedNames'],
      ],
      (path) => each(['shortNames', 'categories'] as const, (name) => problem(path, name)),
    ),
  );
}

/** What the stable version requires beside: the older one takes objects of any shape. */
export const stableRules: KindRules = {
  validateCreate: (object) => schemaProblems(object, undefined),
  validateUpdate: (next, current) => schemaProblems(next, current),
};

/** The older version takes schemas without structure from whoever keeps unknown fields. */
export const olderRules: KindRules = {
  validateCreate: (object) => structureErrors(object, undefined, false),
  validateUpdate: (next, current) => structureErrors(next, current, false),
};

function schemaProblems(object: ApiObject, current: ApiObject | undefined): Problems {
  const versions = objects(part(object, 'spec'), 'versions');
  // A definition that had versions without a schema may have them.
  const lacked = current !== undefined && objects(part(current, 'spec'), 'versions').some(hasNone);
  return allErrors(
    lacked
      ? noProblems
      : each(versions, (version, at) =>
          hasNone(version) ? [required(`spec.versions[${at}].schema.openAPIV3Schema`)] : noProblems,
        ),
    structureErrors(object, current),
    defaultsProblems(object),
  );
}

/** Who keeps unknown fields has no defaults. */
function defaultsProblems(object: ApiObject): Problems {
  const spec = part(object, 'spec');
  if (spec['preserveUnknownFields'] !== true || !hasDefaults(object)) return noProblems;
  const detail = 'must be false in order to use defaults in the schema';
  return [invalid('spec.preserveUnknownFields', true, detail)];
}

function hasDefaults(object: ApiObject): boolean {
  return versionSchemas(object).some(({ schema }) => factsOf(schema).hasDefaults);
}

function hasNone(version: JsonObject): boolean {
  return part(version, 'schema')['openAPIV3Schema'] === undefined;
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

function joined(check: (value: string) => readonly string[], before = '') {
  return (value: string): readonly string[] => {
    const problems = check(value);
    return problems.length === 0 ? problems : [before + problems.join(',')];
  };
}

const label = joined(checkDns1035Label);
const mixedLabel = joined((value) => checkDns1035Label(value.toLowerCase()), mixedCase);

/** The plural and the kind are asked for by the schema. */
function requiredNames(names: JsonObject): Problems {
  return each(['singular', 'listKind'], (name) =>
    text(names, name) === '' ? [required(`spec.names.${name}`)] : noProblems,
  );
}

function namesRules(names: JsonObject, path: string): Problems {
  const kind = text(names, 'kind');
  return allErrors(
    each(['plural', 'singular'], (name) => form(`${path}.${name}`, text(names, name), label)),
    each(['kind', 'listKind'], (name) => form(`${path}.${name}`, text(names, name), mixedLabel)),
    each(['shortNames', 'categories'], (name) =>
      each(texts(names, name), (value, at) =>
        label(value).map((problem) => invalid(`${path}.${name}[${at}]`, value, problem)),
      ),
    ),
    kind !== '' && kind === text(names, 'listKind')
      ? [invalid(`${path}.listKind`, kind, 'kind and listKind may not be the same')]
      : noProblems,
  );
}

/** Objects may still be stored in every version that ever was the one to store. */
function storedVersionsRules(object: ApiObject): Problems {
  const field = 'status.storedVersions';
  const stored = texts(part(object, 'status'), 'storedVersions');
  if (stored.length === 0) return [invalid(field, null, 'must have at least one stored version')];
  const versions = objects(part(object, 'spec'), 'versions');
  const names = new Set(versions.map((version) => text(version, 'name')));
  return allErrors(
    each(versions, (version) => {
      const name = text(version, 'name');
      if (version['storage'] !== true || stored.includes(name)) return noProblems;
      return [invalid(field, [...stored], `must have the storage version ${name}`)];
    }),
    each(stored, (name, at) => {
      if (names.has(name)) return noProblems;
      const detail =
        `missing from spec.versions; ${name} was previously a storage version, and must remain ` +
        'in spec.versions until a storage migration ensures no data remains persisted in ' +
        `${name} and removes ${name} from status.storedVersions`;
      return [invalid(`${field}[${at}]`, name, detail)];
    }),
  );
}
