/**
 * What every client library sends after a restart: many lists of one large collection at the same
 * moment, in one encoding after the other; clients that go in the middle; SIGTERM in the middle.
 *
 * By default small; the full sizes are SLUICE_HERD_OBJECTS=20000 with SLUICE_HERD_LISTS=200.
 * The longest answer of /livez and the memory are told, not judged: they are the machine's.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { TestContext } from 'node:test';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { decodeFirst, decode as readCbor } from 'cborg';
import { parse as parseYaml } from 'yaml';
import { finished } from 'node:stream/promises';
import { exchange, openResponse } from '../support/clients/http-client.ts';
import { pollLivez } from '../support/clients/livez-poller.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMaps, fill } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually } from '../support/clients/watch-client.ts';

const objectsCount = Number(process.env['SLUICE_HERD_OBJECTS'] ?? 1500);
const listsCount = Number(process.env['SLUICE_HERD_LISTS'] ?? 24);
const objectBytes = 1024;
const timeout = 300_000 + objectsCount * listsCount * 0.2;
const protobuf = 'application/vnd.kubernetes.protobuf';

const directories = testDirectories('sluice-herd');
after(() => directories.removeAll());

let server: ServerProcess;

before(async () => {
  server = await serve();
  await fill(server.port, objectsCount, objectBytes);
});

function serve(): Promise<ServerProcess> {
  const dataDir = path.join(directories.make(), 'data');
  const gates = '--feature-gates=CBORServingAndStorage=true';
  return startServer({ dataDir, flags: ['--log-level=error', '--identity=kubernetes', gates] });
}

interface Download {
  readonly bytes: number;
  /** A quick one: who takes nothing of an answer for ten seconds, for it computes, is cut. */
  readonly digest: number;
  /** Of the first of a herd. */
  readonly body: Buffer;
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

async function download(
  port: number,
  accept: string,
  keep: boolean,
  query = '',
): Promise<Download> {
  const headers = { accept, 'accept-encoding': 'identity' };
  const response = await openResponse(urlOf(port), configMaps + query, { headers });
  assert.equal(response.statusCode, 200);
  let digest = 0;
  const kept: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    digest = crc32(chunk, digest);
    bytes += chunk.length;
    if (keep) kept.push(chunk);
  });
  await finished(response);
  return { bytes, digest, body: Buffer.concat(kept) };
}

function herd(accept: string): Promise<Download[]> {
  const downloads = Array.from({ length: listsCount }, (_, i) =>
    download(server.port, accept, i === 0),
  );
  return Promise.all(downloads);
}

/** Fields of a message that have a length, by number. */
function fieldsOf(message: Uint8Array): Map<number, Uint8Array[]> {
  const fields = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type !== WireType.LengthDelimited) reader.skip(type, number);
    else fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
  }
  return fields;
}

/** As repeated fields of thousands: without copying what came before. */
function itemsOf(message: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === 2) items.push(reader.bytes());
    else reader.skip(type, number);
  }
  return items;
}

function namesInProtobuf(body: Buffer): string[] {
  assert.equal(body.subarray(0, 4).toString('latin1'), 'k8s\0');
  const [raw] = fieldsOf(body.subarray(4)).get(2) ?? [];
  assert.ok(raw !== undefined);
  return itemsOf(raw).map((item) => {
    const [metadata] = fieldsOf(item).get(1) ?? [];
    const [name] = fieldsOf(metadata as Uint8Array).get(1) ?? [];
    return Buffer.from(name as Uint8Array).toString();
  });
}

interface NamedItem {
  readonly metadata: { readonly name: string };
}

function namesInCbor(body: Buffer): string[] {
  const list = readCbor(body.subarray(3), { useMaps: true }) as Map<Uint8Array, unknown>;
  const member = (map: unknown, name: string): unknown => {
    for (const [key, value] of map as Map<Uint8Array, unknown>) {
      if (Buffer.from(key).toString() === name) return value;
    }
    return undefined;
  };
  return (member(list, 'items') as unknown[]).map((item) =>
    Buffer.from(member(member(item, 'metadata'), 'name') as Uint8Array).toString(),
  );
}

