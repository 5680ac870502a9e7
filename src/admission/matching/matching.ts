/**
 * The contract of matching: which requests an admission configuration is about. Webhooks and
 * policies choose them in the same way, by rules, selectors and conditions.
 *
 *     shape of the request ─▶ index: which can match at all   (named-match-index.ts; by shape)
 *                          ─▶ namespaceSelector, objectSelector, rules   (matcher.ts, rules.ts)
 *                          ─▶ match conditions                           (match-conditions.ts)
 *
 * It knows neither webhooks nor policies and reads no store: whatever it needs comes with the
 * request.
 *
 * Invariants: pure except for what it remembers; the same request and configuration give the same
 * result. An object that no rule names costs one look-up.
 */
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Another version of the same resource. `kind`: what is sent to its subresource; undefined: not
 * known. */
export interface EquivalentResource {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind | undefined;
}

/** What rules can see without the object: many requests have the same. */
export interface RequestShape extends GroupVersionResource {
  readonly operation: Operation;
  /** '' for the object itself. */
  readonly subresource: string;
  /** Whether it is in a namespace. A Namespace is not, whatever is given here. */
  readonly namespaced: boolean;
  /** Served versions of the same resource, this one may be among them; asked where it matters. */
  equivalents(): readonly EquivalentResource[];
}

/** As much of an object as selectors see. */
export interface Labelled {
  readonly metadata?:
    { readonly labels?: Readonly<Record<string, string>> | undefined } | undefined;
}

export interface MatchRequest {
  readonly shape: RequestShape;
  /** Of what was sent. */
  readonly kind: GroupVersionKind;
  /** '' for what is cluster-scoped. Of a Namespace: its own name. */
  readonly namespace: string;
  /** '' where the server makes the name. */
  readonly name: string;
  readonly object: Labelled | undefined;
  readonly oldObject: Labelled | undefined;
  /** Labels of the request's namespace as it is stored; undefined: there is no such namespace. */
  namespaceLabels(): Readonly<Record<string, string>> | undefined;
}

/** As which resource and kind the request is matched: what is then shown of it. */
export interface MatchedAs {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

export type Match =
  | { readonly kind: 'match'; readonly as: MatchedAs }
  | { readonly kind: 'none' }
  /** It would match, but it cannot be told whether it does. */
  | { readonly kind: 'error'; readonly error: StatusError };

export const noMatch: Match = { kind: 'none' };

/** A configuration's criteria, compiled. */
export interface Matcher {
  /** False: no request of this shape can match. */
  mayMatch(shape: RequestShape): boolean;
  match(request: MatchRequest): Match;
  /** Of its selectors: each may be compared with labels. There may be thousands. */
  readonly requirements: number;
}
