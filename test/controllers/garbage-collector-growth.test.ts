/** A look at an owner whose deletion waits for its dependents costs the same however many there
 * are: counted are the objects and the nodes of the graph that a decision reads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import {
  createCircleMemory,
  endWalk,
  findCircle,
  noteLost,
} from '../../src/controllers/garbage-collector-circles.ts';
import { decideOn, readOwners } from '../../src/controllers/garbage-collector-decision.ts';
import type { Decision } from '../../src/controllers/garbage-collector-decision.ts';
import { createOwnerGraph } from '../../src/controllers/garbage-collector-graph.ts';
import type { OwnerGraph } from '../../src/controllers/garbage-collector-graph.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { Entry } from '../../streams/streams.ts';
import { largestTable } from '../support/checks/largest-table.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

const { finalizers } = kubernetes;
const resource = '/configmaps';
const revision = 1n as Revision;
const at = (name: string): string => `${resource}/default/${name}`;

interface Made {
  readonly owners?: readonly string[];
  readonly blocks?: boolean;
  readonly held?: readonly string[];
  /** Letters of an annotation. */
  readonly letters?: number;
}

/** Config maps whose uids are their names. */
function world() {
  const built = buildScheme({ identity: kubernetes });
  assert.ok(built.kind === 'ok');
  const entries = new Map<string, Entry>();
  const looked: string[] = [];
  const graph = createOwnerGraph(built.scheme, finalizers, {
    one: (each) => looked.push(each),
    lost: (each) => noteLost(each, circles),
    all: (references) => looked.push(...references.keys()),
  });
  const circles = createCircleMemory();
  let reads = 0;

  const make = (
    name: string,
    { owners = [], blocks = true, held, letters = 0 }: Made = {},
  ): void => {
    const ownerReferences = owners.map((owner) => {
      const names = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: owner };
      return { ...names, blockOwnerDeletion: blocks };
    });
    const metadata = {
      name,
      namespace: 'default',
      uid: name,
      ...(owners.length === 0 ? {} : { ownerReferences }),
      ...(held === undefined ? {} : { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      finalizers: held ?? [],
      annotations: { filling: 'x'.repeat(letters) },
    };
    const bytes = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
    const entry = { namespace: 'default', name, revision, labels: {}, fields: {}, bytes };
    const type = entries.has(at(name)) ? 'MODIFIED' : 'ADDED';
    entries.set(at(name), entry);
    graph.apply(resource, type, entry);
  };
  const remove = (name: string): void => {
    const entry = entries.get(at(name));
    assert.ok(entry !== undefined);
    entries.delete(at(name));
    graph.apply(resource, 'DELETED', entry);
  };
  const counted: OwnerGraph = new Proxy(graph, {
    get(target, key) {
      reads += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const entryAt = (reference: string): Entry | undefined => {
    reads += 1;
    return entries.get(reference);
  };
  const coming = { at: () => undefined, goneBlockersOf: () => [] };
  const context = { graph: counted, finalizers, entryAt, coming, circles };
  const decide = (name: string): Decision | undefined => decideOn(at(name), context)?.decision;
  const readsOf = (work: () => void): number => {
    reads = 0;
    work();
    return reads;
  };
  const search = (name: string): Steps<void> => findCircle(at(name), context);
  const readAll = (name: string): Steps<void> => readOwners(at(name), context);
  return { circles, decide, graph, looked, make, readAll, readsOf, remove, search };
}

const owner = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid: 'owner',
  blockOwnerDeletion: true,
};
const foreground = [finalizers.foreground];
const named = (count: number): string[] => Array.from({ length: count }, (_, i) => `d${i}`);

describe('an owner that waits for its dependents', () => {
  for (const blocks of [true, false]) {
    it(`is decided on with as many reads for n as for 4n, ${blocks ? '' : 'not '}blocked`, () => {
      const readsFor = (count: number): number => {
        const { decide, make, readsOf } = world();
        make('owner', { held: foreground });
        for (const name of named(count)) make(name, { owners: ['owner'], blocks });
        return readsOf(() => {
          assert.equal(decide('owner')?.kind, blocks ? 'wait' : 'release');
        });
      };
      assert.equal(readsFor(4 * 500), readsFor(500));
    });
  }

  it('costs n reads, not n times n, when n dependents go one by one', () => {
    const readsFor = (count: number): number => {
      const { decide, make, readsOf, remove } = world();
      make('owner', { held: foreground });
      for (const name of named(count)) make(name, { owners: ['owner'], held: ['x.io/hold'] });
      return readsOf(() => {
        for (const name of named(count)) {
          assert.equal(decide('owner')?.kind, 'wait');
          remove(name);
        }
        assert.equal(decide('owner')?.kind, 'release');
      });
    };
    const [few, many] = [readsFor(200), readsFor(800)];
    assert.ok(many <= 4 * few, `${few} reads for n, ${many} for 4n`);
  });

  it('has its dependents in parts: what the engine copies when it grows stays small', () => {
    const { graph } = world();
    const metadata = { name: 'of', namespace: 'default', uid: 'of', ownerReferences: [owner] };
    const bytes = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
    const most = largestTable(() => {
      for (const name of named(20_000)) {
        const entry = { namespace: 'default', name, revision, labels: {}, fields: {}, bytes };
        graph.apply(resource, 'ADDED', entry);
      }
    });
    assert.equal(graph.dependentsOf('owner').size, 20_000);
    assert.ok(most <= 5_000, `${most} keys`);
  });

  it('costs n reads when a chain of n is deleted from its first owner on', () => {
    const readsFor = (count: number): number => {
      const { decide, make, readsOf } = world();
      const ownersOf = (i: number): string[] => (i === 0 ? [] : [`d${i - 1}`]);
      for (const [i, name] of named(count + 1).entries()) make(name, { owners: ownersOf(i) });
      return readsOf(() => {
        for (const [i, name] of named(count).entries()) {
          make(name, { owners: ownersOf(i), held: foreground });
          assert.equal(decide(name)?.kind, 'wait');
        }
      });
    };
    const [few, many] = [readsFor(200), readsFor(800)];
    assert.ok(many <= 4 * few, `${few} reads for n, ${many} for 4n`);
  });

  it('waits for one that blocks among many that wait for it in turn', () => {
    const { decide, make, remove } = world();
    make('owner', { owners: named(50), held: foreground });
    for (const name of named(50)) make(name, { owners: ['owner'], held: foreground });
    make('last', { owners: ['owner'], held: ['x.io/hold'] });
    assert.equal(decide('owner')?.kind, 'wait');
    remove('last');
    assert.equal(decide('owner')?.kind, 'release');
  });

  it('counts a dependent once that names it twice, and no more when it blocks no longer', () => {
    const { decide, make } = world();
    make('owner', { held: foreground });
    make('twice', { owners: ['owner', 'owner'] });
    assert.equal(decide('owner')?.kind, 'wait');
    make('twice', { owners: ['owner', 'owner'], blocks: false });
    assert.equal(decide('owner')?.kind, 'release');
    make('twice', { owners: ['owner', 'owner'] });
    make('twice');
    assert.equal(decide('owner')?.kind, 'release');
  });

  it('has every dependent looked at when it begins to wait, for whatever it waits', () => {
    const { looked, make } = world();
    make('owner');
    for (const name of named(100)) make(name, { owners: ['owner'] });
    for (const held of [[finalizers.orphan], foreground]) {
      looked.length = 0;
      make('owner', { held });
      assert.deepEqual(new Set(looked), new Set([at('owner'), ...named(100).map(at)]));
      looked.length = 0;
      make('owner', { held });
      assert.deepEqual(looked, [at('owner')]);
    }
  });

  it('has those that stay looked at again in turn, none before all others, but no waiting ones', () => {
    const { graph, make, remove } = world();
    make('owner', { held: foreground });
    for (const name of named(10)) make(name, { owners: ['owner'] });
    make('waits', { owners: ['owner'], held: foreground });
    const some = graph.nextDependents('owner', 4);
    remove('d5');
    make('late', { owners: ['owner'] });
    const more = [1, 2].flatMap(() => graph.nextDependents('owner', 4));
    const stay = [...named(10), 'late'].filter((name) => name !== 'd5').map(at);
    assert.deepEqual([...some, ...more].slice(0, stay.length).sort(), stay.sort());
    assert.deepEqual(graph.nextDependents('nobody', 4), []);
  });
});

describe('an owner of a kind that is not served', () => {
  it('is looked for without a look at each kind of its group', () => {
    const built = buildScheme({ identity: kubernetes });
    assert.ok(built.kind === 'ok');
    const { scheme } = built;
    const like = scheme.findResource('', 'v1', 'configmaps');
    assert.ok(like !== undefined);
    let looks = 0;
    const storage = { group: 'a.example', resource: 'xs' };
    const own = { ...like, ...storage, storage };
    const kind = Object.defineProperty({ ...own }, 'kind', {
      get: () => {
        looks += 1;
        return 'X';
      },
    });
    scheme.define('xs.a.example', [kind], kind);
    const graph = createOwnerGraph(scheme, finalizers, {
      one: () => undefined,
      lost: () => undefined,
      all: () => undefined,
    });
    const owner = { apiVersion: 'a.example/v9', kind: 'Y', name: 'y', uid: 'y' };
    const own9 = { ...owner, kind: 'X', name: 'x', uid: 'x' };
    const metadata = {
      name: 'of',
      namespace: 'default',
      uid: 'of',
      ownerReferences: [owner, own9],
    };
    const bytes = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
    const entry = { namespace: 'default', name: 'of', revision, labels: {}, fields: {}, bytes };
    looks = 0;
    graph.apply(resource, 'ADDED', entry);
    assert.equal(looks, 0);
    const places = graph.node(at('of'))?.owners.map((each) => each.at);
    assert.deepEqual(places, ['unknown', 'a.example/xs/default/x']);
  });
});

describe('objects that wait for each other', () => {
  /** d0 owns d1 and so on: all wait, and the last one is held by somebody else. */
  const chain = (count: number, isCircle: boolean) => {
    const made = world();
    const names = named(count);
    for (const [i, name] of names.entries()) {
      const before = names[i - 1] ?? (isCircle ? names.at(-1) : undefined);
      made.make(name, { owners: before === undefined ? [] : [before], held: foreground });
    }
    return { ...made, names };
  };

  it('are looked at along a chain with reads that grow as the chain', () => {
    const readsFor = (count: number): number => {
      const { decide, make, names, readsOf } = chain(count, false);
      make('held', { owners: [names.at(-1) as string], held: foreground });
      make('leaf', { owners: ['held'] });
      return readsOf(() => {
        for (const name of names) assert.equal(decide(name)?.kind, 'wait');
      });
    };
    const few = readsFor(100);
    assert.ok(readsFor(400) < 6 * few, `${few}`);
  });

  it('are looked at along a chain that grows with reads that grow as the chain', () => {
    const readsFor = (count: number): number => {
      const { decide, make, readsOf } = world();
      const ownersOf = (i: number): string[] => (i === 0 ? [] : [`d${i - 1}`]);
      const names = named(count);
      for (const [i, name] of names.entries()) make(name, { owners: ownersOf(i) });
      return readsOf(() => {
        for (let i = 0; i < count; i += 4) {
          for (let at = i; at < i + 4; at += 1) {
            make(`d${at}`, { owners: ownersOf(at), held: foreground });
          }
          for (const name of [`d${i}`, `d${i + 2}`]) assert.equal(decide(name)?.kind, 'wait');
        }
      });
    };
    const [few, many] = [readsFor(200), readsFor(800)];
    assert.ok(many < 6 * few, `${few} reads for n, ${many} for 4n`);
  });

  it('are a circle as soon as the one at which the chain ended is deleted, too', () => {
    const { decide, make } = chain(20, true);
    make('d0', { owners: ['d19'] });
    for (const name of ['d10', 'd15']) assert.equal(decide(name)?.kind, 'wait');
    make('d0', { owners: ['d19'], held: foreground });
    assert.equal(decide('d15')?.kind, 'release');
  });

  it('are a circle as soon as a link closes it', () => {
    const { decide, make } = chain(20, false);
    for (const name of ['d10', 'd15']) assert.equal(decide(name)?.kind, 'wait');
    make('d0', { owners: ['d19'], held: foreground });
    assert.equal(decide('d15')?.kind, 'release');
  });

  it('are looked for, when they are many, with as many reads in each step for n as for 4n', () => {
    const mostIn = (count: number): number => {
      const { circles, decide, readsOf, search } = chain(count, true);
      const walk = search('d7');
      let most = readsOf(() => assert.equal(decide('d7')?.kind, 'find-circle'));
      for (let isOver = false; !isOver;) {
        const reads = readsOf(() => {
          isOver = walk.next().done === true;
        });
        most = Math.max(most, reads);
      }
      most = Math.max(
        most,
        readsOf(() => assert.equal(decide('d7')?.kind, 'release')),
      );
      endWalk(circles);
      return most;
    };
    const [few, many] = [mostIn(2_000), mostIn(8_000)];
    assert.ok(many <= few, `${few} reads in a step for n, ${many} for 4n`);
  });

  for (const [change, held] of [
    ['waits no more', ['x.io/hold']],
    ['has another owner', foreground],
  ] as const) {
    it(`are no circle when one of many ${change} while it is looked for`, () => {
      const { circles, decide, make, search } = chain(3_000, true);
      for (const late of [false, true]) {
        const walk = search('d2900');
        for (let steps = 0; steps < 4; steps += 1) walk.next();
        if (late) finished(walk);
        make('d2000', { owners: [held === foreground ? 'other' : 'd1999'], held });
        finished(walk);
        assert.equal(decide('d2900')?.kind, 'find-circle');
        endWalk(circles);
        make('d2000', { owners: ['d1999'], held: foreground });
      }
      finished(search('d2900'));
      assert.equal(decide('d2900')?.kind, 'release');
    });
  }

  it('are a circle that closes behind where it is looked for: it is found from there', () => {
    const { circles, decide, make, search } = chain(1_000, true);
    make('d899', { owners: ['other'], held: foreground });
    const walk = search('d900');
    finished(walk);
    make('d899', { owners: ['d898'], held: foreground });
    endWalk(circles);
    finished(search('d899'));
    assert.equal(decide('d899')?.kind, 'release');
  });

  it('are released in a circle one at a time: the others come later', () => {
    const { decide, names, readsOf } = chain(300, true);
    const reads = readsOf(() => {
      assert.equal(decide('d7')?.kind, 'release');
    });
    const others = readsOf(() => {
      for (const name of names) if (name !== 'd7') assert.equal(decide(name)?.kind, 'later');
    });
    assert.ok(others < 40 * reads, `${reads} ${others}`);
  });
});

describe('an object that names many large owners', () => {
  const large = 100 * 1024;
  const steps = (work: Steps<void>): number => {
    let count = 0;
    while (work.next().done !== true) count += 1;
    return count;
  };
  const owned = (letters: number) => {
    const made = world();
    for (const name of named(20)) made.make(name, { letters });
    made.make('child', { owners: ['gone', ...named(20)] });
    return made;
  };

  it('is decided on when they have been read, each in a step', () => {
    const { decide, make, readAll } = owned(large);
    assert.equal(decide('child')?.kind, 'read-owners');
    assert.equal(steps(readAll('child')), 20);
    assert.equal(decide('child')?.kind, 'forget-owners');
    // What has changed is read again, once for all that name it.
    make('d7', { letters: large });
    assert.equal(decide('child')?.kind, 'forget-owners');
    for (const name of named(20)) make(name, { letters: large });
    make('other', { owners: ['gone', ...named(20)] });
    assert.equal(decide('child')?.kind, 'read-owners');
    assert.equal(steps(readAll('child')), 20);
    assert.equal(decide('other')?.kind, 'forget-owners');
  });

  it('is decided on at once where they are small, or gone', () => {
    const { decide, remove } = owned(100);
    assert.equal(decide('child')?.kind, 'forget-owners');
    for (const name of named(20)) remove(name);
    assert.equal(decide('child')?.kind, 'delete');
  });
});
