/**
 * Flags of a server that lets everybody do everything over plain HTTP: for tests whose subject is
 * not access. A test of access gives its own flags, which come later and win.
 */
export const openAccess = {
  'secure-port': 'off',
  'authorization-mode': 'AlwaysAllow',
  'anonymous-auth': 'true',
  // No objects beside those that the test makes.
  controllers: '',
  // Nobody makes the accounts that pods would have to run as.
  'disable-admission-plugins': 'ServiceAccount',
} as const;

/** Also, nobody takes away the finalizers with which objects of volumes are created. */
export const withoutFinalizers = {
  'disable-admission-plugins': 'ServiceAccount,StorageObjectInUseProtection',
} as const;

export const openAccessFlags: readonly string[] = Object.entries(openAccess).map(
  ([flag, value]) => `--${flag}=${value}`,
);
