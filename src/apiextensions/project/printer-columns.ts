/**
 * The columns of a version as a Table shows them: the name, then those that the definition has;
 * without any, the age (spec 1, section 2.6).
 *
 * What is missing, or has another type than its column, is null; a text column shows any value.
 *
 * Invariants: made when the first object is shown. A path that cannot be read ends the columns: the
 * ones before it are shown.
 *
 * Bounds: `columnsMax`, for each of them is looked for in each object; all of a row together look
 * at `visitsOfRow` values, behind which nothing more is found, and show `textOfRow` characters,
 * behind which texts are cut.
 */
import { objects, text } from '../../apimachinery/members.ts';
import { ageSince } from '../../apimachinery/projection/printer.ts';
import type {
  CellValue,
  TableColumn,
  TablePrinter,
} from '../../apimachinery/projection/printer.ts';
import { parseRfc3339 } from '../../apimachinery/time.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isGoInteger, goJson, goNumber } from '../schema/go-text.ts';
import { parseJsonPath } from './json-path.ts';
import type { JsonPath, Visits } from './json-path.ts';

/** Some three times as many as the longest table in use has. */
export const columnsMax = 64;
/** Three columns may spend all that a path may look at; others need a few each. */
const visitsOfRow = 30_000;
/** A whole object fits, which many columns may not show again and again. */
const textOfRow = 3 * 1024 * 1024;
/** Of a text that does not fit. */
const cutTextMax = 10_000;

const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique for its kind within its namespace. It never changes.',
  priority: 0,
};

const age: JsonObject = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time at which the server created the object.',
};

interface Column {
  readonly shown: TableColumn;
  readonly type: string;
  readonly path: JsonPath;
  /** It leads into the metadata. */
  readonly isOfMetadata: boolean;
}

const metadataPath = /^\.metadata(?:[.[]|$)/;

/** `version`: the entry of the definition's versions. */
export function customTable(version: () => JsonObject): TablePrinter {
  let made: readonly Column[] | undefined;
  let shown: readonly TableColumn[] | undefined;
  const columns = (): readonly Column[] => (made ??= columnsOf(version()));
  return {
    get columns() {
      return (shown ??= [nameColumn, ...columns().map((column) => column.shown)]);
    },
    get readsMetadataOnly() {
      return columns().every(({ isOfMetadata }) => isOfMetadata);
    },
    cells(object) {
      const metadata = object['metadata'] as JsonObject | undefined;
      const name = text(metadata, 'name');
      const visits: Visits = { left: visitsOfRow };
      const cells = columns().map(({ path, type }) => cellOf(type, path.first(object, visits)));
      return withTextsCut([name, ...cells]);
    },
  };
}

function withTextsCut(cells: readonly CellValue[]): readonly CellValue[] {
  let left = textOfRow;
  return cells.map((cell) => {
    if (typeof cell !== 'string') return cell;
    const shown = cell.length <= Math.max(left, cutTextMax) ? cell : cutText(cell);
    left -= shown.length;
    return shown;
  });
}

function cutText(text: string): string {
  return `${text.slice(0, cutTextMax)}...`;
}

function columnsOf(version: JsonObject): readonly Column[] {
  const declared = objects(version, 'additionalPrinterColumns');
  const columns: Column[] = [];
  for (const column of declared.length === 0 ? [age] : declared.slice(0, columnsMax)) {
    const jsonPath = text(column, 'jsonPath');
    const path = parseJsonPath(jsonPath);
    if (path === undefined) break;
    const isOfMetadata = metadataPath.test(jsonPath);
    const shown = shownColumn(column, jsonPath);
    columns.push({ shown, type: text(column, 'type'), path, isOfMetadata });
  }
  return columns;
}

function shownColumn(column: JsonObject, jsonPath: string): TableColumn {
  const { priority } = column;
  const said = text(column, 'description');
  const otherwise = `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    name: text(column, 'name'),
    type: text(column, 'type') as TableColumn['type'],
    format: text(column, 'format'),
    description: said === '' ? otherwise : said,
    priority: typeof priority === 'number' ? priority : 0,
  };
}

/** `value` undefined: nothing is there. */
function cellOf(type: string, value: JsonValue | undefined): CellValue {
  if (value === undefined) return null;
  return type === 'string' ? textCell(value) : typedCell(type, value);
}

function textCell(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<no value>';
  if (typeof value === 'object') return objectCell(value);
  return typeof value === 'boolean' ? String(value) : goNumber(value);
}

/** The value shown last and its text, because several columns may show the same value. */
let lastShown: readonly [value: object, text: string] | undefined;

function objectCell(value: JsonObject | readonly JsonValue[]): string {
  if (lastShown?.[0] !== value) lastShown = [value, goJson(value)];
  return lastShown[1];
}

/** A cell of a column of this type; null for a value of another. */
export function typedCell(type: string, value: JsonValue): CellValue {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  switch (type) {
    case 'integer':
      if (!isNumber) return null;
      return typeof value === 'number' ? Math.trunc(value) : isGoInteger(value) ? value : null;
    case 'number':
      return isNumber ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'string':
      return typeof value === 'string' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value) : null;
    default:
      return null;
  }
}

function dateCell(value: string): CellValue {
  if (value === '' || value === 'null') return '<unknown>';
  const since = parseRfc3339(value);
  return since === undefined ? '<invalid>' : ageSince(since);
}
