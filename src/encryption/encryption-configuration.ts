/**
 * The EncryptionConfiguration file, read strictly: what is stored of which resources is encrypted,
 * and with which keys.
 *
 *     apiVersion: apiserver.config.{domain}/v1
 *     kind: EncryptionConfiguration
 *     resources:
 *       - resources: [secrets, "*.example.com"]
 *         providers:                                  the first one writes, all read
 *           - aesgcm: {keys: [{name: second, secret: <base64>}, {name: first, secret: ...}]}
 *           - identity: {}                            not encrypted
 *           - kms: {...}                              keys in a service (key-service/)
 *
 * Invariants: all problems are found in one pass, each with its place; none of them quotes a
 * secret.
 * Bounds: `entriesMax`, `resourcesMax`, `keysMax`, `keyServicesMax`; a name has at most `nameMax`
 * characters.
 */
import {
  listOfTexts,
  openDocumentSteps,
  requiredText,
  unknownFields,
} from '../apimachinery/configuration-document.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { plain } from '../storage/encrypted-records.ts';
import type { RecordKey } from '../storage/encrypted-records.ts';
import { readKeyService, repeatedNames } from './key-service/configuration.ts';
import type { WantedKeyService } from './key-service/configuration.ts';
import { aesKeyBytes, recordKey, secretboxKeyBytes } from './record-keys.ts';
import type { KeyKind } from './record-keys.ts';
import { maskedNames, resourceProblems } from './resource-names.ts';
import type { Provider, ResourceEntry } from './resource-keys.ts';

/** In clusters that have come a long way. */
const older = { apiVersion: 'v1', kind: 'EncryptionConfig' } as const;

const entriesMax = 1_000;
const resourcesMax = 1_000;
const keysMax = 100;
/** Each is asked every minute, and before the server is ready. */
const keyServicesMax = 32;
const nameMax = 253;

