/** Audiences: whom a token is for. */

/** Of those that were asked for the ones that a token is good for, in their order. Callers can make
 * both lists long. */
export function commonAudiences(
  asked: readonly string[],
  good: readonly string[],
): readonly string[] {
  const known = new Set(good);
  return asked.filter((audience) => known.has(audience));
}
