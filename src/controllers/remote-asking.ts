/** In whose name controllers of this server ask other servers. */
import { accountGroups, accountUserName } from '../authentication/service-account-names.ts';
import { wellKnownGroups } from '../apimachinery/user-info.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';

/** The account that has the controller's rights (src/authorization/rbac). */
export function accountUser(namespace: string, name: string): UserInfo {
  const groups = [...accountGroups(namespace), wellKnownGroups.authenticated];
  return { name: accountUserName({ namespace, name }), uid: '', groups, extra: {} };
}
