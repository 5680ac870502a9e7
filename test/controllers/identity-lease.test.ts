import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import type { Controller } from '../../src/controllers/controller.ts';
import { createIdentityLeaseCollector } from '../../src/controllers/identity-lease-collector.ts';
import { createIdentityLease, identityLeaseName } from '../../src/controllers/identity-lease.ts';
import type { IdentityLease } from '../../src/controllers/identity-lease.ts';
import { cachedLease, leaseOf, leaseTime } from '../../src/controllers/lease-object.ts';
import type { Lease } from '../../src/controllers/lease-object.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { decodeRecord } from '../../src/storage/record-codec.ts';
import { createSharedStore } from '../support/servers/shared-store.ts';
import type { RegistryServer, SharedStore } from '../support/servers/shared-store.ts';
import { startSlowServer } from '../support/servers/slow-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const system = 'kube-system';
const identityLabel = 'apiserver.kubernetes.io/identity';
const hostLabel = 'kubernetes.io/hostname';

describe('the Lease that says that a server is there', () => {
  let store: SharedStore;
  let server: RegistryServer;
  const started: Controller[] = [];
  const errors: unknown[] = [];

  beforeEach(async () => {
    store = await createSharedStore();
    server = await store.join();
  });
  afterEach(async () => {
    for (const controller of started.splice(0)) await controller.stop();
    await store.stop();
    assert.deepEqual(errors.splice(0), []);
  });

  function announce(hostname = 'host-a', endpoint = '127.0.0.1:8080'): IdentityLease {
    const { leases: kind, registry, timers } = server;
    const onError = (error: unknown): void => void errors.push(error);
    const lease = createIdentityLease({
      registry,
      timers,
      kind,
      instance: { hostname, endpoint },
      onError,
    });
    started.push(lease);
    lease.start();
    return lease;
  }

  function collect(by: RegistryServer): void {
    const { leases: kind, registry, timers } = by;
    const onError = (error: unknown): void => void errors.push(error);
    const collector = createIdentityLeaseCollector({ registry, timers, kind, onError });
    started.push(collector);
    collector.start();
  }

  const found = (name: string): Lease | undefined =>
    cachedLease(server.registry, server.leases, system, name);

  it('has the name, labels and times that clients look for, and is renewed every 10 s', async () => {
    const { name, ...lease } = announce();
    await store.pass(250);
    const first = found(name);
    assert.ok(first);
    assert.match(name, /^apiserver-[a-z2-7]{26}$/);
    assert.deepEqual(first.object.metadata.labels, {
      [identityLabel]: 'kube-apiserver',
      [hostLabel]: 'host-a',
    });
    assert.equal(first.spec.leaseDurationSeconds, 3600);
    assert.match(first.spec.holderIdentity, new RegExp(`^${name}_[0-9a-f-]{36}$`));
    assert.equal(first.object.apiVersion, 'coordination.k8s.io/v1');
    assert.ok(lease);
    const renewals = new Set<string | undefined>();
    await store.pass(60_000, () => renewals.add(found(name)?.spec.renewTime));
    assert.equal(renewals.size, 7, 'once when it starts, then every 10 s');
    assert.equal(found(name)?.spec.holderIdentity, first.spec.holderIdentity);
    assert.equal(found(name)?.object.metadata.uid, first.object.metadata.uid);
  });

  it('has the same name after a restart, with another holder', async () => {
    const first = announce();
    await store.pass(250);
    const before = found(first.name);
    await first.stop();
    const second = announce();
    await store.pass(250);
    const now = found(second.name);
    assert.equal(second.name, first.name);
    assert.equal(now?.object.metadata.uid, before?.object.metadata.uid);
    assert.notEqual(now?.spec.holderIdentity, before?.spec.holderIdentity);
  });

  it('has a name of its own for each server, also of one host', () => {
    const instances = ['a', 'b'].flatMap((hostname) =>
      ['127.0.0.1:80', '127.0.0.1:81', '127.0.0.1:80/1', '127.0.0.1:80/2', '[::1]:80'].map(
        (endpoint) => ({ hostname, endpoint }),
      ),
    );
    assert.equal(new Set(instances.map(identityLeaseName)).size, instances.length);
    for (const { hostname, endpoint } of instances) {
      // 128 bits in groups of five, the last one filled up with zeros.
      const digest = createHash('sha256').update(`${hostname}\n${endpoint}`).digest('hex');
      let rest = BigInt(`0x${digest.slice(0, 32)}`) << 2n;
      let text = '';
      for (let i = 0; i < 26; i += 1, rest >>= 5n) {
        text = 'abcdefghijklmnopqrstuvwxyz234567'.charAt(Number(rest & 31n)) + text;
      }
      assert.equal(identityLeaseName({ hostname, endpoint }), `apiserver-${text}`);
    }
  });

  it('is written whatever the host is called', async () => {
    for (const hostname of ['', '-x-', 'a b/c', 'h'.repeat(80), `${'h'.repeat(62)}-z`, 'ünd']) {
      const { name } = announce(hostname, hostname);
      await store.pass(250);
      assert.ok(found(name), hostname);
    }
  });

  it('comes back when somebody removes or changes it', async () => {
    const { name } = announce();
    await store.pass(250);
    const target = { kind: server.leases, namespace: system, name };
    assert.equal((await deleteObject(server.registry, target, { dryRun: false })).kind, 'ok');
    await store.pass(250);
    assert.equal(found(name), undefined);
    await store.pass(10_000);
    assert.equal(found(name)?.object.metadata.labels?.[identityLabel], 'kube-apiserver');
  });

  it('is removed when it has not been renewed for its duration, and no other Lease is', async () => {
    const label = { [identityLabel]: 'kube-apiserver' };
    const agedBy = (seconds: number): string =>
      leaseTime(store.time.clock.nowMs() - seconds * 1000);
    const spec = (age: number): JsonObject => ({
      holderIdentity: 'x',
      leaseDurationSeconds: 3600,
      renewTime: agedBy(age),
    });
    const all: Readonly<Record<string, Partial<ApiObject> & { keep: boolean }>> = {
      expired: { labels: label, spec: spec(3601), keep: false },
      'never-renewed': { labels: label, spec: { holderIdentity: 'x' }, keep: false },
      fresh: { labels: label, spec: spec(3500), keep: true },
      longer: { labels: label, spec: { ...spec(4000), leaseDurationSeconds: 9000 }, keep: true },
      unlabelled: { spec: spec(99_999), keep: true },
      'of-another-program': { labels: { [identityLabel]: 'x' }, spec: spec(99_999), keep: true },
    };
    for (const [name, { labels, spec: content }] of Object.entries(all)) {
      const metadata = {
        name,
        namespace: system,
        labels: (labels ?? {}) as Record<string, string>,
      };
      await write({ metadata, spec: content as JsonObject });
    }
    await write({ metadata: { name: 'x', namespace: 'default', labels: label }, spec: spec(9e4) });
    await store.pass(250);
    collect(server);
    await store.pass(250);
    for (const [name, { keep }] of Object.entries(all)) {
      assert.equal(found(name) !== undefined, keep, name);
    }
    assert.ok(cachedLease(server.registry, server.leases, 'default', 'x'));
    await store.pass(600_250);
    assert.equal(found('fresh'), undefined, 'looked at again every ten minutes');
  });

  it('is not removed on what a server that lags sees', async () => {
    const { name } = announce();
    const late = await store.join();
    late.log.pause();
    await store.pass(3_700_000 / 100);
    late.skewMs = 4_000_000;
    collect(late);
    await store.pass(1_000);
    assert.ok(found(name));
  });

  async function write(object: Pick<ApiObject, 'metadata'> & { spec: JsonObject }): Promise<void> {
    const { leases: kind, registry } = server;
    const whole = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...object };
    const { namespace = '' } = object.metadata;
    const made = await createObject(registry, { kind, namespace }, whole, { dryRun: false });
    assert.equal(made.kind, 'ok');
  }
});

