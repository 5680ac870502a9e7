/**
 * A registry whose writes let those of callers go first (yielding-pace.ts). Controllers write
 * through it what nobody waits for, and what is large: the content of a namespace or of a
 * definition, dependents, whatever expires together.
 *
 * Invariant: it changes when a write is committed, not what is written.
 */
import type { ActorSystem, WriteOrder } from '../../actors/actors.ts';
import type { RegistryDeps } from '../registry/registry.ts';

/** It stands on no other write. */
const alone: WriteOrder = { behind: [], submitted: () => undefined };

export function yieldingRegistry(registry: RegistryDeps): RegistryDeps {
  const { actors } = registry;
  const execute: ActorSystem['execute'] = (key, command, permit, arrival, order = alone) =>
    actors.execute(key, command, permit, arrival, order);
  return { ...registry, actors: { ...actors, execute } };
}
