/**
 * Removes the secrets of bootstrap tokens that have expired (spec 2, section 3.1); switched on with
 * `--controllers=*,tokencleaner`.
 *
 *   expired, says the record ─▶ delete, by uid and revision ─▶ gone
 *
 * That a token has expired is written into its record by its actor. Invariants: a secret that was
 * changed, or made anew, since it was looked at is left alone and looked at again; a secret that is
 * gone already is none to remove.
 */
import { decodeObject } from '../apimachinery/object-encoding.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import { secretsResource } from '../authentication/object-reader.ts';
import { tokenStates } from '../../actors/actors.ts';
import { deleteObject } from '../registry/delete.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue, keysAtOnce } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';
import { yieldingRegistry } from './yielding-registry.ts';

export interface TokenCleanerDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly onError: (name: string, error: unknown) => void;
}

export function createTokenCleaner(deps: TokenCleanerDeps): Controller {
  const { onError, queues, registry, timers } = deps;
  const { system } = registry.identity.namespaces;
  return createKeyQueue({
    name: 'token-cleaner',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    atOnceMax: keysAtOnce,
    sources: [
      {
        resource: secretsResource,
        keysOf: (namespace, name) => (namespace === system ? [name] : []),
      },
    ],
    work: (name) => clean(yieldingRegistry(registry), name),
    onError,
  });
}

async function clean(registry: RegistryDeps, name: string): Promise<void> {
  const { identity, scheme, streams } = registry;
  const { system } = identity.namespaces;
  const entry = streams.snapshot(secretsResource).get(system, name);
  const kind = scheme.findStorage(secretsResource);
  if (kind === undefined || entry?.timer?.state !== tokenStates.expired) return;
  const { deletionTimestamp, resourceVersion, uid } = decodeObject(entry.bytes).metadata;
  // Finalizers hold it: nothing more to do.
  if (deletionTimestamp !== undefined) return;
  const target = { kind, namespace: system, name };
  const preconditions = { uid, resourceVersion };
  const result = await deleteObject(registry, target, { dryRun: false, preconditions });
  if (result.kind === 'ok' || passedOver.has(result.error.reason)) return;
  throw result.error;
}

/** It was changed, which comes back as a change, or it is gone. */
const passedOver: ReadonlySet<string> = new Set([StatusReason.conflict, StatusReason.notFound]);
