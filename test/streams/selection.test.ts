/** The composition every event runs through, in marbles. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TestScheduler } from 'rxjs/testing';
import { map, merge, pipe } from 'rxjs';
import type { Observer, OperatorFunction } from 'rxjs';
import { ownMemory } from '../../src/stdx/blocks.ts';
import { createEntryMaker, ResourceChange } from '../../streams/resource-change.ts';
import type { StampedEntry } from '../../streams/resource-change.ts';
import { Routes } from '../../streams/routes.ts';
import { changesAndBookmarks, frames } from '../../streams/selection.ts';
import type { Selection } from '../../streams/selection.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { EventEncoder, EventType } from '../../streams/streams.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';
import { everything, fieldIs, labelIs } from './harness.ts';

const maker = createEntryMaker(
  ({ value }) => ({ uid: '', labels: {}, fields: {}, metadataAt: 1, object: value }),
  (object, at, revision) =>
    Buffer.concat([object.subarray(0, at), Buffer.from(`@${revision} `), object.subarray(at)]),
);

function entry(revision: number, labels: Record<string, string>, namespace = 'ns'): StampedEntry {
  const stamp = `@${revision} `;
  return {
    namespace,
    name: 'x',
    revision: BigInt(revision) as Revision,
    labels,
    fields: { 'spec.nodeName': labels['node'] ?? '' },
    bytes: Buffer.from(`{${stamp}state${revision}}`),
    metadataAt: 1,
    stampBytes: stamp.length,
  };
}

function change(
  seq: number,
  now: StampedEntry | undefined,
  before: StampedEntry | undefined,
): ResourceChange {
  const revision = BigInt(seq) as Revision;
  const type: EventType = now === undefined ? 'DELETED' : before ? 'MODIFIED' : 'ADDED';
  const shown = now ?? maker.restamped(before as StampedEntry, revision, ownMemory);
  const parts = { revision, type, entry: shown, previous: before };
  return new ResourceChange(seq, parts, maker, ownMemory);
}

/** To all of its groups in one step. Returns how many routes it took. */
function handOut(routes: Routes, told: ResourceChange): number {
  let routesCount = 0;
  for (const { walk } of routes.route(told)) {
    assert.ok(walk.run(() => false));
    routesCount += walk.members.length;
  }
  return routesCount;
}

/** The changes of a selection, as its group has them. */
function changesOf(routes: Routes, selection: Selection) {
  return routes.scopes(selection).scope(selection.predicate, undefined, 1).changes(selection);
}

const plain = (seq: number) => entry(seq, {});
const chosen = (seq: number) => entry(seq, { app: 'a' });
const changes = {
  a: change(1, chosen(1), undefined),
  b: change(2, chosen(2), chosen(1)),
  c: change(3, plain(3), chosen(2)),
  d: change(4, plain(4), plain(3)),
  e: change(5, chosen(5), plain(4)),
  f: change(6, undefined, chosen(5)),
  g: change(7, plain(7), undefined),
  h: change(8, undefined, plain(7)),
};

function check(body: (scheduler: Parameters<Parameters<TestScheduler['run']>[0]>[0]) => void) {
  new TestScheduler((actual, expected) => assert.deepEqual(actual, expected)).run(body);
}

/** Of a frame; a gap has none. */
function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'GAP' : Buffer.from(bytes).toString();
}

/** The frames of a selection as text: `written` of each event. */
function shown(
  selection: Selection,
  written: EventEncoder['event'],
): OperatorFunction<ResourceChange, string> {
  const encoder: EventEncoder = {
    id: 'text',
    event: written,
    bookmark: () => Buffer.alloc(0),
    error: () => Buffer.alloc(0),
  };
  return pipe(
    frames(selection, encoder),
    map(({ seq, bytes }) => `${seq} ${textOf(bytes)}`),
  );
}

const typeOf: EventEncoder['event'] = (type) => Buffer.from(type);

