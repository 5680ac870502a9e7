/**
 * Converts a review to what matching needs: the shape of the request, and the data that rules and
 * selectors read.
 */
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { AdmissionTarget, Review } from '../admission.ts';
import { requestedName } from '../requested-name.ts';
import type { MatchRequest, RequestShape } from './matching.ts';
import { equivalentsOf } from './served-equivalents.ts';

export interface NamespaceReader {
  labels(name: string): Readonly<Record<string, string>> | undefined;
  get(name: string): ApiObject | undefined;
  /** Resolves when a namespace that was acknowledged before can be read. */
  current(): Promise<void>;
}

export function shapeOf(
  scheme: ServedKinds,
  { kind, namespace, subresource }: AdmissionTarget,
  operation: RequestShape['operation'],
): RequestShape {
  const { group, resource, version } = kind;
  const namespaced = namespace !== '';
  const equivalents = () => equivalentsOf(scheme, kind, subresource);
  return { group, version, resource, operation, subresource, namespaced, equivalents };
}

type ServedKinds = Pick<Scheme, 'generation' | 'groups'>;

interface MatchingDeps {
  readonly namespaces: NamespaceReader;
  readonly scheme: ServedKinds;
}

/** A namespace that has just been made may not have come through the log. */
export function withNamespace(
  { namespace }: Review,
  { namespaces }: Pick<MatchingDeps, 'namespaces'>,
): Awaitable<void> {
  if (namespace === '' || namespaces.labels(namespace) !== undefined) return undefined;
  return namespaces.current();
}

/** Requests for a Namespace carry its name as their namespace. A generated name is made after the
 * object has been changed, so only those who validate see it, and it is never the namespace. */
export function matchOf(
  review: Review,
  type: 'admit' | 'validate',
  { namespaces, scheme }: MatchingDeps,
): MatchRequest {
  const { bodyKind, current, next, operation } = review;
  const shape = shapeOf(scheme, review, operation);
  const asked = requestedName(review);
  const name = type === 'admit' ? asked : review.name;
  const isNamespace = shape.group === '' && shape.resource === 'namespaces';
  const namespace = isNamespace ? asked : review.namespace;
  const { group, kind, version } = bodyKind;
  return {
    shape,
    kind: { group, version, kind },
    namespace,
    name,
    object: next,
    oldObject: current,
    namespaceLabels: () => namespaces.labels(namespace),
  };
}
