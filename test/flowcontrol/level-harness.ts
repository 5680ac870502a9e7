/** A priority level over time that the test moves, and tickets for it. */
import { FlowCounts } from '../../src/flowcontrol/flow-counts.ts';
import { Level } from '../../src/flowcontrol/level.ts';
import type { LevelShape } from '../../src/flowcontrol/level.ts';
import { Ticket, Waiter } from '../../src/flowcontrol/ticket.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

export function levelHarness(shape: LevelShape, limit: number) {
  const time = manualTime();
  const served: Ticket[] = [];
  const now = (): number => time.clock.monotonicMs();
  const level = new Level('l', {
    clock: time.clock,
    timers: time.timers,
    secret: 'secret',
    room: { waiting: 0 },
    onServed: (ticket) => void served.push(ticket),
  });
  level.configure(shape);
  level.setLimit(limit, now());
  const counts = new FlowCounts('l', 's');
  return {
    level,
    time,
    counts,
    /** Whose requests that waited have been served, in order. */
    flows: () => served.map(({ flow }) => flow),
    /** `seats` now, `lingerSeats` for `lingerMs` behind it. */
    ask(flow: string, seats = 1, lingerSeats = 0, lingerMs = 0) {
      const ticket = new Ticket();
      ticket.flow = flow;
      ticket.schema = 's';
      ticket.counts = counts;
      ticket.initialSeats = seats;
      ticket.finalSeats = lingerSeats;
      ticket.lingerMs = lingerMs;
      ticket.seats = Math.max(seats, lingerSeats);
      ticket.work = 3 * seats + lingerSeats * lingerMs;
      const outcome = level.admit(ticket, now());
      if (outcome === 'waiting') {
        const client = { closed: false, onAbort: () => {}, offAbort: () => {} };
        ticket.waiter = new Waiter(ticket, client, () => {});
      }
      return { ticket, outcome };
    },
    finish: (ticket: Ticket) => level.finish(ticket, now()),
    cancel: (ticket: Ticket) => level.cancel(ticket, 'time-out', now()),
  };
}
