/**
 * What no one of several servers over a store may do alone, held against all of them together:
 * quotas, cluster IPs, node ports. For servers in the test's process and for real ones.
 *
 * They serve `sharedQuotaFlags`, and nothing else makes services. SLUICE_SERVERS_WRITES (default 6)
 * is how often each writer of services writes.
 */
import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { randomBelow, seededPrng } from '../../../src/stdx/prng.ts';
import { eventually } from '../clients/watch-client.ts';
import type { ApiClient, Reply } from '../servers/test-server.ts';

const firstPort = 30_000;
const lastPort = 30_007;
const addressesCount = 30;
const writersCount = 12;
const writesEach = Number(process.env['SLUICE_SERVERS_WRITES'] ?? 6);

export const sharedQuotaFlags = {
  controllers: 'resourcequota,serviceaddresses',
  'service-cluster-ip-range': '10.1.0.0/27',
  'service-node-port-range': `${firstPort}-${lastPort}`,
} as const;

type Client = Pick<ApiClient, 'request'>;
/** One for each server, at least two. */
export type Clients = readonly Client[];

interface Item {
  readonly metadata: { readonly name: string };
  readonly spec: JsonObject;
}

interface Port {
  readonly nodePort?: number;
}

const at = (clients: Clients, index: number): Client => clients[index % clients.length] as Client;

async function made(client: Client, path: string, body: JsonObject): Promise<void> {
  const reply = await client.request('POST', path, { body });
  assert.equal(reply.status, 201, reply.text);
}

/** Its path. */
export async function madeNamespace(clients: Clients, name: string): Promise<string> {
  await made(at(clients, 0), '/api/v1/namespaces', { metadata: { name } });
  return `/api/v1/namespaces/${name}`;
}

