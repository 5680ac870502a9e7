/**
 * Warnings about existing pods of a namespace that violate its new, stricter level. Nothing is
 * refused.
 *
 * Invariants: one pod of each controller is checked before the others. Pods of exempt runtime
 * classes are not checked. The same pods give the same warnings.
 * Bounds: `podsMax` pods; `checkedMs`, or half of the request's remaining time; in steps. Policy:
 * the warning says how many were checked.
 */
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { levelText } from './levels.ts';
import type { LevelVersion } from './levels.ts';

export const podsMax = 3000;
export const checkedMs = 1000;

export interface ExistingPods {
  readonly count: number;
  /** Decoded one by one. */
  all(): Iterable<ApiObject>;
}

export interface PodEvaluator {
  /** The reasons of what is found, as one text; '' if nothing is. */
  reasons(pod: ApiObject): string;
  isExempt(pod: ApiObject): boolean;
  /** Whether the time is over. */
  isOver(): boolean;
}

interface Seen {
  name: string;
  count: number;
}

export function* warningsOf(
  namespace: string,
  enforce: LevelVersion,
  pods: ExistingPods,
  evaluator: PodEvaluator,
): Steps<readonly string[]> {
  const seen = new Map<string, Seen>();
  const controllers = new Set<string>();
  const others: ApiObject[] = [];
  let [checked, looked, exempt] = [0, 0, 0];
  let isWhole = true;
  const check = (pod: ApiObject): void => {
    checked += 1;
    const reasons = evaluator.reasons(pod);
    if (reasons !== '') noteViolation(seen, reasons, pod.metadata.name ?? '');
  };
  for (const pod of pods.all()) {
    if (checked >= podsMax || evaluator.isOver()) {
      isWhole = false;
      break;
    }
    if (evaluator.isExempt(pod)) {
      exempt += 1;
      continue;
    }
    looked += 1;
    const controller = controllerOf(pod);
    const isLater = controller !== undefined && controllers.has(controller);
    if (controller !== undefined) controllers.add(controller);
    if (!isLater) check(pod);
    else if (others.length < podsMax) others.push(pod);
    yield;
  }
  for (const pod of others) {
    if (checked >= podsMax || evaluator.isOver()) break;
    check(pod);
    yield;
  }
  return violationWarnings(
    namespace,
    enforce,
    seen,
    checked,
    isWhole ? looked : pods.count - exempt,
  );
}

function noteViolation(seen: Map<string, Seen>, reasons: string, name: string): void {
  const known = seen.get(reasons);
  if (known === undefined) {
    seen.set(reasons, { name, count: 1 });
    return;
  }
  known.count += 1;
  if (name < known.name) known.name = name;
}

/** The uid of whoever made it. */
function controllerOf({ metadata: { ownerReferences = [] } }: ApiObject): string | undefined {
  return ownerReferences.find(({ controller }) => controller === true)?.uid;
}

function violationWarnings(
  namespace: string,
  enforce: LevelVersion,
  seen: ReadonlyMap<string, Seen>,
  checked: number,
  total: number,
): readonly string[] {
  const warnings: string[] = [];
  if (checked < total) {
    warnings.push(
      'new PodSecurity enforce level only checked against the first ' +
        `${checked} of ${total} existing pods`,
    );
  }
  if (seen.size === 0) return warnings;
  warnings.push(
    `existing pods in namespace ${quote(namespace)} violate ` +
      `the new PodSecurity enforce level ${quote(levelText(enforce))}`,
  );
  const each = [...seen].map(
    ([reasons, { count, name }]) => `${podAndOthers(name, count)}: ${reasons}`,
  );
  return [...warnings, ...each.sort()];
}

function podAndOthers(name: string, count: number): string {
  if (count === 1) return name;
  return `${name} (and ${count - 1} other pod${count === 2 ? '' : 's'})`;
}
