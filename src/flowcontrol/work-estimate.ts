/**
 * How many seats a request takes, and for how long (exact details of extensions, section 7).
 *
 *     list      a seat for each hundred objects that are read for it
 *     change    one; and behind it seats for the watches that are told of it, a seat for ten of
 *               them for 5 ms, or fewer seats for longer
 *     else      one
 *
 * Invariants: at least one seat, and no more than the level allows or `seatsMax`. Nothing is
 * allocated for a change or a get.
 */
import type { Attributes } from '../authorization/authorizer.ts';
import { queryInteger, queryValue } from '../apimachinery/query.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { levelLimits } from './level.ts';
import type { Ticket } from './ticket.ts';
import type { WatchTally } from './watch-tally.ts';

const seatsMax = 10;
const objectsOfSeat = 100;
const watchesOfSeat = 10;
const lingerMs = 5;

export interface EstimateDeps {
  /** Objects that are stored of what the path names; undefined: it is not served here. */
  readonly countOf: (attributes: Attributes) => number | undefined;
  readonly watches: Pick<WatchTally, 'interestedIn'>;
}

export type EstimateWork = (
  ticket: Ticket,
  attributes: Attributes,
  query: QueryParameters | undefined,
  widest: number,
) => void;

/** Says it to the ticket, which has one seat until then. */
export function createEstimate({ countOf, watches }: EstimateDeps): EstimateWork {
  return (ticket, attributes, query, widest) => {
    const most = Math.min(seatsMax, widest);
    switch (attributes.verb) {
      case 'list':
        ticket.initialSeats = listSeats(attributes, query, countOf(attributes), most);
        break;
      case 'create':
      case 'update':
      case 'patch':
      case 'delete':
        if (!isTokenRequest(attributes))
          tellWatches(ticket, watches.interestedIn(attributes), most);
        break;
      default:
    }
    const { finalSeats, initialSeats } = ticket;
    ticket.seats = Math.max(initialSeats, finalSeats);
    ticket.work = initialSeats * levelLimits.serviceMs + finalSeats * ticket.lingerMs;
  };
}

/** Nothing that is watched changes by it. */
function isTokenRequest({ resource, subresource }: Attributes): boolean {
  return subresource === 'token' && resource === 'serviceaccounts';
}

function tellWatches(ticket: Ticket, watches: number, most: number): void {
  if (watches < watchesOfSeat) return;
  const seats = Math.ceil(watches / watchesOfSeat);
  ticket.finalSeats = Math.min(seats, most);
  ticket.lingerMs = (seats * lingerMs) / ticket.finalSeats;
}

function listSeats(
  { name }: Attributes,
  query: QueryParameters | undefined,
  stored: number | undefined,
  most: number,
): number {
  if (query === undefined) return most;
  if (stored === undefined || name !== '') return 1;
  const examined = examinedFor(query, stored);
  if (examined === undefined) return most;
  return Math.min(most, Math.max(1, Math.ceil(examined / objectsOfSeat)));
}

/** Undefined: it will be refused. */
function examinedFor(query: QueryParameters, stored: number): number | undefined {
  const asked = queryInteger(query, 'limit') ?? 0;
  if (asked instanceof StatusError) return undefined;
  const limit = asked > 0 && asked < stored ? asked : stored;
  if (!isFromStorage(query, asked)) return stored;
  return isIn(query, 'fieldSelector') || isIn(query, 'labelSelector') ? stored + limit : 2 * limit;
}

/** Where the reference asks its store instead of its cache. */
function isFromStorage(query: QueryParameters, limit: number): boolean {
  const version = queryValue(query, 'resourceVersion') ?? '';
  const match = queryValue(query, 'resourceVersionMatch') ?? '';
  if (match !== '') return match !== 'NotOlderThan';
  return isIn(query, 'continue') || (limit > 0 && version !== '' && version !== '0');
}

function isIn(query: QueryParameters, name: string): boolean {
  return (queryValue(query, name) ?? '') !== '';
}
