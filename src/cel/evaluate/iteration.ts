/**
 * Iterates over the range of a comprehension: the elements of a list, or the keys of a map. Both
 * functions set the loop variables. `iterate` calls back; `loopOver` is asked for the next step.
 *
 * Of an element whose data are not what their schema says, the variable is the error: whoever reads
 * it fails, and a later element can still decide.
 */
import { evaluationError } from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import type { Frame } from './frame.ts';
import { attempted, attemptedElements, isList, listGet } from './lists.ts';
import type { Attempted } from './lists.ts';
import { isMap, mapFind, mapKeys } from './maps.ts';
import { typeOf } from './run-time-type.ts';
import { lookup } from '../../stdx/lookup.ts';

/** Called for each element; true ends the loop. */
type Visit = (frame: Frame) => boolean;

/** Sets the variables of the loop and visits, until there are no more or `visit` says so. */
export function iterate(range: Value, frame: Frame, slots: LoopSlots, visit: Visit): void {
  const { locals } = frame;
  const { first, second } = slots;
  if (Array.isArray(range)) {
    const size = range.length;
    for (let i = 0; i < size; i += 1) {
      const element = listGet(range, i);
      locals[first] = second === undefined ? element : i;
      if (second !== undefined) locals[second] = element;
      if (visit(frame)) return;
    }
  } else if (isList(range)) {
    let i = 0;
    for (const attempt of attemptedElements(range)) {
      const element = attempt as Value;
      locals[first] = second === undefined ? element : i;
      if (second !== undefined) locals[second] = element;
      i += 1;
      if (visit(frame)) return;
    }
  } else if (isMap(range)) {
    for (const key of mapKeys(range)) {
      locals[first] = key;
      if (second !== undefined) locals[second] = attemptFind(range, key);
      if (visit(frame)) return;
    }
  } else {
    throw noRange(range, slots);
  }
}

function attemptFind(map: Parameters<typeof mapFind>[0], key: Value): Value {
  return attempted(() => mapFind(map, key) as Value) as Value;
}

/** Types by the names that the reference has for them in its own language. */
function noRange(range: Value, { second }: LoopSlots): Error {
  const { kind, name } = typeOf(range);
  const own = ownNames[kind] ?? `types.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const type = kind === 'opaque' ? `cel.${name.slice(name.lastIndexOf('.') + 1)}` : own;
  if (second !== undefined) {
    return evaluationError(`unsupported comprehension range type: ${type}`);
  }
  return evaluationError(`got '${type}', expected iterable type`);
}

const ownNames: Readonly<Partial<Record<string, string>>> = lookup({ type: '*types.Type' });

export interface LoopSlots {
  readonly first: number;
  readonly second: number | undefined;
}

/** Sets the variables for the next turn; false: there is none. */
export function loopOver(range: Value, frame: Frame, slots: LoopSlots): () => boolean {
  const { locals } = frame;
  const { first, second } = slots;
  const isOfList = isList(range);
  if (!isOfList && !isMap(range)) throw noRange(range, slots);
  const items: Iterator<Attempted> = (isOfList ? attemptedElements(range) : mapKeys(range))[
    Symbol.iterator
  ]();
  let at = 0;
  return () => {
    const { done, value: attempt } = items.next();
    if (done === true) return false;
    const value = attempt as Value;
    if (!isOfList) {
      locals[first] = value;
      if (second !== undefined) locals[second] = attemptFind(range, value);
      return true;
    }
    locals[first] = second === undefined ? value : at;
    if (second !== undefined) locals[second] = value;
    at += 1;
    return true;
  };
}
