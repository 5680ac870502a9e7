/** Which users are kubelets: `system:node:NAME` in the group system:nodes. */
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';

export const nodeUserPrefix = 'system:node:';

/** Undefined: not a node. '': of the nodes' group, without a name. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  if (!groups.includes(wellKnownGroups.nodes)) return undefined;
  return name.startsWith(nodeUserPrefix) ? name.slice(nodeUserPrefix.length) : undefined;
}
