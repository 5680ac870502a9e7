/**
 * How many addresses and node ports were given to services, how often that failed, and how many of
 * each range are taken.
 *
 *     changes of addresses ─┐
 *     changes of ranges    ─┴▶ taken, for each range
 *     choices of this server ─▶ given, failed, how long it took
 *
 * Invariants: what is taken follows the log, so it is the same on every server; the other counts
 * are of this server. A dry run counts nowhere. Whoever is asked again, because others were faster,
 * counts again. Bounds: the ranges that there are; when a range goes, so do its counts. A change of
 * the ranges counts all addresses again, in steps.
 */
import type { GroupResource } from '../../apimachinery/schema.ts';
import { Histogram, usualSeconds } from '../../stdx/histogram.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { ResourceEvent, Streams } from '../../../streams/streams.ts';
import { inRange } from './ranges.ts';
import type { AddressRange } from './ranges.ts';

/** `static`: the service named it. */
export type Scope = 'dynamic' | 'static';

type ByScope = Record<Scope, number>;

export interface GivenCounts {
  readonly given: ByScope;
  readonly failed: ByScope;
}

export interface RangeCounts extends GivenCounts {
  readonly seconds: Histogram;
}

/** Addresses that are looked at in one step. */
const addressesAtOnce = 256;

/** Where choices are counted. */
export interface ChoiceCounts {
  readonly ports: GivenCounts;
  ofRange(range: AddressRange): RangeCounts;
}

export interface AllocationCounts extends ChoiceCounts {
  /** For each range: what was counted of it, and how many of its addresses are taken. */
  ranges(): readonly (readonly [AddressRange, RangeCounts, taken: number])[];
  portsTaken(): number;
  /** The ranges have changed. */
  countAgain(): Steps<void>;
}

export interface AllocationCountsDeps {
  readonly streams: Streams;
  readonly addresses: GroupResource;
  readonly ports: GroupResource;
  readonly ranges: () => readonly AddressRange[];
}

export function followAllocations(deps: AllocationCountsDeps): AllocationCounts {
  const { addresses, ports, ranges, streams } = deps;
  const taken = new TakenAddresses(ranges);
  const events = streams.resourceEvents(addresses);
  streams.followers.follow('service-addresses-taken', events, (event) => taken.take(event));
  const counted = new Map<string, RangeCounts>();
  const ofRange = ({ cidr }: AddressRange): RangeCounts => {
    const found = counted.get(cidr) ?? noneOfRange();
    counted.set(cidr, found);
    return found;
  };
  return {
    ports: noneGiven(),
    ofRange,
    ranges: () => ranges().map((range) => [range, ofRange(range), taken.of(range)] as const),
    portsTaken: () => streams.snapshot(ports).count(undefined),
    countAgain() {
      const there = new Set(ranges().map(({ cidr }) => cidr));
      for (const cidr of counted.keys()) if (!there.has(cidr)) counted.delete(cidr);
      return taken.countAgain();
    },
  };
}

/** Of dry runs, which count nowhere. */
export function uncounted(): ChoiceCounts {
  return { ports: noneGiven(), ofRange: noneOfRange };
}

function noneOfRange(): RangeCounts {
  return { ...noneGiven(), seconds: new Histogram(usualSeconds) };
}

function noneGiven(): GivenCounts {
  return { given: { dynamic: 0, static: 0 }, failed: { dynamic: 0, static: 0 } };
}

/** How many addresses of each range are taken. While they are counted again, by other ranges, it is
 * what has been counted so far. */
class TakenAddresses {
  readonly #ranges: () => readonly AddressRange[];
  /** By which counting each of them is counted; 0: it is yet to be. */
  #all = new Map<string, number>();
  #counts = new Map<string, number>();
  #counting = 0;
  #underWay = false;

  constructor(ranges: () => readonly AddressRange[]) {
    this.#ranges = ranges;
  }

  of({ cidr }: AddressRange): number {
    return this.#counts.get(cidr) ?? 0;
  }

  take(event: ResourceEvent): Steps<void> | undefined {
    if (event.type === 'RESET') return this.#learn(event.snapshot.entries(undefined));
    const { name } = event.entry;
    const by = this.#all.get(name);
    if (event.type === 'DELETED') {
      if (by === this.#counting) this.#count(name, -1);
      this.#all.delete(name);
    } else if (by === undefined) {
      // What comes while they are counted stands behind them, and has its turn.
      this.#all.set(name, this.#underWay ? 0 : this.#counting);
      if (!this.#underWay) this.#count(name, 1);
    }
    return undefined;
  }

  *countAgain(): Steps<void> {
    this.#counting += 1;
    this.#counts = new Map();
    this.#underWay = true;
    let looked = 0;
    for (const [address, by] of this.#all) {
      if (by === this.#counting) continue;
      this.#all.set(address, this.#counting);
      this.#count(address, 1);
      looked += 1;
      if (looked % addressesAtOnce === 0) yield;
    }
    this.#underWay = false;
  }

  *#learn(entries: Iterable<{ readonly name: string }>): Steps<void> {
    const found = new Map<string, number>();
    for (const { name } of entries) {
      found.set(name, 0);
      if (found.size % addressesAtOnce === 0) yield;
    }
    this.#all = found;
    yield* this.countAgain();
  }

  #count(address: string, more: number): void {
    const counts = this.#counts;
    for (const range of this.#ranges()) {
      if (inRange(range, address)) counts.set(range.cidr, this.of(range) + more);
    }
  }
}
