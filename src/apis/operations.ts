/**
 * What a POST to a subresource does, or one to the collection of a kind that is never stored, as
 * the definitions of the kinds say.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { Operation, OperationOf } from '../registry/registry.ts';
import type { DecideOperation } from '../registry/write-command.ts';
import { builtInKinds } from './kind-set.ts';
import type { KindSet } from './kind-set.ts';

export function operationsOf(identity: Identity, kinds: KindSet = builtInKinds): OperationOf {
  const operations = new Map<string, Operation>();
  for (const { resource: key, operation, subresources = {} } of kinds.definitions) {
    const slash = key.lastIndexOf('/');
    const name = `${identity.fill(key.slice(0, slash))}${key.slice(slash)}`;
    if (operation !== undefined) operations.set(`${name}/`, operation);
    for (const [subresource, { operation: own }] of Object.entries(subresources)) {
      if (own !== undefined) operations.set(`${name}/${subresource}`, own);
    }
  }
  return ({ storage: { group, resource } }, subresource) =>
    operations.get(`${group}/${resource}/${subresource}`);
}

/** What operations do to objects, by their names: pure, as every decision. */
export function decisionsOf(kinds: KindSet = builtInKinds): ReadonlyMap<string, DecideOperation> {
  return new Map(kinds.definitions.flatMap(({ decisions = {} }) => Object.entries(decisions)));
}
