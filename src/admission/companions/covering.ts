/**
 * What the quotas of a namespace decide about a write before their figures matter: which quota
 * refuses first, and whether some quota covers what must be covered.
 *
 * quota/limited-resources.ts says what must be covered; charge.ts charges.
 *
 * Invariants: pure. The order is that of the reference: first a quota that needs a value which is
 * missing, then whatever no quota covers, then a quota that is exceeded.
 * Bounds: the quotas that limit the write, and the different selectors in the namespace.
 */
import { text } from '../../apimachinery/members.ts';
import { compareQuantities, parseQuantity } from '../../apimachinery/quantity.ts';
import type { KnownQuota, KnownQuotas } from '../quota/known-quotas.ts';
import { shownScopes } from '../quota/limited-resources.ts';
import type { Limited } from '../quota/limited-resources.ts';
import { inAllScopes, isInScope } from '../quota/scopes.ts';
import type { Usage } from '../quota/usage.ts';

/** What such states begin with; behind it is what no quota covers. */
export const uncoveredNames = '!uncovered-names:';
export const uncoveredScopes = '!uncovered-scopes:';

/** Those first that want more said: the reference looks for these before it looks at figures. */
export function inOrderOfRefusal(
  quotas: readonly KnownQuota[],
  is: Usage | null,
): readonly KnownQuota[] {
  if (is === null || quotas.length < 2) return quotas;
  const [asking, others] = [[] as KnownQuota[], [] as KnownQuota[]];
  for (const quota of quotas) (asksMore(quota, is) ? asking : others).push(quota);
  return [...asking, ...others];
}

function asksMore({ bounds, selectors }: KnownQuota, { missing, scopes }: Usage): boolean {
  return bounds.some((name) => Object.hasOwn(missing, name)) && inAllScopes(selectors, scopes);
}

export function takesMore(is: Usage, was: Usage | null): boolean {
  return Object.entries(is.amounts).some(([name, amount]) => {
    const [now, before] = [parseQuantity(amount), parseQuantity(was?.amounts[name] ?? '0')];
    return now !== undefined && before !== undefined && compareQuantities(now, before) > 0;
  });
}

interface Taking {
  readonly namespace: string;
  /** Quotas that bound what it takes. */
  readonly found: readonly KnownQuota[];
  readonly is: Usage;
}

/** A state of no epoch, where no quota covers what only may be taken where one does. */
export function uncoveredBy(
  quotas: KnownQuotas,
  limited: Limited | undefined,
  { found, is, namespace }: Taking,
): string | undefined {
  if (limited === undefined) return undefined;
  const about = found.filter(({ selectors }) => inAllScopes(selectors, is.scopes));
  // It is refused for that first.
  if (about.some((quota) => asksMore(quota, is))) return undefined;
  const bounded = new Set(about.flatMap(({ bounds }) => bounds));
  const names = limited.names.filter((name) => !bounded.has(name));
  if (names.length > 0) return `${uncoveredNames}${names.join(',')}`;
  const { scopes: facts } = is;
  const scopes = limited.scopes.filter((scope) => {
    for (const selector of quotas.selectors(namespace, text(scope, 'scopeName'))) {
      if (facts !== null && isInScope(selector, facts)) return false;
    }
    return true;
  });
  return scopes.length === 0 ? undefined : `${uncoveredScopes}${shownScopes(scopes)}`;
}
