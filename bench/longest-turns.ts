/**
 * Question: how long is the longest turn of the event loop, in processor time, that one request can
 * take: bodies as large as they may be in each format, writes of as many members as a body may
 * hold, answers and lists of such objects in each encoding?
 *
 * What it does not answer: how long others wait when many such requests come at once (they are
 * spread over turns), or how long a request takes as a whole.
 *
 * Floor: none. The target is the one for all turns, 25 ms; a row above it says so.
 */
import http from 'node:http';
import { encodeCbor } from '../src/apimachinery/codecs/cbor.ts';
import { encodeProtobuf } from '../src/apimachinery/codecs/protobuf.ts';
import { encodeYaml } from '../src/apimachinery/codecs/yaml.ts';
import { ownableFieldsMax } from '../src/apimachinery/fieldmanager/typed/count-fields.ts';
import { identityOf } from '../src/apimachinery/identity.ts';
import type { JsonObject } from '../src/apimachinery/unstructured.ts';
import { buildScheme } from '../src/apis/build-scheme.ts';
import { figure } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';
import { collectionPath } from './load/objects.ts';

const longestTurnMs = 25;

const built = buildScheme({ identity: identityOf('kubernetes') });
if (built.kind !== 'ok') throw new Error('the kinds do not fit together');
const schema = built.scheme.findKind('', 'v1', 'ConfigMap')?.schema;
if (schema === undefined) throw new Error('there are no config maps');
const configMaps = schema;

const json = 'application/json';
const yaml = 'application/yaml';
const cbor = 'application/cbor';
const protobuf = 'application/vnd.kubernetes.protobuf';
const applyType = 'application/apply-patch+yaml';
const encodings = [
  ['JSON', json],
  ['YAML', yaml],
  ['CBOR', cbor],
  ['Protobuf', protobuf],
] as const;

type Encode = (value: JsonObject) => Uint8Array;
const encoders: Readonly<Record<(typeof encodings)[number][0], Encode>> = {
  JSON: (value) => Buffer.from(JSON.stringify(value)),
  YAML: encodeYaml,
  CBOR: (value) => encodeCbor(value),
  Protobuf: (value) => encodeProtobuf(configMaps, value),
};

