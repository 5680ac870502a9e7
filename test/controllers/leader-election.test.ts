import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import type { Controller } from '../../src/controllers/controller.ts';
import { createLeaderElection } from '../../src/controllers/leader-election.ts';
import type { LeaderElection } from '../../src/controllers/leader-election.ts';
import { cachedLease } from '../../src/controllers/lease-object.ts';
import type { Lease } from '../../src/controllers/lease-object.ts';
import { createNamespaceController } from '../../src/controllers/namespace-lifecycle.ts';
import { createQueueMeters } from '../../src/controllers/queue-meters.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import type { RegistryDeps } from '../../src/registry/registry.ts';
import { updateObject } from '../../src/registry/update.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { noRemoteAccess } from '../support/doubles/no-aggregation.ts';
import { createSharedStore, kindOf, turns } from '../support/servers/shared-store.ts';
import type { RegistryServer, SharedStore } from '../support/servers/shared-store.ts';

const leaseName = 'controllers';
const system = 'kube-system';

interface Candidate {
  readonly server: RegistryServer;
  readonly election: LeaderElection;
  readonly holder: string;
  /** The registry of each term, as its controllers had it. */
  readonly terms: RegistryDeps[];
  /** Controllers that were started and not stopped. */
  running: number;
  /** A controller that takes this long to stop. */
  stopping: Promise<void>;
  readonly errors: unknown[];
}

