/** The expression that a watch is, as a whole, in marbles: one dash is one turn of the event loop. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filter, ignoreElements, map, NEVER, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import { plainRecords } from '../../src/storage/encrypted-records.ts';
import { streamPorts } from '../../src/server/compose/stream-ports.ts';
import { StorageError } from '../../src/storage/storage.ts';
import type { AtRevision, Change, Revision, StoreKey } from '../../src/storage/storage.ts';
import { unknownSeq } from '../../streams/position.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import { LogPage } from '../../streams/log-pages.ts';
import { ResourceCache } from '../../streams/resource-cache.ts';
import { createEntryMaker } from '../../streams/resource-change.ts';
import { Routes } from '../../streams/routes.ts';
import type { EventEncoder, WatchStart } from '../../streams/streams.ts';
import { chunkOfHistory } from '../../streams/chunks.ts';
import { resumedEvents, watchEvents } from '../../streams/watch-events.ts';
import type { WatchItem, WatchProgress } from '../../streams/watch-events.ts';
import { everything, pods } from './harness.ts';

const streamErrors = streamPorts(plainRecords);

type Helpers = Parameters<Parameters<TestScheduler['run']>[0]>[0];

const maker = createEntryMaker(
  ({ value }) => ({ uid: '', labels: {}, fields: {}, metadataAt: 0, object: value }),
  (object) => object,
);
const text: EventEncoder = {
  id: 'text',
  event: (type, { name }) => {
    if (name === 'bad') throw new Error('cannot encode');
    return Buffer.from(`${type} ${name}`);
  },
  bookmark: (revision) => Buffer.from(`MARK ${revision}`),
  error: ({ code, message }) => Buffer.from(`ERROR ${code} ${message}`),
};

function written(revision: number, name: string): Change {
  const at = BigInt(revision) as Revision;
  const key = `/pods/ns/${name}` as StoreKey;
  const record = { key, revision: at, state: 'live', value: Buffer.from(name) };
  return { revision: at, key, kind: 'put', timeMs: 0, record, previous: undefined };
}

/** One watch, whose position is moved by what it is sent, as a watcher does it. */
class Watch {
  /** One chunk is one frame; the history holds three changes. */
  readonly limits = {
    ...defaultStreamLimits,
    pumpChunkBytes: 1,
    missedChunkBytes: 1,
    historyChangesMax: 3,
  };
  readonly cache = new ResourceCache(0n as Revision, maker, this.limits);
  readonly position = { seq: unknownSeq, revision: 0n as Revision };
  readonly ring = { floor: 0 };
  applied = 0n as Revision;
  current: Observable<unknown> = NEVER;
  deadline: Observable<unknown> = NEVER;
  turns: WatchProgress['turns'];
  whenApplied: WatchProgress['whenApplied'] = () => NEVER;
  readLog: (after: Revision) => Observable<AtRevision<LogPage>> = () => NEVER;

  /** A turn comes a frame after it was asked for. */
  constructor({ cold }: Helpers) {
    this.turns = () => cold('-ttttttttt').pipe(map(() => undefined));
  }

  write(revision: number, name: string): void {
    this.cache.apply(written(revision, name));
    this.applied = BigInt(revision) as Revision;
  }

  place(): WatchProgress {
    const { cache, limits, position, ring } = this;
    const routes = new Routes();
    const stream = { id: '/pods', resource: pods, cache, routes, isWaiting: false };
    return {
      sources: {
        limits,
        errors: streamErrors,
        scratch: new Uint8Array(0),
        missed: (events, from) => chunkOfHistory(events, from, limits),
        applied: () => this.applied,
        current: this.current.pipe(ignoreElements()),
        readLog: (after) => this.readLog(after),
      },
      group: {
        stream,
        selection: { namespace: undefined, predicate: everything },
        encoder: text,
        watchersCount: 1,
        ring,
      },
      position,
      turns: this.turns,
      whenApplied: this.whenApplied,
      deadline: this.deadline,
    };
  }

