/**
 * Most nodes of a schema are fields of which little is said. They are told apart here by one look
 * at their members, because a definition may have ten thousand, and each rule looks for what they
 * do not have.
 */
import type { JsonObject } from '../../apimachinery/unstructured.ts';

/** Of the walks over a schema, in one step: some milliseconds, the first time in a process. */
export const nodesPerStep = 1_000;

/** Nothing is asked of these beside what the type is. */
const plain: ReadonlySet<string> = new Set([
  'type',
  'description',
  'title',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'multipleOf',
  'enum',
  'nullable',
  'example',
]);

const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/** Whether it has a scalar type, and no other member that a rule of acceptance could refuse. */
export function isPlainScalar(schema: JsonObject): boolean {
  if (!types.has(schema['type'])) return false;
  for (const name in schema) if (!plain.has(name)) return false;
  return true;
}
