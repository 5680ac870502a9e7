/**
 * Question: how fast does a streaming list of 20,000 objects of 1 KB reach its
 * initial-events-end bookmark?
 *
 * What it does not answer: memory under many of them, and what changes in between cost.
 *
 * Floor: uWebSockets.js sending the very bytes of that stream, chunk by chunk as the socket drains.
 */
import { measureCopies } from './harness/copies.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { collectionPath } from './load/objects.ts';

const path =
  `${collectionPath}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan` +
  '&allowWatchBookmarks=true';

function run(bench: Bench): Promise<Outcome> {
  return measureCopies(bench, { name: 'streaming-list', path, ending: 'initial-events-end' });
}

export const streamingList: Scenario = {
  name: 'streaming-list',
  question: 'How fast does a streaming list of 20,000 objects of 1 KB reach its bookmark?',
  run,
};
