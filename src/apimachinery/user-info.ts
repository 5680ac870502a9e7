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
  nodes: 'system:nodes',
  serviceAccounts: 'system:serviceaccounts',
  bootstrappers: 'system:bootstrappers',
} as const;

export const anonymousUser: UserInfo = {
  name: 'system:anonymous',
  uid: '',
  groups: [wellKnownGroups.unauthenticated],
  extra: {},
};
