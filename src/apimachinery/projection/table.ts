/**
 * Tables: a row for an object, with the columns of its kind or the default two, name and creation
 * time (spec 1, section 2.6).
 *
 *   {"kind":"Table","apiVersion":"meta.<domain>/v1","metadata":{"resourceVersion":"7"},
 *    "columnDefinitions":[...],"rows":[{"cells":["a","2026-..."],"object":{...}},...]}
 *
 * The columns of a kind come from its printer.
 *
 * Invariants: a row's `object` is what `includeObject` says: nothing (null), the object's
 * PartialObjectMetadata (the default), or the object. Only metadata is parsed without a printer,
 * and for one that reads nothing else. Ages count until the moment of the answer: a row that is
 * kept has marks where they belong.
 */
import { assert } from '../../stdx/assert.ts';
import { parseJsonText, stringifyJson } from '../codecs/lossless.ts';
import {
  decodeObject,
  decodeSharedSteps,
  decodeTrustedText,
  isLarge,
  metadataBytes,
} from '../object-encoding.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { newBadRequest } from '../status-error.ts';
import type { StatusError } from '../status-error.ts';
import type { JsonObject, ObjectMeta } from '../unstructured.ts';
import { partialForm } from './partial-metadata.ts';
import type { PartialOptions } from './partial-metadata.ts';
import type { Age, TableColumn, TablePrinter } from './printer.ts';
import { ageText, isAge } from './printer.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions extends PartialOptions {
  readonly includeObject: IncludeObject;
  /** Of the kind; absent: the default columns. */
  readonly printer?: TablePrinter | undefined;
  /** Wall clock; asked once a row. There when the printer is. */
  readonly nowMs?: (() => number) | undefined;
}

const defaultColumns: readonly TableColumn[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Name of the object, unique for its kind within its namespace. It never changes.',
    priority: 0,
  },
  {
    name: 'Created At',
    type: 'date',
    format: '',
    description: 'Time at which the server created the object, in UTC, as RFC 3339.',
    priority: 0,
  },
];

export type IncludeObjectResult =
  | { readonly kind: 'ok'; readonly includeObject: IncludeObject }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** The query parameter `includeObject`; absent or empty is Metadata. */
export function parseIncludeObject(parameter: string | undefined): IncludeObjectResult {
  switch (parameter) {
    case undefined:
    case '':
      return { kind: 'ok', includeObject: 'Metadata' };
    case 'None':
    case 'Metadata':
    case 'Object':
      return { kind: 'ok', includeObject: parameter };
    default: {
      const value = JSON.stringify(parameter);
      const message = `includeObject must be None, Metadata or Object, not ${value}`;
      return { kind: 'refused', error: newBadRequest(message) };
    }
  }
}

export interface TableForm {
  readonly kind: 'Table';
  readonly apiVersion: string;
  /** JSON of the columns: the value of `columnDefinitions`. */
  readonly columnsText: string;
  /** JSON of one row, from an object's stamped bytes, with `mark` in place of each age. */
  row(bytes: Uint8Array, mark: string): MarkedRow;
  /** The same in parts, for a large object. */
  rowSteps(bytes: Uint8Array, mark: string): Steps<MarkedRow>;
  /** row() with the ages of this moment. */
  rowNow(bytes: Uint8Array): Uint8Array;
  /** A Table of one object, as text. `columns` false leaves them null: a later event of a watch. */
  tableOf(bytes: Uint8Array, resourceVersion: string, columns: boolean): string;
  /** Such a Table of a large object, in parts, with its columns. */
  tableSteps(bytes: Uint8Array, resourceVersion: string): Steps<Uint8Array>;
  /** What stands around the row of such a Table. */
  around(
    resourceVersion: string,
    columns: boolean,
  ): { readonly head: string; readonly tail: string };
}

export interface MarkedRow {
  readonly json: Uint8Array;
  readonly ages: readonly Age[];
}

/** The cell of an object without a creation time: the zero time, as the reference writes it. */
const noTime = '0001-01-01T00:00:00Z';

