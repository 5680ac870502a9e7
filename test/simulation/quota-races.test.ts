/**
 * Quotas, cluster IPs and node ports under concurrent writers, several servers and kill -9: never
 * over, never leaked.
 *
 * What it is not: a power cut.
 *
 * SLUICE_QUOTA_WRITERS (default 24), SLUICE_QUOTA_ROUNDS (default 2) and SLUICE_QUOTA_ROUND_MS
 * (default 700) set the size.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { ConnectionLost, HttpConnection } from '../support/clients/http-connection.ts';
import { eventually, listOf } from '../support/clients/watch-client.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startServer } from '../support/servers/server-process.ts';

const writersCount = Number(process.env['SLUICE_QUOTA_WRITERS'] ?? 24);
const rounds = Number(process.env['SLUICE_QUOTA_ROUNDS'] ?? 2);
const roundMs = Number(process.env['SLUICE_QUOTA_ROUND_MS'] ?? 700);
const podsMax = 10;
const portsMax = 6;

const directories = testDirectories('sluice-quota-races');
after(() => directories.removeAll());

const base = '/api/v1/namespaces/default';
const kept = [
  '--controllers=resourcequota,serviceaddresses',
  '--service-cluster-ip-range=10.1.0.0/27',
];
const flags = [...kept, '--identity=kubernetes', '--log-level=error'];

function pod(name: string): JsonObject {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }];
  const spec = { containers, terminationGracePeriodSeconds: 0 };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

function service(name: string): JsonObject {
  const spec = { type: 'NodePort', ports: [{ port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

async function write(port: number, id: number, until: () => boolean): Promise<void> {
  const prng = seededPrng(id);
  const connection = new HttpConnection(port);
  try {
    for (let n = 0; !until(); n += 1) {
      const name = `w${id}-${randomBelow(prng, 3)}`;
      const [kind, body] = randomBelow(prng, 2) === 0 ? ['pods', pod] : ['services', service];
      const goes = randomBelow(prng, 3) === 0;
      const { status } = goes
        ? await connection.request('DELETE', `${base}/${kind}/${name}`)
        : await connection.request('POST', `${base}/${kind}`, JSON.stringify(body(name)));
      assert.ok([200, 201, 403, 404, 409, 500].includes(status), `${status} of ${n}`);
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
  } finally {
    connection.close();
  }
}

interface Seen {
  readonly pods: number;
  readonly used: JsonObject;
  readonly addresses: readonly string[];
  readonly taken: readonly string[];
  readonly ports: readonly number[];
}

async function look(port: number): Promise<Seen> {
  const [pods, services, quotas, addresses] = await Promise.all([
    listOf(port, `${base}/pods`),
    listOf(port, `${base}/services`),
    listOf(port, `${base}/resourcequotas`),
    listOf(port, '/apis/networking.k8s.io/v1/ipaddresses'),
  ]);
  const specs = services.items.map((each) => (each as unknown as { spec: JsonObject }).spec);
  const status = (quotas.items[0] as unknown as { status?: JsonObject }).status ?? {};
  return {
    pods: pods.items.length,
    used: (status['used'] ?? {}) as JsonObject,
    addresses: specs.map((spec) => String(spec['clusterIP'])).sort(),
    taken: addresses.items.map(({ metadata }) => metadata.name).sort(),
    ports: specs.flatMap((spec) =>
      (spec['ports'] as { nodePort?: number }[]).map(({ nodePort = 0 }) => nodePort),
    ),
  };
}

function check({ addresses, pods, ports, taken, used }: Seen): void {
  assert.ok(pods <= podsMax, `${pods} pods`);
  assert.ok(ports.length <= portsMax, `${ports.length} node ports`);
  assert.equal(new Set(ports).size, ports.length, 'each has its own port');
  assert.ok(ports.every((each) => each !== 0));
  assert.equal(new Set(addresses).size, addresses.length, 'each has its own address');
  assert.deepEqual(taken, addresses, 'what is taken is what services have');
  assert.equal(used['pods'], String(pods));
  assert.equal(used['services.nodeports'], String(ports.length));
}

/** What is killed is started again as one process. */
async function races(servers: readonly string[], roundsCount: number): Promise<void> {
  const dataDir = path.join(directories.make(), 'data');
  let server = await startServer({ dataDir, flags: [...flags, ...servers] });
  const first = new HttpConnection(server.port);
  const hard = {
    pods: String(podsMax),
    'services.nodeports': String(portsMax),
    'requests.cpu': '1',
  };
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard },
  };
  const made = await first.request('POST', `${base}/resourcequotas`, JSON.stringify(quota));
  assert.equal(made.status, 201);
  first.close();
  for (let round = 0; round < roundsCount; round += 1) {
    let over = false;
    const writers = Array.from({ length: writersCount }, (_, id) =>
      write(server.port, round * writersCount + id, () => over),
    );
    await new Promise((resolve) => setTimeout(resolve, roundMs));
    const kills = round % 2 === 0;
    if (kills) await server.kill();
    over = true;
    await Promise.all(writers);
    if (kills) server = await startServer({ dataDir, flags });
    const { port } = server;
    await eventually('the quota is counted', async () => 'pods' in (await look(port)).used);
    check(await look(port));
  }
  const end = await server.stop();
  assert.equal(end.code, 0, end.stderr);
}

test('kill -9 under writers: no quota is over, no address is leaked or given twice', () =>
  races([], rounds));

test('nor where several workers write to one store', () => races(['--workers=2'], 1));
