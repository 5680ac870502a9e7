/**
 * Fills the rules of cluster roles that are made of others (spec 2, section 5.6, rule 6).
 *
 *     any cluster role changes ▶ next turn: which aggregates differ? ▶ write those, one by one
 *
 * Nobody gains rights by it: whoever may write a role with a matching label has been measured by
 * the rules of that role, and an aggregationRule itself needs all rights.
 *
 * Invariants: rules that are set by hand in an aggregate are overwritten. Nothing is written when
 * nothing differs. A write is decided on the role as it is then: one that is no aggregate any more
 * is left alone. What fails is tried again.
 */
import type { Subscription } from 'rxjs';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import { aggregatableRole, staleAggregates } from '../authorization/rbac/aggregate.ts';
import type { AggregatableRole } from '../authorization/rbac/aggregate.ts';
import { ruleObject } from '../authorization/rbac/policy-rules.ts';
import type { PolicyRule } from '../authorization/rbac/policy-rules.ts';
import type { WriteOptions } from '../registry/create.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { changeObject } from '../registry/change-object.ts';
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import type { Entry } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';

const aggregationTimes = { settleMs: 10, retryMs: 1000 } as const;

const manager = 'clusterrole-aggregation-controller';

export interface RoleAggregationDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly onError: (role: string, error: unknown) => void;
}

export function createRoleAggregation(deps: RoleAggregationDeps): Controller {
  const { registry, timers } = deps;
  const roles = new Map<string, AggregatableRole>();
  const resource = { group: registry.identity.groups.rbac, resource: 'clusterroles' };
  const kind = registry.scheme.findStorage(resource);
  let stopped = false;
  let following: Subscription | undefined;
  let next: TimerHandle | undefined;
  let working: Promise<void> | undefined;
  let changed = false;

  const set = (entry: Entry): void => {
    roles.set(entry.name, aggregatableRole(decodeObject(entry.bytes)));
  };
  const look = (delayMs: number): void => {
    changed = true;
    if (stopped || working !== undefined || next !== undefined) return;
    next = timers.after(delayMs, () => {
      next = undefined;
      working = work().finally(() => {
        working = undefined;
        if (changed) look(aggregationTimes.settleMs);
      });
    });
  };
  const work = async (): Promise<void> => {
    changed = false;
    let failed = false;
    for (const [name, rules] of staleAggregates(sorted(roles))) {
      if (stopped || kind === undefined) return;
      try {
        await writeRules(registry, kind, name, rules);
      } catch (error) {
        failed = true;
        deps.onError(name, error);
      }
    }
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
      const { followers } = registry.streams;
      const events = registry.streams.resourceEvents(resource);
      following = followers.follow('role-aggregation', events, (event) => {
        if (event.type === 'RESET') {
          roles.clear();
          for (const entry of event.snapshot.entries(undefined)) set(entry);
        } else if (event.type === 'DELETED') roles.delete(event.entry.name);
        else set(event.entry);
        look(event.type === 'RESET' ? 0 : aggregationTimes.settleMs);
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

function sorted(roles: ReadonlyMap<string, AggregatableRole>): readonly AggregatableRole[] {
  return [...roles.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
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
