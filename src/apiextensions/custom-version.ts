/**
 * One version of a definition, ready to be used: the parts of the contract (custom-schema.ts) put
 * together, each made when it is first asked for.
 */
import type { MergeType } from '../apimachinery/fieldmanager/schema/merge-type.ts';
import {
  structuralObjectType,
  structuralType,
} from '../apimachinery/fieldmanager/schema/structural.ts';
import { part, text } from '../apimachinery/members.ts';
import type { SelectableField } from '../apimachinery/scheme.ts';
import type { Conformed } from '../apimachinery/typed/conform.ts';
import { unknownFieldsMax } from '../apimachinery/typed/conform.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { TooManyValues } from '../apimachinery/codecs/body-bounds.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { isStructural, structuralSteps } from './acceptance/structural.ts';
import { plainSchema, plainSteps } from './acceptance/version-schemas.ts';
import type {
  CompileCustomVersion,
  CustomScale,
  CustomVersion,
  CustomVersionDeps,
  CustomVersionSource,
  CustomWrite,
  DocumentOrigin,
} from './custom-schema.ts';
import { coerceEmbedded, coerceProblemText } from './prepare/embedded-metadata.ts';
import { fillDefaults, fillDefaultsSteps } from './prepare/fill-defaults.ts';
import { prune } from './prepare/prune.ts';
import type { DroppedNulls } from './prepare/prune.ts';
import { publishedSchema, publishedSteps } from './project/open-api.ts';
import type { PublishedSchema } from './project/open-api.ts';
import { customTable } from './project/printer-columns.ts';
import { hasManyAlternativesBelow } from './schema/alternatives.ts';
import { hasLargePatterns } from './schema/pattern.ts';
import { asSchema, fillSpineMemos } from './schema/structural-schema.ts';
import type { StructuralSchema } from './schema/structural-schema.ts';
import { hasManyRules, hasRules, RulePlan } from './validate/rule-plan.ts';
import { stepsOf } from './validate/scale-errors.ts';
import type { ScaleFields } from './validate/scale-errors.ts';
import { isValuesOnly, validateAtOnce, validateCustom } from './validate/validate-custom.ts';
import type { CustomValidator } from './validate/validate-custom.ts';
import { createValuePlanner } from './validate/value-plan.ts';

/** What is read of the entry when something of it is asked for. */
interface VersionParts {
  readonly entry: JsonObject;
  /** As written; undefined: there is none. */
  readonly written: JsonObject | undefined;
  /** Undefined: there is none, or it is not structural, which only old definitions may have. */
  readonly schema: StructuralSchema | undefined;
  readonly validator: CustomValidator;
}

export const compileCustomVersion: CompileCustomVersion = (source, deps) => {
  let parts: VersionParts | undefined;
  let mergeType: MergeType | undefined;
  let selectable: readonly SelectableField[] | undefined;
  const read = (): VersionParts => (parts ??= readParts(source, deps));
  const fieldsOf = (): readonly SelectableField[] => (selectable ??= selectableOf(source));
  let isPrepared = !source.isLarge;
  function* reading(): Steps<VersionParts> {
    const entry = source.entry();
    yield;
    const given = part(entry, 'schema')['openAPIV3Schema'];
    if (isJsonObject(given)) {
      const written = yield* plainSteps(given);
      yield;
      yield* structuralSteps(written, '');
    }
    return (parts ??= readParts(source, deps, entry));
  }
  function* preparing(): Steps<void> {
    parts ??= yield* reading();
    if (parts.schema !== undefined)
      yield* fillSpineMemos(parts.schema, toldMergeType(deps.metadataType));
    isPrepared = true;
  }
  const published = ({ schema, written }: VersionParts): PublishedSchema => ({
    schema: schema === undefined ? undefined : written,
    preserveUnknownFields: source.preserveUnknownFields,
    selectable: fieldsOf().map(({ label }) => label),
  });
  const version: CustomVersion = {
    group: source.group,
    version: source.version,
    kind: source.kind,
    prepare: () => (isPrepared ? undefined : preparing()),
    conform: (document, origin) => conformed(document, origin, read(), source),
    defaults: (object) => fillDefaults(object, read().schema) as JsonObject,
    defaultsSteps: (object) => fillDefaultsSteps(object, read().schema),
    readStored: (object) => defaultedIfFits(version.readConverted(object), read().schema),
    readConverted(object) {
      const made = conformed(object, 'stored', read(), source);
      return (made.kind === 'ok' ? made.object : object) as ApiObject;
    },
    validate: (write) => validateAtOnce(read().validator, write),
    validateInSteps: (write: CustomWrite) => validateCustom(read().validator, write, true),
    get takesLong() {
      return takesLong(read().validator.schema);
    },
    get hasStatus() {
      return isJsonObject(part(read().entry, 'subresources')['status']);
    },
    get defaultsStatus() {
      return part(part(read().written, 'properties'), 'status')['default'] !== undefined;
    },
    get scale() {
      return customScale(read().validator.scale);
    },
    get mergeType() {
      return (mergeType ??= structuralObjectType(read().written ?? {}, deps.metadataType));
    },
    get selectableFields() {
      return fieldsOf();
    },
    table: customTable(() => read().entry),
    openApi: (form) => publishedSchema(published(read()), form),
    *openApiSteps(form) {
      return yield* publishedSteps(published(parts ?? (yield* reading())), form);
    },
  };
  return version;
};

