/**
 * Follows one resource inside the process: what is there, then what changes, without an end.
 *
 *     start ─▶ onState(snapshot) ─▶ onChange(namespace, name, entry | gone) ...
 *                    ▲                                  │ the watch was ended
 *                    ├──────────── next turn ───────────┤
 *                    └─ a while later (followers.ts) ───┘ or either has thrown
 *
 * What it is not: a queue. A change is told by its key, and the entry that comes with it is the one
 * of now: several changes of one object may come as one, and the last one always comes.
 *
 * Invariant: onState is called with a snapshot, and every change after its revision follows.
 */
import type { GroupResource } from '../src/apimachinery/schema.ts';
import type { Timers } from '../src/stdx/clock.ts';
import type {
  Entry,
  EventEncoder,
  Predicate,
  ResourceSnapshot,
  Streams,
  WatchHandle,
  WatchSink,
} from './streams.ts';

/** The watch inside is renewed this often; a renewal starts from the state again. */
const watchMs = 60 * 60_000;

export interface ResourceFollower {
  /** For the log, metrics and health. */
  readonly name: string;
  /** Everything that is there; what was told before is void. */
  onState(snapshot: ResourceSnapshot): void;
  /** `entry`: as the object is now, undefined when it is gone. */
  onChange(namespace: string, name: string, entry: Entry | undefined): void;
}

export interface Following {
  stop(): void;
}

/** Calls onState before it returns. Never throws. */
export function followResource(
  streams: Streams,
  timers: Timers,
  resource: GroupResource,
  follower: ResourceFollower,
): Following {
  const kind = `${resource.group}/${resource.resource}`;
  let handle: WatchHandle | undefined;
  let run = 0;
  const followed = streams.followers.add(follower.name, () => {
    handle?.close();
    run += 1;
    const own = run;
    const snapshot = streams.snapshot(resource);
    follower.onState(snapshot);
    const sink = keySink({
      onKey: (namespace, name) => {
        if (own !== run || !followed.isLive) return;
        try {
          follower.onChange(namespace, name, streams.snapshot(resource).get(namespace, name));
          followed.took(kind);
        } catch (error) {
          followed.failed(error, kind);
        }
      },
      // Not at once: streams that have stopped end every watch as soon as it begins.
      onEnd: () => {
        if (own === run && followed.isLive) timers.nextTurn(() => followed.begin());
      },
    });
    handle = streams.watch(
      {
        resource,
        namespace: undefined,
        predicate: everything,
        start: { kind: 'after', revision: snapshot.revision },
        bookmarks: false,
        timeoutMs: watchMs,
        encoder: keyEncoder,
      },
      sink,
    );
  });
  followed.begin();
  return {
    stop() {
      followed.stop();
      handle?.close();
    },
  };
}

const everything: Predicate = { id: '', matches: () => true, pins: new Map() };

/** Frames that are only the object's key: neither part of it can hold a slash or a line's end. */
const keyEncoder: EventEncoder = {
  id: 'keys',
  event: (_type, entry) => Buffer.from(`${entry.namespace}/${entry.name}\n`),
  bookmark: () => Buffer.alloc(0),
  error: () => Buffer.alloc(0),
};

interface KeyReader {
  readonly onKey: (namespace: string, name: string) => void;
  readonly onEnd: () => void;
}

function keySink({ onKey, onEnd }: KeyReader): WatchSink {
  let closed = false;
  return {
    write(chunk) {
      for (const line of Buffer.from(chunk).toString('utf8').split('\n')) {
        const slash = line.indexOf('/');
        if (slash !== -1) onKey(line.slice(0, slash), line.slice(slash + 1));
      }
      return true;
    },
    onDrain: () => undefined,
    end() {
      if (closed) return;
      closed = true;
      onEnd();
    },
    get closed() {
      return closed;
    },
  };
}
