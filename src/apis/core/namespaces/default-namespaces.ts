/**
 * The four namespaces: they exist in every store from its first start.
 *
 * They are created like any client's object (which adds uid and timestamps, and the namespace
 * strategy adds label, finalizer and phase); one that exists already is left as it is. Their names
 * are the same under every identity: default roles, token secrets and client tools name them. Spec
 * 2, section 2.1 (system and public namespace).
 */
import type { Identity } from '../../../apimachinery/identity.ts';
import type { ApiObject } from '../../../apimachinery/unstructured.ts';
import { prepareNamespaceForCreate } from './strategy.ts';

export function defaultNamespaces(identity: Identity): readonly ApiObject[] {
  const { default: byDefault, system, public: shared, nodeLease } = identity.namespaces;
  return [byDefault, system, shared, nodeLease].map((name) =>
    prepareNamespaceForCreate(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      identity,
    ),
  );
}