describe('selection', () => {
  it('I5: entering is ADDED, staying MODIFIED, leaving and deletion DELETED, else nothing', () => {
    check(({ cold, expectObservable }) => {
      const selection = { namespace: undefined, predicate: labelIs('app', 'a') };
      const events = cold('abcdefgh|', changes).pipe(shown(selection, typeOf));
      expectObservable(events).toBe('abc-ef--|', {
        a: '1 ADDED',
        b: '2 MODIFIED',
        c: '3 DELETED',
        e: '5 ADDED',
        f: '6 DELETED',
      });
    });
  });

  it('I6: DELETED carries the state before, at the new revision', () => {
    check(({ cold, expectObservable }) => {
      const selection = { namespace: undefined, predicate: labelIs('app', 'a') };
      const events = cold('c-f|', changes).pipe(
        shown(selection, (type, { revision, bytes }) =>
          Buffer.from(`${type} ${revision} ${Buffer.from(bytes).toString()}`),
        ),
      );
      expectObservable(events).toBe('c-f|', {
        c: '3 DELETED 3 {@3 state2}',
        f: '6 DELETED 6 {@6 state5}',
      });
    });
  });

  it('a selection without a predicate shows every change as it is', () => {
    check(({ cold, expectObservable }) => {
      const selection = { namespace: undefined, predicate: everything };
      const events = cold('abcdefgh|', changes).pipe(shown(selection, typeOf));
      const all = Object.entries(changes).map(([key, at]) => [key, `${at.seq} ${at.type}`]);
      expectObservable(events).toBe('abcdefgh|', Object.fromEntries(all));
    });
  });

  it('a namespace that is not the one watched shows nothing', () => {
    check(({ cold, expectObservable }) => {
      const selection = { namespace: 'other', predicate: everything };
      const events = cold('ab|', changes).pipe(shown(selection, typeOf));
      expectObservable(events).toBe('--|');
    });
  });

  it('I10: a frame is made once, however many subscribe behind the group', () => {
    let made = 0;
    const encoder: EventEncoder = {
      id: 'counting',
      event: (type) => ((made += 1), Buffer.from(type)),
      bookmark: () => Buffer.alloc(0),
      error: () => Buffer.alloc(0),
    };
    check(({ hot, expectObservable }) => {
      const selection = { namespace: undefined, predicate: everything };
      const sent = hot('--a--c--|', changes).pipe(
        frames(selection, encoder),
        map(({ seq, revision, bytes }) => `${seq} ${revision} ${textOf(bytes)}`),
      );
      expectObservable(sent).toBe('--a--c--|', { a: '1 1 ADDED', c: '3 3 MODIFIED' });
    });
    assert.equal(made, 2);
  });

  it('I10: changes and bookmarks are merged as merge does it, and framed in the order they come', () => {
    const encoder: EventEncoder = {
      id: 'text',
      event: (type) => Buffer.from(type),
      bookmark: (revision) => Buffer.from(`BOOKMARK ${revision}`),
      error: () => Buffer.alloc(0),
    };
    const revisions = { p: 2n as Revision, q: 9n as Revision };
    const shown = map(({ bytes }: { bytes: Uint8Array | undefined }) => textOf(bytes));
    const framed = pipe(frames({ namespace: undefined, predicate: everything }, encoder), shown);
    const own = changesAndBookmarks;
    for (const end of ['|', '#']) {
      check(({ hot, expectObservable }) => {
        const changesAt = hot(`-a-c--a${end}`, changes);
        const bookmarksAt = hot('--p--(q)', revisions);
        const fused = own(changesAt, (to: Observer<Revision>) => bookmarksAt.subscribe(to));
        const expected = { a: 'ADDED', c: 'MODIFIED', p: 'BOOKMARK 2', q: 'BOOKMARK 9' };
        expectObservable(fused.pipe(framed)).toBe(`-apc-qa${end}`, expected);
        const plain = merge(changesAt, bookmarksAt).pipe(framed);
        expectObservable(plain).toBe(end === '#' ? '-apc-qa#' : '-apc-qa', expected);
      });
    }
  });

  it('I20: an encoder that throws ends its own pipeline and no other of the route', () => {
    const routes = new Routes();
    const broken: EventEncoder = {
      id: 'broken',
      event: () => {
        throw new Error('cannot encode');
      },
      bookmark: () => Buffer.alloc(0),
      error: () => Buffer.alloc(0),
    };
    const selection = { namespace: undefined, predicate: everything };
    const seen: unknown[] = [];
    const failing = changesOf(routes, selection).pipe(frames(selection, broken));
    failing.subscribe({ error: (error: Error) => seen.push(error.message) });
    changesOf(routes, selection).subscribe((at) => seen.push(at.seq));
    handOut(routes, changes.a);
    handOut(routes, changes.b);
    assert.deepEqual(seen, ['cannot encode', 1, 2]);
  });
});

