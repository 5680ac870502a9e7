/**
 * Which kind has its own strategy: the generic one, with the functions that a kind replaces.
 *
 * What it is not: the rules themselves; each lives with its kind.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { genericStrategy } from '../registry/strategy.ts';
import type { KindStrategy, StrategyOf } from '../registry/strategy.ts';
import { namespaceStrategy } from './namespaces.ts';

/** Strategies are made once per kind and version, and kept. */
export function strategiesOf(identity: Identity): StrategyOf {
  const replaced: Readonly<Record<string, Partial<KindStrategy>>> = {
    '/namespaces': namespaceStrategy(identity),
  };
  const made = new WeakMap<KindInfo, KindStrategy>();
  return (kind) => {
    const known = made.get(kind);
    if (known !== undefined) return known;
    const own = replaced[`${kind.storage.group}/${kind.storage.resource}`];
    const strategy = { ...genericStrategy(kind), ...own };
    made.set(kind, strategy);
    return strategy;
  };
}
