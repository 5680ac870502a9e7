/**
 * The plugins MutatingAdmissionPolicy and ValidatingAdmissionPolicy: policies as a part of the
 * chain (admission.ts).
 *
 * Invariants: a write that no policy can match costs one look-up, and none at all while there are
 * no policies. Writes wait until the policies that were stored at the start are in force.
 */
import { ownedKindOf } from '../../apimachinery/fieldmanager/managers/owned-kind.ts';
import { deducedType } from '../../apimachinery/fieldmanager/schema/deduced.ts';
import { mergeTypeOf } from '../../apimachinery/fieldmanager/schema/from-type-schema.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { AdmissionPlugin, MutatePass, Review } from '../admission.ts';
import { concernsOf } from '../matching/concerns.ts';
import { exemptUnder } from '../matching/exempt.ts';
import { matchOf, shapeOf, withNamespace } from '../matching/matched-review.ts';
import type { NamespaceReader } from '../matching/matched-review.ts';
import { candidatesOf } from '../matching/named-match-index.ts';
import { shownObject, shownToChange, storedAgain } from '../shown-object.ts';
import { mutateByPolicies } from './mutating.ts';
import type { MutableObject, Reinvocation } from './mutating.ts';
import type { MutatingPolicy } from './mutating-policy.ts';
import type { PolicyPorts, PolicyRequest, ShownObjects } from './policies.ts';
import type { BoundPolicy, PolicySource } from './policy-source.ts';
import { validateByPolicies } from './validating.ts';
import type { ValidatingPolicy } from './validating-policy.ts';

export interface PolicyPluginDeps extends PolicyPorts {
  readonly identity: Identity;
  readonly scheme: Scheme;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after'>;
  readonly namespaces: NamespaceReader;
}

export function validatingAdmissionPolicy(
  source: PolicySource<ValidatingPolicy>,
  deps: PolicyPluginDeps,
): AdmissionPlugin {
  const fill = (name: string) => deps.identity.fill(name);
  return {
    name: 'ValidatingAdmissionPolicy',
    ...concerned(source, deps),
    validate(review, { recorder }) {
      const closed = source.readiness.refusal();
      if (closed !== undefined) return closed;
      return after(hooksOf(source, review, deps), (hooks) => {
        if (hooks.length === 0) return undefined;
        return after(withNamespace(review, deps), () =>
          validateByPolicies(hooks, requestOf(review, 'validate', deps), recorder, deps, fill),
        );
      });
    },
  };
}

/** What the plugin keeps of the first pass. */
const reinvocationNote = 'MutatingAdmissionPolicy';

export function mutatingAdmissionPolicy(
  source: PolicySource<MutatingPolicy>,
  deps: PolicyPluginDeps,
): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionPolicy',
    ...concerned(source, deps),
    admits: ['CREATE', 'UPDATE', 'CONNECT'],
    admit(proposed, pass) {
      const closed = source.readiness.refusal();
      if (closed !== undefined) return closed;
      const { next } = proposed;
      return after(hooksOf(source, proposed, deps), (hooks) => {
        if (hooks.length === 0) return next;
        const reinvocation = reinvocationOf(pass);
        return after(withNamespace(proposed, deps), () => {
          const request = requestOf(proposed, 'admit', deps);
          const mutable = mutableOf(proposed, deps);
          const found = mutateByPolicies(hooks, next, mutable, request, reinvocation, deps);
          return after(found, (mutated) => {
            if (pass.round === 0 && reinvocation.changed) pass.askAgain();
            return mutated;
          });
        });
      });
    },
  };
}

function reinvocationOf({ notes, round }: MutatePass): Reinvocation {
  const before = notes.get(reinvocationNote) as Reinvocation | undefined;
  if (round === 1 && before !== undefined) return { ...before, round };
  const first: Reinvocation = {
    round,
    invoked: new Set<string>(),
    changed: false,
    output: undefined,
  };
  notes.set(reinvocationNote, first);
  return first;
}

function concerned(
  source: PolicySource<ValidatingPolicy | MutatingPolicy>,
  deps: PolicyPluginDeps,
): ReturnType<typeof concernsOf> {
  const { fromPolicies } = exemptUnder(deps.identity);
  return concernsOf(source, ({ resource }) => fromPolicies(resource), deps);
}

function hooksOf<T extends ValidatingPolicy | MutatingPolicy>(
  source: PolicySource<T>,
  review: Review,
  { identity, scheme }: PolicyPluginDeps,
): Awaitable<readonly BoundPolicy<T>[]> {
  if (exemptUnder(identity).fromPolicies(review.resource)) return [];
  return candidatesOf(source, shapeOf(scheme, review, review.operation), scheme.generation);
}

function requestOf(
  review: Review,
  type: 'admit' | 'validate',
  deps: PolicyPluginDeps,
): PolicyRequest {
  const { current, deadlineMs, dryRun, next, options, requester, user } = review;
  const { namespaces, scheme } = deps;
  const match = matchOf(review, type, deps);
  const shown = new Map<string, Awaitable<ShownObjects | StatusError>>();
  // Most policies are shown the same.
  let last: ShownAs | undefined;
  return {
    match,
    user,
    dryRun,
    options,
    shown(kind) {
      if (last !== undefined && isSameKind(last.kind, kind)) return last.made;
      const key = `${formatGroupVersion(kind)} ${kind.kind}`;
      const made =
        shown.get(key) ??
        after(shownObject(scheme, review, next, kind), (object) =>
          after(shownObject(scheme, review, current, kind), (oldObject) => {
            if (object instanceof StatusError) return object;
            return oldObject instanceof StatusError ? oldObject : { object, oldObject };
          }),
        );
      shown.set(key, made);
      last = { kind, made };
      return made;
    },
    namespaceObject: () => namespaces.get(match.namespace),
    requester,
    isOver: () => requester?.closed === true || deps.clock.monotonicMs() >= deadlineMs,
  };
}

interface ShownAs {
  readonly kind: GroupVersionKind;
  readonly made: Awaitable<ShownObjects | StatusError>;
}

function isSameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && a.version === b.version && a.group === b.group;
}

function mutableOf(review: Review, { scheme }: PolicyPluginDeps): MutableObject {
  return {
    typeOf: (kind) => mutableType(scheme, review, kind),
    show: (object, kind) => shownToChange(scheme, review, object, kind),
    store: (before, shown, kind) => storedAgain(scheme, review, before, shown, kind),
  };
}

function mutableType(
  scheme: Scheme,
  { kind: parent, subresource }: Review,
  kind: GroupVersionKind,
): ReturnType<MutableObject['typeOf']> {
  const found = scheme.findKind(kind.group, kind.version, kind.kind);
  if (found !== undefined) {
    const type = ownedKindOf(found, scheme).typeAt(formatGroupVersion(found));
    return { kind: found, type: type ?? deducedType };
  }
  // A kind that only a subresource has: Scale, Eviction, PodExecOptions.
  const sent = parent.subresources.find(({ name }) => name === subresource);
  if (sent === undefined) return undefined;
  const { custom, defaults, schema } = sent;
  const { group, version } = kind;
  const type = schema === undefined ? (custom?.mergeType ?? deducedType) : mergeTypeOf(schema);
  return { kind: { ...parent, group, version, kind: kind.kind, schema, custom, defaults }, type };
}
