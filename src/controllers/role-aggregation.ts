/**
 * Fills the rules of cluster roles that are made of others (spec 2, section 5.6, rule 6).
 *
 *     any cluster role changes ▶ next turn: which aggregates differ? ▶ write those, one by one
 *
 * Nobody gains rights by it: whoever may write a role with a matching label has been measured by
 * the rules of that role, and an aggregationRule itself needs all rights.
 *
 * What it makes may be large, and a change of any part makes it anew: between two looks it rests
 * for `restFactor` times as long as the last one took, so that many changes share one write.
 *
 * Invariants: rules that are set by hand in an aggregate are overwritten. Nothing is written when
 * nothing differs. A write is decided on the role as it is then: one that is no aggregate any more
 * is left alone. What fails is tried again, but a role that would become too large only when a role
 * changes.
 */
import type { Subscription } from 'rxjs';
import { decodeObject, decodeSharedSteps, isLarge } from '../apimachinery/object-encoding.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import {
  aggregatableRole,
  aggregatedTextsMax,
  staleAggregateSteps,
} from '../authorization/rbac/aggregate.ts';
import type { AggregatableRole, AggregatedRules } from '../authorization/rbac/aggregate.ts';
import { ruleObject } from '../authorization/rbac/policy-rules.ts';
import type { PolicyRule } from '../authorization/rbac/policy-rules.ts';
import type { WriteOptions } from '../registry/create.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { changeObject } from '../registry/change-object.ts';
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { inSteps, sortedInSteps } from '../stdx/in-steps.ts';
import { createRest } from '../stdx/rest.ts';
import { SplitMap } from '../stdx/split-map.ts';
import { runStepwise } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { followObjects } from '../../streams/followed-objects.ts';
import type { Entry } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';

const aggregationTimes = { settleMs: 10, retryMs: 1000, restFactor: 9, restMaxMs: 2000 } as const;

const manager = 'clusterrole-aggregation-controller';

const tooLarge = `the rules of its parts have more than ${aggregatedTextsMax} rules and texts`;

export interface RoleAggregationDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly onError: (role: string, error: unknown) => void;
}

export function createRoleAggregation(deps: RoleAggregationDeps): Controller {
  const { registry, timers } = deps;
  const roles = new SplitMap<AggregatableRole>();
  const resource = { group: registry.identity.groups.rbac, resource: 'clusterroles' };
  const kind = registry.scheme.findStorage(resource);
  let stopped = false;
  let following: Subscription | undefined;
  let next: TimerHandle | undefined;
  let working: Promise<void> | undefined;
  let changed = false;
  const { restFactor, restMaxMs } = aggregationTimes;
  const rest = createRest(registry.clock, restFactor, restMaxMs);

  const isStopped = (): boolean => stopped;
  const look = (delayMs: number): void => {
    changed = true;
    if (stopped || working !== undefined || next !== undefined) return;
    next = timers.after(Math.max(delayMs, rest.leftMs()), () => {
      next = undefined;
      const ended = rest.began();
      working = work().finally(() => {
        working = undefined;
        ended();
        if (changed) look(aggregationTimes.settleMs);
      });
    });
  };
  const work = async (): Promise<void> => {
    changed = false;
    const stale = await runStepwise(registry.turns, staleSteps(roles), isStopped);
    if (stale === undefined || kind === undefined) return;
    const failed = await writeStale(deps, kind, stale, isStopped);
    if (failed && !stopped) {
      next = timers.after(aggregationTimes.retryMs, () => {
        next = undefined;
        look(0);
      });
    }
  };

  return {
    start() {
      if (kind === undefined) return;
      following = followObjects(registry.streams, 'role-aggregation', resource, {
        clear: () => roles.clear(),
        set: (entry) => setRole(roles, entry),
        remove: ({ name }) => void roles.delete(name),
        complete: () => look(0),
        changed: () => look(aggregationTimes.settleMs),
      });
    },
    async stop() {
      stopped = true;
      following?.unsubscribe();
      next?.cancel();
      await working;
    },
  };
}

/** Large ones in steps, which whoever else reads them shares. */
function setRole(
  roles: SplitMap<AggregatableRole>,
  { bytes, name }: Entry,
): Steps<void> | undefined {
  if (isLarge(bytes)) return settingRole(roles, bytes, name);
  roles.set(name, aggregatableRole(decodeObject(bytes)));
  return undefined;
}

function* settingRole(
  roles: SplitMap<AggregatableRole>,
  bytes: Uint8Array,
  name: string,
): Steps<void> {
  yield;
  const role = yield* decodeSharedSteps(bytes);
  yield;
  roles.set(name, aggregatableRole(role));
}

/** In the order of their names. */
function* staleSteps(roles: SplitMap<AggregatableRole>): ReturnType<typeof staleAggregateSteps> {
  const names: string[] = [];
  yield* inSteps(roles.keys(), (name) => void names.push(name));
  const all: AggregatableRole[] = [];
  yield* inSteps(yield* sortedInSteps(names, (a, b) => a < b), (name) => {
    const role = roles.get(name);
    if (role !== undefined) all.push(role);
    return undefined;
  });
  return yield* staleAggregateSteps(all);
}

/** Whether some could not be written, and can be tried again. */
async function writeStale(
  { onError, registry }: RoleAggregationDeps,
  kind: KindInfo,
  stale: ReadonlyMap<string, AggregatedRules>,
  isStopped: () => boolean,
): Promise<boolean> {
  let failed = false;
  for (const [name, rules] of stale) {
    if (isStopped()) return false;
    if (rules === undefined) {
      onError(name, new Error(tooLarge));
      continue;
    }
    try {
      await writeRules(registry, kind, name, rules);
    } catch (error) {
      failed = true;
      onError(name, error);
    }
  }
  return failed;
}

async function writeRules(
  registry: RegistryDeps,
  kind: KindInfo,
  name: string,
  rules: readonly PolicyRule[],
): Promise<void> {
  const target = { kind, namespace: '', name };
  const options: WriteOptions = { dryRun: false, manager };
  const result = await changeObject(registry, target, {
    change: (object) =>
      object['aggregationRule'] === undefined
        ? undefined
        : { ...object, rules: rules.map(ruleObject) },
    options,
    how: 'update',
  });
  if (result.kind === 'ok' || result.error.reason === StatusReason.notFound) return;
  throw result.error;
}
