/**
 * Which verbs and subresources the server answers: the one place that says so. Discovery shows
 * what stands here, and the request router lets through what stands here.
 */
import type { Verb } from '../apimachinery/scheme.ts';

export const objectVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

export const subresourceVerbs: readonly Verb[] = ['get', 'patch', 'update'];

/** Subresources that are answered. The catalogue names more; each of the others needs its own rules
 * (approval and ephemeralcontainers and resize change a chosen few fields), and is left out until
 * it has them. */
export const servedSubresources: ReadonlySet<string> = new Set(['scale', 'status', 'token']);

/** Subresources that are asked, with a kind of their own, and not read or written. */
const askedSubresources: ReadonlySet<string> = new Set(['token']);

export function verbsOfSubresource(name: string): readonly Verb[] {
  return askedSubresources.has(name) ? ['create'] : subresourceVerbs;
}
