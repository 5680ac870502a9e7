/** Batches of events in parts, each of which is worked off in one step. */

/** Characters: more are in a part only if they are one event. */
const charactersMax = 256 * 1024;

/** All lines, in their order; no part is empty. */
export function* batchParts(lines: readonly string[]): Generator<readonly string[]> {
  let from = 0;
  let characters = 0;
  for (const [at, { length }] of lines.entries()) {
    if (at > from && characters + length > charactersMax) {
      yield lines.slice(from, at);
      from = at;
      characters = 0;
    }
    characters += length;
  }
  if (from < lines.length) yield lines.slice(from);
}
