/**
 * Paths to values, as printer columns give them: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels.a\.b`, `.spec['x-y'][0]`.
 *
 * Members that are not there lead to nothing, which is no error. Filters compare a path below `@`
 * with a text, a number, true, false or another path; a path alone asks whether something is there.
 *
 * Invariant: values are found in the order in which they stand, each when it is asked for, so the
 * first one costs no look at those behind it.
 *
 * Bounds: `stepsMax` steps a path; a walk looks at `visitsMax` values and then ends, and earlier
 * where its caller has fewer left for several walks.
 */
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

const stepsMax = 100;
const visitsMax = 10_000;

type Find = (values: Iterable<JsonValue>, visits: Visits) => Iterable<JsonValue>;

/** How many more values may be looked at. */
export interface Visits {
  left: number;
}

export interface JsonPath {
  /** The first value that it leads to. Takes from `all` what it has looked at. */
  first(value: JsonValue, all: Visits): JsonValue | undefined;
}

/** Undefined: it is no path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const reader: Reader = { text, at: 0 };
  const steps = readSteps(reader);
  if (steps === undefined || reader.at < text.length) return undefined;
  return {
    first(value, all) {
      // A plain path finds its value whatever others have looked at.
      const most = Math.max(stepsMax, Math.min(visitsMax, all.left));
      const visits: Visits = { left: most };
      const found = firstOf(walk(steps, value, visits));
      all.left -= most - visits.left;
      return found;
    },
  };
}

function walk(steps: readonly Find[], from: JsonValue, visits: Visits): Iterable<JsonValue> {
  let values: Iterable<JsonValue> = [from];
  for (const step of steps) values = step(values, visits);
  return values;
}

function firstOf(values: Iterable<JsonValue>): JsonValue | undefined {
  for (const value of values) return value;
  return undefined;
}

/** A step that makes some values of each one. */
function each(partsOf: (value: JsonValue, visits: Visits) => Iterable<JsonValue>): Find {
  return function* (values, visits) {
    for (const value of values) {
      if (visits.left <= 0) return;
      visits.left -= 1;
      yield* partsOf(value, visits);
    }
  };
}

const none: readonly JsonValue[] = [];

interface Reader {
  readonly text: string;
  at: number;
}

/** Up to what cannot be a step. Undefined: a step is wrong. */
function readSteps(reader: Reader): readonly Find[] | undefined {
  const steps: Find[] = [];
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at];
    if (char !== '.' && char !== '[') break;
    const step = char === '.' ? readDotted(reader) : readBracket(reader);
    if (step === undefined || steps.length >= stepsMax) return undefined;
    steps.push(step);
  }
  return steps;
}