describe('routes', () => {
  it('I11: a change visits the routes of its value before and its value now, each once', () => {
    const routes = new Routes();
    const seen: string[] = [];
    for (let node = 0; node < 10_000; node += 1) {
      const selection = {
        namespace: undefined,
        predicate: fieldIs('spec.nodeName', `n${node}`),
      };
      changesOf(routes, selection).subscribe(({ seq }) => seen.push(`n${node} ${seq}`));
    }
    assert.equal(routes.count, 10_000);
    const on = (seq: number, node: string) => entry(seq, { node });
    assert.equal(handOut(routes, change(1, on(1, 'n7'), undefined)), 1);
    assert.equal(handOut(routes, change(2, on(2, 'n8'), on(1, 'n7'))), 2);
    assert.equal(handOut(routes, change(3, on(3, 'n8'), on(2, 'n8'))), 1);
    assert.equal(handOut(routes, change(4, undefined, on(3, 'n8'))), 1);
    assert.deepEqual(seen, ['n7 1', 'n8 2', 'n7 2', 'n8 3', 'n8 4']);
  });

  it('a route without subscribers is forgotten', () => {
    const routes = new Routes();
    const selections = [
      { namespace: undefined, predicate: everything },
      { namespace: 'ns', predicate: everything },
      { namespace: 'ns', predicate: fieldIs('metadata.name', 'x') },
      { namespace: undefined, predicate: fieldIs('metadata.name', 'x') },
      { namespace: undefined, predicate: fieldIs('spec.nodeName', 'n') },
      { namespace: undefined, predicate: fieldIs('metadata.namespace', 'ns') },
    ];
    const subscriptions = selections.map((selection) => changesOf(routes, selection).subscribe());
    assert.equal(routes.count, 5);
    assert.equal(handOut(routes, change(1, entry(1, { node: 'n' }), undefined)), 5);
    for (const subscription of subscriptions) subscription.unsubscribe();
    assert.equal(routes.count, 0);
    assert.equal(handOut(routes, changes.a), 0);
  });

  it('who comes while a change is told does not hear of it, who leaves hears of no other', () => {
    const routes = new Routes();
    const all = changesOf(routes, { namespace: undefined, predicate: everything });
    const seen: string[] = [];
    const first = all.subscribe(({ seq }) => {
      seen.push(`first ${seq}`);
      if (seq === 1) all.subscribe((at) => seen.push(`late ${at.seq}`));
      second.unsubscribe();
    });
    const second = all.subscribe(({ seq }) => seen.push(`second ${seq}`));
    handOut(routes, changes.a);
    first.unsubscribe();
    handOut(routes, changes.b);
    assert.deepEqual(seen, ['first 1', 'late 2']);
  });

  it('C2: ten thousand that leave at once cost as much each as one', () => {
    const prepare = (count: number) => {
      const routes = new Routes();
      const all = changesOf(routes, { namespace: undefined, predicate: everything });
      const subscriptions = Array.from({ length: count }, () => all.subscribe());
      return () => subscriptions.forEach((each) => each.unsubscribe());
    };
    assertLinear({ name: 'leaving', prepare }, 10_000);
  });
});
