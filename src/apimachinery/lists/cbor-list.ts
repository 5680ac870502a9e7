/**
 * A list in CBOR (spec 1, section 4.3): a map whose items come in the middle, for its keys are
 * in order of their length.
 *
 *     d9 d9 f7 | map { kind, items [ a b c ], metadata, apiVersion }
 *                              count ┘
 *
 * Invariant: byte for byte what the whole list, written at once, would be; all lengths definite.
 */
import { cborPrefix } from '../codecs/cbor.ts';
import { encodeAround, encodeItem, encodeItemSteps } from '../codecs/cbor-encode.ts';
import type { TypeSchema } from '../typed/type-schema.ts';
import type { JsonValue } from '../unstructured.ts';
import type { ListForm, ListMeta } from './list-form.ts';
import { emptyList, itemMaker, separatedBy } from './list-form.ts';

const nothing = separatedBy('');
const noPrefix = new Uint8Array(0);

/** A byte a character, as an item holds it. */
function scalarOf(text: string): string {
  return (heads[text.length] ??= headOf(text.length)) + text;
}

/** Of short texts, by their length. */
const heads: string[] = [];

function headOf(length: number): string {
  const item = encodeItem(noPrefix, ' '.repeat(length));
  return Buffer.from(item.subarray(0, -length)).toString('latin1');
}

/** `parse` reads an item's JSON; `type` is that of an item, where it has one. */
export function cborList(
  meta: ListMeta,
  parse: (json: Uint8Array) => JsonValue,
  type: TypeSchema | undefined,
): ListForm {
  const list = emptyList(meta);
  const items = meta.columns === undefined ? 'items' : 'rows';
  return {
    needs: 'count',
    lead: nothing,
    ...itemMaker(
      parse,
      (value, bytes) => encodeItem(noPrefix, value, type, bytes),
      (value, bytes) => encodeItemSteps(noPrefix, value, type, bytes),
    ),
    scalarOf,
    frame: ({ count }) => encodeAround(cborPrefix, list, items, count),
  };
}