/** Of the name q. */
export function madeQuota(client: Client, base: string, hard: JsonObject): Promise<void> {
  return made(client, `${base}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } });
}

function limited(client: Client, base: string, hard: JsonObject): Promise<Reply> {
  return client.request('PATCH', `${base}/resourcequotas/q`, {
    body: { spec: { hard } },
    headers: { 'content-type': 'application/merge-patch+json' },
  });
}

const triedMap = (client: Client, base: string, name: string): Promise<Reply> =>
  client.request('POST', `${base}/configmaps`, { body: { metadata: { name } } });

async function usedSeen(client: Client, base: string): Promise<unknown> {
  const { body } = await client.request('GET', `${base}/resourcequotas/q`);
  return (body['status'] as JsonObject | undefined)?.['used'];
}

async function items(client: Client, path: string): Promise<readonly Item[]> {
  const { body } = await client.request('GET', path);
  return body['items'] as unknown as readonly Item[];
}

export interface SharedQuotaCheck {
  readonly title: string;
  readonly run: (clients: Clients) => Promise<void>;
}

/** Each once over a store, in any order. */
export const sharedQuotaChecks: readonly SharedQuotaCheck[] = [
  { title: 'of a hundred creates through all of them ten are made', run: exactlyTen },
  {
    title: 'the status says at once, on each of them, what was made and removed on another',
    run: rightAtOnce,
  },
  {
    title: 'a quota that is made, changed or goes on one of them binds on all at once',
    run: bindsAtOnce,
  },
  {
    title: 'no address and no port is given twice, or leaked, whoever writes where',
    run: addresses,
  },
  { title: 'a new quota counts what all of them have made', run: counted },
];

async function exactlyTen(clients: Clients): Promise<void> {
  const base = await madeNamespace(clients, 'exactly-ten');
  await madeQuota(at(clients, 1), base, { 'count/configmaps': '10' });
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, n) => triedMap(at(clients, n), base, `c${n}`)),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array<number>(10).fill(201), ...Array<number>(90).fill(403)]);
  for (const client of clients) {
    assert.equal((await items(client, `${base}/configmaps`)).length, 10);
    assert.deepEqual(await usedSeen(client, base), { 'count/configmaps': '10' });
  }
}

async function rightAtOnce(clients: Clients): Promise<void> {
  const base = await madeNamespace(clients, 'right-at-once');
  await madeQuota(at(clients, 0), base, { 'count/configmaps': '10' });
  const usedIs = async (n: number, count: number): Promise<void> =>
    assert.deepEqual(await usedSeen(at(clients, n), base), { 'count/configmaps': String(count) });
  for (let n = 0; n < 6; n += 1) {
    assert.equal((await triedMap(at(clients, n), base, `c${n}`)).status, 201);
    await usedIs(n + 1, n + 1);
  }
  for (let n = 5; n >= 0; n -= 1) {
    await at(clients, n).request('DELETE', `${base}/configmaps/c${n}`);
    await usedIs(n + 1, n);
  }
}

async function bindsAtOnce(clients: Clients): Promise<void> {
  const base = await madeNamespace(clients, 'binds-at-once');
  const [writer, other, third] = [at(clients, 0), at(clients, 1), at(clients, 2)];
  const tried = async (...names: readonly [string, string]): Promise<readonly number[]> => {
    const [first, second] = names;
    const one = await triedMap(other, base, first);
    return [one.status, (await triedMap(third, base, second)).status];
  };
  await madeQuota(writer, base, { 'count/configmaps': '1' });
  assert.deepEqual(await tried('a', 'b'), [201, 403]);
  await limited(writer, base, { 'count/configmaps': '2' });
  assert.deepEqual(await tried('c', 'd'), [201, 403]);
  await writer.request('DELETE', `${base}/resourcequotas/q`);
  assert.deepEqual(await tried('e', 'f'), [201, 201]);
  await madeQuota(writer, base, { pods: '1' });
  assert.deepEqual(await tried('g', 'h'), [201, 201]);
  await limited(writer, base, { 'count/configmaps': '5' });
  assert.deepEqual(await tried('i', 'j'), [403, 403]);
}

async function writeServices(clients: Clients, base: string, id: number): Promise<void> {
  const prng = seededPrng(id);
  const spec = { type: 'NodePort', ports: [{ port: 80 }] };
  for (let n = 0; n < writesEach; n += 1) {
    const name = `s${id}-${randomBelow(prng, 3)}`;
    const client = at(clients, randomBelow(prng, clients.length));
    const goes = randomBelow(prng, 3) === 0;
    const { status, text } = goes
      ? await client.request('DELETE', `${base}/services/${name}`)
      : await client.request('POST', `${base}/services`, { body: { metadata: { name }, spec } });
    // 500: the range is full, in the words of the reference.
    assert.ok([200, 201, 404, 409, 500].includes(status), text);
    if (status === 500) assert.match(text, /range is full/);
  }
}

async function addresses(clients: Clients): Promise<void> {
  const base = await madeNamespace(clients, 'addresses');
  await Promise.all(
    Array.from({ length: writersCount }, (_, id) => writeServices(clients, base, id)),
  );
  for (const client of clients) await eachItsOwn(client);
  // What went has given all back: as many as ever can be had.
  for (const { metadata } of await items(at(clients, 0), `${base}/services`)) {
    await at(clients, 1).request('DELETE', `${base}/services/${metadata.name}`);
  }
  const serviceOf = (name: string, type: string): JsonObject => ({
    metadata: { name },
    spec: { type, ports: [{ port: 80 }] },
  });
  for (let n = 0; n < addressesCount; n += 1) {
    const type = n <= lastPort - firstPort ? 'NodePort' : 'ClusterIP';
    await made(at(clients, n), `${base}/services`, serviceOf(`all-${n}`, type));
  }
  const body = serviceOf('full', 'ClusterIP');
  const full = await at(clients, 1).request('POST', `${base}/services`, { body });
  assert.match(full.text, /failed to allocate a serviceIP: range is full/);
}

async function eachItsOwn(client: Client): Promise<void> {
  const specs = (await items(client, '/api/v1/services')).map(({ spec }) => spec);
  assert.ok(specs.length > 0);
  const given = specs.map((spec) => String(spec['clusterIP'])).sort();
  assert.equal(new Set(given).size, given.length, 'each has its own address');
  const taken = await items(client, '/apis/networking.k8s.io/v1/ipaddresses');
  assert.deepEqual(taken.map(({ metadata }) => metadata.name).sort(), given);
  const ports = specs.map((spec) => (spec['ports'] as unknown as Port[])[0]?.nodePort ?? 0);
  assert.equal(new Set(ports).size, ports.length, 'each has its own port');
  assert.ok(
    ports.every((port) => port >= firstPort && port <= lastPort),
    String(ports),
  );
}

async function counted(clients: Clients): Promise<void> {
  const base = await madeNamespace(clients, 'counted');
  for (let n = 0; n < 7; n += 1) {
    assert.equal((await triedMap(at(clients, n), base, `c${n}`)).status, 201);
  }
  await madeQuota(at(clients, 2), base, { 'count/configmaps': '20', secrets: '1' });
  for (const client of clients) {
    await eventually('it is counted', async () => (await usedSeen(client, base)) !== undefined);
    assert.deepEqual(await usedSeen(client, base), { 'count/configmaps': '7', secrets: '0' });
  }
}
