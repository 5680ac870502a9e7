/**
 * PodDisruptionBudgets as evictions see them: which one guards a pod, and taking one disruption
 * from it (spec 1, section 1.3).
 *
 * Whoever maintains the budget's status counts the healthy pods, and clears `disruptedPods` when a
 * pod has gone.
 *
 * Invariants: the budget's actor decides, on its current state, so two evictions cannot both take
 * the last disruption. A budget whose status is older than its spec allows none.
 * Bounds: `disruptedPodsMax` pods that were evicted and have not been counted yet.
 */
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { objectAtVersion } from '../../apimachinery/object-version.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { labelSelectorFromSpec } from '../../apimachinery/selectors/label-selector.ts';
import type { LabelSelectorSpec } from '../../apimachinery/selectors/label-selector.ts';
import { newForbidden, newTooManyRequests } from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import { CauseType } from '../../apimachinery/status-table.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { executeChange } from '../../registry/execute-change.ts';
import type { RegistryDeps, Result } from '../../registry/registry.ts';
import { refused } from '../../registry/registry.ts';
import type { WriteResult } from '../../registry/registry.ts';
import { trackedUpdate, writerOf } from '../../registry/update.ts';
import { paced } from '../../stdx/paced.ts';
import type { DecideOperation } from '../../registry/write-command.ts';

const disruptedPodsMax = 2000;
const budgetResource = { group: 'policy', resource: 'poddisruptionbudgets' } as const;
const wouldViolate = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Budgets of the pod's namespace that select it. None where budgets are not served. An older
 * release stores a version in which an empty selector means something else. */
export async function budgetsOf(deps: RegistryDeps, pod: ApiObject): Promise<readonly ApiObject[]> {
  const kind = deps.scheme.findStorage(budgetResource);
  if (kind === undefined) return [];
  const { rulesVersion, conversions } = kind;
  const labels = pod.metadata.labels ?? {};
  const found: ApiObject[] = [];
  const all = deps.streams.snapshot(budgetResource).entries(pod.metadata.namespace);
  for await (const entry of paced(deps.turns, all)) {
    const budget = decodeObject(entry.bytes);
    const seen = rulesVersion
      ? objectAtVersion(budget, rulesVersion.apiVersion, conversions)
      : budget;
    const selector = labelSelectorFromSpec(selectorOf(seen));
    // A selector that is none selects nothing.
    if ('matches' in selector && selector.matches(labels)) found.push(budget);
  }
  return found;
}

function selectorOf(budget: ApiObject): LabelSelectorSpec | undefined {
  const { spec } = budget;
  const selector = isJsonObject(spec) ? spec['selector'] : undefined;
  return isJsonObject(selector) ? selector : undefined;
}

/** Whether a pod that is not ready may go without being counted: it disrupts nothing. */
export function allowsUnhealthyEviction(budget: ApiObject): boolean {
  const { spec } = budget;
  const policy = isJsonObject(spec) ? spec['unhealthyPodEvictionPolicy'] : undefined;
  if (policy === 'AlwaysAllow') return true;
  const { currentHealthy, desiredHealthy } = countsOf(budget);
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Takes one disruption for `podName` from the budget, or says why not. */
export async function takeDisruption(
  deps: RegistryDeps,
  budget: ApiObject,
  podName: string,
  dryRun: boolean,
): Promise<Result<WriteResult>> {
  const kind = deps.scheme.findStorage(budgetResource) as KindInfo;
  const { name = '', namespace = '' } = budget.metadata;
  const target = { kind, namespace, name };
  return executeChange(deps, target, {
    body: { verb: 'operation', operation: 'poddisruptionbudgets/take', data: { podName } },
    options: { dryRun, manager: deps.identity.serverName },
    subresource: 'status',
    mayCreate: false,
  });
}

export const decideDisruption: DecideOperation = (scope, target, body, input, current) => {
  const why = refusalOf(current.object, target.name);
  if (why !== undefined) return refused(why);
  const next = withOneLess(current.object, String(body.data?.['podName']), scope.nowMs);
  return trackedUpdate(scope, target, next, writerOf(input), current);
};

function refusalOf(budget: ApiObject, name: string): StatusError | undefined {
  const counts = countsOf(budget);
  if (counts.observedGeneration < (budget.metadata.generation ?? 0)) return budgetNotReady(name);
  if (counts.disruptionsAllowed < 0) {
    return newForbidden(budgetResource, name, 'pdb disruptions allowed is negative');
  }
  if (Object.keys(disruptedPods(budget)).length > disruptedPodsMax) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return newForbidden(budgetResource, name, why);
  }
  if (counts.disruptionsAllowed > 0) return undefined;
  const { currentHealthy, desiredHealthy } = counts;
  return disruptionRefused(
    `The disruption budget ${name} needs ${desiredHealthy} healthy pods ` +
      `and has ${currentHealthy} currently`,
  );
}

/** Seconds in which whoever counts the pods may have done so. */
const countingSeconds = 10;

/** The budget's status does not say yet what holds now. */
export function budgetNotReady(name: string): StatusError {
  const message = `The disruption budget ${name} is still being processed by the server.`;
  return disruptionRefused(message, countingSeconds);
}

/** Nobody knows when a budget that is used up will allow a disruption: no hint to ask again. */
function disruptionRefused(message: string, retryAfterSeconds = 0): StatusError {
  const cause = { reason: CauseType.disruptionBudget, message };
  return newTooManyRequests(wouldViolate, retryAfterSeconds, [cause]);
}

function withOneLess(budget: ApiObject, podName: string, nowMs: number): ApiObject {
  const now = formatRfc3339(nowMs);
  const disruptionsAllowed = countsOf(budget).disruptionsAllowed - 1;
  const status: JsonObject = {
    ...statusOf(budget),
    disruptionsAllowed,
    disruptedPods: { ...disruptedPods(budget), [podName]: now },
  };
  const none = disruptionsAllowed === 0;
  return { ...budget, status: none ? withoutDisruptions(status, budget, now) : status };
}

/** The condition that clients read instead of the number. */
function withoutDisruptions(status: JsonObject, budget: ApiObject, now: string): JsonObject {
  const type = 'DisruptionAllowed';
  const given: unknown = status['conditions'];
  const conditions = Array.isArray(given) ? (given as readonly JsonObject[]) : [];
  const old = conditions.find((each) => each['type'] === type);
  const condition: JsonObject = {
    type,
    status: 'False',
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: old?.['status'] === 'False' ? old['lastTransitionTime'] : now,
    reason: 'InsufficientPods',
    message: '',
  };
  const others = conditions.filter((each) => each !== old);
  return { ...status, conditions: [...others, condition] };
}

interface Counts {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly disruptionsAllowed: number;
  readonly observedGeneration: number;
}

function countsOf(budget: ApiObject): Counts {
  const status = statusOf(budget);
  const count = (name: keyof Counts): number => integer(status[name]);
  return {
    currentHealthy: count('currentHealthy'),
    desiredHealthy: count('desiredHealthy'),
    disruptionsAllowed: count('disruptionsAllowed'),
    observedGeneration: count('observedGeneration'),
  };
}

function integer(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function statusOf(budget: ApiObject): JsonObject {
  return isJsonObject(budget['status']) ? budget['status'] : {};
}

function disruptedPods(budget: ApiObject): JsonObject {
  const pods = statusOf(budget)['disruptedPods'];
  return isJsonObject(pods) ? pods : {};
}
