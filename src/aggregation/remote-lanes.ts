/**
 * The lines in which calls to other servers wait that this server makes for itself, so that those
 * servers that hang, or are slow, hold up nobody but themselves.
 *
 *     call ─▶ a few at a time to one server ─▶ so many at a time to all ─▶ the server
 *                                              those that failed the last time: among their like
 *     a server that was not reached, or did not answer in time, rests: until then, and while one
 *     call tries again, the others fail at once with the same words
 *
 * Bounds: `laneLimits`. Of `serversMax` servers is known how they did; of one that is forgotten
 * nothing is held against it.
 */
import { createLimiter } from '../stdx/limiter.ts';
import type { Limiter } from '../stdx/limiter.ts';
import { HttpCallError } from '../webhooks/http-call.ts';

const laneLimits = {
  toOneMax: 4,
  atOnceMax: 16,
  failingAtOnceMax: 8,
  restMinMs: 500,
  restMaxMs: 30_000,
  serversMax: 1_024,
} as const;

export interface RemoteLanes {
  /** `server`: its name. Rejects as the task does, or as an earlier one did. */
  run<T>(server: string, task: () => Promise<T>): Promise<T>;
}

interface Lane {
  readonly line: Limiter;
  failures: number;
  /** Of the last call, if that did not reach it. */
  problem: Error | undefined;
  restsUntilMs: number;
  isTried: boolean;
}

export function createRemoteLanes(clock: { monotonicMs(): number }): RemoteLanes {
  const lanes = new Map<string, Lane>();
  const line = createLimiter(laneLimits.atOnceMax);
  const failingLine = createLimiter(laneLimits.failingAtOnceMax);
  const laneOf = (server: string): Lane => {
    const lane = lanes.get(server) ?? newLane();
    lanes.delete(server);
    lanes.set(server, lane);
    const [oldest] = lanes.keys();
    if (lanes.size > laneLimits.serversMax && oldest !== undefined) lanes.delete(oldest);
    return lane;
  };
  const failed = (lane: Lane, error: Error): void => {
    const { restMaxMs, restMinMs } = laneLimits;
    const restMs = Math.min(restMinMs * 2 ** Math.min(lane.failures, 20), restMaxMs);
    lane.failures += 1;
    lane.problem = error;
    lane.restsUntilMs = clock.monotonicMs() + restMs;
  };
  const call = async <T>(lane: Lane, task: () => Promise<T>): Promise<T> => {
    try {
      const result = await (lane.problem === undefined ? line : failingLine)(task);
      lane.problem = undefined;
      lane.failures = 0;
      return result;
    } catch (error) {
      if (isOutOfReach(error)) failed(lane, error);
      throw error;
    }
  };
  return {
    async run(server, task) {
      const lane = laneOf(server);
      const { problem } = lane;
      if (problem === undefined) {
        return lane.line(() => {
          if (lane.problem !== undefined) throw lane.problem;
          return call(lane, task);
        });
      }
      if (lane.isTried || clock.monotonicMs() < lane.restsUntilMs) throw problem;
      lane.isTried = true;
      try {
        return await call(lane, task);
      } finally {
        lane.isTried = false;
      }
    },
  };
}

function newLane(): Lane {
  const line = createLimiter(laneLimits.toOneMax);
  return { line, failures: 0, problem: undefined, restsUntilMs: 0, isTried: false };
}

function isOutOfReach(error: unknown): error is HttpCallError {
  return error instanceof HttpCallError && (error.problem === 'broken' || error.problem === 'late');
}
