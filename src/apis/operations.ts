/**
 * Operations of kinds, collected from their definitions: what a POST to a subresource, or to the
 * collection of a kind that is never stored, does, and where a connection would lead.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { Connect, ConnectOf, Operation, OperationOf } from '../registry/registry.ts';
import type { DecideOperation } from '../registry/write-command.ts';
import { builtInKinds, keyUnderIdentity } from './kind-set.ts';
import type { KindSet } from './kind-set.ts';

export function operationsOf(identity: Identity, kinds: KindSet = builtInKinds): OperationOf {
  const operations = new Map<string, Operation>();
  for (const { resource: key, operation, subresources = {} } of kinds.definitions) {
    const name = keyUnderIdentity(key, identity);
    if (operation !== undefined) operations.set(`${name}/`, operation);
    for (const [subresource, { operation: own }] of Object.entries(subresources)) {
      if (own !== undefined) operations.set(`${name}/${subresource}`, own);
    }
  }
  return ({ storage: { group, resource } }, subresource) =>
    operations.get(`${group}/${resource}/${subresource}`);
}

/** Where subresources that lead to what runs lead, as the definitions of the kinds say. */
export function connectionsOf(identity: Identity, kinds: KindSet = builtInKinds): ConnectOf {
  const connections = new Map<string, Connect>();
  for (const { resource: key, subresources = {} } of kinds.definitions) {
    for (const [subresource, { connection }] of Object.entries(subresources)) {
      if (connection !== undefined) {
        connections.set(`${keyUnderIdentity(key, identity)}/${subresource}`, connection);
      }
    }
  }
  return ({ storage: { group, resource } }, subresource) =>
    connections.get(`${group}/${resource}/${subresource}`);
}

/** What operations do to objects, by their names: pure, as every decision. */
export function decisionsOf(kinds: KindSet = builtInKinds): ReadonlyMap<string, DecideOperation> {
  return new Map(kinds.definitions.flatMap(({ decisions = {} }) => Object.entries(decisions)));
}
