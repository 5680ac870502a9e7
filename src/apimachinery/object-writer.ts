/**
 * Writes an object in its stored form (object-encoding.ts), as bytes at once.
 *
 * Invariant: what it writes is what object-encoding.ts makes of texts, byte for byte. It relies on
 * values that are never changed once they are made.
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
import { textOfFields } from './shared-fields.ts';
import type { ApiObject, JsonArray, JsonObject, JsonValue } from './unstructured.ts';
import { isJsonObject } from './unstructured.ts';

/** `head`: the bytes in front of the braces of metadata. Undefined: the object is too large for the
 * writer, and object-encoding.ts has to make it of texts. */
export function writtenObject(head: Uint8Array, object: ApiObject): Buffer | undefined {
  begin();
  // Setting a length is slow, even to the length that the list has.
  if (largeParts.length > 0) largeParts.length = 0;
  if (!writeObject(head, object)) return undefined;
  const bytes = written();
  for (const { part, start, end } of largeParts) encodedParts.set(part, bytes.subarray(start, end));
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

/** Most updates of large objects leave some of their parts as they are: the spec, where the status
 * is written, all but metadata, what another manager owns. A part that is the very same value has
 * the bytes that it had. */
const encodedParts = new WeakMap<JsonObject, Uint8Array>();
/** A smaller part is written anew in less time than it takes to remember it. */
const largePartBytesMin = 1024;

interface Part {
  readonly part: JsonObject;
  readonly start: number;
  readonly end: number;
}

/** The large parts of the object that is being written. */
const largeParts: Part[] = [];

function writePart(value: JsonValue): boolean {
  if (!isJsonObject(value)) return writeValue(value);
  const start = position();
  const known = encodedParts.get(value);
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
