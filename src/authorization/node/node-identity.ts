/** Which users are kubelets: `system:node:NAME` in the group system:nodes. */
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';

const userPrefix = 'system:node:';

/** Undefined: not a node. '': of the nodes' group, without a name. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  if (!groups.includes(wellKnownGroups.nodes)) return undefined;
  return name.startsWith(userPrefix) ? name.slice(userPrefix.length) : undefined;
}
