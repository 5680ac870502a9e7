/**
 * Scalars whose type is given by a tag of YAML's own: `!!str 12`, `!!int "12"`, `!!binary aGk=`.
 *
 * A value that does not fit its tag is refused. What `!!binary` decodes to becomes text as the
 * reference makes it: every byte that is not UTF-8 is one U+FFFD.
 */
import { isUtf8 } from 'node:buffer';
import { decodeTrustedText } from '../object-encoding.ts';
import type { JsonValue } from '../unstructured.ts';
import { YamlRefusal } from './yaml-cursor.ts';
import { resolvePlainScalar } from './yaml-scalars.ts';
import { coreTagPrefix } from './yaml-tags.ts';

const typesOf = new Map<string, readonly string[]>([
  [`${coreTagPrefix}null`, ['object']],
  [`${coreTagPrefix}bool`, ['boolean']],
  [`${coreTagPrefix}int`, ['number', 'bigint']],
  [`${coreTagPrefix}float`, ['number', 'bigint']],
]);
const binaryTag = `${coreTagPrefix}binary`;

/** The value of a scalar with a tag. One that is not known leaves it the text that it is. */
export function taggedValue(tag: string, text: string): JsonValue {
  if (tag === binaryTag) return binaryText(text);
  const types = typesOf.get(tag);
  if (types === undefined) return text;
  const scalar = resolvePlainScalar(text);
  if (scalar.kind === 'value' && types.includes(typeof scalar.value)) return scalar.value;
  const name = tag.slice(coreTagPrefix.length);
  throw new YamlRefusal(`the tag !!${name} does not fit its value`);
}

function binaryText(text: string): string {
  const base64 = text.replace(/[\r\n]/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw new YamlRefusal('a !!binary value is not valid base64');
  }
  return textOfAnyBytes(Buffer.from(base64, 'base64'));
}

function textOfAnyBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return decodeTrustedText(bytes);
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    if (length === 0) pieces.push(decodeTrustedText(bytes.subarray(start, at)), '\ufffd');
    at += Math.max(length, 1);
    if (length === 0) start = at;
  }
  pieces.push(decodeTrustedText(bytes.subarray(start)));
  return pieces.join('');
}

/** Bytes of the character that begins here; 0: none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
