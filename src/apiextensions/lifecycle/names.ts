/**
 * Which names of a definition are accepted: those that no other definition of its group has taken.
 *
 *     plural, singular, short names    one set        kind, list kind    another
 *
 * Invariants: pure. A name that was accepted stays so, whoever asks for it later; each is accepted
 * by itself, and one that is refused leaves the one that was accepted before.
 */
import type { DefinitionNames } from '../serving/definition-summary.ts';

export interface NamesFinding {
  readonly accepted: DefinitionNames;
  /** Undefined: all of them are. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/** Accepted names of the other definitions of the group. */
export interface TakenNames {
  hasResource(name: string): boolean;
  hasKind(name: string): boolean;
}

export function acceptNames(
  requested: DefinitionNames,
  before: DefinitionNames,
  others: TakenNames,
): NamesFinding {
  const { hasKind, hasResource } = others;
  let conflict: NamesFinding['conflict'];
  const choose = (
    reason: string,
    wanted: string,
    was: string,
    isTaken: (name: string) => boolean,
  ): string => {
    if (wanted === was || !isTaken(wanted)) return wanted;
    conflict = { reason, message: inUse(wanted) };
    return was;
  };
  const plural = choose('PluralConflict', requested.plural, before.plural, hasResource);
  const singular = choose('SingularConflict', requested.singular, before.singular, hasResource);
  const taken = [...new Set(requested.shortNames)].filter(
    (name) => hasResource(name) && !before.shortNames.includes(name),
  );
  const [first] = taken;
  if (first !== undefined) {
    const message = taken.length === 1 ? inUse(first) : `[${taken.map(inUse).join(', ')}]`;
    conflict = { reason: 'ShortNamesConflict', message };
  }
  const shortNames = first === undefined ? requested.shortNames : before.shortNames;
  const kind = choose('KindConflict', requested.kind, before.kind, hasKind);
  const listKind = choose('ListKindConflict', requested.listKind, before.listKind, hasKind);
  const { categories } = requested;
  return { accepted: { plural, singular, shortNames, kind, listKind, categories }, conflict };
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}