export function tableForm(options: TableOptions): TableForm {
  const partial = partialForm(options);
  const { printer } = options;
  const columnsText = JSON.stringify(printer?.columns ?? defaultColumns);
  const rowOf = (
    bytes: Uint8Array,
    textOf: (age: Age) => string,
    object?: JsonObject,
  ): Uint8Array => {
    const shown =
      printer === undefined
        ? defaultRow(bytes)
        : printedRow(printer, object ?? readFor(printer, bytes), textOf);
    const head = `{${shown},"object":`;
    if (options.includeObject === 'Object' && isLarge(bytes)) {
      return Buffer.concat([Buffer.from(head, 'utf8'), bytes, closingBrace]);
    }
    return Buffer.from(`${head}${objectText(bytes)}}`, 'utf8');
  };
  /** `object`: what the bytes hold, where that has been read. */
  const rowNow = (bytes: Uint8Array, object?: JsonObject): Uint8Array => {
    const nowMs = options.nowMs?.();
    const textOf = (age: Age): string => {
      assert(nowMs !== undefined, 'a printer needs the time');
      return ageText(age, nowMs);
    };
    return rowOf(bytes, textOf, object);
  };
  const markedRow = (bytes: Uint8Array, mark: string, object?: JsonObject): MarkedRow => {
    const ages: Age[] = [];
    const textOf = (age: Age): string => {
      ages.push(age);
      return mark;
    };
    return { json: rowOf(bytes, textOf, object), ages };
  };
  const around = (resourceVersion: string, columns: boolean) =>
    aroundRow(partial.apiVersion, resourceVersion, columns ? columnsText : 'null');
  const objectText = (bytes: Uint8Array): string => {
    if (options.includeObject === 'None') return 'null';
    if (options.includeObject === 'Object') return decodeTrustedText(bytes);
    return decodeTrustedText(partial.project(bytes));
  };
  return {
    kind: 'Table',
    apiVersion: partial.apiVersion,
    columnsText,
    row: markedRow,
    *rowSteps(bytes, mark) {
      const object = yield* readInSteps(printer, bytes);
      yield;
      return markedRow(bytes, mark, object);
    },
    rowNow: (bytes) => rowNow(bytes),
    *tableSteps(bytes, resourceVersion) {
      const object = yield* readInSteps(printer, bytes);
      yield;
      const row = rowNow(bytes, object);
      yield;
      const { head, tail } = around(resourceVersion, true);
      return Buffer.concat([Buffer.from(head, 'utf8'), row, Buffer.from(tail, 'utf8')]);
    },
    tableOf(bytes, resourceVersion, columns) {
      const { head, tail } = around(resourceVersion, columns);
      return head + decodeTrustedText(rowNow(bytes)) + tail;
    },
    around,
  };
}

/** What stands around the row of a Table. */
function aroundRow(
  apiVersion: string,
  resourceVersion: string,
  columns: string,
): { readonly head: string; readonly tail: string } {
  const metadata = resourceVersion === '' ? {} : { resourceVersion };
  const opened = JSON.stringify({ kind: 'Table', apiVersion, metadata });
  const head = `${opened.slice(0, -1)},"columnDefinitions":${columns},"rows":[`;
  return { head, tail: ']}' };
}

const closingBrace = Buffer.from('}');

function defaultRow(bytes: Uint8Array): string {
  const metadata = parseJsonText(decodeTrustedText(metadataBytes(bytes))) as ObjectMeta;
  const cells = [metadata.name ?? '', metadata.creationTimestamp ?? noTime];
  return `"cells":${JSON.stringify(cells)}`;
}

/** What the cells are read from, if that is the whole object. */
function* readInSteps(
  printer: TablePrinter | undefined,
  bytes: Uint8Array,
): Steps<JsonObject | undefined> {
  if (printer === undefined || printer.readsMetadataOnly === true) return undefined;
  return yield* decodeSharedSteps(bytes);
}

/** What the cells are read from. */
function readFor({ readsMetadataOnly }: TablePrinter, bytes: Uint8Array): JsonObject {
  return readsMetadataOnly === true ? metadataOnly(bytes) : decodeObject(bytes);
}

function printedRow(
  printer: TablePrinter,
  object: JsonObject,
  textOf: (age: Age) => string,
): string {
  const shown = printer.cells(object).map((cell) => (isAge(cell) ? textOf(cell) : cell));
  const cells = `"cells":${stringifyJson(shown)}`;
  const conditions: readonly JsonObject[] = printer.conditions?.(object) ?? [];
  return conditions.length === 0 ? cells : `${cells},"conditions":${stringifyJson(conditions)}`;
}

function metadataOnly(bytes: Uint8Array): JsonObject {
  return { metadata: parseJsonText(decodeTrustedText(metadataBytes(bytes))) };
}