const nameChars = /(?:\\.|[^\s.[\]{}()'"=!<>,:?@|&$\\])+/y;

function readDotted(reader: Reader): Find | undefined {
  reader.at += 1;
  const { text } = reader;
  if (text[reader.at] === '.') {
    reader.at += 1;
    return readName(reader) ? descend : undefined;
  }
  if (text[reader.at] === '*') {
    reader.at += 1;
    return everything;
  }
  nameChars.lastIndex = reader.at;
  const match = nameChars.exec(text);
  // A dot alone is the value itself.
  if (match === null)
    return reader.at === text.length || text[reader.at] === '[' ? same : undefined;
  reader.at = nameChars.lastIndex;
  return member(match[0].replace(/\\(.)/g, '$1'));
}

/** A name follows `..`: it is read as if one dot stood before it. */
function readName(reader: Reader): boolean {
  reader.at -= 1;
  return reader.at + 1 < reader.text.length;
}

const same: Find = (values) => values;

function member(name: string): Find {
  return each((value) => {
    const found = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return found === undefined ? none : [found];
  });
}

const everything: Find = each(partsOf);

/** So many names are collected in the time of a visit. */
const namesOfVisit = 8;

function* partsOf(value: JsonValue, visits: Visits): Generator<JsonValue> {
  if (Array.isArray(value)) {
    yield* value as readonly JsonValue[];
  } else if (isJsonObject(value)) {
    const names = Object.keys(value);
    visits.left -= Math.floor(names.length / namesOfVisit);
    for (const name of names) {
      const part = value[name];
      if (part !== undefined) yield part;
    }
  }
}

/** The values and everything inside of them. */
const descend: Find = function* (values, visits) {
  for (const value of values) {
    const open: Iterator<JsonValue>[] = [[value].values()];
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = last.next();
      if (next.done === true) {
        open.pop();
        continue;
      }
      if (visits.left <= 0) return;
      visits.left -= 1;
      yield next.value;
      open.push(partsOf(next.value, visits));
    }
  }
};

const quotedName = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/y;
const indexes = /(-?\d+)?(?::(-?\d+)?)?(?::(-?\d+)?)?/y;

function readBracket(reader: Reader): Find | undefined {
  reader.at += 1;
  const { text } = reader;
  if (text.startsWith('?(', reader.at)) return readFilter(reader);
  const parts: Find[] = [];
  for (;;) {
    const part = readBracketPart(reader);
    if (part === undefined) return undefined;
    parts.push(part);
    const char = text[reader.at];
    reader.at += 1;
    if (char === ']') break;
    if (char !== ',' || parts.length >= stepsMax) return undefined;
  }
  const [only] = parts;
  if (parts.length === 1) return only;
  // All that the first part leads to stands before what the second does.
  return function* (values, visits) {
    const all: JsonValue[] = [];
    for (const value of values) {
      if (visits.left <= 0) break;
      visits.left -= 1;
      all.push(value);
    }
    for (const part of parts) yield* part(all, visits);
  };
}

function readBracketPart(reader: Reader): Find | undefined {
  const { text } = reader;
  if (text[reader.at] === '*') {
    reader.at += 1;
    return everything;
  }
  quotedName.lastIndex = reader.at;
  const quoted = quotedName.exec(text);
  if (quoted !== null) {
    reader.at = quotedName.lastIndex;
    return member((quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1'));
  }
  indexes.lastIndex = reader.at;
  const match = indexes.exec(text);
  if (match === null || match[0] === '') return undefined;
  reader.at = indexes.lastIndex;
  const numbers = match
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  return match[0].includes(':') ? slice(numbers) : entry(numbers[0] as number);
}

function entry(index: number): Find {
  return each((value) => {
    const found = Array.isArray(value) ? (value as readonly JsonValue[]).at(index) : undefined;
    return found === undefined ? none : [found];
  });
}

function slice([from, to, step = 1]: readonly (number | undefined)[]): Find {
  return each(function* (value) {
    if (!Array.isArray(value) || step < 1) return;
    const items = value as readonly JsonValue[];
    const end = placeIn(items, to ?? items.length);
    for (let at = placeIn(items, from ?? 0); at < end; at += step) yield items[at] as JsonValue;
  });
}

/** Where an index stands, which counts from the end when it is below 0. */
function placeIn({ length }: readonly JsonValue[], index: number): number {
  return index < 0 ? Math.max(0, length + index) : Math.min(index, length);
}

type Operand =
  | { readonly kind: 'path'; readonly steps: readonly Find[] }
  | { readonly kind: 'value'; readonly value: JsonValue };

const operators = /\s*(==|!=|<=|>=|<|>)\s*/y;

function readFilter(reader: Reader): Find | undefined {
  reader.at += 2;
  const left = readOperand(reader);
  if (left === undefined) return undefined;
  operators.lastIndex = reader.at;
  const operator = operators.exec(reader.text)?.[1];
  let right: Operand | undefined;
  if (operator !== undefined) {
    reader.at = operators.lastIndex;
    right = readOperand(reader);
    if (right === undefined) return undefined;
  }
  skipBlanks(reader);
  if (!reader.text.startsWith(')]', reader.at)) return undefined;
  reader.at += 2;
  return each(function* (value, visits) {
    if (!Array.isArray(value)) return;
    for (const item of value as readonly JsonValue[]) {
      if (visits.left <= 0) return;
      if (holds(item, left, operator, right, visits)) yield item;
    }
  });
}

function skipBlanks(reader: Reader): void {
  while (reader.text[reader.at] === ' ') reader.at += 1;
}

const literals = /-?\d+(?:\.\d+)?|true|false/y;

function readOperand(reader: Reader): Operand | undefined {
  skipBlanks(reader);
  const { text } = reader;
  if (text[reader.at] === '@') {
    reader.at += 1;
    const steps = readSteps(reader);
    return steps && { kind: 'path', steps };
  }
  quotedName.lastIndex = reader.at;
  const quoted = quotedName.exec(text);
  if (quoted !== null) {
    reader.at = quotedName.lastIndex;
    return { kind: 'value', value: (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1') };
  }
  literals.lastIndex = reader.at;
  const literal = literals.exec(text);
  if (literal === null) return undefined;
  reader.at = literals.lastIndex;
  return { kind: 'value', value: JSON.parse(literal[0]) as JsonValue };
}

function holds(
  item: JsonValue,
  left: Operand,
  operator: string | undefined,
  right: Operand | undefined,
  visits: Visits,
): boolean {
  visits.left -= 1;
  const found = valueOf(item, left, visits);
  if (operator === undefined) return found !== undefined;
  const other = right && valueOf(item, right, visits);
  return found !== undefined && other !== undefined && compares(found, operator, other);
}

function valueOf(item: JsonValue, operand: Operand, visits: Visits): JsonValue | undefined {
  if (operand.kind === 'value') return operand.value;
  return firstOf(walk(operand.steps, item, visits));
}

function compares(left: JsonValue, operator: string, right: JsonValue): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left !== typeof right || typeof left === 'object' || left === null || right === null) {
    return false;
  }
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}
