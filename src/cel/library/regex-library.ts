/**
 * Regular expressions beyond `matches`: the first match and all of them. '' and [] where there is
 * none. Linear in the text, whatever the pattern (`regular-expression.ts`).
 */
import type { Library } from '../declaration.ts';
import { intType, listType, stringType } from '../type.ts';
import type { Value } from '../value.ts';
import { functions, method } from './declare.ts';
import { patternCost } from './prices.ts';
import { compilePattern } from './regular-expression.ts';

function find(text: Value, pattern: Value): Value {
  const matcher = compilePattern(pattern as string).matcher(text as string);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** At most `count` of them, all where it is negative. */
function findAll(text: Value, pattern: Value, count: Value = -1): Value {
  const matcher = compilePattern(pattern as string).matcher(text as string);
  const most = Number(count);
  const found: string[] = [];
  while ((most < 0 || found.length < most) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
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
