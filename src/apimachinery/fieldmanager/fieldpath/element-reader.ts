/**
 * Reads the elements of one set from outside, each once: it is asked whether they are canonical,
 * compared with its neighbours, and written anew where it is not.
 *
 * Bounds: an element has at most `elementPartsMax` parts (path-element.ts), all of a set have at
 * most `setPartsMax`. Policy: what is above is malformed. Sets that are made here have fewer: an
 * item has at least as many fields as keys, and an object at most 5,000 fields.
 */
import type { PathElement, unknownElement } from './path-element.ts';
import { countParts, parsePathElement } from './path-element.ts';

export type ElementReader = (text: string) => PathElement | typeof unknownElement | undefined;

const setPartsMax = 16_000;

export function elementReader(): ElementReader {
  let known: Map<string, ReturnType<ElementReader>> | undefined;
  let left = setPartsMax;
  return (text) => {
    // Nothing has to be read of a field.
    if (text.startsWith('f:')) return parsePathElement(text);
    known ??= new Map();
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found;
    left -= countParts(text);
    const element = left < 0 ? undefined : parsePathElement(text);
    known.set(text, element);
    return element;
  };
}
