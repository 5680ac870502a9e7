/**
 * Question: what do a request and a watch cost over HTTP/2?
 *
 * At the secure port, by a caller with a token. Requests: GETs of one object, ten connections with
 * forty at a time on each. Watches: as fanout-tls.ts, 400 of them, as ten connections with forty
 * streams and as 400 connections with one. Floors, same rounds, certificate and bytes, all of
 * node's own HTTP/2: answers from memory, and one buffer written to each stream.
 *
 * What it does not answer: handshakes; what deciding about access costs (everything is allowed).
 * The events of watches are written in the clear.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { comparison } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import { startNodeHttp2Floor, startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { newToken, writeTokenFile } from './harness/reference-process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import type { RequestRate } from './harness/writes.ts';
import type { Audience } from './load/fan-out.ts';
import { compareVariants, comparisonRows } from './load/fan-out-variants.ts';
import type { Comparison, Variant } from './load/fan-out-variants.ts';
import { fetchBytes } from './load/http-client.ts';
import { captureHttp2, measureGets } from './load/http2-requests.ts';
import { collectionPath, objectName } from './load/objects.ts';
import { fill } from './load/prepare.ts';

type Name = 'shared' | 'alone' | 'bareShared' | 'bareAlone';

interface Caller {
  readonly token: string;
  readonly flags: readonly string[];
}

const OBJECTS = 32;
const OBJECT_BYTES = 1024;
const CONNECTIONS = 10;
const AT_ONCE = 40;
/** A delivery costs so little that fewer would be over in a fraction of a second. */
const EVENTS = { singleEvents: 400, saturatedEvents: 800 };

const wanted = { of: 'ratio', atLeast: 0.9 } as const;
const comparisons: readonly Comparison<Name>[] = [
  ['shared', 'bareShared', '10 connections by 40 watches', wanted],
  ['alone', 'bareAlone', '400 connections by 1 watch', wanted],
];

async function run(bench: Bench): Promise<Outcome> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-http2-'));
  try {
    const token = newToken();
    const file = await writeTokenFile(directory, token);
    const caller = { token, flags: ['--secure-port=0', `--token-auth-file=${file}`] };
    const gets = await compareGets(bench, caller);
    const deliveries = await compareDeliveries(bench, caller);
    const others = [gets.otherShare, deliveries.otherShare].filter((each) => each !== undefined);
    return {
      rows: [...gets.rows, ...deliveries.rows],
      facts: { ...gets.facts, ...deliveries.facts },
      notes: [],
      loadCpuShare: Math.max(gets.loadCpuShare, deliveries.loadCpuShare),
      otherShare: others.length === 0 ? undefined : Math.max(...others),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function compareGets(bench: Bench, { flags, token }: Caller): Promise<Outcome> {
  const { server: core } = bench.cores;
  const requests = bench.smoke ? 400 : 60_000;
  const server = await startSluice(core, flags);
  const floor = await startNodeHttp2Floor(core);
  try {
    await fill(server.port, 'gets', 1, OBJECT_BYTES);
    const target = `${collectionPath}/${objectName('gets', 0)}`;
    const answer = await captureHttp2({ port: securePortOf(server), path: target, token });
    const { headers, body } = answer;
    await fetchBytes(floor.port, 'PUT', '/answer', JSON.stringify({ headers, body }));
    const measure = (process: MeasuredProcess): Promise<RequestRate> =>
      measureGets({
        ...{ pid: process.pid, port: securePortOf(process), path: target, token, core },
        ...{ connections: CONNECTIONS, atOnce: AT_ONCE, count: requests },
        bodyBytes: Buffer.byteLength(body),
      });
    // Until the engines have compiled what a request goes through.
    for (const process of [server, floor]) await measure(process);
    const rates: RequestRate[] = [];
    const pairs: Pair[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      const bare = await measure(floor);
      const ours = await bench.profiled(server, `http2-gets-${round}`, () => measure(server));
      rates.push(bare, ours);
      pairs.push({ floor: bare.perCpuSecond, server: ours.perCpuSecond });
    }
    return {
      rows: [comparison('GETs of one object', 'per CPU-s', pairs)],
      ...busiest(rates.map(({ usage }) => usage)),
      facts: { requests, headers: Object.keys(headers), bodyBytes: Buffer.byteLength(body) },
      notes: [],
    };
  } finally {
    await Promise.all([server.stop(), floor.stop()]);
  }
}

function securePortOf({ securePort }: MeasuredProcess): number {
  if (securePort === undefined) throw new Error('no secure port is served');
  return securePort;
}

function compareDeliveries(bench: Bench, { flags, token }: Caller): Promise<Outcome> {
  const perConnection = bench.smoke ? 4 : AT_ONCE;
  const audience = (streams: number): Audience => ({ over: 'secure', streams, token });
  const floor = startNodeHttp2Floor;
  const variants: readonly Variant<Name>[] = [
    { name: 'shared', flags, ...audience(perConnection), profiledAs: 'http2-shared' },
    { name: 'alone', flags, ...audience(1), profiledAs: 'http2-alone' },
    { name: 'bareShared', flags: [], ...audience(perConnection), floor },
    { name: 'bareAlone', flags: [], ...audience(1), floor },
  ];
  return compareVariants(bench, {
    variants,
    objects: OBJECTS,
    sizes: { watchers: perConnection * CONNECTIONS, ...(bench.smoke ? {} : EVENTS) },
    rowsOf: (measured) => comparisonRows(measured, comparisons),
  });
}

export const http2: Scenario = {
  name: 'http2',
  question: 'What do a request and a watch cost over HTTP/2?',
  run,
};
