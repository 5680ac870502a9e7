/**
 * Merges two lists of tolerations, without those that another one covers.
 *
 * Invariants: the result tolerates the same as both lists. Of equal ones the first stays.
 * Bounds: each is compared with all others if there are at most `comparedMax`; otherwise none is
 * left out, which does no harm.
 */
import { text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

const comparedMax = 500;

export function mergedTolerations(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
): readonly JsonObject[] {
  const all = [...first, ...second];
  if (all.length > comparedMax) return all;
  const merged: JsonObject[] = [];
  for (const [at, toleration] of all.entries()) {
    const isIncluded =
      merged.some((other) => includesToleration(other, toleration)) ||
      all.slice(at + 1).some((other) => isWider(other, toleration));
    if (!isIncluded) merged.push(toleration);
  }
  return merged;
}

/** Of equal ones neither is. */
function isWider(a: JsonObject, b: JsonObject): boolean {
  return !deepEqual(a, b) && includesToleration(a, b);
}

/** Whether whatever the second tolerates the first does, too. */
export function includesToleration(wide: JsonObject, narrow: JsonObject): boolean {
  if (deepEqual(wide, narrow)) return true;
  const [key, operator] = [text(wide, 'key'), text(wide, 'operator')];
  const isForAll = key === '' && operator === 'Exists';
  if (text(narrow, 'key') !== key && !isForAll) return false;
  const effect = text(wide, 'effect');
  if (effect !== '' && text(narrow, 'effect') !== effect) return false;
  if (effect === 'NoExecute' && endsEarlier(wide, narrow)) return false;
  if (operator === 'Exists') return true;
  if (operator !== '' && operator !== 'Equal') return false;
  return text(narrow, 'operator') === 'Equal' && text(narrow, 'value') === text(wide, 'value');
}

function endsEarlier(a: JsonObject, b: JsonObject): boolean {
  const [ends, other] = [a['tolerationSeconds'], b['tolerationSeconds']];
  if (ends === undefined) return false;
  return other === undefined || Number(other) > Number(ends);
}
