/**
 * Which resources are served though some of their records cannot be read yet, because the key
 * service that encrypted them is away; see streams/SPEC.md, I38.
 *
 *     secrets, configmaps, events, workloads, what users define    each waits by itself
 *     what the server decides by about requests of others          the start waits for it, and who
 *                                                                  follows the log, too
 *
 * Whoever reads of the first kind, here in the server, asks whether all can be read before it takes
 * something for absent.
 */
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import { objectKey, storeKey } from '../../storage/keys.ts';
import type { StoreKey } from '../../storage/storage.ts';

const waitingCore: ReadonlySet<string> = new Set([
  'secrets',
  'configmaps',
  'events',
  'podtemplates',
  'replicationcontrollers',
]);
const waitingGroups: ReadonlySet<string> = new Set(['apps', 'batch', 'autoscaling']);

/** Whether a resource of built-in kinds may wait by itself. */
function mayWait({ group, resource }: GroupResource): boolean {
  return group === '' ? waitingCore.has(resource) : waitingGroups.has(group);
}

export interface AwaitedResources {
  /** Whether the records of this resource may be read later. */
  readonly mayWait: (key: StoreKey) => boolean;
  /** Whether a key service is needed for what has to be read and written at the start. */
  readonly areKeysNeeded: boolean;
}

/** `scheme`: as it is before the first definition of a user has been read. */
export function awaitedResources(
  { storageResources }: Pick<Scheme, 'storageResources'>,
  { mayFetch }: Pick<RecordCodec, 'mayFetch'>,
): AwaitedResources {
  const needed = storageResources.filter((resource) => !mayWait(resource));
  const ids = new Set(needed.map(({ group, resource }) => `${group}/${resource}`));
  return {
    mayWait: (key) => !ids.has(key.slice(0, key.indexOf('/', key.indexOf('/') + 1))),
    areKeysNeeded: needed.some((each) => mayFetch?.(storeKey(objectKey(each, '', ''))) === true),
  };
}
