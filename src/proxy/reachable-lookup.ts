/**
 * A look-up of names that finds only what callers may have requests passed on to: whoever may
 * write a node's addresses could name this very machine.
 */
import type { LookupFunction } from 'node:net';
import { isReachable } from '../apimachinery/reachable-address.ts';

export function reachableLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const all = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const refused = error === null && !all.every(isReachable);
      if (refused) callback(new Error('address not allowed'), options.all === true ? [] : '', 0);
      else callback(error, found, family);
    });
  };
}
