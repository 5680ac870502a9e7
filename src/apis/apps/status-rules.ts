/**
 * Rules of the counts in the status of workloads: none is negative, none is greater than that of
 * all pods, no more are available than ready, and collisions are never forgotten.
 */
import { invalid } from '../../apimachinery/field-error.ts';
import { part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Problems } from '../validation/checks.ts';
import { allErrors, each, noProblems, nonNegative, numberOf } from '../validation/checks.ts';

export interface StatusCounts {
  /** Of pods, each a part of `replicas`. */
  readonly parts: readonly string[];
  /** Others that are not negative. */
  readonly others: readonly string[];
}

export type StatusRule = (next: ApiObject, current: ApiObject) => Problems;

export function statusRules({ parts, others }: StatusCounts): StatusRule {
  const names = [...parts, ...others];
  return (next, current) => {
    const [status, before] = [part(next, 'status'), part(current, 'status')];
    const count = (name: string): number => numberOf(status[name]) ?? 0;
    const above = (name: string, limit: string, words: string): Problems =>
      count(name) > count(limit)
        ? [invalid(`status.${name}`, count(name), `cannot be greater than ${words}`)]
        : noProblems;
    return allErrors(
      nonNegative(status, 'status', names),
      each(parts, (name) => above(name, 'replicas', 'status.replicas')),
      parts.includes('availableReplicas')
        ? above('availableReplicas', 'readyReplicas', 'readyReplicas')
        : noProblems,
      collisionRules(status, before),
    );
  };
}

/** A controller counts the names that it could not use. */
function collisionRules(status: JsonObject, before: JsonObject): Problems {
  const [now, was] = [status, before].map((of) => numberOf(of['collisionCount']));
  const fewer = was !== undefined && (now === undefined || now < was);
  return fewer ? [invalid('status.collisionCount', now ?? 0, 'cannot be decremented')] : noProblems;
}
