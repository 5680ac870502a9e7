/**
 * Who a caller is, as every layer above knows it: authentication finds out, authorization,
 * admission, audit and the registry use it (spec 2, section 5.1).
 */

/** Attributes of a caller; opaque here, they mean something to authorization. */
export interface UserInfo {
  readonly name: string;
  /** '' when there is none. */
  readonly uid: string;
  readonly groups: readonly string[];
  /** Keys in lower case. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const wellKnownGroups = {
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  masters: 'system:masters',
  monitoring: 'system:monitoring',
  nodes: 'system:nodes',
  serviceAccounts: 'system:serviceaccounts',
  bootstrappers: 'system:bootstrappers',
} as const;

/** What the user names of service accounts begin with. */
export const accountUsers = 'system:serviceaccount:';

/** What the user names of all accounts of this one's namespace begin with. Undefined: it is
 * somebody else's. */
export function accountUsersOf(userName: string): string | undefined {
  if (!userName.startsWith(accountUsers)) return undefined;
  const end = userName.indexOf(':', accountUsers.length);
  return end < 0 ? undefined : userName.slice(0, end + 1);
}

export const anonymousUser: UserInfo = {
  name: 'system:anonymous',
  uid: '',
  groups: [wellKnownGroups.unauthenticated],
  extra: {},
};
