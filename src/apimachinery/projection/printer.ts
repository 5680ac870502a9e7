/**
 * How one kind is shown in a Table: its columns and the cells of an object (spec 1, section 2.6).
 *
 * Elsewhere: the kinds' own tables, which are data (src/apis).
 *
 * Invariants: `cells` has one cell for each column, takes whatever object the store holds (also
 * one of which only metadata is there), never throws, and reads no clock: what changes with time
 * is an `Age`, and all else of a row is the same as long as the object is.
 */
import type { JsonObject } from '../unstructured.ts';
import { humanDuration } from './human-duration.ts';

export interface TableColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  /** `name` marks the column that names the object. */
  readonly format: string;
  readonly description: string;
  /** 0: always shown; above: only where there is room. */
  readonly priority: number;
}

/** A text with the time since a moment in it, in ASCII: `3 (5m ago)`. */
export interface Age {
  /** Wall clock. */
  readonly sinceMs: number;
  readonly before: string;
  readonly after: string;
}

export type CellValue = string | number | bigint | boolean | null | Age;

export function ageSince(sinceMs: number, before = '', after = ''): Age {
  return { sinceMs, before, after };
}

export function isAge(cell: CellValue): cell is Age {
  return typeof cell === 'object' && cell !== null;
}

/** `nowMs`: when the answer is made. */
export function ageText({ sinceMs, before, after }: Age, nowMs: number): string {
  return before + humanDuration(nowMs - sinceMs) + after;
}

export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** True: cells and conditions are made of the metadata alone, and nothing else need be there. */
  readonly readsMetadataOnly?: boolean | undefined;
  cells(object: JsonObject): readonly CellValue[];
  /** What holds for the row as a whole: that its object has finished. */
  conditions?(object: JsonObject): readonly JsonObject[];
}
