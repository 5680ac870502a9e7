/**
 * Whether what names users and groups in a distinguished name is text, of the types that X.520 has.
 *
 *     SEQUENCE { SET { SEQUENCE { type, value } } }
 *
 * A value of another type (an octet string, a number) has no one reading as a text, and so cannot
 * name a user or a group. Other attributes (mail addresses, countries) have types of their own.
 */
import { elementAt } from './der-bounds.ts';
import type { DerElement } from './der-bounds.ts';

/** UTF8String, PrintableString, TeletexString, UniversalString, BMPString. */
const directoryStrings: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x1c, 0x1e]);

/** In hexadecimal: common name, organization, and the unique ID of a user. */
const namingTypes: ReadonlySet<string> = new Set(['550403', '55040a', '2b0601040183c25302']);

/** `name`: DER. */
export function namesWithTexts(name: Uint8Array): boolean {
  const outer = elementAt(name, 0, name.length);
  if (outer === undefined) return false;
  return elementsOf(name, outer).every((set) =>
    elementsOf(name, set).every((attribute) => {
      const [type, value] = elementsOf(name, attribute);
      if (type === undefined || value === undefined) return false;
      const id = Buffer.from(name.subarray(type.contentAt, type.end)).toString('hex');
      return !namingTypes.has(id) || directoryStrings.has(value.tag);
    }),
  );
}

/** Those that stand side by side in another. What is not well-formed ends them. */
function elementsOf(der: Uint8Array, { contentAt, end }: DerElement): readonly DerElement[] {
  const found: DerElement[] = [];
  for (let at = contentAt; at < end;) {
    const element = elementAt(der, at, end);
    if (element === undefined) break;
    found.push(element);
    at = element.end;
  }
  return found;
}
