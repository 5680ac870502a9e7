/**
 * The four namespaces: they exist in every store from its first start.
 *
 * They are created like any client's object (which adds uid and timestamps, and the namespace
 * strategy adds finalizer and phase); one that exists already is left as it is. Their names
 * are the same under every identity: default roles, token secrets and client tools name them. Spec
 * 2, section 2.1 (system and public namespace).
 */
import type { Identity } from '../../../apimachinery/identity.ts';
import type { ApiObject } from '../../../apimachinery/unstructured.ts';

export function defaultNamespaces(identity: Identity): readonly ApiObject[] {
  const { default: byDefault, system, public: shared, nodeLease } = identity.namespaces;
  return [byDefault, system, shared, nodeLease].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    // The label is the server's, as what it writes is; the strategy adds what is nobody's.
    metadata: { name, labels: { [identity.labels.metadataName]: name } },
  }));
}
