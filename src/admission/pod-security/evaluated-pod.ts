/**
 * A pod as the pod security checks see it, and the messages that name the containers and fields
 * which a check found.
 *
 * Bounds: a message names `namedMax` of them and counts the rest: a body may have ten thousand
 * containers, and every check might name them all.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';

export interface EvaluatedContainer {
  readonly name: string;
  readonly container: JsonObject;
  readonly security: JsonObject;
}

export interface EvaluatedPod {
  readonly spec: JsonObject;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the pod; what its containers do not say for themselves. */
  readonly security: JsonObject;
  /** Those that initialize, those that run, those added later: the order of all texts. */
  readonly containers: readonly EvaluatedContainer[];
  readonly labelDomain: string;
}

/** Why a pod is not allowed: the same for many pods, and what it is in this one. */
export interface Finding {
  readonly reason: string;
  readonly detail: string;
}

export type PodCheck = (pod: EvaluatedPod) => Finding | undefined;

export function evaluatedPod(
  annotations: Readonly<Record<string, string>>,
  spec: JsonObject,
  labelDomain: string,
): EvaluatedPod {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objects(spec, list).map((container) => ({
      name: text(container, 'name'),
      container,
      security: part(container, 'securityContext'),
    })),
  );
  return { spec, annotations, security: part(spec, 'securityContext'), containers, labelDomain };
}

/** Nodes of Windows know none of what some checks demand, and refuse pods that say it. */
export function isForWindows({ spec }: EvaluatedPod): boolean {
  return text(part(spec, 'os'), 'name') === 'windows';
}

const namedMax = 100;

/** `"a", "b"`; no more than `namedMax`. */
export function quoted(names: readonly string[]): string {
  const first = names.slice(0, namedMax).map((name) => `"${name}"`);
  return withRest(first, names.length);
}

export function limited(items: readonly string[]): string {
  return withRest(items.slice(0, namedMax), items.length);
}

function withRest(first: readonly string[], count: number): string {
  const all = first.join(', ');
  return count <= first.length ? all : `${all} and ${count - first.length} more`;
}

/** `container "a"`, `containers "a", "b"`. */
export function counted(noun: string, names: readonly string[]): string {
  return `${plural(noun, names.length)} ${quoted(names)}`;
}

export function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

/** Without repetitions, in order. */
export function sortedSet(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].sort();
}

/** The names of those of which it holds. */
export function containersWhere(
  { containers }: EvaluatedPod,
  holds: (container: EvaluatedContainer) => boolean,
): readonly string[] {
  const names: string[] = [];
  for (const container of containers) if (holds(container)) names.push(container.name);
  return names;
}

/** `pod and containers "a", "b"`; '' where neither is. */
export function settersOf(ofPod: boolean, containers: readonly string[]): string {
  const setters = ofPod ? ['pod'] : [];
  if (containers.length > 0) setters.push(counted('container', containers));
  return setters.join(' and ');
}
