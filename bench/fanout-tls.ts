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
 * What it does not answer: handshakes; what HTTP/2 costs. The client certificates of the secure
 * port are asked for, and nobody has one.
 */
import { comparison } from './harness/compare.ts';
import { startNodeFloor, startUwsFloor } from './harness/process.ts';
import type { Bench, Outcome, Row, Scenario, Target } from './harness/scenario.ts';
import { newerNode } from '../test/support/servers/newer-node.ts';
import type { Measured } from './load/fan-out.ts';
import { compareVariants } from './load/fan-out-variants.ts';
import type { MeasuredVariant, Variant } from './load/fan-out-variants.ts';

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

/** What is compared with what, and what is wanted of the ratio, one event at a time. */
const comparisons: readonly (readonly [Name, Name, string, Target | undefined])[] = [
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
  return compareVariants(bench, { variants, objects: OBJECTS, rowsOf });
}

function rowsOf(measured: readonly MeasuredVariant<Name>[]): Row[] {
  const byName = new Map(measured.map((each) => [each.name, each]));
  const row = (what: 'single' | 'saturated', at: (typeof comparisons)[number]): Row => {
    const [name, floorName, title, target] = at;
    const floors = byName.get(floorName)?.[what] ?? [];
    const pairs = (byName.get(name)?.[what] ?? []).map((each, i) => ({
      server: each.perCpuSecond,
      floor: (floors[i] as Measured).perCpuSecond,
    }));
    const single = what === 'single';
    const measure = `${title}, ${single ? 'one at a time' : 'saturated'}`;
    return comparison(measure, 'per CPU-s', pairs, single ? target : undefined);
  };
  return comparisons
    .filter(([name]) => byName.has(name))
    .flatMap((each) => [row('single', each), row('saturated', each)]);
}

export const fanoutTls: Scenario = {
  name: 'fanout-tls',
  question: 'What does a watch cost over TLS?',
  run,
};
