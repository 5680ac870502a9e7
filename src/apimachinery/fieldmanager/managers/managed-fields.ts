/**
 * metadata.managedFields, read and written (spec 1, section 2.5).
 *
 * A manager is known by name, operation and subresource; one that updates also by version. An
 * applier has one entry, at the version that it applied last.
 *
 * Invariants: an entry that has not changed is the same object as before. Entries are in order:
 * Apply before Update, then by time, name, version and subresource.
 */
import { text } from '../../members.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { setsEqual } from '../fieldpath/field-set.ts';
import { canonicalFields, markCanonical } from '../fieldpath/fields-v1.ts';
import type { Managers, ManagersDraft, OwnedFields } from '../merge/managers.ts';
import { setOwned } from '../merge/managers.ts';
import type { Steps } from '../../../stdx/stepwise.ts';
import { parseRfc3339 } from '../../time.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { isJsonObject } from '../../unstructured.ts';
import { compareText } from '../value/ordering.ts';
import { unknownManager } from './manager-name.ts';

export type Operation = 'Apply' | 'Update';

export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface StoredEntry {
  readonly identifier: string;
  readonly time: string | undefined;
  readonly owned: OwnedFields;
  /** With its fields in canonical form. */
  readonly entry: JsonObject;
}

/** What is stored, by identifier. */
export interface Managed {
  readonly owners: Managers;
  readonly stored: ReadonlyMap<string, StoredEntry>;
}

export const nothingManaged: Managed = { owners: new Map(), stored: new Map() };

/** Unique within an object; managers are listed in its order where no other is given. */
export function managerIdentifier(identity: ManagerIdentity): string {
  const { manager, operation, apiVersion, subresource } = identity;
  return JSON.stringify({
    manager: manager === '' ? unknownManager : manager,
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

/** What an identifier says; of an applier, all but the version. */
export function identityOf(identifier: string): ManagerIdentity {
  const parsed = JSON.parse(identifier) as Partial<ManagerIdentity>;
  return { manager: '', operation: 'Update', apiVersion: '', subresource: '', ...parsed };
}

/** Undefined when an entry is malformed. Entries that own nothing are left out. */
export function decodeManaged(entries: JsonValue | undefined): Managed | undefined {
  if (entries === undefined || entries === null) return nothingManaged;
  if (!Array.isArray(entries)) return undefined;
  const owners: ManagersDraft = new Map();
  const stored = new Map<string, StoredEntry>();
  for (const entry of entries as JsonArray) {
    const decoded = isJsonObject(entry) ? decodeEntry(entry) : undefined;
    if (decoded === undefined) return undefined;
    setOwned(owners, decoded.identifier, decoded.owned);
    stored.set(decoded.identifier, decoded);
  }
  return { owners, stored };
}

/** decodeManaged() in parts: an entry of thousands of items takes some milliseconds. */
export function* decodeManagedSteps(entries: JsonValue | undefined): Steps<Managed | undefined> {
  for (const entry of Array.isArray(entries) ? (entries as JsonArray) : []) {
    if (!isJsonObject(entry) || decodedEntries.has(entry)) continue;
    if (decodeEntry(entry) === undefined) return undefined;
    yield;
  }
  return decodeManaged(entries);
}

/** Entries of live objects are read at every write, and seldom change. */
const decodedEntries = new WeakMap<JsonObject, StoredEntry>();

function decodeEntry(entry: JsonObject): StoredEntry | undefined {
  const known = decodedEntries.get(entry);
  if (known !== undefined) return known;
  const decoded = decodeNewEntry(entry);
  if (decoded !== undefined) decodedEntries.set(entry, decoded);
  return decoded;
}

function decodeNewEntry(entry: JsonObject): StoredEntry | undefined {
  const operation = entry['operation'];
  const apiVersion = text(entry, 'apiVersion');
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (apiVersion === '' || entry['fieldsType'] !== 'FieldsV1') return undefined;
  const set = canonicalFields(entry['fieldsV1'] ?? null);
  if (set === undefined) return undefined;
  const manager = text(entry, 'manager');
  const subresource = text(entry, 'subresource');
  return {
    identifier: managerIdentifier({ manager, operation, apiVersion, subresource }),
    time: typeof entry['time'] === 'string' ? entry['time'] : undefined,
    owned: { set, version: apiVersion, applied: operation === 'Apply' },
    entry: entry['fieldsV1'] === set ? entry : { ...entry, fieldsV1: set },
  };
}

/** When each manager wrote last, by identifier. */
export function timesOf(managed: Managed): Map<string, string> {
  const times = new Map<string, string>();
  for (const [identifier, { time }] of managed.stored) {
    if (time !== undefined) times.set(identifier, time);
  }
  return times;
}

/** Entries of the owners, with these times. Undefined when nobody owns anything. */
export function encodeManaged(
  owners: Managers,
  before: Managed,
  times: ReadonlyMap<string, string>,
): JsonArray | undefined {
  if (owners.size === 0) return undefined;
  const entries: JsonObject[] = [];
  for (const [identifier, owned] of owners) {
    const stored = before.stored.get(identifier);
    const time = times.get(identifier);
    entries.push(
      stored !== undefined && stored.time === time && isSame(stored.owned, owned)
        ? stored.entry
        : makeEntry({ ...identityOf(identifier), apiVersion: owned.version }, owned.set, time),
    );
  }
  return entries.length === 1 ? entries : entries.sort(compareEntries);
}

/** An entry as it is stored. */
export function makeEntry(
  { manager, operation, apiVersion, subresource }: ManagerIdentity,
  set: FieldSet,
  time: string | undefined,
): JsonObject {
  return {
    manager: manager === '' ? unknownManager : manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: markCanonical(set),
    ...(subresource === '' ? {} : { subresource }),
  };
}

/** Whether the entry is of those updates. */
export function isEntryOf(
  entry: JsonObject,
  { manager, apiVersion, subresource }: Omit<ManagerIdentity, 'operation'>,
): boolean {
  return (
    entry['operation'] === 'Update' &&
    entry['manager'] === (manager === '' ? unknownManager : manager) &&
    entry['apiVersion'] === apiVersion &&
    text(entry, 'subresource') === subresource
  );
}

/** Whether two claims are the same: fields and version. */
function isSame(a: OwnedFields, b: OwnedFields): boolean {
  return a === b || (a.version === b.version && setsEqual(a.set, b.set));
}

/** Whether the same managers own the same fields at the same versions. */
export function sameOwners(a: Managers, b: Managers): boolean {
  if (a.size !== b.size) return false;
  for (const [identifier, owned] of a) {
    const other = b.get(identifier);
    if (other === undefined || !isSame(owned, other)) return false;
  }
  return true;
}

function compareEntries(a: JsonObject, b: JsonObject): number {
  return (
    compareText(text(a, 'operation'), text(b, 'operation')) ||
    secondsOf(a['time']) - secondsOf(b['time']) ||
    compareText(text(a, 'manager'), text(b, 'manager')) ||
    compareText(text(a, 'apiVersion'), text(b, 'apiVersion')) ||
    compareText(text(a, 'subresource'), text(b, 'subresource'))
  );
}

/** Whole seconds since the epoch; 0 when there is no time. */
export function secondsOf(time: JsonValue | undefined): number {
  return typeof time === 'string' ? Math.floor((parseRfc3339(time) ?? 0) / 1000) : 0;
}
