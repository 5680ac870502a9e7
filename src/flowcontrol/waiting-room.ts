/**
 * Requests that wait for their seats: how long they may, what wakes them, and who goes meanwhile.
 *
 *     wait ─▶ a level has seats for it ─▶ woken, some in each turn ─▶ true
 *       └──▶ its time is over, its client goes, the server ends ───▶ false
 *
 * Invariants: each is answered once. Those who are woken together go on `wokenInATurn` in each
 * turn, as requests begin that come together (request-turns.ts). After `stop` nobody waits.
 * Bound: who waits, see level.ts.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';
import type { Requester } from '../stdx/requester.ts';
import { RingBuffer } from '../stdx/ring-buffer.ts';
import { TimerWheel } from '../stdx/timer-wheel.ts';
import type { Rejection } from './flow-counts.ts';
import { Waiter } from './ticket.ts';
import type { Ticket } from './ticket.ts';

const roomLimits = {
  /** Who waited and goes on in one turn. Policy: the others go on in the next. */
  wokenInATurn: 16,
  /** Who is taken from queues in one turn when the server ends. */
  stoppedInATurn: 256,
  tickMs: 100,
  slotsCount: 256,
} as const;

export interface WaitingRoomDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Takes a ticket that still waits out of its queue. */
  readonly leaveQueue: (ticket: Ticket, why: Rejection) => void;
}

export interface WaitingRoom {
  /** Whether the ticket, which a level has just put into a queue, is served; until `untilMs`
   * (monotonic). */
  wait(ticket: Ticket, client: Requester, untilMs: number): Promise<boolean>;
  /** It has its seats. */
  served(ticket: Ticket): void;
  stop(): void;
}

export function createWaitingRoom(deps: WaitingRoomDeps): WaitingRoom {
  const { clock, leaveQueue, timers } = deps;
  const { slotsCount, tickMs } = roomLimits;
  const waiting = new Set<Waiter>();
  const woken = new RingBuffer<Waiter>();
  let isStopped = false;

  const askForTurn = onceATurn(timers, () => {
    const some = Math.min(woken.length, roomLimits.wokenInATurn);
    for (let i = 0; i < some; i += 1) {
      const { client, isServed, resolve } = woken.shift();
      resolve(isServed && !client.closed);
    }
    if (woken.length > 0) askForTurn();
  });
  const wake = (waiter: Waiter): void => {
    waiting.delete(waiter);
    wheel.cancel(waiter);
    waiter.ticket.waiter = undefined;
    if (waiter.leave !== undefined) waiter.client.offAbort(waiter.leave);
    woken.push(waiter);
    askForTurn();
  };
  const refuse = (waiter: Waiter, why: Rejection): void => {
    if (!waiting.has(waiter)) return;
    leaveQueue(waiter.ticket, why);
    wake(waiter);
  };
  const wheel = new TimerWheel<Waiter>({ clock, timers, tickMs, slotsCount }, (waiter) =>
    refuse(waiter, 'time-out'),
  );
  const stopSome = (): void => {
    let left: number = roomLimits.stoppedInATurn;
    for (const waiter of waiting) {
      if (left === 0) break;
      left -= 1;
      refuse(waiter, 'cancelled');
    }
    if (waiting.size > 0) timers.nextTurn(stopSome);
    else wheel.stop();
  };
  return {
    wait(ticket, client, untilMs) {
      if (isStopped) {
        leaveQueue(ticket, 'cancelled');
        return Promise.resolve(false);
      }
      return new Promise((resolve) => {
        const waiter = new Waiter(ticket, client, resolve);
        ticket.waiter = waiter;
        waiting.add(waiter);
        const leftMs = Math.max(0, untilMs - clock.monotonicMs());
        wheel.schedule(waiter, wheel.now() + wheel.ticks(leftMs));
        waiter.leave = () => refuse(waiter, 'cancelled');
        client.onAbort(waiter.leave);
      });
    },
    served({ waiter }) {
      if (waiter === undefined) return;
      waiter.isServed = true;
      wake(waiter);
    },
    stop() {
      isStopped = true;
      stopSome();
    },
  };
}
