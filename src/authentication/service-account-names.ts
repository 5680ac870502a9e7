/**
 * How service accounts are called as users (spec 2, section 5.6, rule 7), and where what their
 * tokens are bound to stands in the user's extra fields.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { accountUsers, wellKnownGroups } from '../apimachinery/user-info.ts';

const groupPrefix = 'system:serviceaccounts:';

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export function accountUserName({ namespace, name }: AccountName): string {
  return `${accountUsers}${namespace}:${name}`;
}

export function accountGroups(namespace: string): readonly string[] {
  return [wellKnownGroups.serviceAccounts, `${groupPrefix}${namespace}`];
}

/** Keys of the extra fields. */
export function accountExtraKeys({ labelDomain }: Identity) {
  const key = (name: string): string => `authentication.${labelDomain}/${name}`;
  return {
    credentialId: key('credential-id'),
    podName: key('pod-name'),
    podUid: key('pod-uid'),
    nodeName: key('node-name'),
    nodeUid: key('node-uid'),
  };
}

/** Annotations of a token secret: whose token it holds. */
export function accountAnnotations({ labelDomain }: Identity) {
  return {
    name: `${labelDomain}/service-account.name`,
    uid: `${labelDomain}/service-account.uid`,
  };
}
