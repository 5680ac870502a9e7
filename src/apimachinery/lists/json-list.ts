/**
 * A list in JSON, compact or indented (spec 1, sections 2.3 and 4.3).
 *
 *   {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[ a , b , c ]}
 *   └────────────────────────────── head ─────────────────────────────────────────┘       tail └┘
 *
 * Invariants: a compact item is never parsed; the compact list is a line, and ends so. The indented
 * list is, byte for byte, what indenting the compact one gives: items stand two levels in.
 */
import { indentedSteps } from '../codecs/indented-json.ts';
import { stringifyJson } from '../codecs/lossless.ts';
import type { JsonValue } from '../unstructured.ts';
import type { ListForm, ListMeta } from './list-form.ts';
import { emptyList, itemMaker, separatedBy } from './list-form.ts';

const indent = 2;
const ofItems = `\n${' '.repeat(2 * indent)}`;
const ofEnd = `\n${' '.repeat(indent)}`;

const comma = separatedBy(',');
const commaAndLine = separatedBy(`,${ofItems}`);

export function jsonList(meta: ListMeta): ListForm {
  const text = JSON.stringify(emptyList(meta));
  const head = Buffer.from(text.slice(0, -2), 'utf8');
  const tail = Buffer.from(`${text.slice(-2)}\n`);
  return { needs: 'nothing', lead: comma, item: undefined, frame: () => ({ head, tail }) };
}

/** `parse` reads an item's JSON. */
export function indentedList(meta: ListMeta, parse: (json: Uint8Array) => JsonValue): ListForm {
  const text = stringifyJson(emptyList(meta), indent);
  // It ends in `[]`, a line break and a brace.
  const before = text.slice(0, text.lastIndexOf('[') + 1);
  const after = text.slice(text.lastIndexOf(']'));
  return {
    needs: 'nothing',
    lead: commaAndLine,
    ...itemMaker(
      parse,
      // No string holds a line break as it is, so all there are are between members.
      (value) => Buffer.from(stringifyJson(value, indent).replaceAll('\n', ofItems)),
      (value) => indentedSteps(value, indent, ofItems),
    ),
    frame: ({ count }) => ({
      head: Buffer.from(count === 0 ? before : before + ofItems),
      tail: Buffer.from(count === 0 ? after : ofEnd + after),
    }),
  };
}
