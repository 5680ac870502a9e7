/**
 * Admission policies of this server: follows the policies, bindings and params in the log, like any
 * other object.
 *
 * Elsewhere: what policies say (src/admission/policies) and their status (src/controllers).
 */
import { createConditionCounts } from '../../admission/matching/condition-counts.ts';
import type { ConditionCounts } from '../../admission/matching/condition-counts.ts';
import type { AdmissionPlugin } from '../../admission/admission.ts';
import { compileMutatingPolicy } from '../../admission/policies/mutating-policy.ts';
import { createPolicyCounts } from '../../admission/policies/policy-counts.ts';
import type { PolicyCounts } from '../../admission/policies/policy-counts.ts';
import { policyEnvironments } from '../../admission/policies/policy-environments.ts';
import {
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
} from '../../admission/policies/policy-plugins.ts';
import type { NamespaceReader } from '../../admission/matching/matched-review.ts';
import { createPolicySource } from '../../admission/policies/policy-source.ts';
import type {
  AnyPolicy,
  PolicySource,
  PolicySourceDeps,
} from '../../admission/policies/policy-source.ts';
import type { Readiness } from '../../admission/readiness.ts';
import type { FoundParams, LateParam, ParamReader } from '../../admission/policies/policies.ts';
import { compileValidatingPolicy } from '../../admission/policies/validating-policy.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { ConversionMissing } from '../../apimachinery/object-version.ts';
import type { KindInfo, Scheme } from '../../apimachinery/scheme.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Language } from '../../cel/language.ts';
import { convertMissing } from '../../registry/conversions.ts';
import { atVersionOf } from '../../registry/versions.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { untilDone } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { createObjectReader } from './token-methods.ts';
import type { Log } from './log.ts';
import { firstUnreadableRecord } from './unreadable-records.ts';
import { followConfigurations } from './stored-configurations.ts';

export interface PolicyDeps {
  readonly streams: Streams;
  readonly scheme: Scheme;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly identity: Identity;
  readonly language: Language;
  readonly log: Log;
  readonly access: Pick<AccessChecker, 'check'>;
  readonly namespaces: NamespaceReader;
  /** Mutating policies are behind a gate. */
  readonly mutating: boolean;
}

export interface Policies {
  readonly validating: AdmissionPlugin;
  /** Undefined: there are none. */
  readonly mutating: AdmissionPlugin | undefined;
  readonly counts: PolicyCounts;
  readonly conditions: ConditionCounts;
  /** By the names of the plugins. */
  readonly readiness: Readonly<Record<string, Readiness>>;
  /** Resolves when all that the streams have told is in force. */
  settled(): Promise<void>;
}

/** What is stored is followed from when this is called. */
export function createPolicies(deps: PolicyDeps): Policies {
  const { access, clock, identity, language, scheme, timers, turns } = deps;
  const environments = policyEnvironments(language);
  const conditions = createConditionCounts();
  const counts = createPolicyCounts(clock, conditions);
  const params = paramReader(deps);
  const { namespaces } = deps;
  const common = { access, clock, timers, identity, scheme, turns, namespaces };
  const ports = { ...common, params, metrics: counts };
  const validating = followedPolicies(deps, 'validatingadmissionpolicies', (policy) =>
    compileValidatingPolicy(policy, language, environments),
  );
  const result = {
    validating: validatingAdmissionPolicy(validating, ports),
    counts,
    conditions,
    readiness: { ValidatingAdmissionPolicy: validating.readiness },
  };
  if (!deps.mutating) {
    return { ...result, mutating: undefined, settled: async () => validating.settled() };
  }
  const mutating = followedPolicies(deps, 'mutatingadmissionpolicies', (policy) =>
    compileMutatingPolicy(policy, language, environments),
  );
  return {
    ...result,
    readiness: { ...result.readiness, MutatingAdmissionPolicy: mutating.readiness },
    mutating: mutatingAdmissionPolicy(mutating, ports),
    settled: () => Promise.all([validating.settled(), mutating.settled()]).then(() => undefined),
  };
}

