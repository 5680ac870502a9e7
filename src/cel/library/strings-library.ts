/**
 * Texts beyond the standard functions (ext.Strings): those of its first version are always there,
 * `format` and `strings.quote` came with release 1.29.
 *
 * `stringsLibrary` is the one of releases up to 1.33; `latestStringsLibrary` is that of the
 * language's specification, with `reverse` and the plain style of `format`.
 */
import { addRanges, costMax, fixed, multiplyRanges, scaleRange } from '../cost.ts';
import type { CallEstimate, OverloadCost, SizedNode, SizeEstimate } from '../cost.ts';
import type { FunctionDeclaration, Library, Overload } from '../declaration.ts';
import { EvaluationError, evaluationError, noSuchOverload } from '../evaluation-error.ts';
import { dynType, intType, listType, stringType } from '../type.ts';
import { ListValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method, overload } from './declare.ts';
import { formatText } from './format-text.ts';
import type { FormatStyle } from './format-text.ts';
import { attemptedElements, isList } from '../evaluate/lists.ts';
import { spendSteps } from '../evaluate/step-allowance.ts';
import { listOf } from './lists-library.ts';
import {
  elementOf,
  elementsCost,
  operandSize,
  sizeOfArgument,
  sizeOfElement,
  walk,
  walkFactor,
} from './prices.ts';
import * as strings from './string-functions.ts';

const text = (value: Value | undefined): string => {
  if (typeof value === 'string') return value;
  throw noSuchOverload();
};

/** An index; beyond what a text can have it is beyond its end. */
const index = (value: Value | undefined): number | bigint => {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  throw noSuchOverload();
};
const optionalIndex = (value: Value | undefined): number | bigint | undefined =>
  value === undefined ? undefined : index(value);

const optionalCount = (value: Value | undefined): number | undefined =>
  value === undefined ? undefined : Number(index(value));

function joined(list: Value, separator?: Value): Value {
  const between = separator === undefined ? '' : text(separator);
  const parts: string[] = [];
  let length = 0;
  for (const element of attemptedElements(listOf(list))) {
    if (element instanceof EvaluationError) {
      throw evaluationError(`join: invalid input: ${element.message}`);
    }
    if (typeof element !== 'string') throw evaluationError('join: invalid input');
    parts.push(element);
    length += element.length + between.length;
  }
  spendSteps(length >> 4);
  return parts.join(between);
}

/** Code points of what `join` makes. */
function joinedSize(args: readonly Value[]): number {
  let [size, count] = [0, 0];
  const [list, between] = args as readonly [Value, Value | undefined];
  // What comes to nothing has the size of a scalar.
  if (!isList(list) || (between !== undefined && typeof between !== 'string')) return 1;
  for (const element of attemptedElements(list)) {
    if (typeof element !== 'string') return 1;
    size += strings.codePoints(element);
    count += 1;
  }
  const separator = between === undefined ? 0 : sizeOfArgument(args, 1);
  return size + Math.max(count - 1, 0) * separator;
}

const joinCost: OverloadCost = {
  before: (args) => {
    const size = joinedSize(args);
    strings.checkResultSize(size, 'join');
    return Math.ceil(size * 2 * walkFactor);
  },
  estimate: (context, target, args) => {
    if (target === undefined) return undefined;
    const list = context.sizeOf(target);
    const element = elementOf(target);
    let size: SizeEstimate = fixed(0);
    if (element !== undefined) size = multiplyRanges(list, sizeOfElement(context, element));
    const separators = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
    const separator = args[0] === undefined ? fixed(0) : context.sizeOf(args[0]);
    size = addRanges(size, multiplyRanges(separator, separators));
    return { cost: scaleRange(size, walkFactor), resultSize: size };
  },
};

const replaceCost: OverloadCost = {
  before: (args) => Math.ceil(sizeOfArgument(args, 0) * 2 * walkFactor),
  estimate: (context, target, args) => {
    const size = operandSize(context, target, args, 0);
    const old = operandSize(context, target, args, 1);
    const put = operandSize(context, target, args, 2);
    const cost = scaleRange(size, 2 * walkFactor);
    return { cost, resultSize: replacedSize(size, old, put) };
  },
};

/** The longest and the shortest text that replacing can make. */
function replacedSize(size: SizeEstimate, old: SizeEstimate, put: SizeEstimate): SizeEstimate {
  let most = { count: 0, kept: size.max };
  if (old.min === 0) most = { count: Math.min(size.max + 1, costMax), kept: size.max };
  else if (put.max > old.min) most = { count: Math.ceil(size.max / old.min), kept: 0 };
  let least = { count: 0, kept: size.min };
  if (old.max === 0) least = { count: Math.min(size.min + 1, costMax), kept: size.min };
  else if (old.max > put.min) least = { count: Math.ceil(size.min / old.max), kept: 0 };
  const counts = { min: least.count, max: most.count };
  return addRanges(multiplyRanges(counts, put), { min: least.kept, max: most.kept });
}

