/**
 * Sets in the status of each FlowSchema whether its priority level exists.
 *
 *     schemas, levels change ▶ after a moment: which schemas say something else? ▶ write those
 *
 * Invariants: nothing is written where nothing differs; a condition's time changes with its status
 * only; other conditions are their owners'. What fails is tried again.
 * Bounds: a name and a text for each schema, a name for each level; one write at a time.
 */
import { Subscription } from 'rxjs';
import { part, text } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { conditionOf } from '../../apimachinery/own-condition.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { TimerHandle, Timers } from '../../stdx/clock.ts';
import { paced } from '../../stdx/paced.ts';
import { followObjects } from '../../../streams/followed-objects.ts';
import type { Controller } from '../controller.ts';
import { applyFinding, cachedObject } from './ensured-object.ts';

const conditionTimes = { settleMs: 10, retryMs: 1000 } as const;

const dangling = 'Dangling';

const manager = 'api-priority-and-fairness-config-consumer-v1';

export interface FlowSchemaConditionsDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly schemas: KindInfo;
  readonly levels: KindInfo;
  readonly onError: (schema: string, error: unknown) => void;
}

/** What is known of one schema: the level that it names, and what its condition says. */
interface Known {
  readonly level: string;
  readonly said: string;
}

export function createFlowSchemaConditions(deps: FlowSchemaConditionsDeps): Controller {
  const { registry, timers, schemas, levels } = deps;
  const known = new Map<string, Known>();
  const levelNames = new Set<string>();
  const following = new Subscription();
  let next: TimerHandle | undefined;
  let working: Promise<void> | undefined;
  let changed = false;
  let stopped = false;

  const look = (delayMs: number): void => {
    changed = true;
    if (stopped || working !== undefined || next !== undefined) return;
    next = timers.after(delayMs, () => {
      next = undefined;
      working = work().then((failed) => {
        working = undefined;
        if (failed) look(conditionTimes.retryMs);
        else if (changed) look(conditionTimes.settleMs);
      });
    });
  };
  const work = async (): Promise<boolean> => {
    changed = false;
    let failed = false;
    const all = [...known].map(([name, each]) => ({ name, ...each }));
    for await (const { level, name, said } of paced(registry.turns, all)) {
      if (stopped) return false;
      if (said === sayingOf(findingOf(level, levelNames.has(level)))) continue;
      try {
        await writeCondition(registry, schemas, name, (of) => levelNames.has(of));
      } catch (error) {
        failed = true;
        deps.onError(name, error);
      }
    }
    return failed;
  };
  const follow = (kind: KindInfo, names: Names): void => {
    following.add(followNames(deps, kind, names, look));
  };
  return {
    start() {
      follow(levels, {
        clear: () => levelNames.clear(),
        set: (name) => void levelNames.add(name),
        drop: (name) => void levelNames.delete(name),
      });
      follow(schemas, {
        clear: () => known.clear(),
        set: (name, bytes) => void known.set(name, readSchema(bytes)),
        drop: (name) => void known.delete(name),
      });
    },
    async stop() {
      stopped = true;
      following.unsubscribe();
      next?.cancel();
      await working;
    },
  };
}

interface Names {
  clear(): void;
  set(name: string, bytes: Uint8Array): void;
  drop(name: string): void;
}

function followNames(
  { registry: { streams } }: FlowSchemaConditionsDeps,
  kind: KindInfo,
  names: Names,
  look: (delayMs: number) => void,
): Subscription {
  return followObjects(streams, 'flow-schema-conditions', kind.storage, {
    clear: () => names.clear(),
    set: ({ name, bytes }) => names.set(name, bytes),
    remove: ({ name }) => names.drop(name),
    complete: () => look(0),
    changed: () => look(conditionTimes.settleMs),
  });
}

function readSchema(bytes: Uint8Array): Known {
  const schema = decodeObject(bytes);
  return { level: levelOf(schema), said: sayingOf(conditionOf(schema, dangling) ?? {}) };
}

function levelOf(schema: ApiObject): string {
  return text(part(part(schema, 'spec'), 'priorityLevelConfiguration'), 'name');
}

function findingOf(level: string, there: boolean): JsonObject {
  const names = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
  return there
    ? { status: 'False', reason: 'Found', message: `${names} and it exists` }
    : { status: 'True', reason: 'NotFound', message: `${names} but there is no such object` };
}

function sayingOf(condition: JsonObject): string {
  return ['status', 'reason', 'message'].map((name) => text(condition, name)).join('\n');
}

async function writeCondition(
  registry: RegistryDeps,
  kind: KindInfo,
  name: string,
  isThere: (level: string) => boolean,
): Promise<void> {
  const target = { kind, namespace: '', name };
  const schema = cachedObject(registry, target);
  if (schema === undefined) return;
  const level = levelOf(schema);
  const finding = { type: dangling, says: findingOf(level, isThere(level)) };
  await applyFinding(registry, target, schema, finding, manager);
}