/** Policies of one kind and their bindings, from when this is called. */
function followedPolicies<T extends AnyPolicy>(
  deps: PolicyDeps,
  policies: string,
  compile: PolicySourceDeps<T>['compile'],
): PolicySource<T> {
  const group = deps.identity.fill('admissionregistration.{domain}');
  const own = { group, resource: policies };
  const bindings = { group, resource: policies.replace(/ies$/, 'ybindings') };
  const places = [own, bindings].map((place) => ({
    ...place,
    lost: firstUnreadableRecord(deps, place, 'writes'),
  }));
  const source = createPolicySource({
    turns: deps.turns,
    compile,
    onProblem: (name, err) =>
      deps.log.error(
        { err, name, policies },
        'an admission policy or binding could not be read; what was stays in force',
      ),
    lost() {
      for (const { lost, resource } of places) {
        const name = lost();
        if (name !== undefined) return `${resource} "${name}"`;
      }
      return undefined;
    },
  });
  followConfigurations(deps, 'admission-policies', own, source.policies);
  followConfigurations(deps, 'admission-policies', bindings, source.bindings);
  return source;
}

/** Objects are read once, and kept for as long as they are what is stored. */
function objectOf(kept: WeakMap<Entry, ApiObject>, entry: Entry): ApiObject {
  const known = kept.get(entry);
  if (known !== undefined) return known;
  const object = decodeObject(entry.bytes);
  if (entry.bytes.length <= keptBytesMax) kept.set(entry, object);
  return object;
}

/** Of an object that is kept decoded as long as it is stored; a larger one is decoded each time. */
const keptBytesMax = 256 * 1024;

/** Of one that is decoded in the turn in which it is asked for, and of a millisecond of work. */
const bytesAtOnce = 64 * 1024;

const namespacesResource = { group: '', resource: 'namespaces' } as const;

export function namespaceReader(streams: Streams): NamespaceReader {
  const kept = new WeakMap<Entry, ApiObject>();
  const reader = createObjectReader(streams);
  const find = (name: string): Entry | undefined =>
    streams.snapshot(namespacesResource).get('', name);
  return {
    labels: (name) => find(name)?.labels,
    get: (name) => {
      const entry = find(name);
      return entry === undefined ? undefined : objectOf(kept, entry);
    },
    current: () => reader.current(),
  };
}

/** Objects that are looked at in one step for those that a binding selects, and requirements of its
 * selector that are compared with them: there may be thousands. */
const paramsAtOnce = 1000;
const comparedAtOnce = 8000;

/** Objects that set policies up, from the streams. */
export function paramReader({
  scheme,
  streams,
  turns,
}: Pick<PolicyDeps, 'scheme' | 'streams' | 'turns'>): ParamReader {
  const kept = new WeakMap<Entry, ApiObject>();
  const shown = (kind: KindInfo, entry: Entry): Awaitable<ApiObject> => {
    const { length } = entry.bytes;
    if (length <= bytesAtOnce || kept.has(entry)) return converted(kind, objectOf(kept, entry));
    return turns.pause(length / bytesAtOnce).then(() => converted(kind, objectOf(kept, entry)));
  };
  return {
    kindOf: ({ group, kind, version }) => {
      const found = scheme.findKind(group, version, kind);
      return found?.operation === true || found?.computed === true ? undefined : found;
    },
    get(kind, namespace, name) {
      const entry = streams.snapshot(kind.storage).get(namespace, name);
      return entry === undefined ? undefined : shown(kind, entry);
    },
    isLost(kind, namespace, name) {
      const lost = streams.unreadableEntries(kind.storage);
      if (lost.size === 0) return false;
      if (name !== '') return lost.has(`${namespace}/${name}`);
      return lost.in(namespace).next().done !== true;
    },
    list(kind, namespace, selector, most) {
      const params: LateParam[] = [];
      const entries = streams.snapshot(kind.storage).entries(namespace);
      let looked = 0;
      const { length } = selector.requirements;
      const atOnce = Math.min(paramsAtOnce, Math.ceil(comparedAtOnce / Math.max(1, length)));
      const step = (): FoundParams | undefined => {
        for (const until = looked + atOnce; looked < until; looked += 1) {
          const next = entries.next();
          if (next.done === true || params.length > most) return { params, looked };
          const entry = next.value;
          if (selector.matches(entry.labels)) params.push(() => shown(kind, entry));
        }
        return undefined;
      };
      return step() ?? untilDone(turns, step);
    },
  };
}

/** As the kind shows it; a webhook may have to be asked. What cannot be converted is used as it is
 * stored: it is better than nothing, and its expressions say what they miss. */
function converted(
  kind: KindInfo,
  object: ApiObject,
  held?: readonly ApiObject[],
): Awaitable<ApiObject> {
  try {
    return atVersionOf(object, kind);
  } catch (error) {
    if (!(error instanceof ConversionMissing) || held !== undefined) throw error;
    return convertMissing(kind, error.object, error.apiVersion).then((found) =>
      found.kind === 'converted' ? converted(kind, object, found.held) : object,
    );
  }
}
