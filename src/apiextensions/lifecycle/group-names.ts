/**
 * The names that the definitions of one group have: who has taken one costs the same however many
 * definitions there are.
 *
 * Invariant: a name is taken for a definition if another one has it, as a resource (plural,
 * singular, short names) or as a kind (kind, list kind).
 */
import type { DefinitionNames } from '../serving/definition-summary.ts';
import type { TakenNames } from './names.ts';

/** What others of its group have to know of a definition. */
export interface GivenNames {
  readonly accepted: DefinitionNames;
  readonly isAccepted: boolean;
}

export interface GroupNames {
  set(definition: string, given: GivenNames): void;
  /** The same, if it has not gone meanwhile. */
  update(definition: string, given: GivenNames): void;
  remove(definition: string): void;
  /** What is taken by others than this definition. */
  byOthers(definition: string): TakenNames;
  /** Whether a definition has given up a name since this was asked last. One that is removed does
   * not count: whoever removes it knows. */
  takeFreed(): boolean;
  /** Definitions whose names are not accepted. */
  readonly refused: ReadonlySet<string>;
  readonly size: number;
}

export function createGroupNames(): GroupNames {
  const known = new Map<string, Names>();
  const resources = new Map<string, number>();
  const kinds = new Map<string, number>();
  const refused = new Set<string>();
  let isFreed = false;

  const remove = (definition: string): void => {
    const names = known.get(definition);
    if (names === undefined) return;
    known.delete(definition);
    refused.delete(definition);
    for (const name of names.resources) count(resources, name, -1);
    for (const name of names.kinds) count(kinds, name, -1);
  };
  const set = (definition: string, { accepted, isAccepted }: GivenNames): void => {
    const before = known.get(definition);
    remove(definition);
    const { kind, listKind, plural, shortNames, singular } = accepted;
    const names = {
      resources: new Set([plural, singular, ...shortNames]),
      kinds: new Set([kind, listKind]),
    };
    known.set(definition, names);
    for (const name of names.resources) count(resources, name, 1);
    for (const name of names.kinds) count(kinds, name, 1);
    if (!isAccepted) refused.add(definition);
    if (before === undefined) return;
    isFreed ||= lacksAny(names.resources, before.resources) || lacksAny(names.kinds, before.kinds);
  };
  return {
    refused,
    takeFreed() {
      const was = isFreed;
      isFreed = false;
      return was;
    },
    get size() {
      return known.size;
    },
    remove,
    set,
    update(definition, given) {
      if (known.has(definition)) set(definition, given);
    },
    byOthers(definition) {
      const own = known.get(definition);
      return {
        hasResource: (name) =>
          (resources.get(name) ?? 0) > (own?.resources.has(name) === true ? 1 : 0),
        hasKind: (name) => (kinds.get(name) ?? 0) > (own?.kinds.has(name) === true ? 1 : 0),
      };
    },
  };
}

interface Names {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function lacksAny(names: ReadonlySet<string>, before: ReadonlySet<string>): boolean {
  return [...before].some((name) => !names.has(name));
}

function count(counts: Map<string, number>, name: string, more: 1 | -1): void {
  const next = (counts.get(name) ?? 0) + more;
  if (next === 0) counts.delete(name);
  else counts.set(name, next);
}
