/**
 * Paths to values, as printer columns give them: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels.a\.b`, `.spec['x-y'][0]`.
 *
 * Members that are not there lead to nothing, which is no error. Filters compare a path below `@`
 * with a text, a number, true, false or another path; a path alone asks whether something is there.
 *
 * Bounds: `stepsMax` steps a path; a walk stops at `visitsMax` values, and then finds what it has.
 */
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

const stepsMax = 100;
const visitsMax = 10_000;

type Find = (values: readonly JsonValue[], visits: Visits) => readonly JsonValue[];

interface Visits {
  left: number;
}

export interface JsonPath {
  find(value: JsonValue): readonly JsonValue[];
}

/** Undefined: it is no path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const reader: Reader = { text, at: 0 };
  const steps = readSteps(reader);
  if (steps === undefined || reader.at < text.length) return undefined;
  return {
    find(value) {
      const visits: Visits = { left: visitsMax };
      return walk(steps, [value], visits);
    },
  };
}

function walk(
  steps: readonly Find[],
  from: readonly JsonValue[],
  visits: Visits,
): readonly JsonValue[] {
  let values = from;
  for (const step of steps) {
    visits.left -= values.length;
    if (visits.left < 0) return [];
    values = step(values, visits);
  }
  return values;
}

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
  return (values) =>
    values.flatMap((value) => {
      const found = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      return found === undefined ? [] : [found];
    });
}

const everything: Find = (values) => values.flatMap(partsOf);

function partsOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (!isJsonObject(value)) return [];
  return Object.values(value).filter((part) => part !== undefined);
}

/** The values and everything inside of them. */
const descend: Find = (values, visits) => {
  const found: JsonValue[] = [];
  const left = [...values].reverse();
  while (left.length > 0 && visits.left > 0) {
    const value = left.pop() as JsonValue;
    visits.left -= 1;
    found.push(value);
    left.push(...[...partsOf(value)].slice(0, visits.left).reverse());
  }
  return found;
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
  return (values, visits) => parts.flatMap((part) => part(values, visits));
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
  return (values) =>
    values.flatMap((value) => {
      const found = Array.isArray(value) ? (value as readonly JsonValue[]).at(index) : undefined;
      return found === undefined ? [] : [found];
    });
}

function slice([from, to, step = 1]: readonly (number | undefined)[]): Find {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value) || step < 1) return [];
      const cut = (value as readonly JsonValue[]).slice(from, to);
      return cut.filter((_each, at) => at % step === 0);
    });
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
  return (values, visits) =>
    values.flatMap((value) =>
      Array.isArray(value)
        ? (value as readonly JsonValue[]).filter((item) =>
            holds(item, left, operator, right, visits),
          )
        : [],
    );
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
  return walk(operand.steps, [item], visits)[0];
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
