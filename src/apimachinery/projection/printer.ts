/**
 * How one kind is shown in a Table: its columns and the cells of an object (spec 1, section 2.6).
 *
 * What it is not: the kinds' own tables, which are data (src/apis/tables).
 *
 * Invariants: `cells` has one cell for each column, takes whatever object the store holds (also
 * one of which only metadata is there), never throws, and reads no clock.
 */
import type { JsonObject, JsonValue } from '../unstructured.ts';

export interface TableColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'string';
  /** `name` marks the column that names the object. */
  readonly format: string;
  readonly description: string;
  /** 0: always shown; 1: only where there is room. */
  readonly priority: 0 | 1;
}

export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** `nowMs`: when the answer is made, for ages. */
  cells(object: JsonObject, nowMs: number): readonly JsonValue[];
  /** What holds for the row as a whole: that its object has finished. */
  conditions?(object: JsonObject): readonly JsonObject[];
}
