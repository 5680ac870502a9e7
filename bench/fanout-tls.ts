/**
 * Question: what does TLS cost the fan-out?
 *
 * Three servers, each with an audience of its own: watched over TLS (Node's adapter, HTTP/1.1),
 * over plain HTTP by the same adapter, and over plain HTTP by uWebSockets.js. The events are those
 * of fanout.ts, written over plain HTTP by all. A row's floor is a plain server, same round.
 *
 * What it does not answer: handshakes; what HTTP/2 costs.
 */
import { comparison } from './harness/compare.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import type { Measured } from './load/fan-out.ts';
import { compareVariants } from './load/fan-out-variants.ts';
import type { MeasuredVariant } from './load/fan-out-variants.ts';

type Name = 'tls' | 'node' | 'uws';

const flagsOf: Readonly<Record<Name, readonly string[]>> = {
  tls: ['--transport=node', '--secure-port=0'],
  node: ['--transport=node'],
  uws: ['--transport=uws'],
};
const names: readonly Name[] = ['tls', 'node', 'uws'];
const OBJECTS = 32;

function run(bench: Bench): Promise<Outcome> {
  const variants = names.map((name) => ({
    name,
    flags: flagsOf[name],
    secure: name === 'tls',
    profiledAs: `fanout-tls-${name}`,
  }));
  return compareVariants(bench, { variants, objects: OBJECTS, rowsOf });
}

function rowsOf(measured: readonly MeasuredVariant<Name>[]): Row[] {
  const [tls, ...plain] = measured as [MeasuredVariant<Name>, ...MeasuredVariant<Name>[]];
  return plain.flatMap((floor): Row[] => {
    const row = (what: 'single' | 'saturated', measure: string): Row => {
      const pairs = tls[what].map((each, i) => ({
        server: each.perCpuSecond,
        floor: (floor[what][i] as Measured).perCpuSecond,
      }));
      return comparison(`TLS to plain ${floor.name}, ${measure}`, 'per CPU-s', pairs);
    };
    return [row('single', 'one at a time'), row('saturated', 'saturated')];
  });
}

export const fanoutTls: Scenario = {
  name: 'fanout-tls',
  question: 'What does TLS cost the fan-out?',
  run,
};
