/**
 * What it takes to read a stored object, or to write one, in milliseconds of a turn. Requests begin
 * several together, and go on together behind a commit: above `bytesAtOnceMax` each waits for its
 * turn before it reads.
 */
export const bytesAtOnceMax = 16 * 1024;

const millisecondsPerMiB = 30;

export function objectMs({ length }: Uint8Array): number {
  return (length * millisecondsPerMiB) / (1024 * 1024);
}
