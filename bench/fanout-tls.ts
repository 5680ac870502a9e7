/**
 * Question: what does a watch cost over TLS?
 *
 * Four servers, each with an audience of its own over HTTP/1.1: at the port for tokens
 * (uWebSockets.js), at the secure port (node), and in the clear by either adapter. The events are
 * those of fanout.ts, written in the clear by all. Floors, same rounds and bytes: uWebSockets.js
 * over TLS with nothing around it, and one framed buffer written to the sockets of node's https.
 *
 * Where a newer Node has been fetched (`npm run node:24`), two servers more run on it, where no
 * uWebSockets.js loads: what its users have beside what those of this Node have.
 *
 * What it does not answer: handshakes; what HTTP/2 costs (the scenario `http2` does). The client
 * certificates of the secure port are asked for, and nobody has one.
 */
import { startNodeFloor, startUwsFloor } from './harness/process.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { newerNode } from '../test/support/servers/newer-node.ts';
import { compareVariants, comparisonRows } from './load/fan-out-variants.ts';
import type { Comparison, Variant } from './load/fan-out-variants.ts';

type Name = 'tokens' | 'secure' | 'node' | 'uws' | 'bareUws' | 'bareNode' | 'newer' | 'newerTls';

const bothTls = ['--secure-port=0', '--token-port=0'];
const { program } = newerNode();
const newer: readonly Variant<Name>[] = [
  { name: 'newer', flags: [], program, profiledAs: 'fanout-tls-newer' },
  { name: 'newerTls', flags: bothTls, over: 'secure', program, profiledAs: 'fanout-tls-newer-tls' },
];
const variants: readonly Variant<Name>[] = [
  { name: 'tokens', flags: bothTls, over: 'tokens', profiledAs: 'fanout-tls-tokens' },
  { name: 'secure', flags: bothTls, over: 'secure', profiledAs: 'fanout-tls-secure' },
  { name: 'node', flags: ['--transport=node'], profiledAs: 'fanout-tls-node' },
  { name: 'uws', flags: ['--transport=uws'] },
  ...(program === undefined ? [] : newer),
  { name: 'bareUws', flags: [], over: 'secure', floor: startUwsFloor },
  { name: 'bareNode', flags: [], over: 'secure', floor: startNodeFloor },
];
const OBJECTS = 32;

const comparisons: readonly Comparison<Name>[] = [
  ['tokens', 'bareUws', 'for tokens, to bare uWS over TLS', { of: 'ratio', atLeast: 0.8 }],
  ['secure', 'bareNode', 'secure port, to a bare shared write', { of: 'ratio', atLeast: 0.83 }],
  ['tokens', 'uws', 'for tokens, to plain uWS', undefined],
  ['secure', 'node', 'secure port, to plain node', undefined],
  ['node', 'uws', 'plain node, to plain uWS', undefined],
  ['newer', 'uws', 'plain on the newer Node, to plain uWS', { of: 'ratio', atLeast: 0.8 }],
  [
    'newerTls',
    'tokens',
    'TLS on the newer Node, to that for tokens',
    { of: 'ratio', atLeast: 0.8 },
  ],
];

function run(bench: Bench): Promise<Outcome> {
  return compareVariants(bench, {
    variants,
    objects: OBJECTS,
    rowsOf: (measured) => comparisonRows(measured, comparisons),
  });
}

export const fanoutTls: Scenario = {
  name: 'fanout-tls',
  question: 'What does a watch cost over TLS?',
  run,
};
