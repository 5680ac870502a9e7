/**
 * Secrets: texts in `stringData` are stored as bytes in `data`.
 *
 *     stringData: {a: text}  ─▶  data: {a: base64 of the text}
 *
 * stringData wins, and is not kept. This happens when the object is decoded, before
 * field ownership is computed, so a writer owns the fields that are stored.
 */
import { decodeJson } from '../../../apimachinery/codecs/json.ts';
import { invalid, required, tooLong } from '../../../apimachinery/field-error.ts';
import type { Identity } from '../../../apimachinery/identity.ts';
import { part, text, textMap } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../apimachinery/unstructured.ts';
import {
  contentBytes,
  contentBytesMax,
  entries,
  immutableRules,
  keysRules,
} from './config-maps.ts';
import { keyPairProblem } from './key-pairs.ts';
import { ageColumn, column, nameColumn, table } from '../../tables/columns.ts';
import { printedAt } from '../../tables/fields.ts';
import type { Problems } from '../../validation/checks.ts';
import { unchanged } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import type { KindWarnings } from '../../warnings/kind-warnings.ts';
import { noWarnings, onWrite } from '../../warnings/kind-warnings.ts';
import { lookup } from '../../../stdx/lookup.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../../kind-definition.ts';

const secretTable = table([
  nameColumn,
  column('Type', 'What the secret is for.', (object) => printedAt(object, 'type')),
  column('Data', 'Number of entries.', (object) => entries(object, 'data')),
  ageColumn,
]);

function withDataOfText(secret: JsonObject): JsonObject {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return secret;
  const texts = Object.entries(isJsonObject(stringData) ? stringData : {});
  if (texts.length === 0) return rest;
  const encoded = texts.map(([key, text]) => [key, base64(text)] as const);
  return { ...rest, data: { ...part(rest, 'data'), ...Object.fromEntries(encoded) } };
}

function base64(text: unknown): string {
  return Buffer.from(typeof text === 'string' ? text : '').toString('base64');
}

const secretDefaults: DefaultTable = {
  fields: { 'core/v1.Secret': { type: 'Opaque' } },
  complete: { 'core/v1.Secret': withDataOfText },
};

function secretRules(identity: Identity): KindRules {
  const { secretTypes } = identity;
  const accountKey = identity.fill('{labelDomain}/service-account.name');
  const neededKeys: Readonly<Record<string, readonly string[]>> = lookup({
    [secretTypes.sshAuth]: [sshKey],
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
    // An SSH key that is empty is missing; the two parts of a certificate may be empty.
    if (type === secretTypes.sshAuth && data[sshKey] === '') return [required(`data[${sshKey}]`)];
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

const sshKey = 'ssh-privatekey';

function documentRules(value: string | undefined, field: string): Problems {
  if (value === undefined) return [];
  // Within the bounds of a body: the engine takes a tenth of a second for nothing but brackets.
  if (decodeJson(Buffer.from(value, 'base64')).kind === 'value') return [];
  return [invalid(field, '<secret contents redacted>', 'must be a JSON document')];
}

function secretWarnings({ secretTypes }: Identity): KindWarnings {
  return onWrite((secret) => {
    if (secret['type'] !== secretTypes.tls) return noWarnings;
    const [certificate, key] = ['tls.crt', 'tls.key'].map((name) =>
      Buffer.from(text(part(secret, 'data'), name), 'base64').toString('latin1'),
    ) as [string, string];
    const problem = keyPairProblem(certificate, key);
    return problem === undefined ? noWarnings : [problem];
  });
}

export const secrets: KindDefinition = {
  resource: '/secrets',
  selectableFields: 'type!Opaque',
  defaults: secretDefaults,
  validation: secretRules,
  schemaExemptions: { openValues: 'core.Secret.type' },
  warnings: secretWarnings,
  table: secretTable,
};
