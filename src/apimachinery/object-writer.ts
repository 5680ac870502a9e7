/**
 * Writes an object in its stored form (object-encoding.ts), as bytes at once.
 *
 * Invariant: what it writes is the JSON of the object in the order that object-encoding.ts says. It
 * relies on values that are never changed once they are made.
 */
import {
  begin,
  closingBrace,
  closingBracket,
  comma,
  openingBrace,
  openingBracket,
  position,
  writeByte,
  writeBytes,
  writeName,
  writeText,
  writeValue,
  written,
} from './codecs/json-writer.ts';
import { encodedPart, keepParts } from './encoded-parts.ts';
import type { PartPlace } from './encoded-parts.ts';
import { textOfFields } from './shared-fields.ts';
import type { ApiObject, JsonArray, JsonValue } from './unstructured.ts';
import { isJsonObject } from './unstructured.ts';

/** `head`: the bytes in front of the braces of metadata. Undefined: the object is too large for the
 * writer, and large-object-writer.ts has to make it. */
export function writtenObject(head: Uint8Array, object: ApiObject): Buffer | undefined {
  begin();
  // Setting a length is slow, even to the length that the list has.
  if (largeParts.length > 0) largeParts.length = 0;
  if (!writeObject(head, object)) return undefined;
  const bytes = written();
  if (largeParts.length > 0) keepParts(bytes, largeParts);
  return bytes;
}

function writeObject(head: Uint8Array, object: ApiObject): boolean {
  if (!writeBytes(head) || !writeMetadata(object.metadata)) return false;
  for (const name in object) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue;
    const value = object[name];
    if (value !== undefined && !(writeName(name, false) && writePart(value))) return false;
  }
  return writeByte(closingBrace);
}

/** A smaller part is written anew in less time than it takes to remember it. */
const largePartBytesMin = 1024;

/** The large parts of the object that is being written. */
const largeParts: PartPlace[] = [];

function writePart(value: JsonValue): boolean {
  if (!isJsonObject(value)) return writeValue(value);
  const start = position();
  const known = encodedPart(value);
  if (!(known === undefined ? writeValue(value) : writeBytes(known))) return false;
  const end = position();
  if (end - start >= largePartBytesMin) largeParts.push({ part: value, start, end });
  return true;
}

/** Without a resourceVersion; managedFields come last. */
function writeMetadata(metadata: ApiObject['metadata']): boolean {
  if (!writeByte(openingBrace)) return false;
  let isFirst = true;
  for (const name in metadata) {
    const value = metadata[name];
    if (value === undefined || name === 'resourceVersion' || name === 'managedFields') continue;
    if (!writeName(name, isFirst) || !writeValue(value)) return false;
    isFirst = false;
  }
  const { managedFields } = metadata;
  if (managedFields !== undefined) {
    if (!writeName('managedFields', isFirst) || !writeManagers(managedFields)) return false;
  }
  return writeByte(closingBrace);
}

function writeManagers(entries: JsonValue): boolean {
  if (!Array.isArray(entries)) return writeValue(entries);
  if (!writeByte(openingBracket)) return false;
  for (let i = 0; i < entries.length; i += 1) {
    if (i > 0 && !writeByte(comma)) return false;
    if (!writeEntry((entries as JsonArray)[i] as JsonValue)) return false;
  }
  return writeByte(closingBracket);
}

/** One manager. Where the text of its fields is known, that is written, as the last member. */
function writeEntry(entry: JsonValue): boolean {
  if (!isJsonObject(entry)) return writeValue(entry);
  const { fieldsV1: fields } = entry;
  const known = isJsonObject(fields) ? textOfFields(fields) : undefined;
  if (!writeByte(openingBrace)) return false;
  let isFirst = true;
  for (const name in entry) {
    const value = entry[name];
    if (value === undefined || (name === 'fieldsV1' && known !== undefined)) continue;
    if (!writeName(name, isFirst) || !writePart(value)) return false;
    isFirst = false;
  }
  if (known === undefined) return writeByte(closingBrace);
  return writeName('fieldsV1', isFirst) && writeText(known) && writeByte(closingBrace);
}