/** Also of small values. */
function takesLong(schema: StructuralSchema | undefined): boolean {
  if (schema === undefined) return false;
  return hasLargePatterns(schema) || hasManyAlternativesBelow(schema) || hasManyRules(schema);
}

/** What was written before the definition had so many defaults is shown as it is. */
function defaultedIfFits(object: ApiObject, schema: StructuralSchema | undefined): ApiObject {
  try {
    return fillDefaults(object, schema) as ApiObject;
  } catch (error) {
    if (error instanceof TooManyValues) return object;
    throw error;
  }
}

/** Each node of a schema is JSON, as it stands in the definition. */
const toldMergeType =
  (metadata: MergeType) =>
  (schema: StructuralSchema): MergeType =>
    structuralType(schema as unknown as JsonObject, metadata);

function readParts(
  source: CustomVersionSource,
  { language, release }: CustomVersionDeps,
  entry = source.entry(),
): VersionParts {
  const given = part(entry, 'schema')['openAPIV3Schema'];
  const written = isJsonObject(given) ? plainSchema(given) : undefined;
  const schema = written !== undefined && isStructural(written) ? asSchema(written) : undefined;
  let rules: RulePlan | undefined;
  let valuesOnly: boolean | undefined;
  const hasSome = schema !== undefined && hasRules(schema);
  const validator: CustomValidator = {
    schema: written === undefined ? undefined : asSchema(written),
    scale: scaleOf(entry),
    values: createValuePlanner(release),
    get rules() {
      if (!hasSome) return undefined;
      return (rules ??= new RulePlan(schema, undefined, true, language));
    },
    get valuesOnly() {
      return (valuesOnly ??= isValuesOnly(validator));
    },
  };
  return { entry, written, schema, validator };
}

const droppedNulls: Readonly<Record<DocumentOrigin, DroppedNulls>> = {
  body: true,
  intent: false,
  merged: 'untyped',
  stored: true,
};

/**
 * The document's own apiVersion, kind and metadata are left as they are. Without a schema nothing
 * is known, and nothing dropped but what is not known to be wanted: a version without a schema has
 * no fields.
 */
function conformed(
  document: JsonObject,
  origin: DocumentOrigin,
  { schema, written }: VersionParts,
  { preserveUnknownFields }: CustomVersionSource,
): Conformed {
  const prunes = !preserveUnknownFields && (schema !== undefined || written === undefined);
  const pruned = prunes
    ? prune(document, schema, { isResource: true, dropsNulls: droppedNulls[origin] })
    : { value: document, unknownFields: [] };
  const coerced = coerceEmbedded(pruned.value, schema, {
    isResource: false,
    dropsInvalid: origin === 'stored',
  });
  if (coerced.kind === 'refused') {
    const { field } = coerced.problem;
    return {
      kind: 'refused',
      problem: coerceProblemText(coerced.problem),
      unquotedProblem: `${field}: ${coerced.problem.detail}`,
    };
  }
  const { unknownFields } = coerced;
  return {
    kind: 'ok',
    object: coerced.value as JsonObject,
    unknownFields:
      unknownFields.length === 0
        ? pruned.unknownFields
        : [...pruned.unknownFields, ...unknownFields].slice(0, unknownFieldsMax),
  };
}

function scaleOf(entry: JsonObject): ScaleFields | undefined {
  const scale = part(entry, 'subresources')['scale'];
  if (!isJsonObject(scale)) return undefined;
  const labelSelectorPath = text(scale, 'labelSelectorPath');
  return {
    specReplicasPath: text(scale, 'specReplicasPath'),
    statusReplicasPath: text(scale, 'statusReplicasPath'),
    labelSelectorPath: labelSelectorPath === '' ? undefined : labelSelectorPath,
  };
}

function customScale(scale: ScaleFields | undefined): CustomScale | undefined {
  if (scale === undefined) return undefined;
  const { labelSelectorPath } = scale;
  const specReplicas = stepsOf(scale.specReplicasPath);
  const statusReplicas = stepsOf(scale.statusReplicasPath);
  const selector = labelSelectorPath === undefined ? undefined : stepsOf(labelSelectorPath);
  const paths = { specReplicas, statusReplicas, selector: selector ?? [] };
  return { specReplicas, statusReplicas, selector, paths };
}

/** Nothing is read for them: the first write asks for those of all versions in one turn. */
function selectableOf({ selectable }: CustomVersionSource): readonly SelectableField[] {
  return selectable.map((path) => {
    const steps = stepsOf(path);
    return { label: steps.join('.'), paths: [steps], unset: '' };
  });
}
