/**
 * What priority and fairness is doing, for operators: three tables under
 * `/debug/api_priority_and_fairness/`, in the columns of the reference (exact details of
 * extensions, section 7). They are non-resource URLs: whoever may `get` them may see who asks for
 * what.
 *
 *     dump_priority_levels   a row for each level
 *     dump_queues            a row for each queue
 *     dump_requests          a row for each request that waits or is served
 *
 * What is shown of one level is picked out in one step, and written in many.
 *
 * Invariant: no request has two rows.
 * Bounds: `rowsMax` rows of an answer, whose last line says if there are more, and no more than
 * those are picked; of a level with more queues than `queuesMax` only those are shown that were
 * used lately.
 */
import type { QueryParameters } from '../../apimachinery/query.ts';
import { queryValue } from '../../apimachinery/query.ts';
import type { FlowControl } from '../../flowcontrol/flow-control.ts';
import type { Level } from '../../flowcontrol/level.ts';
import type { Queue, Ticket } from '../../flowcontrol/ticket.ts';
import type { Clock } from '../../stdx/clock.ts';
import { inSteps, sortedInSteps } from '../../stdx/in-steps.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { documentAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';

const rowsMax = 5_000;
const queuesMax = 1_024;

const root = '/debug/api_priority_and_fairness/';

export interface FairnessDebug {
  /** Whether the path is one of these. */
  serves(path: string): boolean;
  answer(path: string, query: QueryParameters): Promise<Answer>;
}

type Row = readonly (string | number | boolean)[];

/** Makes a row of what has been picked out. */
type Picked = () => Row;

interface LevelUse {
  readonly object: { readonly name: string };
  readonly level: Level;
  readonly isQuiescing: boolean;
}

interface Dump {
  readonly names: readonly string[];
  readonly rowsOf: (use: LevelUse) => Iterable<Picked>;
}

export function createFairnessDebug(
  flow: Pick<FlowControl, 'all'> | undefined,
  clock: Clock,
  turns: Pick<Turns, 'run'>,
): FairnessDebug {
  const dumps = new Map<string, (query: QueryParameters) => Dump>();
  if (flow !== undefined) {
    dumps.set(`${root}dump_priority_levels`, () => ({ names: levelNames, rowsOf: levelRows }));
    dumps.set(`${root}dump_queues`, () => ({ names: queueNames, rowsOf: queueRows }));
    dumps.set(`${root}dump_requests`, (query) => requestsDump(clock, query));
  }
  return {
    serves: (path) => dumps.has(path),
    async answer(path, query) {
      const dump = dumps.get(path)?.(query);
      const work = flow === undefined || dump === undefined ? undefined : written(flow, dump);
      const text = work === undefined ? '' : await runToEnd(turns, work);
      return documentAnswer(200, [['Content-Type', 'text/plain; charset=utf-8']], text);
    },
  };
}

function* written(flow: Pick<FlowControl, 'all'>, { names, rowsOf }: Dump): Steps<string> {
  const levels = yield* sortedInSteps([...flow.all.values()], isNamedBefore);
  const picked: Picked[] = [];
  for (const level of levels) {
    for (const row of rowsOf(level)) if (picked.push(row) > rowsMax) break;
    if (picked.length > rowsMax) break;
    yield;
  }
  return yield* table(names, picked);
}

function isNamedBefore(a: LevelUse, b: LevelUse): boolean {
  return a.object.name < b.object.name;
}

const levelNames = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];

function* levelRows({ isQuiescing, level }: LevelUse): Iterable<Picked> {
  yield () => {
    const { activeQueues, executing, isIdle, name, totals, waitingRequests } = level;
    const { cancelled, dispatched, rejected, timedOut } = totals;
    const counts = [waitingRequests, executing.length, dispatched, rejected, timedOut, cancelled];
    return [name, activeQueues, isIdle, isQuiescing, ...counts];
  };
}

const queueNames = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

function* queueRows({ level }: LevelUse): Iterable<Picked> {
  const { name, shape } = level;
  const queues = shape.kind === 'queue' && shape.queues <= queuesMax ? shape.queues : 0;
  for (let index = 0; index < queues; index += 1) {
    const queue = level.queueWith(index);
    yield () => queueRow(name, index, queue);
  }
  for (const index of level.usedQueues()) {
    if (index < queues) continue;
    const queue = level.queueWith(index);
    yield () => queueRow(name, index, queue);
  }
}

