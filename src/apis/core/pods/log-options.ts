/**
 * Options of a container's log, from the query (PodLogOptions).
 *
 * Booleans are read leniently, as in every query (query.ts).
 */
import { forbidden, invalid, notSupported } from '../../../apimachinery/field-error.ts';
import type { FieldError } from '../../../apimachinery/field-error.ts';
import { queryInteger, queryValue } from '../../../apimachinery/query.ts';
import type { QueryParameters } from '../../../apimachinery/query.ts';
import { quote } from '../../../apimachinery/quote.ts';
import { newBadRequest, newInvalid, StatusError } from '../../../apimachinery/status-error.ts';
import { parseRfc3339 } from '../../../apimachinery/time.ts';

const streams: readonly string[] = ['All', 'Stderr', 'Stdout'];

/** `name` is the pod's. Undefined when nothing is wrong. */
export function readLogOptions(query: QueryParameters, name: string): StatusError | undefined {
  const numbers = new Map<string, number>();
  for (const option of ['tailLines', 'limitBytes', 'sinceSeconds']) {
    const value = queryInteger(query, option);
    if (value instanceof StatusError) return value;
    if (value !== undefined) numbers.set(option, value);
  }
  const since = queryValue(query, 'sinceTime');
  if (since !== undefined && since !== '' && parseRfc3339(since) === undefined) {
    return newBadRequest(`sinceTime: Invalid value: ${quote(since)}: must be a time in RFC 3339`);
  }
  const errors = problemsOf(numbers, since !== undefined && since !== '');
  const stream = queryValue(query, 'stream') ?? '';
  if (stream !== '' && !streams.includes(stream)) {
    errors.push(notSupported('stream', stream, streams));
  }
  if (errors.length === 0) return undefined;
  return newInvalid({ group: '', kind: 'PodLogOptions' }, name, errors);
}

function problemsOf(numbers: ReadonlyMap<string, number>, sinceTime: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const tailLines = numbers.get('tailLines') ?? 0;
  if (tailLines < 0) {
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  const atLeastOne = (option: string): void => {
    const value = numbers.get(option) ?? 1;
    if (value < 1) errors.push(invalid(option, value, 'must be greater than 0'));
  };
  atLeastOne('limitBytes');
  if (numbers.has('sinceSeconds') && sinceTime) {
    const why = 'at most one of `sinceTime` or `sinceSeconds` may be specified';
    errors.push(forbidden('', why));
  } else atLeastOne('sinceSeconds');
  return errors;
}
