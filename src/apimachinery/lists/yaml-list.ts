/**
 * A list in YAML (spec 1, section 4.3).
 *
 *     kind: PodList
 *     ...
 *     items:
 *     - kind: Pod        an item stands under its key, in block style, whatever comes before it
 *
 * Invariant: byte for byte what the whole list, written at once, would be.
 */
import { encodeYaml, encodeYamlSteps, yamlScalar } from '../codecs/yaml.ts';
import type { JsonValue } from '../unstructured.ts';
import type { ListForm, ListMeta } from './list-form.ts';
import { emptyList, itemMaker, separatedBy } from './list-form.ts';

const nothing = separatedBy('');
const noBytes = new Uint8Array(0);
const emptyEnd = ' []\n';

/** Ages are few texts; how each is written is worked out once. Emptied when full. */
const scalars = new Map<string, string>();
const scalarsMax = 4096;

function scalarOf(text: string): string {
  const known = scalars.get(text);
  if (known !== undefined) return known;
  if (scalars.size >= scalarsMax) scalars.clear();
  const made = yamlScalar(text);
  scalars.set(text, made);
  return made;
}

/** `parse` reads an item's JSON. */
export function yamlList(meta: ListMeta, parse: (json: Uint8Array) => JsonValue): ListForm {
  const empty = encodeYaml(emptyList(meta));
  const head = Buffer.concat([empty.subarray(0, -emptyEnd.length), Buffer.from('\n')]);
  return {
    needs: 'nothing',
    lead: nothing,
    ...itemMaker(
      parse,
      (value) => encodeYaml([value]),
      (value) => encodeYamlSteps([value]),
    ),
    scalarOf,
    frame: ({ count }) => ({ head: count === 0 ? empty : head, tail: noBytes }),
  };
}
