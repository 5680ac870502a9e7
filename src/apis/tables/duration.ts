/** Time stamps as ages, computed when the answer is made. */
import type { CellValue } from '../../apimachinery/projection/printer.ts';
import { ageSince } from '../../apimachinery/projection/printer.ts';
import { parseRfc3339 } from '../../apimachinery/time.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';

/** From a time stamp until then; `<unknown>` when there is none. */
export function timeSince(stamp: JsonValue | undefined): CellValue {
  const at = timeOf(stamp);
  return at === undefined ? '<unknown>' : ageSince(at);
}

/** Milliseconds of a time stamp; undefined for what is none. */
export function timeOf(stamp: JsonValue | undefined): number | undefined {
  return typeof stamp === 'string' ? parseRfc3339(stamp) : undefined;
}
