/** The API group node: RuntimeClasses, which program runs the containers of a pod. */
import type { GroupDefinition } from '../kind-definition.ts';
import { runtimeClasses } from './runtime-classes.ts';

const descriptions = `
node.RuntimeClass A way to run containers.
  handler Its name at the runtime of the node. It cannot change.
  overhead Resources that it takes beside the containers.
  scheduling Nodes that have it.
`;

export const nodeGroup: GroupDefinition = {
  group: 'node.{domain}',
  types: 'node',
  priority: 16_300,
  versions: {
    v1: { priority: 15 },
    v1beta1: { priority: 9 },
    v1alpha1: { priority: 1, introduced: 14, removed: 23 },
  },
  kinds: [runtimeClasses],
  descriptions: descriptions,
};