const namesOf = (items: readonly NamedItem[]): string[] => items.map((item) => item.metadata.name);

type Row = readonly [name: string, accept: string, names: (body: Buffer) => string[]];

const meta = ';g=meta.k8s.io;v=v1';
const rows: readonly Row[] = [
  ['Protobuf', protobuf, namesInProtobuf],
  [
    'Protobuf, partial metadata',
    `${protobuf};as=PartialObjectMetadataList${meta}`,
    namesInProtobuf,
  ],
  [
    'JSON',
    'application/json',
    (body) => namesOf((JSON.parse(body.toString()) as { items: NamedItem[] }).items),
  ],
  [
    'indented JSON',
    'application/json;pretty=1',
    (body) => namesOf((JSON.parse(body.toString()) as { items: NamedItem[] }).items),
  ],
  [
    'Tables',
    `application/json;as=Table${meta}`,
    (body) =>
      namesOf(
        (JSON.parse(body.toString()) as { rows: { object: NamedItem }[] }).rows.map(
          (row) => row.object,
        ),
      ),
  ],
  ['CBOR', 'application/cbor', namesInCbor],
  [
    'YAML',
    'application/yaml',
    // Its reader needs minutes for the full size: there, what stands at the places of names counts.
    (body) =>
      objectsCount > 2000
        ? (body.toString().match(/^ {4}name: .*$/gm) ?? []).map((line) => line.slice(10))
        : namesOf((parseYaml(body.toString()) as { items: NamedItem[] }).items),
  ],
];

const expectedNames = Array.from({ length: objectsCount }, (_, i) => `o${i}`).sort();
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

for (const [name, accept, names] of rows) {
  const title = `${listsCount} lists of ${objectsCount} objects at once in ${name} are all whole`;
  test(title, { timeout }, async (context: TestContext) => {
    const beforeBytes = server.memory().rssBytes;
    server.resetPeak();
    const livez = pollLivez(server.port);
    // However it ends: its thread would keep the file from ending.
    context.after(() => livez.stop());
    await livez.report();
    const begin = performance.now();
    const cpuMs = server.cpuMs();
    const all = await herd(accept);
    const seconds = (performance.now() - begin) / 1000;
    const seen = await livez.report();
    const { rssBytes, peakBytes } = server.memory();
    context.diagnostic(
      `${seconds.toFixed(1)} s, ${server.cpuMs() - cpuMs} ms of processor time, ` +
        `${megabytes(all[0]?.bytes ?? 0)} each; longest /livez of ${seen.count}: ` +
        `${seen.longestMs.toFixed(0)} ms; resident ${megabytes(beforeBytes)} before, ` +
        `${megabytes(peakBytes)} at most, ${megabytes(rssBytes)} after`,
    );
    assert.equal(seen.failed, 0, 'every /livez was answered');
    const [first] = all;
    assert.ok(first !== undefined);
    assert.deepEqual(names(first.body).sort(), expectedNames);
    // Rows say how old an object is, which differs from one to the next.
    if (name === 'Tables') return;
    assert.deepEqual(
      all.map((each) => each.digest),
      all.map(() => first.digest),
    );
  });
}

/** The sum of all series of this name. */
async function metric(port: number, name: string): Promise<number> {
  const { text } = await exchange(urlOf(port), '/metrics');
  const series = text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  assert.ok(series.length > 0, name);
  return series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Sends a list request and goes after `bytes` of the answer. */
async function vanish(port: number, accept: string, bytes: number): Promise<void> {
  const end = new AbortController();
  if (bytes === 0) setTimeout(() => end.abort(), 5);
  const request = { headers: { accept }, signal: end.signal };
  try {
    const response = await openResponse(urlOf(port), configMaps, request);
    let seen = 0;
    response.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen >= bytes) end.abort();
    });
    await finished(response);
  } catch {
    // It has gone, as it should.
  }
}

