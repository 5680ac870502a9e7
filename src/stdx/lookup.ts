/**
 * Look-ups by untrusted text. Every JavaScript object has inherited members (`constructor`,
 * `__proto__`, `toString`), so look-ups by such text need a table of this kind, a Map, or a check
 * for own members.
 *
 * Invariants: neither ever answers with anything that was not put in.
 */

/**
 * A table with these members and no others: it has no prototype. test/tidy holds that every table
 * which can be asked with any text is made here.
 */
export function lookup<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}

/** The object's own member of this name: for data, whose keys may have any name. */
export function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Makes it the object's own member, whatever its name: an assignment to `__proto__` makes none. */
export function setMember<T>(record: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { ...ownProperty, value });
}

const ownProperty = { enumerable: true, configurable: true, writable: true } as const;
