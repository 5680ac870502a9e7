/**
 * The marks of a store: its format, identity and eras, and whether an import has finished.
 *
 * Marks change when a store is created, imported or restored from a copy, never in a commit. They
 * are checked when the store is opened, and again when a server takes a slot.
 *
 * Invariant: of a store with another format only the number of the format is read.
 */
import { StorageError } from '../storage.ts';
import { importUnfinished } from '../transfer.ts';
import { FORMAT, corrupt } from './layout.ts';
import type { Era } from './layout.ts';

export interface Marks {
  readonly format: number;
  readonly identity: string;
  /** At least one; the last is that of commits made now. */
  readonly eras: readonly Era[];
  /** Names the import that made this store, if one did. */
  readonly importId?: string | undefined;
  /** That import has not finished: nothing of the store may be served. */
  readonly importing?: boolean | undefined;
}

export function encodeMarks(marks: Marks): Buffer {
  const eras = marks.eras.map(({ version, base }) => [String(version), String(base)]);
  return Buffer.from(JSON.stringify({ ...marks, eras }));
}

/** @throws StorageError `corrupt`. Of another format nothing but its number is read. */
export function decodeMarks(bytes: Buffer): Marks {
  const found = parse(bytes);
  const { format, identity, importId, importing } = found;
  if (typeof format !== 'number' || typeof identity !== 'string') throw malformed();
  if (format !== FORMAT) return { format, identity, eras: [] };
  const eras = Array.isArray(found.eras) ? found.eras.map(decodeEra) : [];
  if (eras.length === 0) throw malformed();
  return {
    format,
    identity,
    eras,
    importId: typeof importId === 'string' ? importId : undefined,
    importing: importing === true,
  };
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> {
  let found: unknown;
  try {
    found = JSON.parse(bytes.toString());
  } catch {
    throw malformed();
  }
  if (typeof found !== 'object' || found === null) throw malformed();
  return found as Readonly<Record<string, unknown>>;
}

function decodeEra(found: unknown): Era {
  const numbers = Array.isArray(found) ? (found as readonly unknown[]) : [];
  const [version, base] = numbers.map((n) => (/^\d+$/.test(String(n)) ? BigInt(String(n)) : -1n));
  if (version === undefined || base === undefined || version < 0n || base < 0n) throw malformed();
  return { version, base };
}

/** @throws StorageError `identity`, `incomplete`. `where` names the store. */
export function checkMarks(marks: Marks, identity: string | undefined, where: string): void {
  if (marks.format !== FORMAT) {
    const message = `${where} has format ${marks.format}; this build reads format ${FORMAT}`;
    throw new StorageError('identity', message);
  }
  if (marks.importing === true) {
    throw importUnfinished(where);
  }
  if (identity !== undefined && marks.identity !== identity) {
    throw new StorageError(
      'identity',
      `${where} was written under identity "${marks.identity}"` +
        ` and cannot be opened under "${identity}": start with --identity=${marks.identity},` +
        ' or give --fdb-prefix another name',
    );
  }
}

export function describeStore(prefix: string): string {
  return `the store under FoundationDB prefix "${prefix}"`;
}

function malformed(): StorageError {
  return corrupt('its mark of format and identity');
}
