/**
 * Equality of JSON values: same content, key order ignored, `undefined` members count as missing.
 *
 * For plain JSON data only (with bigint). A bigint never equals a number: decoders keep integers
 * that a double can hold as numbers.
 *
 * Bounds: time linear in the smaller value; recursion as deep as the value, which decoders limit.
 */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && arraysEqual(left, right);
  if (Array.isArray(right)) return false;
  return membersEqual(left as Members, right as Members);
}

type Members = Readonly<Record<string, unknown>>;

function arraysEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i += 1) {
    if (!deepEqual(left[i], right[i])) return false;
  }
  return true;
}

function membersEqual(left: Members, right: Members): boolean {
  let matched = 0;
  for (const key in left) {
    const value = left[key];
    if (value === undefined) continue;
    matched += 1;
    const other = right[key];
    // What a prototype answers with is the very same as no value of the data.
    if (other === value) continue;
    // Own members only: `__proto__` may be a key of the data.
    if (!Object.hasOwn(right, key) || !deepEqual(value, other)) return false;
  }
  for (const key in right) if (right[key] !== undefined) matched -= 1;
  return matched === 0;
}
