/**
 * Keeps the default flow schemas and priority levels: at the start and every minute.
 *
 *     mandatory    not there ▶ created    another spec ▶ put right, whatever its annotation says
 *     suggested    not there ▶ created    else ▶ put right where the annotation says `true`;
 *                  without an annotation: `true` if it was never changed, else `false`
 *     neither, but marked as the server's ▶ deleted: an older release has left it
 *
 * Elsewhere: the objects (src/apis/flowcontrol/default-configuration.ts), and the conditions of
 * flow schemas (flow-schema-conditions.ts).
 */
import { part } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { deleteObject } from '../../registry/delete.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { paced } from '../../stdx/paced.ts';
import { asStored, ensureObject } from './ensured-object.ts';
import type { Repair } from './ensured-object.ts';

const manager = 'api-priority-and-fairness-config-producer-v1';

/** In the version that is asked for. */
export interface DefaultObject {
  readonly mandatory: boolean;
  readonly object: ApiObject;
}

/** @throws StatusError or StorageError for the first that could not be written. */
export async function reconcileFlowControl(
  registry: RegistryDeps,
  kind: KindInfo,
  defaults: readonly DefaultObject[],
  annotation: string,
): Promise<void> {
  const wanted = defaults.map(({ mandatory, object }) => ({
    mandatory,
    object: asStored(object, kind),
  }));
  // Together: they ride one commit.
  await Promise.all(
    wanted.map(({ mandatory, object }) =>
      ensureObject(registry, kind, object, repairOf(object, mandatory, annotation), manager),
    ),
  );
  const names = new Set(wanted.map(({ object }) => object.metadata.name));
  const all = registry.streams.snapshot(kind.storage).entries(undefined);
  for await (const entry of paced(registry.turns, all)) {
    if (names.has(entry.name)) continue;
    const object = decodeObject(entry.bytes);
    if (object.metadata.annotations?.[annotation] === 'true') {
      await removeLeftover(registry, kind, object);
    }
  }
}

function repairOf(wanted: ApiObject, mandatory: boolean, annotation: string): Repair {
  return (current) => {
    const { annotations, generation } = current.metadata;
    const said = annotations?.[annotation];
    const unchanged = (generation ?? 1) === 1;
    const ours = mandatory || (said ?? String(unchanged)) === 'true';
    const spec = part(ours ? wanted : current, 'spec');
    const wish = mandatory ? 'true' : (said ?? String(ours));
    if (said === wish && deepEqual(part(current, 'spec'), spec)) return undefined;
    const metadata = { ...current.metadata, annotations: { ...annotations, [annotation]: wish } };
    return { ...current, metadata, spec };
  };
}

async function removeLeftover(
  registry: RegistryDeps,
  kind: KindInfo,
  { metadata }: ApiObject,
): Promise<void> {
  const { name = '', uid, resourceVersion } = metadata;
  const preconditions = { uid, resourceVersion };
  const target = { kind, namespace: '', name };
  const deleted = await deleteObject(registry, target, { dryRun: false, preconditions });
  if (deleted.kind === 'refused' && !passedOver.has(deleted.error.reason)) throw deleted.error;
}

/** It is gone, or somebody has changed it since: it may be no longer ours to delete. */
const passedOver: ReadonlySet<string> = new Set([StatusReason.notFound, StatusReason.conflict]);