function configMap(name: string, members: number, letters: number): JsonObject {
  const value = 'v'.repeat(letters);
  const data = Object.fromEntries(Array.from({ length: members }, (_, i) => [`key-${i}`, value]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

interface Request {
  readonly measure: string;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly accept?: string;
  readonly status: number;
}

interface Sizes {
  /** Members of the largest objects. */
  readonly members: number;
  readonly operations: number;
}

const mebibyte = 1024 * 1024;
/** Of bodies that are long, and hold no more than other large objects. */
const textMembers = 3000;

const nothing = new Uint8Array(0);

const requestsOf = (sizes: Sizes): readonly Request[] => [
  ...writesOf(sizes),
  ...readingsOf(sizes),
  ...answersOf(),
];

const post = { method: 'POST', path: collectionPath, status: 201 };
const at = (name: string, query = ''): string => `${collectionPath}/${name}${query}`;

function writesOf({ members, operations }: Sizes): readonly Request[] {
  const write = (name: string, letters: number): Uint8Array =>
    encoders.JSON(configMap(name, members, letters));
  const patch = { method: 'PATCH', path: at('large'), status: 200 };
  const apply = { method: 'PATCH', type: applyType };
  const data = (letters: number): Uint8Array =>
    encoders.JSON({ data: configMap('', members, letters)['data'] });
  const operation = (_: unknown, i: number): JsonObject => {
    return { op: 'replace', path: `/data/key-${i % members}`, value: `x${i}` };
  };
  const [merge, strategic, operationsType] = ['merge', 'strategic-merge', 'json'].map(
    (kind) => `application/${kind}-patch+json`,
  ) as [string, string, string];
  const patches = Buffer.from(JSON.stringify(Array.from({ length: operations }, operation)));
  return [
    { ...post, measure: 'create', type: json, body: write('large', 8) },
    {
      ...post,
      method: 'PUT',
      path: at('large'),
      status: 200,
      measure: 'replace',
      type: json,
      body: write('large', 7),
    },
    { ...patch, measure: 'merge patch', type: merge, body: data(6) },
    { ...patch, measure: 'strategic merge patch', type: strategic, body: data(5) },
    { ...patch, measure: 'JSON patch', type: operationsType, body: patches },
    {
      ...apply,
      path: at('applied', '?fieldManager=a'),
      status: 201,
      measure: 'apply that creates',
      body: write('applied', 8),
    },
    {
      ...apply,
      path: at('applied', '?fieldManager=a'),
      status: 200,
      measure: 'apply again',
      body: write('applied', 7),
    },
    {
      ...apply,
      path: at('applied', '?fieldManager=b&force=true'),
      status: 200,
      measure: 'apply by another manager',
      body: write('applied', 6),
    },
  ];
}

/** Bodies of 3 MiB are read whole, and refused for what an object may hold. */
function readingsOf({ members }: Sizes): readonly Request[] {
  const text = (name: string, size: number, format: keyof typeof encoders): Uint8Array =>
    encoders[format](configMap(name, textMembers, (size * mebibyte) / textMembers - 20));
  return [
    ...encodings.map(([name, type], i) => ({
      ...post,
      measure: `create in ${name}`,
      type,
      body: encoders[name](configMap(`large-${i}`, members, 8)),
    })),
    { ...post, measure: 'read 1 MiB of YAML', type: yaml, body: text('text-yaml', 0.95, 'YAML') },
    ...encodings.map(([name, type]) => ({
      ...post,
      status: 422,
      measure: `read 3 MiB of ${name}`,
      type,
      body: text('text', 2.9, name),
    })),
  ];
}

function answersOf(): readonly Request[] {
  return [
    ...encodings.map(([name, accept]) => ({
      method: 'GET',
      path: at('large'),
      type: json,
      accept,
      status: 200,
      body: nothing,
      measure: `get in ${name}`,
    })),
    ...encodings.map(([name, accept]) => ({
      method: 'GET',
      path: collectionPath,
      type: json,
      accept,
      status: 200,
      body: nothing,
      measure: `list in ${name}`,
    })),
  ];
}

function send(port: number, { method, path, type, body, accept, status }: Request): Promise<void> {
  const headers = {
    'content-type': type,
    accept: accept ?? json,
    'content-length': body.length,
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ port, method, path, headers, agent: false }, (response) => {
      const matches = response.statusCode === status;
      response.on('error', reject);
      response.resume().on('end', () => {
        if (matches) resolve();
        else reject(new Error(`${method} ${path} in ${type}: ${response.statusCode}`));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function measured(server: MeasuredProcess, request: Request): Promise<number> {
  await server.startTurns();
  await send(server.port, request);
  return (await server.stopTurns()).ms;
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = bench.smoke
    ? { members: 300, operations: 100 }
    : { members: ownableFieldsMax - 100, operations: 10_000 };
  const requests = requestsOf(sizes);
  const longest = new Map<string, number[]>();
  const usages = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    const gates = ['--identity=kubernetes', '--feature-gates=CBORServingAndStorage=true'];
    const server = await startSluice(bench.cores.server, gates);
    try {
      const stop = measureUsage(server.pid, bench.cores.server);
      for (const request of requests) {
        const { measure } = request;
        longest.set(measure, [...(longest.get(measure) ?? []), await measured(server, request)]);
      }
      usages.push(stop());
    } finally {
      await server.stop();
    }
  }
  const target = { of: 'server', atMost: longestTurnMs } as const;
  const rows: Row[] = requests.map(({ measure }) =>
    figure(measure, 'ms, longest turn', longest.get(measure) ?? [], undefined, target),
  );
  return { rows, ...busiest(usages), facts: { ...sizes }, notes: [] };
}

export const longestTurns: Scenario = {
  name: 'longest-turns',
  question: 'How long is the longest turn of the event loop that one large request takes?',
  run,
};
