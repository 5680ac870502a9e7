/** CustomResourceDefinitions: kinds that clients define. */
import { definitionExpressions } from './definition-expressions.ts';
import { definitionWarnings } from './definition-warnings.ts';
import { objects, part, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Complete, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { when } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { definitionRules, olderRules, stableRules, unknownFieldProblems } from './validation.ts';
import { definitionStrategy, withStoredVersion } from './strategy.ts';
import { bothRules } from '../validation/definition-rules.ts';
import { ratchetingRules } from '../validation/ratcheting-rules.ts';
import { approvalRules } from './protected-groups.ts';
import { customResourceDefinitionMaps } from './conversion.ts';

/** Of what is asked for only: the names in the status are those that were accepted. */
function withNames(spec: JsonObject): JsonObject {
  const { names } = spec;
  const kind = isJsonObject(names) ? names['kind'] : undefined;
  if (!isJsonObject(names) || typeof kind !== 'string' || kind === '') return spec;
  if (names['singular'] !== undefined && names['listKind'] !== undefined) return spec;
  const made = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
  return { ...spec, names: made };
}

/** The older version may name its one version beside the list, and names the first there. */
function withVersions(spec: JsonObject): JsonObject {
  const { version, versions } = spec;
  const [first] = objects(spec, 'versions');
  if (first === undefined && versions === undefined && typeof version === 'string') {
    return { ...spec, versions: [{ name: version, served: true, storage: true }] };
  }
  const name = first?.['name'];
  return version === undefined && name !== undefined ? { ...spec, version: name } : spec;
}

/** Objects are stored in some version, whoever says that there is none. */
const withSomeVersion: Complete = (definition) =>
  texts(part(definition, 'status'), 'storedVersions').length === 0
    ? withStoredVersion(definition)
    : definition;

const definitionDefaults: DefaultTable = {
  fields: {
    'apiextensions/v1.CustomResourceDefinitionSpec': { conversion: { strategy: 'None' } },
    'apiextensions/v1.ServiceReference': { port: 443 },
    'apiextensions/v1beta1.CustomResourceDefinitionSpec': {
      scope: 'Namespaced',
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    },
    'apiextensions/v1beta1.CustomResourceConversion': {
      conversionReviewVersions: when({ strategy: 'Webhook' }, ['v1beta1']),
    },
    'apiextensions/v1beta1.CustomResourceDefinitionNames': {
      singular: ({ kind }) => (typeof kind === 'string' ? kind.toLowerCase() : undefined),
      listKind: ({ kind }) => (typeof kind === 'string' ? `${kind}List` : undefined),
    },
    'apiextensions/v1beta1.ServiceReference': { port: 443 },
  },
  complete: {
    'apiextensions/v1.CustomResourceDefinition': withSomeVersion,
    'apiextensions/v1beta1.CustomResourceDefinition': withSomeVersion,
    'apiextensions/v1.CustomResourceDefinitionSpec': withNames,
    'apiextensions/v1beta1.CustomResourceDefinitionSpec': withVersions,
  },
};

/** The largest in use hold 36,000: each field of each version of a workflow is described. */
const definitionValuesMax = 60_000;

export const customResourceDefinitions: KindDefinition = {
  resource: 'apiextensions.{domain}/customresourcedefinitions',
  anyFinalizer: true,
  expressions: definitionExpressions,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  bodyValuesMax: definitionValuesMax,
  defaults: definitionDefaults,
  // Their own rules say what is missing, in other words or at another place.
  schemaExemptions: {
    optional: `
      apiextensions.CustomResourceDefinitionSpec.versions apiextensions.ValidationRule.rule
      apiextensions.WebhookConversion.conversionReviewVersions
      apiextensions.CustomResourceDefinitionVersion.name
      apiextensions.CustomResourceColumnDefinition.name
      apiextensions.CustomResourceColumnDefinition.type
      apiextensions.CustomResourceColumnDefinition.jsonPath
      apiextensions.CustomResourceSubresourceScale.specReplicasPath
      apiextensions.CustomResourceSubresourceScale.statusReplicasPath`,
    openValues: 'apiextensions.ValidationRule.reason',
  },
  validation: definitionRules,
  warnings: definitionWarnings,
  strategy: definitionStrategy,
  versions: {
    v1: {
      validation: (identity) =>
        [stableRules, ratchetingRules(unknownFieldProblems), approvalRules(identity)].reduce(
          bothRules,
        ),
    },
    v1beta1: { conversion: customResourceDefinitionMaps, validation: olderRules },
  },
};