  begun(start: WatchStart, onInitialEventsEnd?: () => void): Observable<string> {
    return this.#shown(watchEvents(this.place(), start, onInitialEventsEnd));
  }

  resumed(): Observable<string> {
    return this.#shown(resumedEvents(this.place()));
  }

  #shown(items: Observable<WatchItem>): Observable<string> {
    return items.pipe(
      tap((item) => {
        if (item !== 'live')
          Object.assign(this.position, { seq: item.seq, revision: item.revision });
      }),
      filter((item) => item === 'live' || item.bytes !== undefined),
      map((item) => (item === 'live' ? item : Buffer.from(item.bytes ?? []).toString())),
    );
  }
}

function check(body: (helpers: Helpers, watch: Watch) => void): void {
  const scheduler = new TestScheduler((actual, expected) => assert.deepEqual(actual, expected));
  scheduler.run((helpers) => body(helpers, new Watch(helpers)));
}

const streamingList: WatchStart = { kind: 'state', atLeast: undefined, mark: true };
const after = (revision: number): WatchStart => ({
  kind: 'after',
  revision: BigInt(revision) as Revision,
});

describe('a watch as one expression', () => {
  it('I28 I9: the state, the mark, what was missed meanwhile, and it is live', () => {
    check(({ cold, expectObservable }, watch) => {
      watch.write(1, 'a');
      watch.write(2, 'b');
      watch.current = cold('--(c|)');
      let marks = 0;
      // While the second object is sent, a third is written, and the group drops its frame.
      const events = watch
        .begun(streamingList, () => (marks += 1))
        .pipe(
          tap((shown) => {
            if (shown !== 'ADDED b') return;
            watch.write(3, 'c');
            watch.ring.floor = 3;
          }),
          tap((shown) => assert.equal(marks, shown.startsWith('ADDED') && marks === 0 ? 0 : 1)),
        );
      expectObservable(events).toBe('---abm(cL|)', {
        a: 'ADDED a',
        b: 'ADDED b',
        m: 'MARK 2',
        c: 'ADDED c',
        L: 'live',
      });
    });
  });

  it('I28: a watch that missed nothing is live in the step in which it begins', () => {
    check(({ expectObservable }, watch) => {
      watch.write(1, 'a');
      expectObservable(watch.begun(after(1))).toBe('(L|)', { L: 'live' });
    });
  });

  it('I28: a watch from now waits until now is known, and shows nothing before it', () => {
    check(({ cold, expectObservable }, watch) => {
      watch.write(1, 'a');
      watch.current = cold('---(c|)').pipe(tap(() => watch.write(2, 'b')));
      expectObservable(watch.begun({ kind: 'now' })).toBe('---(L|)', { L: 'live' });
    });
  });

  it('I28 I4: it catches up from the log, then from the history, then it is live', () => {
    check(({ cold, expectObservable }, watch) => {
      const log = [1, 2, 3, 4, 5].map((revision) => written(revision, `p${revision}`));
      for (const { revision } of log) watch.write(Number(revision), `p${revision}`);
      watch.ring.floor = 5;
      assert.equal(watch.cache.history.floorSeq, 2);
      const value = new LogPage(0n as Revision, 2n as Revision, log.slice(0, 2), maker);
      watch.readLog = () => cold('--(p|)', { p: { kind: 'ok', value } as const });
      // A turn, the read, and another turn for what was read; then a turn each.
      expectObservable(watch.begun(after(0))).toBe('----a---bcd(eL|)', {
        a: 'ADDED p1',
        b: 'ADDED p2',
        c: 'ADDED p3',
        d: 'ADDED p4',
        e: 'ADDED p5',
        L: 'live',
      });
    });
  });

  it('I28 I22: a revision to come is waited for, without a turn', () => {
    check(({ cold, expectObservable }, watch) => {
      watch.write(1, 'a');
      watch.turns = () => NEVER;
      watch.whenApplied = () => {
        const reached = cold('---(r|)').pipe(tap(() => watch.write(2, 'b')));
        return reached.pipe(filter((_): _ is never => false));
      };
      expectObservable(watch.begun(after(2))).toBe('---(L|)', { L: 'live' });
    });
  });

  it('I28 I13: nothing is made but in a turn', () => {
    check(({ cold, expectObservable, flush }, watch) => {
      watch.write(1, 'a');
      watch.current = cold('(c|)');
      watch.turns = () => NEVER;
      const made: string[] = [];
      expectObservable(watch.begun(streamingList).pipe(tap((shown) => made.push(shown)))).toBe('-');
      flush();
      assert.deepEqual(made, []);
    });
  });

  it('I28 I14: the deadline ends it wherever it is, and nothing comes after', () => {
    for (const [deadline, expected] of [
      ['-d', '-|'],
      ['----d', '---a|'],
      ['----------d', '---ab(mL|)'],
    ] as const) {
      check(({ cold, expectObservable }, watch) => {
        watch.write(1, 'a');
        watch.write(2, 'b');
        watch.current = cold('--(c|)');
        watch.deadline = cold(deadline);
        const shown = { a: 'ADDED a', b: 'ADDED b', m: 'MARK 2', L: 'live' };
        expectObservable(watch.begun(streamingList)).toBe(expected, shown);
      });
    }
  });

  it('I28 I4: an error is one ERROR event, and the end', () => {
    const errorOf = (arrange: (watch: Watch, helpers: Helpers) => Observable<string>): string => {
      const seen: string[] = [];
      check((helpers, watch) => {
        const events = arrange(watch, helpers).pipe(tap((shown) => seen.push(shown)));
        helpers.expectObservable(events.pipe(filter(() => false))).toBe('--|');
        helpers.flush();
      });
      assert.equal(seen.length, 1);
      return (seen[0] as string).split(' ').slice(0, 2).join(' ');
    };
    const late = errorOf((watch, { cold }) => {
      watch.current = cold('--#', {}, new StorageError('lagging', 'late'));
      return watch.begun({ kind: 'now' });
    });
    assert.equal(late, 'ERROR 504');
    const failed = errorOf((watch, { cold }) => {
      watch.current = cold('--#', {}, new StorageError('io', 'no'));
      return watch.begun(streamingList);
    });
    assert.equal(failed, 'ERROR 500');
    const unencodable = errorOf((watch, { cold }) => {
      watch.write(1, 'bad');
      watch.current = cold('-(c|)');
      return watch.begun(streamingList);
    });
    assert.equal(unencodable, 'ERROR 500');
    const compacted = errorOf((watch, { cold }) => {
      for (let revision = 1; revision <= 5; revision += 1) watch.write(revision, 'a');
      watch.ring.floor = 5;
      const kind = { kind: 'compacted', compactRevision: 3n as Revision } as const;
      watch.readLog = () => cold('-(k|)', { k: kind });
      return watch.begun(after(1));
    });
    assert.equal(compacted, 'ERROR 410');
  });

  it('I28 I12: one that fell behind its group resumes with what it missed', () => {
    check(({ expectObservable }, watch) => {
      watch.write(1, 'a');
      watch.write(2, 'b');
      watch.write(3, 'c');
      Object.assign(watch.position, { seq: 1, revision: 1n });
      watch.ring.floor = 3;
      const shown = { b: 'ADDED b', c: 'ADDED c', L: 'live' };
      expectObservable(watch.resumed()).toBe('-b(cL|)', shown);
    });
  });

  it('an error of its own status is shown as it is', () => {
    check(({ cold, expectObservable }, watch) => {
      const gone = streamErrors.expiredError('gone');
      assert.ok(gone instanceof StatusError);
      watch.current = cold('-#', {}, gone);
      expectObservable(watch.begun(streamingList)).toBe('-(e|)', { e: 'ERROR 410 gone' });
    });
  });
});
