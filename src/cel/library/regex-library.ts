/**
 * Regular expressions beyond `matches`: the first match and all of them. '' and [] where there is
 * none. Linear in the text, whatever the pattern (`regular-expression.ts`).
 */
import type { Library } from '../declaration.ts';
import { intType, listType, stringType } from '../type.ts';
import type { Value } from '../value.ts';
import { functions, method } from './declare.ts';
import { patternCost } from './prices.ts';
import { matchesIn } from './regular-expression.ts';

function find(text: Value, pattern: Value): Value {
  for (const found of matchesIn(text as string, pattern as string, 1)) return found;
  return '';
}

/** At most `count` of them, all where it is negative. */
function findAll(text: Value, pattern: Value, count: Value = -1): Value {
  return [...matchesIn(text as string, pattern as string, Number(count))];
}

const two = [stringType, stringType];

export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  functions: functions({
    find: [method('string_find_string', two, stringType, find, patternCost)],
    findAll: [
      method('string_find_all_string', two, listType(stringType), findAll, patternCost),
      method(
        'string_find_all_string_int',
        [...two, intType],
        listType(stringType),
        findAll,
        patternCost,
      ),
    ],
  }),
};
