/** The name of a class in Tables, marked where it is the default. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { Column, FillName } from '../tables/columns.ts';
import { nameColumn } from '../tables/columns.ts';
import { printedAt } from '../tables/fields.ts';

export function nameWithDefault(templates: readonly string[], fill: FillName): Column {
  const annotations = templates.map(fill);
  const isDefault = (object: JsonObject) =>
    annotations.some((name) => printedAt(object, 'metadata', 'annotations', name) === 'true');
  return {
    ...nameColumn,
    cell: (object) =>
      `${printedAt(object, 'metadata', 'name')}${isDefault(object) ? ' (default)' : ''}`,
  };
}
