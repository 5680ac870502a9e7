/**
 * Definitions and writes of custom resources without a server: what the engine says, in the form of
 * answers that were recorded over HTTP.
 */
import { selectablePathsOf } from '../../src/apiextensions/serving/definition-summary.ts';
import assert from 'node:assert/strict';
import { formatFieldErrorBody } from '../../src/apimachinery/field-error.ts';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import { mergeTypeOf } from '../../src/apimachinery/fieldmanager/schema/from-type-schema.ts';
import { objects, part, text } from '../../src/apimachinery/members.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { typedDocument } from '../../src/apimachinery/typed/field-validation.ts';
import { metaTypes } from '../../src/apimachinery/typed/meta-types.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { without } from '../../src/apimachinery/unstructured.ts';
import { checkMetaShape } from '../../src/apimachinery/validation/meta-shape.ts';
import { dns1123Subdomain } from '../../src/apimachinery/validation/names.ts';
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../src/apimachinery/validation/object-meta.ts';
import { compileCustomVersion } from '../../src/apiextensions/custom-version.ts';
import type { CustomVersion } from '../../src/apiextensions/custom-schema.ts';
import { metadataProblem } from '../../src/apiextensions/prepare/metadata-problem.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export interface RecordedAnswer {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly causes?: readonly Cause[] | undefined;
  readonly object?: JsonObject | undefined;
  readonly warnings?: readonly string[] | undefined;
}

const built = buildScheme({ identity: kubernetes });
assert.ok(built.kind === 'ok');
const definitionKind = built.scheme.findResource(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
) as KindInfo;
const strategyOf = strategiesOf(kubernetes, undefined, undefined, testLanguage);
const strategy = strategyOf(definitionKind);

export const metadataType = mergeTypeOf(metaTypes.object('meta/v1.ObjectMeta'));

function causeOf(error: FieldError): Cause {
  return { reason: error.type, message: formatFieldErrorBody(error), field: error.field };
}

export function sortedCauses(causes: readonly Cause[]): readonly Cause[] {
  const key = ({ field, message, reason }: Cause): string => `${field} ${reason} ${message}`;
  return [...new Map(causes.map((cause) => [key(cause), cause])).values()].sort((a, b) =>
    key(a) < key(b) ? -1 : 1,
  );
}

function refusal(errors: readonly FieldError[]): RecordedAnswer {
  return { code: 422, reason: 'Invalid', causes: errors.map(causeOf) };
}

/** What a POST or, over `current`, a PUT of a definition is answered with. */
export function writeDefinition(document: JsonObject, current?: ApiObject): RecordedAnswer {
  const typed = typedDocument(document, definitionKind, 'Ignore', []);
  if (typed.kind === 'refused') {
    return { code: 400, reason: 'BadRequest', message: typed.error.message };
  }
  const nameValidator = dns1123Subdomain;
  const isNew = current === undefined;
  const { object } = typed;
  const next = isNew
    ? strategy.prepareForCreate(object)
    : strategy.prepareForUpdate({ ...object, status: current['status'] ?? null }, current, 0);
  const errors = isNew
    ? [
        ...validateObjectMeta(next.metadata, { namespaced: false, nameValidator }),
        ...strategy.validate(next),
        ...strategy.validateCreated(next),
      ]
    : strategy.validateUpdate(next, current);
  return errors.length === 0 ? { code: isNew ? 201 : 200, object: next } : refusal(errors);
}

export interface CustomWrites {
  /** The causes of a refusal; none: it is served from now on. */
  define(definition: JsonObject): readonly Cause[];
  write(object: JsonObject, old: JsonObject | undefined, strict: boolean): RecordedAnswer;
  version(apiVersion: string, kind: string): CustomVersion;
}

interface Served {
  readonly version: CustomVersion;
  /** Of the store. */
  readonly storage: CustomVersion;
  readonly namespaced: boolean;
}

