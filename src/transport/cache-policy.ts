/**
 * What answers say to caches: one that says nothing else is kept in none that callers share, since
 * access was checked for one of them.
 */
import type { Header } from './http-exchange.ts';

export const uncached: Header = ['Cache-Control', 'no-cache, private'];

/** With that policy, unless they have one. */
export function withCachePolicy(headers: readonly Header[]): readonly Header[] {
  return headers.some(([name]) => isCacheControl(name)) ? headers : [...headers, uncached];
}

const { length } = uncached[0];

function isCacheControl(name: string): boolean {
  return name.length === length && name.toLowerCase() === 'cache-control';
}