function queueRow(level: string, index: number, queue: Queue | undefined): Row {
  if (queue === undefined) return [level, index, 0, 0, 0, seatSeconds(0), 0, 0, seatSeconds(0)];
  const { executing, initialSeats, nextR, seats, seatsInUse, waiting, work } = queue;
  const sums = [initialSeats, seats, seatSeconds(work)];
  return [level, index, waiting.length, executing, seatsInUse, seatSeconds(nextR), ...sums];
}

function requestsDump(clock: Clock, query: QueryParameters): Dump {
  const withDetails = (queryValue(query, 'includeRequestDetails') ?? '') !== '';
  const names = withDetails ? [...requestNames, ...detailNames] : requestNames;
  const timeOf = timesOf(clock);
  return { names, rowsOf: ({ level }) => requestRows(level, timeOf, withDetails) };
}

const requestNames = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];

function* requestRows(
  level: Level,
  timeOf: (monotonicMs: number) => string,
  withDetails: boolean,
): Iterable<Picked> {
  for (const { index, ticket } of requestsIn(level)) {
    const queueIndex = ticket.queue?.index ?? -1;
    yield () => {
      const { arrivedMs, finalSeats, flow: told, initialSeats, lingerMs, schema, state } = ticket;
      return [
        level.name,
        schema,
        queueIndex,
        index,
        told,
        timeOf(arrivedMs),
        initialSeats,
        finalSeats,
        durationText(lingerMs),
        state === 'waiting' ? '0001-01-01T00:00:00Z' : timeOf(ticket.startedMs),
        ...(withDetails ? detailsOf(ticket) : []),
      ];
    };
  }
}

const detailNames = [
  'UserName',
  'Verb',
  'APIPath',
  'Namespace',
  'Name',
  'APIVersion',
  'Resource',
  'SubResource',
];

function detailsOf({ attributes }: Ticket): Row {
  if (attributes === undefined) return detailNames.map(() => '');
  const { apiGroup, apiVersion, name, namespace, path, resource, subresource, user, verb } =
    attributes;
  const version = apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`;
  return [user.name, verb, path, namespace, name, version, resource, subresource];
}

/** Those that wait, by their place; those that are served have none. */
function* requestsIn(level: Level): Iterable<{ readonly index: number; readonly ticket: Ticket }> {
  for (const queueIndex of level.awaitedQueues()) {
    let index = 0;
    for (const ticket of level.queueWith(queueIndex)?.waiting ?? []) {
      yield { index: index++, ticket };
    }
  }
  for (const ticket of level.executing) yield { index: -1, ticket };
}

function timesOf(clock: Clock): (monotonicMs: number) => string {
  const differenceMs = clock.nowMs() - clock.monotonicMs();
  return (monotonicMs) => new Date(differenceMs + monotonicMs).toISOString();
}

function seatSeconds(seatMs: number): string {
  return `${(seatMs / 1000).toFixed(8)}ss`;
}

function durationText(ms: number): string {
  if (ms === 0) return '0s';
  return ms < 1000 ? `${Number(ms.toFixed(6))}ms` : `${Number((ms / 1000).toFixed(9))}s`;
}

const columnMin = 8;

/** Columns that a person can read, and that a program can split at the commas. */
function* table(names: readonly string[], picked: readonly Picked[]): Steps<string> {
  const rows: (readonly string[])[] = [names];
  const widths = names.map((name) => Math.max(columnMin, name.length + 2));
  yield* inSteps(picked.slice(0, rowsMax), (pick) => {
    const row = pick().map(String);
    rows.push(row);
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? columnMin, cell.length + 2);
    });
    return undefined;
  });
  let text = '';
  yield* inSteps(rows, (row) => {
    const cells = row.map((cell, at) =>
      at < row.length - 1 ? `${cell},`.padEnd(widths[at] ?? 0) : cell,
    );
    const line = cells.join('');
    text += `${line}\n`;
    return line.length;
  });
  return picked.length > rowsMax ? `${text}... and more\n` : text;
}