/** Every version of a definition, ready. */
export function versionsOf(definition: JsonObject): ReadonlyMap<string, CustomVersion> {
  const spec = part(definition, 'spec');
  const kind = text(part(spec, 'names'), 'kind');
  const group = text(spec, 'group');
  return new Map(
    objects(spec, 'versions').map((entry) => {
      const name = text(entry, 'name');
      const preserveUnknownFields = spec['preserveUnknownFields'] === true;
      const selectable = selectablePathsOf(entry);
      const given = { group, kind, version: name, preserveUnknownFields, selectable };
      const source = { ...given, isLarge: false };
      return [
        name,
        compileCustomVersion(
          { ...source, entry: () => entry },
          { language: testLanguage, metadataType },
        ),
      ];
    }),
  );
}

export function customWrites(): CustomWrites {
  const served = new Map<string, Served>();
  const servedAs = (apiVersion: string, kind: string): Served => {
    const found = served.get(`${apiVersion} ${kind}`);
    assert.ok(found, `${apiVersion} ${kind} is defined`);
    return found;
  };
  return {
    define(definition) {
      const answer = writeDefinition(definition);
      if (answer.object === undefined) return answer.causes ?? [];
      const { object } = answer;
      const spec = part(object, 'spec');
      const namespaced = spec['scope'] === 'Namespaced';
      const versions = versionsOf(object);
      const stored = objects(spec, 'versions').find((each) => each['storage'] === true);
      for (const [name, version] of versions) {
        const storage = versions.get(text(stored, 'name')) ?? version;
        served.set(`${version.group}/${name} ${version.kind}`, { version, storage, namespaced });
      }
      return [];
    },
    version: (apiVersion, kind) => servedAs(apiVersion, kind).version,
    write(object, old, strict) {
      const { namespaced, storage, version } = servedAs(
        text(object, 'apiVersion'),
        text(object, 'kind'),
      );
      const read = readDocument(object, version, strict);
      if (read.object === undefined) return { code: 400, reason: 'BadRequest', ...read };
      const before = old && readDocument(old, version, false).object;
      const errors: FieldError[] = [];
      const next = strategyLess(read.object, before, version);
      const metadata = namespaced
        ? { ...next.metadata, namespace: next.metadata.namespace ?? 'h3' }
        : next.metadata;
      errors.push(
        ...(before === undefined
          ? validateObjectMeta(metadata, {
              namespaced,
              nameValidator: dns1123Subdomain,
              anyFinalizer: true,
            })
          : validateObjectMetaUpdate(next.metadata, before.metadata, { anyFinalizer: true })),
      );
      const found = version.validate({ next, current: before, part: '' });
      errors.push(...found.errors);
      if (errors.length > 0) return refusal(errors);
      // What is answered has been read from the store, where it has the version of the store.
      const stored = storage.readStored({ ...next, metadata });
      const shown = version === storage ? stored : version.readConverted(stored);
      return { code: 200, object: shown, warnings: found.warnings };
    },
  };
}

/** A status is not written with its object. */
function strategyLess(
  object: ApiObject,
  old: ApiObject | undefined,
  version: CustomVersion,
): ApiObject {
  if (!version.hasStatus) return object;
  const bare = without(object, 'status') as ApiObject;
  const status = old?.['status'];
  return status === undefined ? bare : { ...bare, status };
}

function readDocument(
  document: JsonObject,
  version: CustomVersion,
  strict: boolean,
): { readonly object?: ApiObject | undefined; readonly message?: string | undefined } {
  const { kind, version: name } = version;
  const refused = (problem: string) => ({
    message: `${kind} in version "${name}" cannot be handled as a ${kind}: ${problem}`,
  });
  const conformed = version.conform(document, 'body');
  if (conformed.kind === 'refused') {
    return refused(metadataProblem(document['metadata'] ?? null) ?? conformed.problem);
  }
  const shape = checkMetaShape(conformed.object);
  if (shape.kind === 'refused') {
    return refused(metadataProblem(document['metadata'] ?? null) ?? shape.problem);
  }
  const unknown = [...shape.unknownFields, ...conformed.unknownFields];
  if (strict && unknown.length > 0) {
    const named = unknown.map((field) => `unknown field "${field}"`).join(', ');
    return refused(`strict decoding error: ${named}`);
  }
  return { object: version.defaults(shape.object) as ApiObject };
}
