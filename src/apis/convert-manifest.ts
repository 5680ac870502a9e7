/**
 * Manifests from one version to another, without a server: every object of the catalogue's kinds,
 * whether a release still serves its version or not (spec 2, section 9.3).
 *
 * Elsewhere: reading files and text (commands/convert-command.ts). Nothing is validated beyond the
 * types of the fields.
 *
 * An object gets the defaults of the version it was written in before it is converted, so that it
 * goes on to mean what it meant. One that has no such version stays in its own, as with the
 * reference's client; no wanted version is the preferred one. Lists are taken apart. A field that
 * its version does not have is left out, with a warning.
 */
import { identityNames, identityOf } from '../apimachinery/identity.ts';
import type { Identity, IdentityName } from '../apimachinery/identity.ts';
import { quote } from '../apimachinery/quote.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import { conform } from '../apimachinery/typed/conform.ts';
import type { Defaulter } from '../apimachinery/typed/defaulting.ts';
import type { ObjectSchema, TypeCatalogue } from '../apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { checkMetaShape } from '../apimachinery/validation/meta-shape.ts';
import { toVersion } from '../registry/versions.ts';
import { catalogue } from './catalogue.ts';
import type { CatalogueKind } from './catalogue.ts';
import { defaultersOf } from './defaults/defaulters.ts';
import { fieldTypes } from './field-types.ts';
import { compareVersions, currentRelease, isKnown } from './served-versions.ts';
import { conversionsOf, familyOf, hubOf } from './version-families.ts';

export interface ManifestOptions {
  /** `apps/v1`, `v1`; undefined: the preferred version of each object's kind. */
  readonly outputVersion: string | undefined;
  /** Of objects whose names do not tell. */
  readonly identity: IdentityName;
}

export type ConvertedManifest =
  | {
      readonly kind: 'ok';
      /** One object, or a v1 List when there were several, or a list. */
      readonly value: JsonObject;
      /** What was left out, and where; a line each. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly problem: string };

class Refusal extends Error {}

export interface ManifestDocument {
  readonly value: JsonValue;
  /** Paths of fields that came twice; the value has their last ones. */
  readonly duplicates: readonly string[];
}

export function convertManifest(
  documents: readonly ManifestDocument[],
  options: ManifestOptions,
): ConvertedManifest {
  try {
    const { outputVersion } = options;
    if (outputVersion !== undefined && !versionExists(outputVersion)) {
      throw new Refusal(`${outputVersion} is no version of any group`);
    }
    const flat = documents.flatMap(({ value }, at) => objectsOf(value, `document ${at + 1}`));
    if (flat.length === 0) throw new Refusal('there is no object in it');
    const warnings = documents.flatMap(({ duplicates }, at) =>
      duplicates.map((path) => `document ${at + 1}: duplicate field ${quote(path)}`),
    );
    const items = flat.map(({ object, where }) => {
      const converted = convertOne(object, where, options);
      const unknown = converted.unknownFields.map((path) => `unknown field ${quote(path)}`);
      warnings.push(...unknown.map((problem) => `${where}: ${problem}`));
      return converted.object;
    });
    const [only] = items;
    const single = documents.length === 1 && flat.every(({ listed }) => !listed);
    if (single && only !== undefined) return { kind: 'ok', value: only, warnings };
    const value = { apiVersion: 'v1', kind: 'List', metadata: {}, items };
    return { kind: 'ok', value, warnings };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'refused', problem: error.message };
  }
}

interface Found {
  readonly object: JsonObject;
  readonly where: string;
  readonly listed: boolean;
}

/** The objects of a document: itself, or what it lists, at any depth. */
function objectsOf(document: JsonValue, where: string): readonly Found[] {
  if (!isJsonObject(document)) throw new Refusal(`${where} is not an object`);
  const { kind, items } = document;
  if (typeof kind !== 'string' || kind === '') throw new Refusal(`${where} has no kind`);
  if (typeof document['apiVersion'] !== 'string' || document['apiVersion'] === '') {
    throw new Refusal(`${where} has no apiVersion`);
  }
  if (!kind.endsWith('List') || !Array.isArray(items)) {
    return [{ object: document, where, listed: false }];
  }
  // Items of a typed list may leave out what the list says.
  const own = kind === 'List' ? {} : { kind: kind.slice(0, -'List'.length) };
  const { apiVersion } = document;
  return (items as readonly JsonValue[]).flatMap((item, at) => {
    const object = isJsonObject(item) && kind !== 'List' ? { apiVersion, ...own, ...item } : item;
    const found = objectsOf(object, `${where}, item ${at + 1}`);
    return found.map((each) => ({ ...each, listed: true }));
  });
}

