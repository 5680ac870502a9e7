/**
 * The name that a client asked for: none for a creation with `generateName`, although the object
 * already has its generated name.
 */
import type { Review } from './admission.ts';

/** How many characters the server puts behind a generateName. */
const generatedLength = 5;

type Named = Pick<Review, 'name' | 'next' | 'operation'>;

/** '' for a name that the server has made: the client did not ask for it. */
export function requestedName(review: Named): string {
  return prefixOf(review) === undefined ? review.name : '';
}

/** What a refusal calls an object that is not named yet. */
export function nameOrPrefix(review: Named): string {
  return prefixOf(review) ?? review.name;
}

/** Undefined: the name is not made of it. */
function prefixOf({ name, next, operation }: Named): string | undefined {
  const prefix = next?.metadata.generateName;
  if (operation !== 'CREATE' || prefix === undefined || prefix === '') return undefined;
  const isMade = name.startsWith(prefix) && name.length === prefix.length + generatedLength;
  return isMade ? prefix : undefined;
}