const splitCost: OverloadCost = {
  before: (args) => Math.ceil(sizeOfArgument(args, 0) * 2 * walkFactor),
  estimate: (context, target, args) => {
    const size = operandSize(context, target, args, 0);
    const resultSize = { min: 0, max: literalCount(args[1]) ?? size.max };
    return { cost: scaleRange(size, 2 * walkFactor), resultSize };
  },
};

function literalCount(node: SizedNode | undefined): number | undefined {
  if (node?.expr.kind !== 'constant') return undefined;
  const { value } = node.expr;
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  return value < 0 ? costMax : Number(value);
}

const quoteCost: OverloadCost = {
  before: (args) => Math.ceil(sizeOfArgument(args, 0) * walkFactor),
  estimate: (context, target, args): CallEstimate => {
    const size = operandSize(context, target, args, 0);
    const resultSize = addRanges({ min: size.min, max: Math.min(size.max * 2, costMax) }, fixed(2));
    return { cost: scaleRange(size, walkFactor), resultSize };
  },
};

const sameWalk = walk({ sameSize: true });
const one = [stringType];
const withText = [stringType, stringType];
const withInt = [stringType, intType];
const texts = listType(stringType);

const firstVersion = functions({
  charAt: [
    method('string_char_at_int', withInt, stringType, (a, b) => strings.charAt(text(a), index(b))),
  ],
  indexOf: searches('string_index_of_string', strings.indexOf),
  lastIndexOf: searches('string_last_index_of_string', strings.lastIndexOf),
  lowerAscii: [
    method('string_lower_ascii', one, stringType, (a) => strings.lowerAscii(text(a)), sameWalk),
  ],
  upperAscii: [
    method('string_upper_ascii', one, stringType, (a) => strings.upperAscii(text(a)), sameWalk),
  ],
  trim: [method('string_trim', one, stringType, (a) => strings.trim(text(a)), sameWalk)],
  substring: [
    method('string_substring_int', withInt, stringType, substring, sameWalk),
    method('string_substring_int_int', [...withInt, intType], stringType, substring, sameWalk),
  ],
  replace: [
    method(
      'string_replace_string_string',
      [...withText, stringType],
      stringType,
      replace,
      replaceCost,
    ),
    method(
      'string_replace_string_string_int',
      [...withText, stringType, intType],
      stringType,
      replace,
      replaceCost,
    ),
  ],
  split: [
    method('string_split_string', withText, texts, split, splitCost),
    method('string_split_string_int', [...withText, intType], texts, split, splitCost),
  ],
  join: [
    method('list_join', [texts], stringType, joined, joinCost),
    method('list_join_string', [texts, stringType], stringType, joined, joinCost),
  ],
});

type Search = (text: string, part: string, offset?: number | bigint) => number;

function searches(id: string, search: Search): readonly Overload[] {
  const call = (a: Value, b: Value, c?: Value): Value => search(text(a), text(b), optionalIndex(c));
  return [
    method(id, withText, intType, call, elementsCost),
    method(`${id}_int`, [...withText, intType], intType, call, elementsCost),
  ];
}

function substring(a: Value, b: Value, c?: Value): Value {
  return strings.substring(text(a), index(b), optionalIndex(c));
}

function replace(a: Value, b: Value, c: Value, d?: Value): Value {
  return strings.replace(text(a), text(b), text(c), optionalCount(d));
}

function split(a: Value, b: Value, c?: Value): Value {
  return strings.split(text(a), text(b), optionalCount(c));
}

/** `format` and `strings.quote`. */
function secondVersion(style: FormatStyle): readonly FunctionDeclaration[] {
  const format = (a: Value, values: Value): Value => {
    if (!Array.isArray(values) && !(values instanceof ListValue)) {
      throw noSuchOverload();
    }
    return formatText(text(a), values, style);
  };
  return functions({
    format: [method('string_format', [stringType, listType(dynType)], stringType, format, walk())],
    'strings.quote': [
      overload('strings_quote', one, stringType, (a) => strings.quoteText(text(a)), quoteCost),
    ],
  });
}

/** A release for every overload of these functions. */
function since(
  release: number,
  declarations: readonly FunctionDeclaration[],
): readonly FunctionDeclaration[] {
  return declarations.map(({ name, overloads }) => ({
    name,
    overloads: overloads.map((each) => ({ ...each, since: release })),
  }));
}

export const stringsLibrary: Library = {
  name: 'cel.lib.ext.strings',
  functions: [...firstVersion, ...since(29, secondVersion('literal'))],
};

export const latestStringsLibrary: Library = {
  name: 'cel.lib.ext.strings',
  functions: [
    ...firstVersion,
    ...secondVersion('plain'),
    ...functions({
      reverse: [
        method('string_reverse', one, stringType, (a) => strings.reverse(text(a)), sameWalk),
      ],
    }),
  ],
};
