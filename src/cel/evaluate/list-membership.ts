/** `x in list`, and what sets make of it. */
import { EvaluationError } from '../evaluation-error.ts';
import { ListValue } from '../value.ts';
import type { Value } from '../value.ts';
import { equals } from './equality.ts';
import { attemptedElements } from './lists.ts';
import type { AnyList } from './lists.ts';
import { spendSteps } from './step-allowance.ts';

export function isInList(value: Value, list: AnyList): boolean {
  const isOfSchema = list instanceof ListValue;
  let failed: EvaluationError | undefined;
  for (const element of attemptedElements(list)) {
    // Of a list whose type was not known this costs 1 in the reference, however long it is.
    spendSteps(1);
    if (element instanceof EvaluationError) failed ??= element;
    else if (isOfSchema ? equals(element, value) : equals(value, element)) return true;
  }
  // What is not among the others may be the one that has no value.
  if (failed !== undefined) throw failed;
  return false;
}
