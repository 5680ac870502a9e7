/**
 * Scalars whose type is given by a tag of YAML's own: `!!str 12`, `!!int "12"`, `!!binary aGk=`.
 *
 * A value that does not fit its tag is refused. What `!!binary` decodes to becomes text as the
 * reference makes it: every byte that is not UTF-8 is one U+FFFD.
 */
import { isUtf8 } from 'node:buffer';
import { TextUnits, withoutLineEnds } from '../../stdx/text-units.ts';
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

export function isBinary(tag: string): boolean {
  return tag === binaryTag;
}

/** The value of a scalar with a tag other than `!!binary`. One that is not known leaves it the text
 * that it is. */
export function taggedValue(tag: string, text: string): JsonValue {
  const types = typesOf.get(tag);
  if (types === undefined) return text;
  const scalar = resolvePlainScalar(text);
  if (scalar.kind === 'value' && types.includes(typeof scalar.value)) return scalar.value;
  const name = tag.slice(coreTagPrefix.length);
  throw new YamlRefusal(`the tag !!${name} does not fit its value`);
}

/** Characters of base64, and bytes of what they stand for, that are looked at in one part. */
const partLength = 64 * 1024;

/** The text that the bytes of a `!!binary` scalar are, made in parts. */
export function* binaryText(text: string): Generator<undefined, string> {
  const base64 = withoutLineEnds(text);
  if (base64.length % 4 !== 0) throw notBase64();
  const bytes = Buffer.alloc((base64.length / 4) * 3);
  let length = 0;
  for (let from = 0; from < base64.length; from += partLength) {
    const part = base64.slice(from, from + partLength);
    const isLast = from + partLength >= base64.length;
    if (!(isLast ? lastBase64 : innerBase64).test(part)) throw notBase64();
    length += bytes.write(part, length, 'base64');
    yield;
  }
  return yield* textOfAnyBytes(bytes.subarray(0, length));
}

const innerBase64 = /^[A-Za-z0-9+/]*$/;
const lastBase64 = /^[A-Za-z0-9+/]*={0,2}$/;

function notBase64(): YamlRefusal {
  return new YamlRefusal('a !!binary value is not valid base64');
}

function* textOfAnyBytes(bytes: Uint8Array): Generator<undefined, string> {
  if (isUtf8(bytes)) return decodeTrustedText(bytes);
  const text = new TextUnits();
  for (let at = 0; at < bytes.length;) {
    const partEnd = Math.min(at + partLength, bytes.length);
    while (at < partEnd) at += addCharacter(text, bytes, at);
    yield;
  }
  return text.text;
}

/** Returns how many bytes it has. */
function addCharacter(text: TextUnits, bytes: Uint8Array, at: number): number {
  const length = characterLength(bytes, at);
  if (length === 1) text.add(bytes[at] as number);
  else if (length === 0) text.add(0xfffd);
  else text.addAll(decodeTrustedText(bytes.subarray(at, at + length)));
  return Math.max(length, 1);
}

/** Bytes of the character that begins here; 0: none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
