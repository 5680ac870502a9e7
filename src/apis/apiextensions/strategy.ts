/**
 * What the server writes itself of definitions of custom resources.
 *
 *     create    storedVersions: the version that is marked for storage
 *     update    a version that is newly marked is one of them
 *     delete    a finalizer holds the definition until its objects are gone, and its status says so
 *
 * Elsewhere: the rules of definitions (validation.ts) and the conditions that follow from other
 * definitions (src/controllers/definitions).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { withConditions } from '../../apimachinery/own-condition.ts';
import type { KindStrategy } from '../../registry/strategy.ts';

const pending = {
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

/** On a definition that is being deleted, until its objects are gone. */
export function cleanupFinalizer({ fill }: Pick<Identity, 'fill'>): string {
  return fill('customresourcecleanup.apiextensions.{domain}');
}

/** What replaces functions of the generic strategy. */
export function definitionStrategy(
  generic: KindStrategy,
  identity: Identity,
): Partial<KindStrategy> {
  const finalizer = cleanupFinalizer(identity);
  return {
    prepareForCreate: (object, user) =>
      withStoredVersion(withoutConditions(generic.prepareForCreate(object, user))),
    prepareForUpdate: (next, current, nowMs) =>
      withStoredVersion(generic.prepareForUpdate(next, current, nowMs)),
    deletesWhatWasFound: true,
    // The first deletion only marks: what the definition defines goes first.
    holdsDeletion: ({ metadata }) => metadata.deletionTimestamp === undefined,
    // A definition knows no grace, and what it asks for does not change.
    markDeletion(object, found) {
      const { deletionTimestamp = '', finalizers = [] } = object.metadata;
      const held = finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer];
      const metadata = { ...found.metadata, deletionTimestamp, finalizers: held };
      const marked = { ...object, metadata };
      const says = { type: 'Terminating', says: pending };
      return withConditions(marked, object, deletionTimestamp, [says]);
    },
  };
}

/** The field is always shown, also before there is any. */
function withoutConditions(definition: ApiObject): ApiObject {
  return { ...definition, status: { ...part(definition, 'status'), conditions: null } };
}

/** The version that is marked for storage is among those that objects are stored in. */
export function withStoredVersion<Definition extends ApiObject | JsonObject>(
  definition: Definition,
): Definition {
  const versions = objects(part(definition, 'spec'), 'versions');
  const stored = versions.find(({ storage }) => storage === true);
  if (stored === undefined) return definition;
  const status = part(definition, 'status');
  const before = texts(status, 'storedVersions');
  const name = text(stored, 'name');
  if (before.includes(name)) return definition;
  return { ...definition, status: { ...status, storedVersions: [...before, name] } };
}