describe('leader election', () => {
  let store: SharedStore;
  let candidates: Candidate[] = [];

  beforeEach(async () => {
    await closeAll();
    store = await createSharedStore();
  });
  after(closeAll);

  async function closeAll(): Promise<void> {
    for (const { server } of candidates) server.log.resume();
    candidates = [];
    await (store as SharedStore | undefined)?.stop();
  }

  async function join(lead?: (registry: RegistryDeps) => Controller): Promise<Candidate> {
    const server = await store.join();
    const holder = `server-${candidates.length + 1}`;
    const candidate: Candidate = {
      server,
      holder,
      terms: [],
      running: 0,
      stopping: Promise.resolve(),
      errors: [],
      election: createLeaderElection({
        registry: server.registry,
        timers: server.timers,
        kind: server.leases,
        leaseName,
        holder,
        lead(registry) {
          candidate.terms.push(registry);
          return lead?.(registry) ?? countingController(candidate);
        },
        onChange: () => undefined,
        onError: (error) => candidate.errors.push(error),
      }),
    };
    candidates.push(candidate);
    candidate.election.start();
    await turns();
    return candidate;
  }

  const leaders = (): string[] =>
    candidates.filter(({ election }) => election.leading).map(({ holder }) => holder);
  const atMostOne = (): void => assert.ok(leaders().length <= 1, leaders().join(' and '));

  /** As the store has it. */
  async function lease(): Promise<Lease> {
    const { registry, leases } = await store.join();
    const found = cachedLease(registry, leases, system, leaseName);
    assert.ok(found, 'there is a lease');
    return found;
  }

  /** How long it takes until this one leads, with never two. */
  async function timeUntilLeading({ election }: Candidate, withinMs: number): Promise<number> {
    const startMs = store.time.clock.nowMs();
    for (let i = 0; !election.leading && i * 250 < withinMs; i += 1) {
      await store.pass(250, atMostOne);
    }
    assert.ok(election.leading, `leads within ${withinMs} ms`);
    return store.time.clock.nowMs() - startMs;
  }

  it('the first one leads at once, as its Lease says, and goes on as long as it renews', async () => {
    const first = await join();
    const second = await join();
    assert.deepEqual(leaders(), ['server-1']);
    const { spec } = await lease();
    assert.equal(spec.holderIdentity, 'server-1');
    assert.equal(spec.leaseDurationSeconds, 15);
    assert.equal(spec.leaseTransitions, 0);
    assert.equal(spec.acquireTime, spec.renewTime);
    await store.pass(120_000, () => assert.deepEqual(leaders(), ['server-1']));
    const later = (await lease()).spec;
    assert.equal(later.acquireTime, spec.acquireTime);
    assert.equal(later.leaseTransitions, 0);
    const age = store.time.clock.nowMs() - Date.parse(later.renewTime ?? '');
    assert.ok(age <= 2_250, 'it was renewed every 2 s');
    assert.deepEqual([first.running, second.running], [1, 0]);
    assert.deepEqual([...first.errors, ...second.errors], []);
  });

  it('every candidate sees who leads, until the Lease has not changed for its duration', async () => {
    const first = await join();
    const second = await join();
    await store.pass(5_000, atMostOne);
    const seen = (): readonly unknown[] => [first.election.leader(), second.election.leader()];
    assert.deepEqual(seen(), ['server-1', 'server-1']);
    first.server.stopped = true;
    second.server.beforeRead = () => new Promise(() => undefined);
    await store.pass(14_000);
    assert.equal(first.election.leader(), undefined, 'its own term is over');
    assert.equal(second.election.leader(), 'server-1');
    await store.pass(8_000);
    assert.equal(second.election.leader(), undefined);
  });

  it('of many that find the Lease free at the same moment one wins', async () => {
    const servers = await Promise.all(Array.from({ length: 8 }, () => join()));
    await store.pass(10_000, atMostOne);
    assert.equal(leaders().length, 1);
    assert.equal(
      servers.reduce((sum, { running }) => sum + running, 0),
      1,
    );
  });

  it('one that died is followed after its 15 seconds, not before', async () => {
    const first = await join();
    const second = await join();
    await store.pass(20_000, atMostOne);
    first.server.stopped = true;
    const tookMs = await timeUntilLeading(second, 30_000);
    // 15 s after a renewal that may be 2 s old, seen by looks 2 to 4.4 s apart.
    assert.ok(tookMs > 13_000 - 250, `${tookMs}`);
    assert.ok(tookMs <= 15_000 + 2 * 4_400 + 250, `${tookMs}`);
    assert.equal(first.election.leading, false);
    const { spec } = await lease();
    assert.equal(spec.holderIdentity, 'server-2');
    assert.equal(spec.leaseTransitions, 1);
  });

  it('one that stops gives the Lease up, and the next need not wait', async () => {
    const first = await join();
    const second = await join();
    await store.pass(5_000, atMostOne);
    await first.election.stop();
    assert.equal(first.running, 0);
    const { spec } = await lease();
    assert.equal(spec.holderIdentity, '');
    assert.equal(spec.leaseDurationSeconds, 1);
    const tookMs = await timeUntilLeading(second, 10_000);
    assert.ok(tookMs <= 4_500, `${tookMs}`);
    assert.equal((await lease()).spec.leaseTransitions, 1);
    await second.election.stop();
    await second.election.stop();
  });

  it('a stop does not wait for a store that does not answer', async () => {
    const first = await join();
    await store.pass(5_000);
    first.server.beforeRead = () => new Promise(() => undefined);
    let stopped = false;
    void first.election.stop().then(() => (stopped = true));
    await store.pass(2_500);
    assert.ok(stopped);
    assert.equal(first.running, 0);
  });

  it('the clocks of servers may differ by hours', async () => {
    const first = await join();
    const second = await join();
    for (const skewMs of [3_600_000, -3_600_000]) {
      second.server.skewMs = skewMs;
      await store.pass(60_000, () => assert.deepEqual(leaders(), ['server-1']));
    }
    first.server.stopped = true;
    const tookMs = await timeUntilLeading(second, 30_000);
    assert.ok(tookMs > 13_000 - 250, `${tookMs}`);
  });

  it('the own clock set forward ends a term: the machine may have been suspended', async () => {
    const first = await join();
    await store.pass(5_000);
    assert.ok(first.election.leading);
    first.server.skewMs = 11_000;
    assert.equal(first.election.leading, false);
    const target = await writeConfigMap(first, 'a');
    const refused = await deleteObject(first.terms[0] as RegistryDeps, target, { dryRun: false });
    assert.equal(refused.kind === 'refused' && refused.error.code, 503);
    await store.pass(5_000);
    assert.ok(first.election.leading, 'and it goes on with the next renewal');
  });

  it('one whose log stands still lets go, and another takes over', async () => {
    const first = await join();
    const second = await join();
    await store.pass(5_000, atMostOne);
    first.server.log.pause();
    const tookMs = await timeUntilLeading(second, 40_000);
    assert.ok(tookMs > 13_000, `${tookMs}`);
    assert.equal(first.running, 0, 'its controllers were stopped');
    await store.pass(60_000, () => assert.deepEqual(leaders(), ['server-2']));
    first.server.log.resume();
    await store.pass(60_000, () => assert.deepEqual(leaders(), ['server-2']));
    assert.deepEqual([...first.errors, ...second.errors], []);
  });

  it('one that cannot write stops its controllers 10 s after its last renewal', async () => {
    const first = await join();
    await store.pass(4_000);
    first.server.beforeRead = () => Promise.reject(new Error('the network is gone'));
    // What is resident is not read again: another writer makes it look.
    const other = await store.join();
    await touch(other);
    await turns();
    let ranMs = 0;
    await store.pass(12_000, () => (ranMs += first.running * 250));
    assert.ok(ranMs >= 7_500 && ranMs <= 10_250, `${ranMs}`);
    assert.ok(first.errors.length > 0);
    first.server.beforeRead = () => Promise.resolve();
    await store.pass(20_000);
    assert.ok(first.election.leading, 'and it leads again when it can');
    assert.equal(first.terms.length, 2);
  });

  it('a Lease that somebody else has written himself into ends the term', async () => {
    const first = await join();
    await store.pass(5_000);
    const other = await store.join();
    await touch(other, { holderIdentity: 'somebody' });
    await store.pass(2_250);
    assert.equal(first.running, 0);
    assert.equal(first.election.leading, false);
    await store.pass(10_000);
    assert.equal(first.election.leading, false, 'not before that one had its 15 s');
    await store.pass(15_000);
    assert.ok(first.election.leading);
  });

  it('a new term does not begin before the controllers of the last one have ended', async () => {
    const first = await join();
    await store.pass(5_000);
    let end = (): void => undefined;
    first.stopping = new Promise((resolve) => (end = resolve));
    const other = await store.join();
    await touch(other, { holderIdentity: '' });
    await store.pass(10_000);
    assert.equal(first.running, 1);
    assert.equal(first.terms.length, 1);
    assert.equal(first.election.leading, false);
    end();
    await store.pass(10_000);
    assert.equal(first.terms.length, 2);
    assert.equal(first.running, 1);
  });

  it('of a server that was stopped no write is decided after another one took over', async () => {
    const first = await join();
    const second = await join();
    const [before, during, raced] = await Promise.all(
      ['before', 'during', 'raced'].map((name) => writeConfigMap(second, name)),
    );
    assert.ok(before && during && raced);
    await store.pass(5_000);
    const own = first.terms[0] as RegistryDeps;
    // Handed over while it leads, waiting for the store when the process is stopped.
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    first.server.beforeRead = () => gate;
    const waiting = deleteObject(own, during, { dryRun: false });
    await turns();
    first.server.stopped = true;
    await timeUntilLeading(second, 30_000);
    go();
    const late = await waiting;
    assert.equal(late.kind === 'refused' && late.error.code, 503);
    // And what it begins when it goes on, before any of its timers has run.
    const later = await deleteObject(own, before, { dryRun: false });
    assert.equal(later.kind === 'refused' && later.error.code, 503);
    const { kind, namespace } = before;
    const made = await createObject(own, { kind, namespace }, configMap('made'), { dryRun: false });
    assert.equal(made.kind === 'refused' && made.error.code, 503);
    first.server.stopped = false;
    await store.pass(20_000, () => assert.deepEqual(leaders(), ['server-2']));
    assert.equal(first.running, 0);
    for (const name of ['before', 'during', 'raced']) {
      assert.ok(await exists(name), `${name} is untouched`);
    }
  });

  it('a write decided in time that loses a race to the next holder is not decided again', async () => {
    const first = await join();
    const second = await join();
    const target = await writeConfigMap(second, 'raced');
    await store.pass(5_000);
    const own = first.terms[0] as RegistryDeps;
    let reads = 0;
    // Its first decision is on what it read; before the commit another server replaces the object.
    first.server.beforeRead = async () => {
      reads += 1;
      if (reads === 2) {
        first.server.stopped = true;
        await timeUntilLeading(second, 30_000);
      }
    };
    const decided = updateObject(
      own,
      target,
      { ...configMap('raced'), data: { by: 'first' } },
      undefined,
      { dryRun: false },
    );
    // The other one's commit goes into the same turn, ahead of the committer's.
    await overwrite('raced');
    const outcome = await decided;
    assert.equal(outcome.kind === 'refused' && outcome.error.code, 503);
    assert.equal(reads, 2, 'it was about to be decided again');
  });

  it('a namespace whose deletion a dead server had begun is emptied by the next', async () => {
    const lead = (registry: RegistryDeps): Controller =>
      createNamespaceController({
        remote: noRemoteAccess,
        registry,
        timers: store.time.timers,
        queues: createQueueMeters(registry.clock),
        onError: (_, error) => assert.fail(String(error)),
      });
    const first = await join(lead);
    const second = await join(lead);
    const namespaces = kindOf(second.server, '', 'namespaces');
    const { registry } = second.server;
    const named = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'doomed' } };
    await createObject(registry, { kind: namespaces, namespace: '' }, named, { dryRun: false });
    for (let i = 0; i < 5; i += 1) await writeConfigMap(second, `c${i}`, 'doomed');
    // It leads, and will never see the deletion.
    first.server.log.pause();
    first.server.stopped = true;
    const target = { kind: namespaces, namespace: '', name: 'doomed' };
    assert.equal((await deleteObject(registry, target, { dryRun: false })).kind, 'ok');
    await store.pass(5_000);
    assert.ok(registry.streams.snapshot(namespaces.storage).get('', 'doomed'));
    await timeUntilLeading(second, 30_000);
    await store.pass(2_000);
    assert.equal(registry.streams.snapshot(namespaces.storage).get('', 'doomed'), undefined);
    assert.equal(await exists('c0', 'doomed'), false);
  });

  it('whatever is stopped, started, cut off or given up: never two, and soon one', async () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      await closeAll();
      store = await createSharedStore();
      const prng = seededPrng(seed);
      for (let i = 0; i < 3; i += 1) await join();
      const check = (): void => {
        assert.ok(leaders().length <= 1, `seed ${seed}: ${leaders().join(' and ')}`);
      };
      for (let i = 0; i < 25; i += 1) {
        const { server } = candidates[randomBelow(prng, 3)] as Candidate;
        const act = randomBelow(prng, 4);
        if (act === 0) server.stopped = !server.stopped;
        else if (act === 1) server.log.pause();
        else if (act === 2) server.log.resume();
        else server.skewMs = randomBelow(prng, 40_000) - 20_000;
        check();
        await store.pass(250 * (1 + randomBelow(prng, 60)), check);
      }
      for (const { server } of candidates) {
        server.stopped = false;
        server.log.resume();
      }
      await store.pass(60_000, check);
      assert.equal(leaders().length, 1, `seed ${seed}`);
    }
  });

  function countingController(candidate: Candidate): Controller {
    return {
      start() {
        candidate.running += 1;
      },
      async stop() {
        await candidate.stopping;
        candidate.running -= 1;
      },
    };
  }

  const configMap = (name: string, namespace = 'default'): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
  });

  async function writeConfigMap({ server }: Candidate, name: string, namespace = 'default') {
    const kind = kindOf(server, '', 'configmaps');
    const target = { kind, namespace, name };
    const object = configMap(name, namespace);
    const made = await createObject(server.registry, target, object, { dryRun: false });
    assert.equal(made.kind, 'ok');
    return target;
  }

  async function exists(name: string, namespace = 'default'): Promise<boolean> {
    const key = storeKey({ group: '', resource: 'configmaps', namespace, name });
    const read = await store.storage.read(key);
    return read.kind === 'ok' && read.value !== undefined;
  }

  /** Straight into the store, as a commit of another server's. */
  async function overwrite(name: string): Promise<void> {
    const key = storeKey({ group: '', resource: 'configmaps', namespace: 'default', name });
    const read = await store.storage.read(key);
    assert.ok(read.kind === 'ok' && read.value !== undefined);
    const { revision, state, value } = read.value;
    const operation = { kind: 'put' as const, state, value };
    const expect = { kind: 'revision' as const, revision };
    const [outcome] = await store.storage.commit([{ key, expect, conditions: [], operation }]);
    assert.equal(outcome?.kind, 'applied');
  }

  /** A write of the Lease by somebody who takes no part in the election. */
  async function touch({ registry, leases }: RegistryServer, spec: JsonObject = {}): Promise<void> {
    await registry.streams.waitUntilCurrent();
    const found = cachedLease(registry, leases, system, leaseName);
    assert.ok(found);
    const before = found.object['spec'] as JsonObject;
    const labels = { touched: `${found.revision}` };
    const object = {
      ...found.object,
      metadata: { ...found.object.metadata, labels },
      spec: { ...before, ...spec },
    };
    const target = { kind: leases, namespace: system, name: leaseName };
    const written = await updateObject(registry, target, object, undefined, { dryRun: false });
    assert.equal(written.kind, 'ok');
  }
});
