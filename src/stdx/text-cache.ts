/**
 * A cache of results by text, bounded by size.
 *
 * At the limit it is emptied, so hits cost no bookkeeping; entries in use are soon back.
 *
 * Bounds: texts of `charsMax` characters in all. What a value takes is its owner's to reckon.
 */
export interface TextCache<T> {
  get(text: string): T | undefined;
  /** The text must not be kept yet. */
  keep(text: string, value: T): void;
}

export function createTextCache<T>(charsMax: number): TextCache<T> {
  const values = new Map<string, T>();
  let chars = 0;
  return {
    get: (text) => values.get(text),
    keep(text, value) {
      if (chars + text.length > charsMax) {
        values.clear();
        chars = 0;
      }
      values.set(text, value);
      chars += text.length;
    },
  };
}
