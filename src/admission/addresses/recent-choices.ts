/**
 * What has been chosen a moment ago and is not claimed yet, so that writers at one server do not
 * choose the same; and the line of those who found nothing else free.
 *
 *     chosen ─▶ the claim is seen: taken ─▶ it is given back: free, the next in line looks
 *        └────▶ no claim within `chosenMs`: free again, the next in line looks
 *
 * Invariants: whoever waits looks again when something has become free, one at a time and in the
 * order in which they came. Bounds: what is chosen is forgotten after `chosenMs`; nobody waits for
 * longer, and there are no more who wait than there are writes.
 */
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Clock, TimerHandle, Timers } from '../../stdx/clock.ts';
import type { Streams } from '../../../streams/streams.ts';

/** What was chosen is most likely about to be taken for this long. */
const chosenMs = 2_000;

export interface RecentChoices {
  has(name: string): boolean;
  add(name: string): void;
  /** How often something that was taken has been given back. */
  readonly givenBack: number;
  /** Resolves when the caller is to look again: false, when it has waited for long enough.
   * `sinceMs` is when it began to. */
  nextFree(sinceMs: number): Promise<boolean>;
}

export interface RecentChoicesDeps {
  readonly streams: Pick<Streams, 'followers' | 'resourceEvents'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after'>;
}

/** `taken`: what has a record for each name that is taken. */
export function createRecentChoices(
  { clock, streams, timers }: RecentChoicesDeps,
  taken: GroupResource,
): RecentChoices {
  /** When each is forgotten, oldest first: a Map keeps the order of insertion. */
  const until = new Map<string, number>();
  /** Who looks next. A Set keeps the order, too. */
  const line = new Set<(isLook: boolean) => void>();
  let expiry: TimerHandle | undefined;
  let givenBack = 0;

  const callNext = (): void => {
    const [first] = line;
    first?.(true);
  };
  const forgetOld = (nowMs: number): void => {
    for (const [name, endsMs] of until) {
      if (endsMs > nowMs) return;
      until.delete(name);
      callNext();
    }
  };
  const expire = (): void => {
    expiry = undefined;
    forgetOld(clock.monotonicMs());
    arm();
  };
  const arm = (): void => {
    const [first] = until.values();
    if (first === undefined || line.size === 0 || expiry !== undefined) return;
    expiry = timers.after(Math.max(1, Math.ceil(first - clock.monotonicMs())), expire);
  };
  followTaken(streams, taken, (name) => {
    if (name !== undefined) return void until.delete(name);
    givenBack += 1;
    callNext();
  });

  return {
    get givenBack() {
      return givenBack;
    },
    has(name) {
      const endsMs = until.get(name);
      return endsMs !== undefined && endsMs > clock.monotonicMs();
    },
    add(name) {
      const nowMs = clock.monotonicMs();
      forgetOld(nowMs);
      until.delete(name);
      until.set(name, nowMs + chosenMs);
      arm();
    },
    nextFree(sinceMs) {
      const leftMs = sinceMs + chosenMs - clock.monotonicMs();
      if (leftMs <= 0) return Promise.resolve(false);
      return new Promise((resolve) => {
        const called = (isLook: boolean): void => {
          line.delete(called);
          deadline.cancel();
          resolve(isLook);
        };
        const deadline = timers.after(leftMs, () => called(false));
        line.add(called);
        arm();
      });
    },
  };
}

/** `seen`: with the name that has been taken; undefined: one, or any number, may have been given
 * back. */
function followTaken(
  streams: RecentChoicesDeps['streams'],
  taken: GroupResource,
  seen: (name: string | undefined) => void,
): void {
  const events = streams.resourceEvents(taken);
  streams.followers.follow('chosen-addresses', events, (event) => {
    if (event.type === 'ADDED') seen(event.entry.name);
    else if (event.type === 'DELETED' || event.type === 'RESET') seen(undefined);
  });
}
