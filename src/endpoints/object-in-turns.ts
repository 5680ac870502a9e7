/**
 * Work on one object that is read, or written anew, for an answer (spec 1, section 4.3). It is for
 * objects above `bytesAtOnceMax`: what is smaller is answered at once.
 *
 *     its parts, in turns with the work of others; a large one waits for the one before it
 *
 * Invariant: large objects are taken one after the other, each in as many turns as it has parts.
 * What has been read of an object and is not written yet takes several times its size, so it is
 * there for one of them only, however many wait. The work waits for nobody outside.
 */
import { isLarge } from '../apimachinery/object-encoding.ts';
import { runStepwise } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { EndpointDeps } from './request.ts';

/** Undefined: the client has gone. */
export function objectInTurns<T>(
  { largeObjects, registry: { turns } }: Pick<EndpointDeps, 'largeObjects' | 'registry'>,
  exchange: { readonly closed: boolean },
  bytes: Uint8Array,
  work: Steps<T>,
): Promise<T | undefined> {
  const run = (): Promise<T | undefined> => runStepwise(turns, work, () => exchange.closed);
  return isLarge(bytes) ? largeObjects(run) : run();
}
