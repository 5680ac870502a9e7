/**
 * Building tables: a column is its definition with the function that makes its cell.
 *
 * Invariant: a table's cells stand in the order of its columns because they are one list.
 */
import type {
  CellValue,
  TableColumn,
  TablePrinter,
} from '../../apimachinery/projection/printer.ts';
import { labelSelectorFromSpec } from '../../apimachinery/selectors/label-selector.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { timeSince } from './duration.ts';
import { objectsAt, partAt, printedAt, textsAt, valueAt } from './fields.ts';

/** From a template of a name to the name under the server's identity. */
export type FillName = (template: string) => string;

export type Cell = (object: JsonObject) => CellValue;

export interface Column {
  readonly definition: TableColumn;
  readonly cell: Cell;
}

export function table(
  columns: readonly Column[],
  conditions?: TablePrinter['conditions'],
): TablePrinter {
  return {
    columns: columns.map((column) => column.definition),
    cells: (object) => columns.map((column) => column.cell(object)),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

export function column(
  name: string,
  description: string,
  cell: Cell,
  type: TableColumn['type'] = 'string',
): Column {
  return { definition: { name, type, format: '', description, priority: 0 }, cell };
}

/** A column of numbers. */
export function integer(name: string, description: string, cell: Cell): Column {
  return column(name, description, cell, 'integer');
}

export function boolean(name: string, description: string, cell: Cell): Column {
  return column(name, description, cell, 'boolean');
}

/** The same, shown only where there is room. */
export function wide(of: Column): Column {
  return { ...of, definition: { ...of.definition, priority: 1 } };
}

/** The same, as the name of the object. */
export function naming(of: Column): Column {
  return { ...of, definition: { ...of.definition, format: 'name' } };
}

export const nameColumn: Column = naming(
  column('Name', 'Name of the object, unique for its kind within its namespace.', (object) =>
    printedAt(object, 'metadata', 'name'),
  ),
);

export const ageColumn: Column = column(
  'Age',
  'Time since the server created the object.',
  (object) => timeSince(valueAt(object, 'metadata', 'creationTimestamp')),
);

/** The cell of an object without a creation time. */
const noTime = '0001-01-01T00:00:00Z';

export const createdAtColumn: Column = column(
  'Created At',
  'Time at which the server created the object, in UTC, as RFC 3339.',
  (object) => printedAt(object, 'metadata', 'creationTimestamp') || noTime,
  'date',
);

/** Names, images and selector of what makes pods; `path` leads to the pod's spec. */
export function containerColumns(...path: string[]): readonly Column[] {
  const of = (member: string) => (object: JsonObject) =>
    objectsAt(object, ...path, 'containers')
      .map((container) => printedAt(container, member))
      .join(',');
  return [
    column('Containers', 'Names of the containers in the template.', of('name')),
    column('Images', 'Images of the containers in the template.', of('image')),
  ];
}

const templateSpec = ['spec', 'template', 'spec'];

export const templateColumns: readonly Column[] = containerColumns(...templateSpec).map(wide);

export function selectorColumn(cell: Cell): Column {
  return wide(column('Selector', 'Labels of the pods that belong to the object.', cell));
}

/** `a=1,b=2`, sorted; `<none>` for no label. */
export function formatLabels(labels: JsonValue | undefined): string {
  const pairs = Object.entries(partAt(labels)).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/** A label selector as the query parameter would have it; '' for one that selects everything. */
export function selectorText(selector: JsonValue | undefined): string {
  const labels = Object.entries(partAt(selector, 'matchLabels'));
  const made = labelSelectorFromSpec({
    matchLabels: Object.fromEntries(labels.map(([key, value]) => [key, String(value)])),
    matchExpressions: objectsAt(selector, 'matchExpressions').map((each) => ({
      key: printedAt(each, 'key'),
      operator: printedAt(each, 'operator'),
      values: textsAt(each, 'values'),
    })),
  });
  return 'text' in made ? made.text : '<invalid>';
}

/** As selectorText, with `<none>` for nothing. */
export function formatSelector(selector: JsonValue | undefined): string {
  return selectorText(selector) || '<none>';
}

/** The first few, and how many more there are. `empty` for none. */
export function firstOf(items: readonly string[], max: number, empty: string, glue = ','): string {
  if (items.length === 0) return empty;
  const shown = items.slice(0, max).join(glue);
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}

export function yesNo(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '<unset>';
  return value === true ? 'True' : 'False';
}
