/**
 * What serving has to know of a definition at once: names, versions and where it stands; all else
 * is read when somebody uses a version.
 *
 * Invariants: pure; a definition that holds nonsense (it was accepted once) is one of nothing. A
 * summary holds texts and flags, never a part of a schema: thousands of definitions that nobody
 * uses cost no more than their names.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject, ObjectMeta } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';

/** As in the definition, or as accepted. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
  readonly categories: readonly string[];
}

export interface VersionSummary {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  /** The paths of its selectable fields, as written: every write needs those of all versions. */
  readonly selectable: readonly string[];
  /** Of the first version that has the same schema; of many versions, the same to the letter. */
  readonly sameSchemaAs: string;
}

export interface DefinitionSummary {
  readonly name: string;
  readonly uid: string;
  /** Counts the changes of the spec; a deletion that begins counts as one, too. */
  readonly generation: number;
  readonly group: string;
  readonly namespaced: boolean;
  readonly requested: DefinitionNames;
  /** Those under which it is served. */
  readonly accepted: DefinitionNames;
  readonly versions: readonly VersionSummary[];
  readonly preserveUnknownFields: boolean;
  readonly converts: 'None' | 'Webhook';
  readonly isAccepted: boolean;
  readonly isEstablished: boolean;
  readonly isEnding: boolean;
  /** Objects of it may be stored in another version than the one that is marked for it. */
  readonly storesSeveral: boolean;
}

/** `definition`: in the form of v1. */
export function summaryOf(definition: ApiObject): DefinitionSummary {
  return finished(summarySteps(definition));
}

/** summaryOf() in parts: a version at a time, where there are many. */
export function* summarySteps(definition: ApiObject): Steps<DefinitionSummary> {
  const { name = '' } = definition.metadata;
  const spec = part(definition, 'spec');
  const versions = objects(spec, 'versions');
  return {
    name,
    ...standingOf(definition.metadata, part(definition, 'status')),
    group: text(spec, 'group'),
    namespaced: text(spec, 'scope') !== 'Cluster',
    requested: namesOf(part(spec, 'names')),
    versions: yield* versionSteps(versions),
    preserveUnknownFields: spec['preserveUnknownFields'] === true,
    converts: text(part(spec, 'conversion'), 'strategy') === 'Webhook' ? 'Webhook' : 'None',
  };
}

/** What changes without the spec. */
export type DefinitionStanding = Pick<
  DefinitionSummary,
  'uid' | 'generation' | 'accepted' | 'isAccepted' | 'isEstablished' | 'isEnding' | 'storesSeveral'
>;

export function standingOf(metadata: ObjectMeta, status: JsonObject): DefinitionStanding {
  const { deletionTimestamp, generation = 0, uid = '' } = metadata;
  return {
    uid,
    generation,
    accepted: namesOf(part(status, 'acceptedNames')),
    isAccepted: isTrue(status, 'NamesAccepted'),
    isEstablished: isTrue(status, 'Established'),
    isEnding: deletionTimestamp !== undefined,
    storesSeveral: texts(status, 'storedVersions').length > 1,
  };
}

export function namesOf(names: JsonObject): DefinitionNames {
  return {
    plural: text(names, 'plural'),
    singular: text(names, 'singular'),
    shortNames: texts(names, 'shortNames'),
    kind: text(names, 'kind'),
    listKind: text(names, 'listKind'),
    categories: texts(names, 'categories'),
  };
}

/** Whether a condition of a status is true. */
export function isTrue(status: JsonObject, type: string): boolean {
  return objects(status, 'conditions').some(
    (each) => each['type'] === type && each['status'] === 'True',
  );
}

/** More than these are told apart by their text: each compared with each would be too long. */
const comparedVersionsMax = 8;

function* versionSteps(versions: readonly JsonObject[]): Steps<readonly VersionSummary[]> {
  if (versions.length <= comparedVersionsMax) {
    return versions.map((version) => {
      const isAlike = (each: JsonObject): boolean => deepEqual(each['schema'], version['schema']);
      return versionOf(version, text(versions.find(isAlike), 'name'));
    });
  }
  const first = new Map<string, string>();
  const summaries: VersionSummary[] = [];
  yield* inSteps(versions, (version) => {
    const name = text(version, 'name');
    const schema = JSON.stringify(version['schema'] ?? null);
    const sameSchemaAs = first.get(schema) ?? name;
    first.set(schema, sameSchemaAs);
    summaries.push(versionOf(version, sameSchemaAs));
    return schema.length;
  });
  return summaries;
}

function versionOf(version: JsonObject, sameSchemaAs: string): VersionSummary {
  const subresources = part(version, 'subresources');
  const warning = version['deprecationWarning'];
  return {
    name: text(version, 'name'),
    served: version['served'] === true,
    storage: version['storage'] === true,
    deprecated: version['deprecated'] === true,
    deprecationWarning: typeof warning === 'string' ? warning : undefined,
    hasStatus: isJsonObject(subresources['status']),
    hasScale: isJsonObject(subresources['scale']),
    selectable: selectablePathsOf(version),
    sameSchemaAs,
  };
}

const noPaths: readonly string[] = [];

/** Of an entry of `spec.versions`. */
export function selectablePathsOf(version: JsonObject): readonly string[] {
  const fields = objects(version, 'selectableFields');
  return fields.length === 0 ? noPaths : fields.map((field) => text(field, 'jsonPath'));
}
