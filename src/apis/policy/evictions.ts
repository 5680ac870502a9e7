/** Evictions: the body of a POST that evicts a pod; never stored. */
import type { KindDefinition } from '../kind-definition.ts';

export const evictions: KindDefinition = {
  resource: 'policy/evictions',
  serving: { never: 'a body of the pods/eviction subresource, not a resource' },
};