describe('Leases of servers', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const stops: (() => Promise<void>)[] = [];
  after(async () => {
    for (const stop of stops) await stop();
  });

  const namesOf = (body: JsonObject): string[] =>
    (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

  it('a server that has its store to itself writes none, and runs its controllers at once', async () => {
    const server = await startTestServer();
    stops.push(() => server.remove());
    const doomed = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'doomed' } };
    await server.request('POST', '/api/v1/namespaces', { body: doomed });
    const watch = await server.openWatch('/api/v1/namespaces?watch=true');
    await server.request('DELETE', '/api/v1/namespaces/doomed');
    for (let event = await watch.next(); event?.type !== 'DELETED'; event = await watch.next()) {
      assert.ok(event, 'the namespace goes');
    }
    assert.deepEqual(namesOf((await server.request('GET', leases)).body), []);
    const { text } = await server.request('GET', '/metrics');
    assert.doesNotMatch(text, /leader_election_master_status|identity_lease/);
  });

  it('a gate makes it say that it is there', async () => {
    const server = await startTestServer({ 'feature-gates': 'APIServerIdentity=true' });
    stops.push(() => server.remove());
    const watch = await server.openWatch(`${leases}?watch=true&resourceVersion=0`);
    const event = await watch.next();
    assert.match(event?.object.metadata.name ?? '', /^apiserver-[a-z2-7]{26}$/);
    const { text } = await server.request('GET', '/metrics');
    assert.match(text, /^sluice_identity_lease_age_seconds \d/m);
  });

  it('one of several servers holds the Lease of controllers, and gives it up when it stops', async () => {
    const gates = 'APIServerIdentity=true';
    const server = await startSlowServer({ 'feature-gates': gates });
    const { answered } = server;
    const { value: watch } = await answered(
      server.openWatch(`${leases}?watch=true&resourceVersion=0`),
    );
    const { value: events } = await answered(watch.take(2));
    const names = events.map(({ object }) => object.metadata.name ?? '').sort();
    assert.match(names[0] ?? '', /^apiserver-/);
    assert.equal(names[1], 'sluice-controllers');
    const { value: page } = await answered(server.request('GET', '/metrics'));
    assert.match(
      page.text,
      /^leader_election_master_status\{[^}]*name="sluice-controllers"[^}]*\} 1$/m,
    );
    await server.stop();
    const group = 'coordination.k8s.io';
    const name = 'sluice-controllers';
    const key = storeKey({ group, resource: 'leases', namespace: system, name });
    const read = await server.store.read(key);
    assert.ok(read.kind === 'ok' && read.value !== undefined);
    const { spec } = leaseOf(decodeRecord(read.value).object, read.value.revision);
    assert.equal(spec.holderIdentity, '');
    assert.equal(spec.leaseDurationSeconds, 1);
  });

  it('several servers cannot do without Leases, and that is said at once', async () => {
    const without = { 'runtime-config': 'coordination.k8s.io/v1=false' };
    await assert.rejects(startSlowServer(without), /--runtime-config: leases cannot be left out/);
    await assert.rejects(
      startTestServer({ ...without, 'feature-gates': 'APIServerIdentity=true' }),
      /--runtime-config: leases cannot be left out/,
    );
    const alone = await startTestServer(without);
    await alone.remove();
  });
});
