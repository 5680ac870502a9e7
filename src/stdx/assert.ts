/**
 * Assertions: invariants that hold in production, not input checks.
 *
 * Input that a client can send wrong is refused with a StatusError. A failed assertion is a bug: in
 * request scope it fails that request with 500; in the commit or log path it stops the process.
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The default branch of an exhaustive switch: a new member of the union fails to compile here. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
