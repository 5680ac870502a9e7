/** Evictions: no objects, but what is posted to a pod that is to go. */
import type { KindDefinition } from '../kind-definition.ts';

export const evictions: KindDefinition = {
  resource: 'policy/evictions',
  serving: { never: 'a body of the pods/eviction subresource, not a resource' },
};
