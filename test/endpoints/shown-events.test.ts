/** Streams of a kind that a webhook converts: what is no change is passed on as it was said. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownEvents } from '../../src/apimachinery/event-frames.ts';
import { newConflict, newTooLargeResourceVersion } from '../../src/apimachinery/status-error.ts';
import type { StatusError } from '../../src/apimachinery/status-error.ts';
import { createSharedEvents } from '../../src/endpoints/shared-events.ts';
import { convertingSink } from '../../src/endpoints/shown-events.ts';
import type { Sharing } from '../../src/endpoints/shown-events.ts';
import type { WatchSink } from '../../streams/streams.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const frames = shownEvents(
  'json',
  { apiVersion: 'shop.example/v2', kind: 'Lamp', domain: 'k8s.io' },
  (bytes) => bytes,
);

/** Parts of work that were done in turns. */
let parts = 0;

const alone = (): Sharing => ({
  turns: {
    pause: () => Promise.resolve(),
    run(step) {
      do parts += 1;
      while (step(() => true));
    },
  },
  shared: createSharedEvents(manualTime().clock),
  conversionId: 'lamps',
});

async function through(
  chunks: readonly Uint8Array[],
  convert = (all: readonly Uint8Array[]) => Promise.resolve(all),
  sharing = alone(),
): Promise<string> {
  let sent = '';
  await new Promise<void>((resolve) => {
    const sink: WatchSink = {
      write(chunk) {
        sent += Buffer.from(chunk).toString();
        return true;
      },
      onDrain: (callback) => callback(),
      end: resolve,
      closed: false,
    };
    const converting = convertingSink(sink, { ...sharing, convert, frames, ofShown: undefined });
    for (const chunk of chunks) converting.write(chunk);
    converting.end();
  });
  return sent;
}

const event = (name: string, revision: bigint, note = ''): Uint8Array =>
  frames.event('ADDED', {
    name,
    namespace: 'default',
    revision,
    bytes: Buffer.from(
      `{"kind":"Lamp","apiVersion":"shop.example/v2","metadata":{"resourceVersion":` +
        `"${revision}","name":"${name}","namespace":"default"},"note":"${note}"}`,
    ),
  });

describe('a converted stream', () => {
  const errors: readonly StatusError[] = [
    newTooLargeResourceVersion('900', '7'),
    newConflict({ group: 'shop.example', resource: 'lamps' }, 'a', 'no'),
  ];
  for (const error of errors) {
    it(`ends with the whole Status: ${error.message}`, async () => {
      const frame = frames.error(error);
      assert.equal(await through([frame]), Buffer.from(frame).toString());
    });
  }

  it('keeps the order of events and bookmarks, however the frames are cut', async () => {
    const whole = Buffer.concat([event('a', 3n), frames.bookmark(5n, true), event('b', 6n)]);
    for (const size of [1, 50, 400_000]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size));
      assert.equal(await through(chunks), whole.toString());
    }
  });

  it('a large event is read in parts, in its place, and converted once for all', async () => {
    const members = Array.from({ length: 40_000 }, (_, at) => `"k${at}":"v${at}"`).join();
    const large = event('large', 5n, `","data":{${members}},"end":"`);
    const chunks = [event('a', 3n), large, event('b', 6n), frames.bookmark(7n, true)];
    const whole = Buffer.concat(chunks).toString();
    const sharing = alone();
    const converted: number[] = [];
    const convert = (all: readonly Uint8Array[]): Promise<readonly Uint8Array[]> => {
      converted.push(...all.map(({ length }) => length));
      return Promise.resolve(all);
    };
    parts = 0;
    const watches = [1, 2, 3].map(() => through(chunks, convert, sharing));
    for (const sent of await Promise.all(watches)) assert.equal(sent, whole);
    assert.ok(parts >= 10, `${parts} parts`);
    assert.equal(converted.filter((length) => length > 256 * 1024).length, 1);
  });

  it('watches that wait for a webhook hold a bounded number of bytes, all of them together', async () => {
    const sharing = alone();
    const note = 'x'.repeat(12_000);
    const chunk = Buffer.concat(Array.from({ length: 10 }, (_, i) => event(`o${i}`, 7n, note)));
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const convert = (all: readonly Uint8Array[]) => answered.then(() => all);
    let [ended, held, sent] = [0, 0, 0];
    const watch = (): WatchSink => {
      const sink: WatchSink = {
        write: (bytes) => (sent += bytes.length) > 0,
        onDrain: (callback) => callback(),
        end: () => (ended += 1),
        closed: false,
      };
      return convertingSink(sink, { ...sharing, convert, frames, ofShown: undefined });
    };
    const watches = Array.from({ length: 300 }, watch);
    const counts = watches.map((each) => {
      let count = 0;
      for (let more = true; more; count += 1) {
        more = each.write(chunk);
        held += chunk.length;
      }
      return count;
    });
    const MiB = 1024 * 1024;
    assert.ok((counts[0] as number) * chunk.length <= MiB, 'one by itself takes a few');
    assert.equal(counts.at(-1), 1, 'where all have too many, one takes no second');
    assert.ok(held <= 32 * MiB + counts.length * chunk.length + MiB, `${held} bytes`);
    const again = watches.map((each) => new Promise<void>((resolve) => each.onDrain(resolve)));
    answer();
    await Promise.all(again);
    assert.equal(sent, held, 'nothing is lost');
    assert.ok(!sharing.shared.isFull(), 'and all of it is let go');
    for (const each of watches) each.end();
    assert.equal(ended, watches.length);
  });
});
