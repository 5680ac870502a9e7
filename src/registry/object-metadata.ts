/**
 * The metadata that the server owns: what a create sets and what an update may not change
 * (spec 1, section 2.2).
 *
 * Elsewhere: validation of what the client owns (apimachinery/validation).
 */
import { deepEqual } from '../stdx/deep-equal.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { withMember, withMetadata } from '../apimachinery/unstructured.ts';
import type { ApiObject, ObjectMeta, OwnerReference } from '../apimachinery/unstructured.ts';

/** Set by the server at creation; whatever the client sent for them is dropped. */
export interface ServerSetMetadata {
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly name: string;
  readonly namespace: string;
}

/** Fields of metadata that a client cannot write. What it says of managedFields is checked where
 * ownership is tracked. */
const serverOwned: ReadonlySet<string> = new Set([
  'resourceVersion',
  'selfLink',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
]);

type MetadataDraft = Record<string, ObjectMeta[string]>;

/** Adds the client's own members of `meta`. Built up member by member, because every write comes
 * through here and deleting members is slow. */
function withClientOwned(draft: MetadataDraft, meta: ObjectMeta): ObjectMeta {
  for (const field in meta) {
    if (field !== 'name' && field !== 'namespace' && !serverOwned.has(field)) {
      draft[field] = meta[field];
    }
  }
  return draft;
}

export function metadataForCreate(
  object: ApiObject,
  kind: KindInfo,
  birth: ServerSetMetadata,
): ApiObject {
  const draft: MetadataDraft = { name: birth.name };
  if (birth.namespace !== '') draft['namespace'] = birth.namespace;
  draft['uid'] = birth.uid;
  const { tracksGeneration: counts } = kind;
  if (counts === true || counts === 'once') draft['generation'] = 1;
  draft['creationTimestamp'] = birth.creationTimestamp;
  return withMetadata(object, withClientOwned(draft, object.metadata));
}

/** The submitted metadata with everything the server owns taken from the current object. The
 * client's uid and deletion fields stay as they were sent, so that validation can refuse a change
 * of them. */
export function metadataForUpdate(submitted: ApiObject, current: ApiObject): ApiObject {
  const was = current.metadata;
  const draft: MetadataDraft = { name: was.name };
  for (const field of keptOnUpdate) if (was[field] !== undefined) draft[field] = was[field];
  const { uid, deletionTimestamp, deletionGracePeriodSeconds } = submitted.metadata;
  if (uid !== undefined && uid !== '') draft['uid'] = uid;
  if (deletionTimestamp !== undefined) draft['deletionTimestamp'] ??= deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) {
    draft['deletionGracePeriodSeconds'] = deletionGracePeriodSeconds;
  }
  return withMetadata(submitted, withClientOwned(draft, submitted.metadata));
}

/** In the order in which they are written. */
const keptOnUpdate = [
  'namespace',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

const noMembers = {};

/** generation + 1 when something outside metadata and status differs (spec 1, section 2.2). */
export function withGeneration(next: ApiObject, current: ApiObject, kind: KindInfo): ApiObject {
  const { countedMetadata: counted, tracksGeneration: counts } = kind;
  if (counts === false || counts === 'once') return next;
  const sameMetadata =
    counted === undefined ||
    deepEqual(next.metadata[counted] ?? noMembers, current.metadata[counted] ?? noMembers);
  const same =
    sameMetadata &&
    sameDesiredState(next, current) &&
    (kind.countsStatus !== true || deepEqual(next['status'], current['status']));
  return same ? next : bumpGeneration(next);
}

export function bumpGeneration(object: ApiObject): ApiObject {
  const generation = (object.metadata.generation ?? 0) + 1;
  return withMetadata(object, withMember(object.metadata, 'generation', generation));
}

/** Members of an object that are not desired state. */
const undesired: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function sameDesiredState(next: ApiObject, current: ApiObject): boolean {
  for (const name in next) {
    if (!undesired.has(name) && !deepEqual(next[name], current[name])) return false;
  }
  for (const name in current) {
    if (!undesired.has(name) && !(name in next)) return false;
  }
  return true;
}

export interface Deduplicated {
  readonly object: ApiObject;
  readonly warnings: readonly string[];
}

/** Repeated owner references are dropped, with a warning. `when`: what the text says of a patch,
 * whose references are there when it has been applied. */
export function withoutDuplicateOwners(object: ApiObject, when: '' | 'patched' = ''): Deduplicated {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return { object, warnings: [] };
  const kept = new Map<string, OwnerReference>();
  const repeated: string[] = [];
  for (const owner of owners) {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
    const all = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (kept.has(all)) repeated.push(uid);
    else kept.set(all, owner);
  }
  if (repeated.length === 0) return { object, warnings: [] };
  const after = when === 'patched' ? ' after mutating admission happens' : '';
  const warning =
    `.metadata.ownerReferences contains duplicate entries${after}; API server dedups owner ` +
    'references in 1.20+, and may reject such requests as early as 1.24; please fix your ' +
    `requests; duplicate UID(s) observed: ${repeated.join(', ')}`;
  return {
    object: { ...object, metadata: { ...object.metadata, ownerReferences: [...kept.values()] } },
    warnings: [warning],
  };
}
