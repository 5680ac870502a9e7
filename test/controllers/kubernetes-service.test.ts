/** Who stands behind the service default/kubernetes, while servers come, stop and are killed. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { decodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import type { Controller } from '../../src/controllers/controller.ts';
import { createIdentityLease, identityLeaseName } from '../../src/controllers/identity-lease.ts';
import { createKubernetesService } from '../../src/controllers/system/kubernetes-service.ts';
import type { Peers } from '../../src/controllers/system/kubernetes-service.ts';
import { liveServers } from '../../src/controllers/system/live-servers.ts';
import {
  formatAddress,
  parseAddress,
  serversOf,
} from '../../src/controllers/system/server-endpoints.ts';
import type { ServerAddress } from '../../src/controllers/system/server-endpoints.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { createSharedStore, kindOf, turns } from '../support/servers/shared-store.ts';
import type { RegistryServer, SharedStore } from '../support/servers/shared-store.ts';

interface Running {
  readonly server: RegistryServer;
  stop(): Promise<void>;
  kill(): void;
}

describe('the service of the API servers', () => {
  let store: SharedStore;
  const errors: unknown[] = [];
  const running: Controller[] = [];

  beforeEach(async () => {
    store = await createSharedStore();
  });
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop();
    await store.stop();
    assert.deepEqual(errors.splice(0), []);
  });

  async function start(address: string, port = 6443, withLeases = true): Promise<Running> {
    const server = await store.join();
    const { registry, timers, leases: kind } = server;
    const own: ServerAddress = { address, port };
    const onError = (error: unknown): void => void errors.push(error);
    const instance = { hostname: address, endpoint: `${port}`, advertised: formatAddress(own) };
    const lease = createIdentityLease({ registry, timers, kind, instance, onError });
    const peers: Peers = withLeases
      ? { kind: 'known', present: liveServers(registry, kind, identityLeaseName(instance)) }
      : { kind: 'unknown' };
    const common = { registry, timers, clusterIp: '10.0.0.1', port, own, peers, onError };
    const service = createKubernetesService(common);
    const both: Controller = {
      start() {
        if (withLeases) lease.start();
        service.start();
      },
      async stop() {
        if (withLeases) await lease.stop();
        await turns();
        await service.stop();
      },
    };
    running.push(both);
    both.start();
    await turns();
    const forget = (): void => void running.splice(running.indexOf(both), 1);
    return {
      server,
      stop: () => both.stop().finally(forget),
      kill() {
        server.stopped = true;
        forget();
      },
    };
  }

  function slices(by: Running): readonly ApiObject[] {
    const kind = kindOf(by.server, 'discovery.k8s.io', 'endpointslices');
    const entries = [...by.server.registry.streams.snapshot(kind.storage).entries('default')];
    return entries.map(({ bytes }) => decodeObject(bytes));
  }

  const told = (by: Running): readonly string[] => slices(by).flatMap(serversOf).map(formatAddress);

  it('has every server that is there, each once', async () => {
    const a = await start('10.0.1.1');
    await start('10.0.1.2');
    // Another process of the same machine, on the same port.
    await start('10.0.1.2');
    await store.pass(11_000);
    assert.deepEqual(told(a), ['10.0.1.1:6443', '10.0.1.2:6443']);
    assert.deepEqual(
      slices(a).map(({ metadata }) => metadata.name),
      ['kubernetes'],
    );
  });

  it('has one that stops no longer, at once', async () => {
    const a = await start('10.0.1.1');
    const b = await start('10.0.1.2');
    await store.pass(11_000);
    await b.stop();
    await turns();
    assert.deepEqual(told(a), ['10.0.1.1:6443']);
    await store.pass(21_000);
    assert.deepEqual(told(a), ['10.0.1.1:6443'], 'and it does not come back');
  });

  it('has one that was killed until its Lease has not changed for a while', async () => {
    const a = await start('10.0.1.1');
    const b = await start('10.0.1.2');
    await store.pass(11_000);
    b.kill();
    await store.pass(15_000);
    assert.deepEqual(told(a), ['10.0.1.1:6443', '10.0.1.2:6443']);
    await store.pass(25_000);
    assert.deepEqual(told(a), ['10.0.1.1:6443']);
  });

  it('believes no clock but its own', async () => {
    const a = await start('10.0.1.1');
    const b = await start('10.0.1.2');
    b.server.skewMs = -3_600_000;
    await store.pass(60_000);
    assert.deepEqual(told(a), ['10.0.1.1:6443', '10.0.1.2:6443']);
  });

  it('has servers on several ports in a slice for each, and drops the slice with the last', async () => {
    const a = await start('10.0.1.1');
    await start('10.0.1.2');
    const c = await start('10.0.1.3', 7443);
    const d = await start('2001:db8::4', 6443);
    await store.pass(11_000);
    const named = (): readonly unknown[] =>
      slices(a).map(({ metadata, addressType }) => [metadata.name, addressType]);
    assert.deepEqual(named(), [
      ['kubernetes', 'IPv4'],
      ['kubernetes-v4-7443', 'IPv4'],
      ['kubernetes-v6-6443', 'IPv6'],
    ]);
    assert.deepEqual(told(a).length, 4);
    await c.stop();
    await d.stop();
    await turns();
    assert.deepEqual(named(), [['kubernetes', 'IPv4']]);
  });

  it('without Leases is added to by each server, and each takes back its own', async () => {
    const a = await start('10.0.1.1', 6443, false);
    const b = await start('10.0.1.2', 6443, false);
    await store.pass(11_000);
    assert.deepEqual(told(a), ['10.0.1.1:6443', '10.0.1.2:6443']);
    await b.stop();
    await store.pass(11_000);
    assert.deepEqual(told(a), ['10.0.1.1:6443']);
  });

  it('comes back when it is deleted; strange slices of it go, those of others stay', async () => {
    const a = await start('10.0.1.1');
    await store.pass(1000);
    const { registry } = a.server;
    const [services, sliceKind] = [
      kindOf(a.server, '', 'services'),
      kindOf(a.server, 'discovery.k8s.io', 'endpointslices'),
    ];
    const named = { namespace: 'default', name: 'kubernetes' };
    for (const kind of [services, sliceKind]) {
      const gone = await deleteObject(registry, { kind, ...named }, { dryRun: false });
      assert.equal(gone.kind, 'ok');
    }
    for (const service of ['kubernetes', 'web']) {
      const slice: ApiObject = {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: `strange-${service}`,
          namespace: 'default',
          labels: { 'kubernetes.io/service-name': service },
        },
        addressType: 'IPv4',
        endpoints: [],
        ports: [],
      };
      const target = { kind: sliceKind, namespace: 'default' };
      const made = await createObject(registry, target, slice, { dryRun: false });
      assert.equal(made.kind, 'ok');
    }
    await store.pass(11_000);
    assert.notEqual(
      registry.streams.snapshot(services.storage).get('default', 'kubernetes'),
      undefined,
    );
    assert.deepEqual(
      slices(a).map(({ metadata }) => metadata.name),
      ['kubernetes', 'strange-web'],
    );
  });
});

it('addresses are written as they are read', () => {
  for (const address of ['10.0.1.1', '2001:db8::1']) {
    const own = { address, port: 6443 };
    assert.deepEqual(parseAddress(formatAddress(own)), own);
  }
  assert.equal(parseAddress('server-a:6443'), undefined);
  assert.equal(parseAddress(''), undefined);
});
