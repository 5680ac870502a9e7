/**
 * Rules of config maps and secrets: their keys, their size, and what their types must hold.
 *
 * No value of a secret is ever in an error. Bounds: `contentBytesMax` for all values of one object.
 */
import { forbidden, invalid, required, tooLong } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text, textMap } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { lookup, ownMember } from '../../stdx/lookup.ts';
import { checkConfigKey, each, noProblems, together, unchanged } from './checks.ts';
import type { Problems } from './checks.ts';
import type { KindRules } from './kind-rules.ts';

const contentBytesMax = 1024 * 1024;
/** The object as a whole; the reference writes an empty path like this. */
const wholeObject = '[]';

function keysRules(object: JsonObject, name: string): Problems {
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
function contentBytes(values: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const value of Object.values(values)) bytes += Buffer.byteLength(value, 'base64');
  return bytes;
}

/** An object that was made immutable stays so, and keeps what it holds. */
function immutableRules(next: ApiObject, current: ApiObject, fields: readonly string[]): Problems {
  if (current['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(next['immutable'] === true ? [] : [forbidden('immutable', detail)]),
    ...fields
      .filter((name) => !deepEqual(part(next, name), part(current, name)))
      .map((name) => forbidden(name, detail)),
  ];
}

export const configMapRules: KindRules = {
  validate: (object) => {
    const binary = part(object, 'binaryData');
    const bytes = textBytes(textMap(object, 'data')) + contentBytes(textMap(object, 'binaryData'));
    return together(
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

export function secretRules(identity: Identity): KindRules {
  const { secretTypes } = identity;
  const accountKey = identity.fill('{labelDomain}/service-account.name');
  const neededKeys: Readonly<Record<string, readonly string[]>> = lookup({
    [secretTypes.sshAuth]: ['ssh-privatekey'],
    [secretTypes.tls]: ['tls.crt', 'tls.key'],
  });
  const documents: Readonly<Record<string, string>> = lookup({
    [secretTypes.dockercfg]: '.dockercfg',
    [secretTypes.dockerConfigJson]: '.dockerconfigjson',
  });
  const typeRules = (object: ApiObject, type: string): Problems => {
    const data = textMap(object, 'data');
    const missing = (keys: readonly string[]): Problems =>
      keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`));
    if (type === secretTypes.serviceAccountToken) {
      const annotated = object.metadata.annotations?.[accountKey] ?? '';
      return annotated === '' ? [required(`metadata.annotations[${accountKey}]`)] : [];
    }
    if (type === secretTypes.basicAuth) {
      const none = missing(['username', 'password']);
      return none.length === 2 ? none : [];
    }
    const document = documents[type];
    if (document === undefined) return missing(neededKeys[type] ?? []);
    return [...missing([document]), ...documentRules(data[document], `data[${document}]`)];
  };
  return {
    validate: (object) => {
      const type = text(object, 'type');
      const bytes = contentBytes(textMap(object, 'data'));
      return [
        ...keysRules(object, 'data'),
        ...(bytes > contentBytesMax ? [tooLong('data', contentBytesMax)] : []),
        ...typeRules(object, type),
      ];
    },
    validateUpdate: (next, current) => [
      ...unchanged('type', next['type'], current['type']),
      ...immutableRules(next, current, ['data']),
    ],
  };
}

function documentRules(value: string | undefined, field: string): Problems {
  if (value === undefined) return [];
  try {
    JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    return [];
  } catch {
    return [invalid(field, '<secret contents redacted>', 'must be a JSON document')];
  }
}
