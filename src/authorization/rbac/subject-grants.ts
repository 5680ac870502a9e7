/**
 * What one subject was granted in one scope: a grant of each role, the one whose binding is first
 * by name.
 *
 * Invariants: a binding grants a subject at most one role. Whoever walks over the grants sees them
 * as they were when the walk began.
 * Cost: a change and the start of a walk are O(log n), for whoever may write bindings may write a
 * hundred thousand of them for themselves, and ask something after each.
 */
import { SortedMap } from '../../stdx/sorted-map.ts';
import type { Binding, Subject } from './rbac-objects.ts';

export interface Grant {
  readonly binding: Binding;
  readonly subject: Subject;
  /** As the index of roles names it. */
  readonly role: string;
}

export class SubjectGrants {
  /** Mostly there is only one. */
  #only: Grant | undefined;
  #several: { readonly all: SortedMap<Grant>; readonly walked: SortedMap<Grant> } | undefined;

  get isEmpty(): boolean {
    return this.#only === undefined && (this.#several?.all.size ?? 0) === 0;
  }

  /** The first of two grants by one binding stays. */
  add(grant: Grant): void {
    const only = this.#only;
    if (only === undefined && this.#several === undefined) {
      this.#only = grant;
      return;
    }
    if (only !== undefined) {
      if (only.binding.name === grant.binding.name) return;
      this.#only = undefined;
      this.#several = { all: new SortedMap(), walked: new SortedMap() };
      this.#addToSeveral(only);
    }
    this.#addToSeveral(grant);
  }

  /** The binding was of this role. */
  remove(role: string, binding: string): void {
    if (this.#only?.binding.name === binding) this.#only = undefined;
    if (this.#several === undefined) return;
    const { all, walked } = this.#several;
    if (all.delete(placeOf(role, binding)) === undefined) return;
    if (walked.delete(binding) === undefined) return;
    const next = firstOf(all, role);
    if (next !== undefined) walked.set(next.binding.name, next);
  }

  /** In place of what the same binding granted before, which was this role: there is no moment
   * without either. */
  replace(before: string, grant: Grant): void {
    const { binding, role } = grant;
    if (this.#only?.binding.name === binding.name) this.#only = grant;
    else if (this.#several === undefined || before !== role) {
      this.remove(before, binding.name);
      this.add(grant);
    } else {
      const { all, walked } = this.#several;
      const place = placeOf(role, binding.name);
      if (all.get(place) === undefined) return this.add(grant);
      all.set(place, grant);
      if (walked.get(binding.name) !== undefined) walked.set(binding.name, grant);
    }
  }

  /** In order of the names of their bindings. */
  walk(): Iterable<Grant> {
    if (this.#only !== undefined) return [this.#only];
    return this.#several?.walked.view().values() ?? [];
  }

  #addToSeveral(grant: Grant): void {
    if (this.#several === undefined) return;
    const { all, walked } = this.#several;
    const { binding, role } = grant;
    const place = placeOf(role, binding.name);
    if (all.get(place) !== undefined) return;
    const before = firstOf(all, role);
    all.set(place, grant);
    if (before !== undefined) {
      if (before.binding.name < binding.name) return;
      walked.delete(before.binding.name);
    }
    walked.set(binding.name, grant);
  }
}

/** By roles, then by bindings: neither has a NUL in its name. */
function placeOf(role: string, binding: string): string {
  return `${role}\0${binding}`;
}

function firstOf(all: SortedMap<Grant>, role: string): Grant | undefined {
  const first = all.view().values(placeOf(role, '')).take();
  return first?.role === role ? first : undefined;
}
