/**
 * The contract of admission policies: expressions, stored by users, that validate or change writes
 * (spec 2, section 9.2).
 *
 *     policies, bindings ─▶ policy-source: followed, compiled in steps, indexed
 *     a write ─▶ which can match (one look-up) ─▶ policy, binding ─▶ params ─▶ expressions
 *                                  validating.ts: Deny | Warn | Audit     mutating.ts: changes
 *
 * The validation of policies is in apis/admissionregistration.
 *
 * Invariants: a write sees every policy that was acknowledged before it. A policy is compiled once
 * for each generation. If something cannot be determined, the failure policy decides.
 * Bounds: `policyLimits`.
 */
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { Requester } from '../../stdx/requester.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { ConditionLabels } from '../matching/condition-counts.ts';
import type { MatchRequest } from '../matching/matching.ts';

export const policyLimits = {
  /** Objects that one binding may use as parameters. Policy: it cannot be configured. */
  paramsMax: 10_000,
  /** Units of cost, and as many for each evaluation, before others have a turn. */
  unitsAtOnce: 50_000,
  unitsOfEvaluation: 500,
  /** Of a policy that does not match; of each requirement of selectors, those of bindings, too. */
  unitsOfMatch: 500,
  unitsOfRequirement: 2,
  /** Of a field, key or item of an object that was mutated: all of them are walked over. */
  unitsOfValue: 20,
  /** Of an object that might have been a parameter; each requirement of the selector adds one. */
  unitsOfLook: 20,
  /** All expressions of all policies for one write, and the search for their parameters: some five
   * seconds. Policy: the write is refused, whatever failure policies say: no policy is left out
   * because of others. */
  unitsOfRequest: 50_000_000,
} as const;

/** A write, as policies see it. */
export interface PolicyRequest {
  readonly match: MatchRequest;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly options: JsonObject | undefined;
  /** The objects as this kind shows them, or why they cannot be shown. */
  shown(kind: GroupVersionKind): Awaitable<ShownObjects | StatusError>;
  /** As it is stored; undefined: it is not there, or the write is cluster-scoped. */
  namespaceObject(): ApiObject | undefined;
  /** For whom it is asked. */
  readonly requester?: Requester | undefined;
  /** Nobody waits for the answer any more. */
  isOver(): boolean;
}

export interface ShownObjects {
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** Objects that set policies up. */
export interface ParamReader {
  /** Undefined: no such kind is served. */
  kindOf(kind: GroupVersionKind): KindInfo | undefined;
  get(kind: KindInfo, namespace: string, name: string): Awaitable<ApiObject | undefined>;
  /** One of these is stored, and nobody can tell what it says. `name` '': any. */
  isLost(kind: KindInfo, namespace: string, name: string): boolean;
  /** In key order; at most `most` and one more. `namespace` '': all of a cluster-scoped kind. Many
   * are looked through in turns; each that is found is read when it is its turn. */
  list(
    kind: KindInfo,
    namespace: string,
    selector: Pick<LabelSelector, 'matches' | 'requirements'>,
    most: number,
  ): Awaitable<FoundParams>;
}

export interface FoundParams {
  readonly params: readonly LateParam[];
  /** Objects that were looked at. */
  readonly looked: number;
}

export type LateParam = () => Awaitable<ApiObject>;

/** Takes what the writer and the audit event are told beside the verdict. */
export interface PolicyRecorder {
  warn(text: string): void;
  annotate(key: string, value: string): void;
}

export interface PolicyPorts {
  readonly turns: Turns;
  readonly access: Pick<AccessChecker, 'check'>;
  readonly params: ParamReader;
  readonly metrics: PolicyMetrics;
}

/** `apiserver_validating_admission_policy_check_*`, and the same of mutating ones; and
 * `apiserver_admission_match_condition_*`. */
export interface PolicyMetrics {
  nowMs(): number;
  check(labels: PolicyCheck, startedMs: number): void;
  conditions(labels: ConditionLabels, errors: number, excluded: boolean, startedMs: number): void;
}

export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly enforcement: 'allow' | 'deny' | 'warn' | 'audit';
  readonly error: string;
}
