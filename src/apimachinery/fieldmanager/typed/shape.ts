/**
 * The shape of a value: a text that holds everything which its set of fields depends on, and
 * nothing else. Objects that a controller makes differ in names and numbers and have one shape, so
 * what is worked out for a shape need not be worked out for each object.
 *
 *     {containers: [{name: 'web', image: 'nginx', ports: []}], replicas: 3}      of a pod template
 *     {containers[3:web{name.image.ports[]}]replicas.}
 *
 *     .  a scalar      [ ]  an associative list: what tells an item apart, then its shape
 *     !  null          { }  a map or struct: a name, then the shape of its member
 *     *  one value     ?    what has no form of its type      =  the same as before
 *
 * Invariant: two values of one type with equal shapes over one `before` have equal sets of fields
 * in every comparison with it. Names that no schema declares, and texts, stand behind their length,
 * so that nothing in them can be taken for anything else.
 */
import { deepEqual } from '../../../stdx/deep-equal.ts';
import { stringifyJson } from '../../codecs/lossless.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { deducedType } from '../schema/deduced.ts';
import type { MergeList, MergeMap, MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formFor, memberOf } from './forms.ts';

/** `before`: what the value is compared with; undefined where there is nothing. */
export function shapeOf(type: MergeType, value: JsonValue, before?: JsonValue): string {
  const shape = shapeAlone(type, value, before);
  return before !== undefined && deepEqual(before, value) ? `${shape}=` : shape;
}

function shapeAlone(type: MergeType, value: JsonValue, before: JsonValue | undefined): string {
  if (value === null) return '!';
  switch (formFor(type, value)) {
    case 'scalar':
      return '.';
    case 'list': {
      const list = type.list as MergeList;
      if (list.atomic) return '*';
      const items = asList(value);
      return items === undefined ? '?' : `[${itemShapes(list, items)}]`;
    }
    case 'map': {
      const map = type.map as MergeMap;
      if (map.atomic) return '*';
      const members = asMap(value);
      return members === undefined ? '?' : `{${memberShapes(map, members, asMap(before))}}`;
    }
  }
}

function memberShapes(map: MergeMap, members: JsonObject, before: JsonObject | undefined): string {
  let text = '';
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    const field = map.fields.get(name);
    const type = field?.type ?? map.values ?? deducedType;
    const was = before === undefined ? undefined : memberOf(before, name);
    text += (field === undefined ? measured(name) : name) + shapeOf(type, value, was);
  }
  return text;
}

function itemShapes(list: MergeList, items: JsonArray): string {
  let text = '';
  for (const item of items) {
    const map = list.keys.length === 0 ? undefined : asMap(item);
    if (map === undefined) text += valueText(item);
    else for (const key of list.keys) text += valueText(memberOf(map, key));
    text += shapeAlone(list.items, item, undefined);
  }
  return text;
}

/** Equal for equal values only. Undefined: an absent key, which may have a default. */
function valueText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return measured(value);
  return value === undefined ? '~' : `${stringifyJson(value)};`;
}

function measured(text: string): string {
  return `${text.length}:${text}`;
}
