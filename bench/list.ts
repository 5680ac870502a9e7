/**
 * Question: how fast does a list of 20,000 objects of 1 KB leave the server?
 *
 * What it does not answer: what selectors, pages, other media types or gzip cost, and what a list
 * costs while objects change.
 *
 * Floor: uWebSockets.js sending the very bytes of that list, chunk by chunk as the socket drains.
 */
import { measureCopies } from './harness/copies.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { collectionPath } from './load/objects.ts';

function run(bench: Bench): Promise<Outcome> {
  return measureCopies(bench, { name: 'list', path: collectionPath, ending: ']}' });
}

export const list: Scenario = {
  name: 'list',
  question: 'How fast does a list of 20,000 objects of 1 KB leave the server?',
  run,
};
