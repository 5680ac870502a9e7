/** The language of expressions as the options and the identity say. */
import type { Identity } from '../../apimachinery/identity.ts';
import { costTables } from '../../cel/cost-tables.ts';
import { createLanguage } from '../../cel/language.ts';
import type { Language } from '../../cel/language.ts';

export function expressionLanguage(
  { release }: { readonly release: number },
  identity: Identity,
): Language {
  return createLanguage({ release, costs: costTables[identity.name] });
}
