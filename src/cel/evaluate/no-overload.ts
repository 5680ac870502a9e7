/**
 * The error of a call whose argument types match no overload. Its text depends on how the reference
 * looks up functions: an operator belongs to the type of its first operand, some
 * functions to that of their target, and all others look at all of their arguments.
 */
import { evaluationError, noSuchOverload } from '../evaluation-error.ts';
import type { EvaluationError } from '../evaluation-error.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { TypeKind } from '../type.ts';
import { Duration, Timestamp } from '../value.ts';
import type { Value } from '../value.ts';
import { typeOf } from './run-time-type.ts';

/** They answer for every operator, if only with an error without a name. */
const answering: ReadonlySet<TypeKind> = new Set<TypeKind>(['string', 'duration', 'timestamp']);

const kinds = (names: string): ReadonlySet<TypeKind> => new Set(names.split(' ') as TypeKind[]);
const numbers = kinds('int uint double');
const ordered = kinds('bool bytes int uint double');

/** Types that have the operator at all, with operands of other types than these. */
const typesWith: Readonly<Record<string, ReadonlySet<TypeKind>>> = lookup({
  '_+_': kinds('int uint double bytes list'),
  '_-_': numbers,
  '_*_': numbers,
  '_/_': numbers,
  '_%_': kinds('int uint'),
  '-_': kinds('int double'),
  '_<_': ordered,
  '_<=_': ordered,
  '_>_': ordered,
  '_>=_': ordered,
});

export const isOperator = (name: string): boolean => /^[@_!-]/.test(name);

export function noOperator(name: string, first: Value): EvaluationError {
  const { kind } = typeOf(first);
  const types = typesWith[name];
  if (types === undefined || types.has(kind) || answering.has(kind)) return noSuchOverload();
  return evaluationError(`no such overload: ${name}`);
}

const ofTexts: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith']);

export function noOverload(name: string, args: readonly Value[]): EvaluationError {
  const [first] = args;
  if (first !== undefined && isOperator(name)) return noOperator(name, first);
  if (ofTexts.has(name)) return noSuchOverload();
  if (name === 'size' && first !== undefined) {
    const isTime = first instanceof Timestamp || first instanceof Duration;
    return isTime ? noSuchOverload() : evaluationError('no such overload: size');
  }
  if (name === 'matches') {
    if (typeof first === 'string') return noSuchOverload();
    return evaluationError('no such overload: matches');
  }
  const types = args.map((arg) => typeOf(arg).name).join(', ');
  return evaluationError(`no such overload: ${name}(${types})`);
}
