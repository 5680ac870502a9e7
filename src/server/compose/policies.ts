/**
 * Admission policies of this server: it hears of them, and of the objects that set them up, as
 * everybody hears of objects, from the log.
 *
 * What it is not: what policies say (src/admission/policies), or their status (src/controllers).
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
import type { PolicySource, SourcePart } from '../../admission/policies/policy-source.ts';
import type { ParamReader } from '../../admission/policies/policies.ts';
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
import type { Turns } from '../../stdx/turns.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { createObjectReader } from './token-methods.ts';
import type { Log } from './log.ts';

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
  const onProblem = (policy: string, err: unknown): void =>
    deps.log.error(
      { err, policy },
      'an admission policy could not be read; what was stays in force',
    );
  const validating = createPolicySource({
    turns,
    onProblem,
    compile: (policy) => compileValidatingPolicy(policy, language, environments),
  });
  followPolicies(deps, validating, 'validatingadmissionpolicies');
  const result = { validating: validatingAdmissionPolicy(validating, ports), counts, conditions };
  if (!deps.mutating) {
    return { ...result, mutating: undefined, settled: async () => validating.settled() };
  }
  const mutating = createPolicySource({
    turns,
    onProblem,
    compile: (policy) => compileMutatingPolicy(policy, language, environments),
  });
  followPolicies(deps, mutating, 'mutatingadmissionpolicies');
  return {
    ...result,
    mutating: mutatingAdmissionPolicy(mutating, ports),
    settled: () => Promise.all([validating.settled(), mutating.settled()]).then(() => undefined),
  };
}

function followPolicies(
  { identity, scheme, streams }: PolicyDeps,
  source: PolicySource<unknown>,
  policies: string,
): void {
  const group = identity.fill('admissionregistration.{domain}');
  const bindings = policies.replace(/ies$/, 'ybindings');
  const follow = (resource: string, part: SourcePart): void => {
    // A release that does not serve them has none.
    if (scheme.findStorage({ group, resource }) === undefined) {
      part.reset([]);
      return;
    }
    const events = streams.resourceEvents({ group, resource });
    streams.followers.follow('admission-policies', events, (event) => {
      if (event.type === 'RESET') part.reset(decoded(event.snapshot.entries(undefined)));
      else if (event.type === 'DELETED') part.remove(event.entry.name);
      else part.set(decodeObject(event.entry.bytes));
    });
  };
  follow(policies, source.policies);
  follow(bindings, source.bindings);
}

function* decoded(entries: Iterable<Entry>): Iterable<ApiObject> {
  for (const { bytes } of entries) yield decodeObject(bytes);
}

/** Objects are read once, and kept for as long as they are what is stored. */
function objectOf(kept: WeakMap<Entry, ApiObject>, entry: Entry): ApiObject {
  const known = kept.get(entry);
  if (known !== undefined) return known;
  const object = decodeObject(entry.bytes);
  kept.set(entry, object);
  return object;
}

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

function paramReader({ scheme, streams }: PolicyDeps): ParamReader {
  const kept = new WeakMap<Entry, ApiObject>();
  const shown = (kind: KindInfo, entry: Entry): Awaitable<ApiObject> =>
    converted(kind, objectOf(kept, entry));
  return {
    kindOf: ({ group, kind, version }) => {
      const found = scheme.findKind(group, version, kind);
      return found?.operation === true || found?.computed === true ? undefined : found;
    },
    get(kind, namespace, name) {
      const entry = streams.snapshot(kind.storage).get(namespace, name);
      return entry === undefined ? undefined : shown(kind, entry);
    },
    list(kind, namespace, selects, most) {
      const found: Entry[] = [];
      const entries = streams.snapshot(kind.storage).entries(namespace);
      for (const entry of entries) {
        if (!selects(entry.labels)) continue;
        found.push(entry);
        if (found.length > most) break;
      }
      return found.map((entry) => () => shown(kind, entry));
    },
  };
}

/** As the kind shows it; a webhook may have to be asked. What cannot be converted is used as it is
 * stored: it is better than nothing, and its expressions say what they miss. */
function converted(kind: KindInfo, object: ApiObject, asked = 0): Awaitable<ApiObject> {
  try {
    return atVersionOf(object, kind);
  } catch (error) {
    if (!(error instanceof ConversionMissing) || asked > 0) throw error;
    return convertMissing(kind, error.object, error.apiVersion).then((refusal) =>
      refusal === undefined ? converted(kind, object, asked + 1) : object,
    );
  }
}
