/** The words of strategic merge, and values that are new and so have nothing to merge with. */
import { setMember } from '../../stdx/lookup.ts';
import type { JsonArray, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import type { Draft } from './members.ts';
import type { PatchRefusal } from './patch-result.ts';

export const directives = {
  patch: '$patch',
  retainKeys: '$retainKeys',
  setElementOrder: '$setElementOrder/',
  deleteFromPrimitiveList: '$deleteFromPrimitiveList/',
} as const;

/** Thrown inside the merge, caught where it was asked for. */
export class StrategicRefusal extends Error {
  readonly why: PatchRefusal;
  constructor(why: PatchRefusal, message: string) {
    super(message);
    this.why = why;
  }
}

/** A new value without directives and without the nulls of its maps; undefined when it is itself a
 * directive: it says what to do with a value that there was, and there was none. */
export function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return (value as JsonArray).flatMap((item) => {
      const kept = withoutDirectives(item);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isJsonObject(value)) return value;
  if (value[directives.patch] !== undefined) return undefined;
  const kept: Draft = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || member === null || isDirective(key)) continue;
    const clean = withoutDirectives(member);
    if (clean !== undefined) setMember(kept, key, clean);
  }
  return kept;
}

function isDirective(key: string): boolean {
  return (
    key === directives.patch ||
    key === directives.retainKeys ||
    key.startsWith(directives.setElementOrder) ||
    key.startsWith(directives.deleteFromPrimitiveList)
  );
}
