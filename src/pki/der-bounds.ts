/**
 * Whether DER that a stranger sent is small enough to be read whole.
 *
 *     SEQUENCE { SEQUENCE { INTEGER OCTET STRING { SEQUENCE { ... } } } }     each one an element
 *
 * The library that reads certificates takes up to 0.1 ms for a name in one and 0.3 ms for an
 * extension, so they are counted first: one pass, no recursion.
 *
 * Bounds: `elementsMax` elements, what octet strings hold among them; `octetStringsMax` octet
 * strings, of which each extension is one.
 */
const derBounds = {
  elementsMax: 1024,
  octetStringsMax: 64,
} as const;

const tags = { constructed: 0x20, octetString: 0x04, longForm: 0x1f } as const;

export type DerBounds =
  | { readonly kind: 'within' }
  /** It cannot be counted. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'beyond'; readonly problem: string };

export function boundsOf(der: Uint8Array): DerBounds {
  const { elementsMax, octetStringsMax } = derBounds;
  if (der.length === 0) return { kind: 'malformed' };
  let elements = 0;
  let octetStrings = 0;
  const open: Range[] = [{ at: 0, end: der.length, within: undefined }];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    if (range.at === range.end) continue;
    const { within } = range;
    const element = elementAt(der, range.at, range.end);
    if (element === undefined) {
      // What an octet string holds need not be DER.
      if (within === 'octets') continue;
      return { kind: 'malformed' };
    }
    open.push({ at: element.end, end: range.end, within });
    elements += 1;
    if (elements > elementsMax) return beyond(elementsMax, 'elements');
    const isOctets = element.tag === tags.octetString;
    if (isOctets && within !== 'octets') octetStrings += 1;
    if (octetStrings > octetStringsMax) return beyond(octetStringsMax, 'extensions');
    const holdsElements = (element.tag & tags.constructed) !== 0;
    if (holdsElements) open.push({ at: element.contentAt, end: element.end, within });
    else if (isOctets) open.push({ at: element.contentAt, end: element.end, within: 'octets' });
  }
  return { kind: 'within' };
}

function beyond(max: number, what: string): DerBounds {
  return { kind: 'beyond', problem: `it has more than ${max} ${what}` };
}

interface Range {
  readonly at: number;
  readonly end: number;
  readonly within: 'octets' | undefined;
}

export interface DerElement {
  readonly tag: number;
  readonly contentAt: number;
  readonly end: number;
}

/** Undefined: there is none that ends within `end`. Tags of several bytes stand in nothing that is
 * read here. */
export function elementAt(der: Uint8Array, at: number, end: number): DerElement | undefined {
  const tag = der[at] ?? 0;
  const first = der[at + 1] ?? 0;
  if (at + 2 > end || (tag & tags.longForm) === tags.longForm || first === 0x80) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4) return undefined;
  const contentAt = at + 2 + lengthBytes;
  const length =
    lengthBytes === 0 ? first : der.subarray(at + 2, contentAt).reduce((n, b) => n * 256 + b, 0);
  const elementEnd = contentAt + length;
  return elementEnd > end ? undefined : { tag, contentAt, end: elementEnd };
}
