/**
 * Writes an object in its stored form (object-encoding.ts), as bytes at once.
 *
 * Invariant: what it writes is what object-encoding.ts makes of texts, byte for byte.
 */
import {
  begin,
  writeByte,
  writeBytes,
  writeName,
  writeText,
  writeValue,
  written,
} from './codecs/json-writer.ts';
import { textOfFields } from './shared-fields.ts';
import type { ApiObject, JsonArray, JsonValue } from './unstructured.ts';
import { isJsonObject } from './unstructured.ts';

const comma = 0x2c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** `head`: all that stands before the braces of metadata. Undefined: it has to be made of texts. */
export function writtenObject(head: Uint8Array, object: ApiObject): Buffer | undefined {
  begin();
  return writeObject(head, object) ? written() : undefined;
}

function writeObject(head: Uint8Array, object: ApiObject): boolean {
  if (!writeBytes(head) || !writeMetadata(object.metadata)) return false;
  for (const name in object) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue;
    const value = object[name];
    if (value !== undefined && !(writeName(name, false) && writeValue(value))) return false;
  }
  return writeByte(closingBrace);
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

/** Of one manager: with the text of its fields where that is known, which then come last. */
function writeEntry(entry: JsonValue): boolean {
  if (!isJsonObject(entry)) return writeValue(entry);
  const { fieldsV1: fields } = entry;
  const known = isJsonObject(fields) ? textOfFields(fields) : undefined;
  if (known === undefined) return writeValue(entry);
  if (!writeByte(openingBrace)) return false;
  let isFirst = true;
  for (const name in entry) {
    const value = entry[name];
    if (value === undefined || name === 'fieldsV1') continue;
    if (!writeName(name, isFirst) || !writeValue(value)) return false;
    isFirst = false;
  }
  return writeName('fieldsV1', isFirst) && writeText(known) && writeByte(closingBrace);
}
