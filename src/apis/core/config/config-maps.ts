/** ConfigMaps: rules and table. */
import { forbidden, invalid, tooLong } from '../../../apimachinery/field-error.ts';
import { part, textMap } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { ageColumn, column, nameColumn, table } from '../../tables/columns.ts';
import { partAt } from '../../tables/fields.ts';
import type { Problems } from '../../validation/checks.ts';
import { allErrors, checkConfigKey, each, noProblems } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';
import { ownMember } from '../../../stdx/lookup.ts';
import type { KindDefinition } from '../../kind-definition.ts';

export function entries(object: JsonObject, ...members: string[]): number {
  return members.reduce((sum, member) => sum + Object.keys(partAt(object, member)).length, 0);
}

const configMapTable = table([
  nameColumn,
  column('Data', 'Number of entries.', (object) => entries(object, 'data', 'binaryData')),
  ageColumn,
]);

export const contentBytesMax = 1024 * 1024;

/** The object as a whole; the reference writes an empty path like this. */
const wholeObject = '[]';

export function keysRules(object: JsonObject, name: string): Problems {
  return each(Object.keys(part(object, name)), (key) => {
    const found = checkConfigKey(key);
    if (found.length === 0) return noProblems;
    return found.map((problem) => invalid(`${name}[${key}]`, key, problem));
  });
}

function textBytes(values: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const value of Object.values(values)) bytes += Buffer.byteLength(value, 'utf8');
  return bytes;
}

/** Of base64 texts: what they stand for. */
export function contentBytes(values: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const value of Object.values(values)) bytes += Buffer.byteLength(value, 'base64');
  return bytes;
}

/** An object that was made immutable stays so, and keeps what it holds. */
export function immutableRules(
  next: ApiObject,
  current: ApiObject,
  fields: readonly string[],
): Problems {
  if (current['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(next['immutable'] === true ? [] : [forbidden('immutable', detail)]),
    ...fields
      .filter((name) => !deepEqual(part(next, name), part(current, name)))
      .map((name) => forbidden(name, detail)),
  ];
}

const configMapRules: KindRules = {
  validate: (object) => {
    const binary = part(object, 'binaryData');
    const bytes = textBytes(textMap(object, 'data')) + contentBytes(textMap(object, 'binaryData'));
    return allErrors(
      keysRules(object, 'data'),
      each(Object.keys(part(object, 'data')), (key) =>
        ownMember(binary, key) === undefined
          ? noProblems
          : [invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')],
      ),
      keysRules(object, 'binaryData'),
      bytes > contentBytesMax ? [tooLong(wholeObject, contentBytesMax)] : noProblems,
    );
  },
  validateUpdate: (next, current) => immutableRules(next, current, ['data', 'binaryData']),
};

export const configMaps: KindDefinition = {
  resource: '/configmaps',
  validation: configMapRules,
  table: configMapTable,
};