function versionExists(apiVersion: string): boolean {
  return identityNames.some((name) =>
    catalogue.some((kind) => apiVersionOf(kind, identityOf(name)) === apiVersion),
  );
}

function apiVersionOf(kind: CatalogueKind, identity: Identity): string {
  return formatGroupVersion({ group: identity.fill(kind.group), version: kind.version });
}

interface Target {
  readonly identity: Identity;
  readonly from: CatalogueKind;
  readonly to: CatalogueKind;
}

interface ConvertedObject {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
}

function convertOne(object: JsonObject, where: string, options: ManifestOptions): ConvertedObject {
  const target = targetOf(object, where, options);
  const { identity, from, to } = target;
  const shape = checkMetaShape(object);
  if (shape.kind === 'refused') throw new Refusal(`${where}: ${shape.problem}`);
  const { types, defaultsOf } = typesOf(identity);
  const schema = types.object(from.type);
  const conformed = conform(schema, object);
  if (conformed.kind === 'refused') throw new Refusal(`${where}: ${conformed.problem}`);
  const { kind, apiVersion, metadata } = { ...shape.object, ...labelsOf(from, identity) };
  const typed = { ...conformed.object, kind, apiVersion, metadata };
  const meant: ApiObject = { ...typed, ...defaultsOf(schema)(typed), kind, apiVersion, metadata };
  return {
    object: toVersion(meant, versioned(from, identity), versioned(to, identity)),
    unknownFields: [...shape.unknownFields, ...conformed.unknownFields],
  };
}

function labelsOf(row: CatalogueKind, identity: Identity) {
  return { kind: row.kind, apiVersion: apiVersionOf(row, identity) };
}

function versioned(kind: CatalogueKind, identity: Identity) {
  const { version } = kind;
  const group = identity.fill(kind.group);
  return { group, version, kind: kind.kind, conversions: conversionsOf(kind, identity) };
}

/** Names of the object, or of the wanted version, tell the identity; else the option does. */
function targetOf(object: JsonObject, where: string, options: ManifestOptions): Target {
  const { apiVersion, kind } = object;
  const others = identityNames.filter((name) => name !== options.identity);
  let unchanged: Target | undefined;
  for (const name of [options.identity, ...others]) {
    const identity = identityOf(name);
    const from = catalogue.find(
      (row) => row.kind === kind && apiVersionOf(row, identity) === apiVersion,
    );
    if (from === undefined) continue;
    const to = wantedOf(from, identity, options.outputVersion);
    if (to !== undefined) return { identity, from, to };
    unchanged ??= { identity, from, to: from };
  }
  if (unchanged !== undefined) return unchanged;
  throw new Refusal(`${where}: no kind ${String(kind)} in version ${String(apiVersion)}`);
}

function wantedOf(
  from: CatalogueKind,
  identity: Identity,
  wanted: string | undefined,
): CatalogueKind | undefined {
  const family = familyOf(from);
  if (wanted !== undefined) return family.find((kind) => apiVersionOf(kind, identity) === wanted);
  const { group } = hubOf(from);
  const [preferred] = family
    .filter((kind) => kind.group === group && isKnown(kind, currentRelease))
    .sort((a, b) => compareVersions(a.version, b.version));
  return preferred ?? hubOf(from);
}

interface Types {
  readonly types: TypeCatalogue;
  readonly defaultsOf: (schema: ObjectSchema) => Defaulter;
}

const typesByIdentity = new Map<Identity, Types>();

function typesOf(identity: Identity): Types {
  const known = typesByIdentity.get(identity);
  if (known !== undefined) return known;
  const made = { types: fieldTypes(identity), defaultsOf: defaultersOf(identity) };
  typesByIdentity.set(identity, made);
  return made;
}
