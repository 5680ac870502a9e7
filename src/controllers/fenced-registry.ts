/**
 * A registry that refuses writes after the Lease has been lost. Controllers that need the Lease
 * write through it, so none of them has to check it.
 *
 *   execute ─▶ may write? ─▶ mailbox ─▶ may write? ─▶ decision ─▶ commit, on that very revision
 *                  │ no                      │ no
 *                  └────────▶ refused (503), nothing written
 *
 * Invariants: the question is asked when a write is handed over and again before every decision on
 * the current object, also when one is made anew after a lost race. So a server that was stopped at
 * any point and goes on after its term decides no more. What it had decided before can still be
 * committed, but only on the revision of the object it was decided on: whatever a later holder has
 * changed is out of its reach.
 */
import { newServiceUnavailable } from '../apimachinery/status-error.ts';
import type { ActorSystem } from '../../actors/actors.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { refused } from '../registry/registry.ts';

export function fencedRegistry(registry: RegistryDeps, mayWrite: () => boolean): RegistryDeps {
  const { actors } = registry;
  const execute: ActorSystem['execute'] = (key, command, _permit, _arrival, order) =>
    mayWrite()
      ? actors.execute(key, command, mayWrite, undefined, order)
      : Promise.resolve(refusal());
  return {
    ...registry,
    actors: { ...actors, execute, stop: () => actors.stop(), stats: () => actors.stats() },
  };
}

function refusal(): ReturnType<typeof refused> {
  return refused(newServiceUnavailable('this server no longer holds the lease of controllers'));
}
