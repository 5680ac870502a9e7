/** In whose name controllers of this server ask other servers, and until when. */
import { accountGroups, accountUserName } from '../authentication/service-account-names.ts';
import { wellKnownGroups } from '../apimachinery/user-info.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { AbortCallbacks } from '../stdx/requester.ts';
import type { Requester } from '../stdx/requester.ts';

/** The account that has the controller's rights (src/authorization/rbac). */
export function accountUser(namespace: string, name: string): UserInfo {
  const groups = [...accountGroups(namespace), wellKnownGroups.authenticated];
  return { name: accountUserName({ namespace, name }), uid: '', groups, extra: {} };
}

/** One who stays until `depart`, when all calls are cut. */
export function createDeparture(): { readonly requester: Requester; readonly depart: () => void } {
  const callbacks = new AbortCallbacks();
  let closed = false;
  const requester: Requester = {
    get closed() {
      return closed;
    },
    onAbort: (callback) => (closed ? callback() : callbacks.add(callback)),
    offAbort: (callback) => callbacks.remove(callback),
  };
  const depart = (): void => {
    closed = true;
    callbacks.call();
  };
  return { requester, depart };
}
