/**
 * Actors without a command, in order of last use: a list that its members link themselves.
 *
 *   oldest ◀─ older ─ [member] ─ newer ─▶ newest
 *
 * A Map in insertion order would do the same at a higher price: an actor enters and leaves with
 * every write, and a Map would hash each time and rebuild its table again and again.
 *
 * Invariant: a member that is not in the list refers to none.
 */
export interface IdleMember<T> {
  older: T | undefined;
  newer: T | undefined;
  idle: boolean;
}

export class IdleList<T extends IdleMember<T>> {
  #oldest: T | undefined;
  #newest: T | undefined;

  get oldest(): T | undefined {
    return this.#oldest;
  }

  /** Puts it last, wherever it was. */
  push(member: T): void {
    this.remove(member);
    member.idle = true;
    member.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = member;
    else this.#newest.newer = member;
    this.#newest = member;
  }

  /** Does nothing when it is not there. */
  remove(member: T): void {
    if (!member.idle) return;
    const { older, newer } = member;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    member.older = undefined;
    member.newer = undefined;
    member.idle = false;
  }
}
