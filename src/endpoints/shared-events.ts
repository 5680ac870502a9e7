/**
 * Events of watches that a webhook converts, converted once for all who have the same ones to show:
 *
 *     a watch ─ an event as it is stored ─ known? ─▶ what it was converted to, or will be
 *                                          └ no: the watch asks, and the others wait for its answer
 *
 * Two events are the same when their texts are: uid, resourceVersion and contents are in them.
 *
 * Invariants: what a webhook has not answered is not kept, so that the next watch asks again. Who
 * waits for another watch's call waits for its own type's webhook, and for nobody else's. A call is
 * cut when the last of its watches has gone.
 * Bounds: `bytesMax` for all types together, of which the oldest go first and the newest stays,
 * however large; `msMax` after the answer the webhook is asked again, because it may have become
 * another one. What all watches hold while they wait for webhooks is counted, and above
 * `waitingBytesMax` none of them takes more than it must.
 */
import { newClientGone, StatusError } from '../apimachinery/status-error.ts';
import type { Clock } from '../stdx/clock.ts';
import { SharedRequester } from '../stdx/requester.ts';
import type { Requester } from '../stdx/requester.ts';
import type { Entry, EventType } from '../../streams/streams.ts';

const limits = {
  bytesMax: 4 * 1024 * 1024,
  msMax: 10_000,
  waitingBytesMax: 32 * 1024 * 1024,
} as const;
/** Of a key and what it leads to, which is about as long. */
const bytesPerChar = 2;

/** A change with its object as the version of the watch shows it. */
export interface ConvertedEvent extends Pick<Entry, 'name' | 'namespace' | 'revision'> {
  readonly type: EventType;
  readonly now: Uint8Array;
  /** The state before, where the selection depends on it. */
  readonly before: Uint8Array | undefined;
}

export type Conversion = Promise<ConvertedEvent | StatusError>;

export interface SharedEvents {
  /** `requester`: the watch, which may go; absent: it stays. */
  find(name: string, requester?: Requester): Conversion | undefined;
  /** For the watch that has the webhook asked. `asked`: all who wait for it, as one. */
  set(
    name: string,
    conversion: Conversion,
    asked?: SharedRequester,
    requester?: Requester,
  ): Conversion;
  /** For one watch: to be told how many bytes it holds, whenever that changes. */
  waiting(): (bytes: number) => void;
  /** All watches together hold as much as they may. */
  isFull(): boolean;
}

interface Shared {
  readonly conversion: Conversion;
  readonly asked: SharedRequester;
  /** Undefined: it is being asked for. */
  answeredMs: number | undefined;
}

const left = (): StatusError => newClientGone('its events were converted');

export function createSharedEvents(clock: Pick<Clock, 'monotonicMs'>): SharedEvents {
  const known = new Map<string, Shared>();
  let bytes = 0;
  let waitingBytes = 0;
  const remove = (name: string): void => {
    if (known.delete(name)) bytes -= name.length * bytesPerChar;
  };
  const isOver = ({ answeredMs }: Shared): boolean =>
    answeredMs !== undefined && clock.monotonicMs() - answeredMs > limits.msMax;
  const makeRoom = (newest: string): void => {
    for (const [name, oldest] of known) {
      if (name === newest || (bytes <= limits.bytesMax && !isOver(oldest))) return;
      remove(name);
    }
  };
  return {
    waiting() {
      let held = 0;
      return (now) => {
        waitingBytes += now - held;
        held = now;
      };
    },
    isFull: () => waitingBytes >= limits.waitingBytesMax,
    find(name, requester) {
      const found = known.get(name);
      if (found === undefined) return undefined;
      const { answeredMs, asked, conversion } = found;
      if (answeredMs === undefined) {
        if (!asked.closed) return asked.wait(requester, conversion, left);
      } else if (!isOver(found)) return conversion;
      remove(name);
      return undefined;
    },
    set(name, conversion, asked = new SharedRequester(), requester?) {
      remove(name);
      const shared: Shared = { conversion, asked, answeredMs: undefined };
      known.set(name, shared);
      bytes += name.length * bytesPerChar;
      makeRoom(name);
      const answered = (answer: ConvertedEvent | StatusError): void => {
        shared.answeredMs = clock.monotonicMs();
        if (answer instanceof StatusError && known.get(name) === shared) remove(name);
      };
      void conversion.then(answered);
      return asked.wait(requester, conversion, left);
    },
  };
}
