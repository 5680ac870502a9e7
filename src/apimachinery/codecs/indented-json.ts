/**
 * The indented JSON of a large value in parts: others have their turns in between.
 *
 * Invariant: what it gives is what stringifyJson() gives with an indentation. Bounds: a part is a
 * value that is not large, or one text.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import { isLargeValue } from '../large-value.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { stringifyJson } from './lossless.ts';

/** `indent`: of one level, in spaces; `lineBreak` carries the indentation of what is around. */
export function* indentedSteps(
  value: JsonValue,
  indent: number,
  lineBreak = '\n',
): Steps<Uint8Array> {
  const parts: Buffer[] = [];
  let text = '';
  for (const part of partsOf(value, indent, lineBreak)) {
    text += part;
    if (text.length < charsAtOnce) continue;
    parts.push(Buffer.from(text));
    text = '';
    yield;
  }
  parts.push(Buffer.from(text));
  yield;
  return Buffer.concat(parts);
}

/** Between two steps, and more only of one part. */
const charsAtOnce = 64 * 1024;

function* partsOf(value: JsonValue, indent: number, lineBreak: string): Generator<string> {
  const inner = lineBreak + ' '.repeat(indent);
  if (typeof value !== 'object' || value === null || !isLargeValue(value)) {
    // No string holds a line break as it is, so all there are are between members.
    yield stringifyJson(value, indent).replaceAll('\n', lineBreak);
  } else if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      yield (at === 0 ? '[' : ',') + inner;
      yield* partsOf((value as readonly JsonValue[])[at] as JsonValue, indent, inner);
    }
    yield `${lineBreak}]`;
  } else {
    let before = '{';
    for (const [name, member] of Object.entries(value as JsonObject)) {
      if (member === undefined) continue;
      yield `${before}${inner}${JSON.stringify(name)}: `;
      yield* partsOf(member, indent, inner);
      before = ',';
    }
    yield before === '{' ? '{}' : `${lineBreak}}`;
  }
}
