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

const changed: readonly Verb[] = ['get', 'patch', 'update'];
const posted: readonly Verb[] = ['create'];
const opened: readonly Verb[] = ['create', 'get'];

/** Subresources that are answered, with their verbs. */
export const servedSubresources: ReadonlyMap<string, readonly Verb[]> = new Map([
  ['approval', changed],
  ['attach', opened],
  ['binding', posted],
  ['ephemeralcontainers', changed],
  ['eviction', posted],
  ['exec', opened],
  ['finalize', ['update']],
  ['log', ['get']],
  ['portforward', opened],
  ['proxy', ['create', 'delete', 'get', 'patch', 'update']],
  ['resize', changed],
  ['scale', changed],
  ['status', changed],
  ['token', posted],
]);

/** Of kinds whose objects are worked out and never stored. */
export const computedVerbs: readonly Verb[] = ['get', 'list'];

/** Of kinds that are posted to a collection and never stored. */
export const operationVerbs = posted;
