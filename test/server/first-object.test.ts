/** The default among many: the first of those that count, kept in order as they change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { firstObject } from '../../src/server/compose/first-object.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';
import type { Entry, Streams } from '../../streams/streams.ts';

type Event = { type: string; entry?: Entry; snapshot?: { entries(): Iterable<Entry> } };
type Take = (event: Event) => Steps<void> | undefined;

interface Ranked {
  readonly name: string;
  readonly rank: number;
}

function entryOf(name: string, rank: number | undefined): Entry {
  const metadata = { name };
  const object = { apiVersion: 'v1', kind: 'K', metadata, ...(rank === undefined ? {} : { rank }) };
  return { namespace: '', name, bytes: encodeObject(object).bytes } as unknown as Entry;
}

/** Those that have a rank, the lowest first. */
function world(stored: readonly Entry[]) {
  const counts = { read: 0 };
  const changes = new Subject<Event>();
  const streams = {
    resourceEvents: () => changes,
    followers: {
      follow(_name: string, events: Observable<Event>, take: Take) {
        const all = (event: Event): void => {
          const rest = take(event);
          if (rest !== undefined) finished(rest);
        };
        all({ type: 'RESET', snapshot: { entries: () => stored } });
        return events.subscribe(all);
      },
      settled: () => Promise.resolve(),
    },
  } as unknown as Streams;
  const first = firstObject<Ranked>(
    streams,
    { group: '', resource: 'ks' },
    {
      read: (object) => {
        counts.read += 1;
        const { metadata, rank } = object;
        const { name = '' } = metadata;
        return typeof rank === 'number' ? { name, rank } : undefined;
      },
      isBefore: (a, b) => (a.rank === b.rank ? a.name < b.name : a.rank < b.rank),
    },
  );
  const change = (type: string, name: string, rank?: number): void =>
    changes.next({ type, entry: entryOf(name, rank) });
  return { change, counts, first };
}

describe('the first of the objects that count', () => {
  it('follows each change, of the first one too', async () => {
    const { change, first } = world([entryOf('c', 2), entryOf('a', undefined), entryOf('b', 2)]);
    assert.equal((await first())?.name, 'b', 'of one rank by name');
    change('ADDED', 'd', 1);
    assert.equal((await first())?.name, 'd');
    change('MODIFIED', 'd', 3);
    assert.equal((await first())?.name, 'b');
    change('MODIFIED', 'b');
    assert.equal((await first())?.name, 'c', 'what does not count any more is passed over');
    change('DELETED', 'c');
    assert.equal((await first())?.name, 'd');
    change('DELETED', 'd');
    assert.equal(await first(), undefined);
  });

  it('reads one object for each change, however many there are', async () => {
    const names = Array.from({ length: 2000 }, (_, at) => `k${at}`);
    const { change, counts, first } = world(names.map((name, at) => entryOf(name, at)));
    assert.equal((await first())?.name, 'k0');
    const before = counts.read;
    for (let at = 0; at < 100; at += 1) {
      change('MODIFIED', `k${at}`, 5000 + at);
      assert.equal((await first())?.name, `k${at + 1}`);
    }
    assert.equal(counts.read - before, 100);
  });
});
