/** Failures for which the limit of open files is too low, wherever it was met during a start. */

export const openFilesRemedy =
  'the limit of open files is too low: raise it (ulimit -n, LimitNOFILE=)';

/** Libraries of machine code say it in words. */
export function isOpenFilesLimit(error: unknown): boolean {
  return error instanceof Error && /\bEMFILE\b|Too many open files/.test(error.message);
}
