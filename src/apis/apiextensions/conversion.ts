/**
 * CustomResourceDefinition of apiextensions/v1beta1 (spec 2, section 9.3): what all versions share
 * stood beside the versions, and the fields of a conversion webhook beside its strategy.
 */
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { defined, eachOf, inside, isList, renamed, without } from '../conversion/fields.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

/** Name beside the versions, name in a version. */
const sharedFields = [
  ['validation', 'schema'],
  ['subresources', 'subresources'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ['selectableFields', 'selectableFields'],
] as const;

export const customResourceDefinitionMaps: FieldMaps = {
  toHub: (definition) => inside(definition, ['spec'], specToHub),
  fromHub: (definition) => inside(definition, ['spec'], specFromHub),
};

function specToHub(spec: JsonObject): JsonObject {
  const { version, preserveUnknownFields, ...rest } = spec;
  const own = versionsOf(spec);
  const versions =
    own.length === 0 && typeof version === 'string'
      ? [{ name: version, served: true, storage: true }]
      : own;
  const shared = defined(
    Object.fromEntries(sharedFields.map(([outside, within]) => [within, spec[outside]])),
  );
  const out = without(rest, ...sharedFields.map(([outside]) => outside));
  const filled = eachOf({ versions }, 'versions', (each) =>
    eachOf({ ...shared, ...each }, 'additionalPrinterColumns', (column) =>
      renamed(column, [['JSONPath', 'jsonPath']]),
    ),
  );
  return {
    ...inside(out, ['conversion'], conversionToHub),
    ...filled,
    // Unknown fields were kept unless the older form said otherwise.
    ...(preserveUnknownFields === false ? {} : { preserveUnknownFields: true }),
  };
}

function specFromHub(spec: JsonObject): JsonObject {
  const versions = versionsOf(spec).map((each) =>
    isJsonObject(each)
      ? eachOf(each, 'additionalPrinterColumns', (column) =>
          renamed(column, [['jsonPath', 'JSONPath']]),
        )
      : each,
  );
  const objects = versions.filter((each) => isJsonObject(each));
  const first = objects[0];
  const shared = sharedFields.filter(
    ([, within]) =>
      first?.[within] !== undefined &&
      objects.length === versions.length &&
      objects.every((each) => deepEqual(each[within], first[within])),
  );
  const within = shared.map(([, name]) => name);
  return {
    ...inside(spec, ['conversion'], conversionFromHub),
    ...defined({ version: first?.['name'] }),
    ...Object.fromEntries(shared.map(([outside, name]) => [outside, first?.[name]])),
    versions: versions.map((each) => (isJsonObject(each) ? without(each, ...within) : each)),
    preserveUnknownFields: spec['preserveUnknownFields'] === true,
  };
}

function versionsOf(spec: JsonObject): readonly JsonValue[] {
  return isList(spec['versions']) ? spec['versions'] : [];
}

function conversionToHub(conversion: JsonObject): JsonObject {
  const { webhookClientConfig: clientConfig, conversionReviewVersions, ...rest } = conversion;
  const webhook = defined({ clientConfig, conversionReviewVersions });
  return Object.keys(webhook).length === 0 ? conversion : { ...rest, webhook };
}

function conversionFromHub(conversion: JsonObject): JsonObject {
  const { webhook, ...rest } = conversion;
  if (!isJsonObject(webhook)) return conversion;
  const { clientConfig: webhookClientConfig, conversionReviewVersions } = webhook;
  return { ...rest, ...defined({ webhookClientConfig, conversionReviewVersions }) };
}