export type ReadEncryption =
  | { readonly kind: 'ok'; readonly entries: readonly WantedEntry[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

interface WantedKey {
  readonly kind: KeyKind;
  readonly name: string;
  readonly secret: Buffer;
}

type WantedProvider = WantedKey | WantedKeyService | typeof plain;

export interface WantedEntry {
  readonly resources: readonly string[];
  readonly providers: readonly WantedProvider[];
}

/** `identities`: whose names it may be written in. Yields where others may have a turn. */
export function* readEncryptionConfiguration(
  bytes: Uint8Array,
  identities: readonly Identity[],
): Steps<ReadEncryption> {
  const versions = identities.map(({ groups }) => `${groups.apiserverConfig}/v1`);
  const opened = yield* openDocumentSteps(bytes, versions, 'EncryptionConfiguration', older);
  if (opened.kind === 'invalid') return { kind: 'invalid', problems: [opened.problem] };
  const problems: string[] = [];
  unknownFields(opened.document, ['apiVersion', 'kind', 'resources'], '', problems);
  const list = objectsOf(opened.document, 'resources', '', entriesMax, problems);
  const events = identities.map((identity) => identity.fill('events.{domain}'));
  const entries = list.map(({ object, path }) => entryOf(object, path, events, problems));
  problems.push(...maskedNames(entries.map(({ resources }) => resources)));
  const services = keyServicesOf(entries);
  problems.push(...repeatedNames(services));
  if (services.length > keyServicesMax) problems.push(`kms: at most ${keyServicesMax} services`);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'ok', entries };
}

export function keyServicesOf(entries: readonly WantedEntry[]): readonly WantedKeyService[] {
  const providers = entries.flatMap((entry) => entry.providers);
  return providers.filter((each) => each !== plain && each.kind === 'kms');
}

/** Resolves when the libraries of the keys are there. `ofService`: its key, by its name. */
export async function entriesWithKeys(
  wanted: readonly WantedEntry[],
  ofService: (name: string) => RecordKey,
): Promise<readonly ResourceEntry[]> {
  return Promise.all(
    wanted.map(async ({ providers, resources }) => ({
      resources,
      providers: await Promise.all(providers.map((each) => providerFor(each, ofService))),
    })),
  );
}

async function providerFor(
  wanted: WantedProvider,
  ofService: (name: string) => RecordKey,
): Promise<Provider> {
  if (wanted === plain) return plain;
  if (wanted.kind === 'kms') return ofService(wanted.name);
  return recordKey(wanted.kind, wanted.name, wanted.secret);
}

function entryOf(
  entry: JsonObject,
  path: string,
  eventsGroups: readonly string[],
  problems: string[],
): WantedEntry {
  unknownFields(entry, ['resources', 'providers'], path, problems);
  const resources = listOfTexts(entry, 'resources', path, problems);
  const place = `${path}.resources`;
  if (resources.length === 0) problems.push(`${place}: at least one is required`);
  if (resources.length > resourcesMax) problems.push(`${place}: at most ${resourcesMax}`);
  else problems.push(...resourceProblems(resources, place, eventsGroups));
  const providers = objectsOf(entry, 'providers', path, keysMax, problems).flatMap((provider) =>
    providerOf(provider.object, provider.path, problems),
  );
  return { resources, providers };
}

const kinds = ['aesgcm', 'aescbc', 'secretbox'] as const;
const providerFields = [...kinds, 'identity', 'kms'];

function providerOf(
  provider: JsonObject,
  path: string,
  problems: string[],
): readonly WantedProvider[] {
  unknownFields(provider, providerFields, path, problems);
  const named = providerFields.filter((field) => (provider[field] ?? undefined) !== undefined);
  const [field] = named;
  if (field === undefined || named.length > 1) {
    problems.push(`${path}: exactly one of ${providerFields.join(', ')} is required`);
    return [];
  }
  const value = provider[field];
  if (!isJsonObject(value)) {
    problems.push(`${path}.${field}: an object expected`);
    return [];
  }
  if (field === 'kms') return [readKeyService(value, `${path}.kms`, problems)];
  const place = `${path}.${field}`;
  unknownFields(value, field === 'identity' ? [] : ['keys'], place, problems);
  if (field === 'identity') return [plain];
  return keysOf(field as KeyKind, value, place, problems);
}

function keysOf(
  kind: KeyKind,
  provider: JsonObject,
  path: string,
  problems: string[],
): readonly WantedKey[] {
  const lengths: readonly number[] = kind === 'secretbox' ? secretboxKeyBytes : aesKeyBytes;
  return objectsOf(provider, 'keys', path, keysMax, problems).map(({ object, path: place }) => {
    unknownFields(object, ['name', 'secret'], place, problems);
    const name = requiredText(object, 'name', place, problems);
    if (name.length > nameMax) problems.push(`${place}.name: at most ${nameMax} characters`);
    return { kind, name, secret: secretOf(object, place, lengths, problems) };
  });
}

/** Never says what the secret is. */
function secretOf(
  key: JsonObject,
  path: string,
  lengths: readonly number[],
  problems: string[],
): Buffer {
  const text = requiredText(key, 'secret', path, problems);
  const secret = Buffer.from(text, 'base64');
  const place = `${path}.secret`;
  if (text === '') return secret;
  if (secret.toString('base64') !== text) {
    problems.push(`${place}: secrets must be base64 encoded`);
  } else if (!lengths.includes(secret.length)) {
    const expected = `expected one of [${lengths.join(' ')}]`;
    problems.push(
      `${place}: secret is not of the expected length, got ${secret.length}, ${expected}`,
    );
  }
  return secret;
}

interface Placed {
  readonly object: JsonObject;
  readonly path: string;
}

/** Of a list that has to have one. */
function objectsOf(
  parent: JsonObject,
  field: string,
  path: string,
  max: number,
  problems: string[],
): readonly Placed[] {
  const place = path === '' ? field : `${path}.${field}`;
  const list: JsonValue = parent[field] ?? [];
  if (!Array.isArray(list)) {
    problems.push(`${place}: a list expected`);
    return [];
  }
  if (list.length === 0) problems.push(`${place}: at least one is required`);
  if (list.length > max) {
    problems.push(`${place}: at most ${max}`);
    return [];
  }
  return list.flatMap((value, at) => {
    const itemPath = `${place}[${at}]`;
    if (isJsonObject(value)) return [{ object: value, path: itemPath }];
    problems.push(`${itemPath}: an object expected`);
    return [];
  });
}