test('clients that go in the middle leave nothing behind', { timeout }, async () => {
  const { port } = server;
  for (const accept of [protobuf, 'application/yaml', 'application/json', 'application/cbor']) {
    const gone = Array.from({ length: listsCount }, (_, i) =>
      vanish(port, accept, i % 2 === 0 ? 0 : 200_000),
    );
    await Promise.all(gone);
  }
  // The one that asks is in flight.
  const isAlone = async (): Promise<boolean> =>
    (await metric(port, 'apiserver_current_inflight_requests')) === 1;
  await eventually('nothing is in flight', isAlone);
  const [whole] = await Promise.all([download(port, protobuf, true)]);
  assert.deepEqual(namesInProtobuf(whole.body).sort(), expectedNames);
});

test('what is kept of lists in other encodings is counted and bounded', { timeout }, async () => {
  const { port } = server;
  const made = await metric(port, 'sluice_encodings_made_total');
  await download(port, protobuf, false);
  assert.equal(await metric(port, 'sluice_encodings_made_total'), made, 'nothing was encoded');
  const bytes = await metric(port, 'sluice_encodings_bytes');
  assert.ok(bytes > 0 && bytes <= 128 * 1024 * 1024, `${bytes} bytes`);
});

const initial =
  '?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true' +
  `&timeoutSeconds=${Math.ceil(objectsCount / 1500)}`;

/** Names in the frames of a watch: each is a length, and a bare event around an object. */
function namesInFrames(body: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < body.length;) {
    const end = at + 4 + body.readUInt32BE(at);
    const event = fieldsOf(body.subarray(at + 4, end));
    at = end;
    if (Buffer.from(event.get(1)?.[0] as Uint8Array).toString() !== 'ADDED') continue;
    const [envelope] = fieldsOf(event.get(2)?.[0] as Uint8Array).get(1) ?? [];
    const [raw] = fieldsOf((envelope as Uint8Array).subarray(4)).get(2) ?? [];
    const [metadata] = fieldsOf(raw as Uint8Array).get(1) ?? [];
    names.push(Buffer.from(fieldsOf(metadata as Uint8Array).get(1)?.[0] as Uint8Array).toString());
  }
  return names;
}

function namesInSequence(body: Buffer): string[] {
  const names: string[] = [];
  const asText = (map: unknown): Map<string, unknown> =>
    new Map([...(map as Map<Uint8Array, unknown>)].map(([k, v]) => [Buffer.from(k).toString(), v]));
  const tags = { 55799: (decode: () => unknown) => decode() };
  for (let rest: Uint8Array = body; rest.length > 0;) {
    const [value, remainder] = decodeFirst(rest, { useMaps: true, tags });
    rest = remainder;
    const event = asText(value);
    if (Buffer.from(event.get('type') as Uint8Array).toString() !== 'ADDED') continue;
    const metadata = asText(asText(event.get('object')).get('metadata'));
    names.push(Buffer.from(metadata.get('name') as Uint8Array).toString());
  }
  return names;
}

const streams: readonly Row[] = [
  ['Protobuf', protobuf, namesInFrames],
  ['CBOR', 'application/cbor-seq', namesInSequence],
];
for (const [name, accept, names] of streams) {
  const title = `a streaming list in ${name} sends what a list has made, and is whole`;
  test(title, { timeout }, async () => {
    const { port } = server;
    await download(port, accept.replace('-seq', ''), false);
    const made = await metric(port, 'sluice_encodings_made_total');
    const { body } = await download(port, accept, true, initial);
    assert.deepEqual(names(body).sort(), expectedNames);
    assert.equal(await metric(port, 'sluice_encodings_made_total'), made, 'nothing was encoded');
  });
}

test('SIGTERM in the middle of a herd ends the server in its time', { timeout }, async () => {
  const lists = herd(protobuf).then(
    () => 'whole',
    () => 'cut',
  );
  await vanish(server.port, protobuf, 1);
  const end = await server.stop();
  assert.equal(end.code, 0, end.stderr);
  assert.match(await lists, /whole|cut/);
});
