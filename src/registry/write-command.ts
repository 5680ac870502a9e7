/**
 * The command of a write to the object's actor, as data: who, when, through which version, and the
 * body.
 *
 * A command is data. The decision is made elsewhere: decide.ts has the pure function of each verb;
 * the actor asks plugins and authorizers (answers.ts).
 *
 * Invariants: a command holds no function and no state, so it can be logged and decided again.
 * Time and the uid of what it may create are drawn once, when it is made.
 */
import type { DeleteOptions } from '../apimachinery/delete-options.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import type { StatusError, StatusErrorInit } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { FieldValidation } from '../apimachinery/write-options.ts';
import type { JsonPatch } from '../apimachinery/patch/json-patch.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { ChangeCommand, CommandInput, CurrentObject } from '../../actors/actors.ts';
import type { Condition } from '../storage/storage.ts';
import type { ObjectTarget, RegistryDeps } from './registry.ts';
import type { StrategyOf } from './strategy.ts';
import type { Production } from './production.ts';
import { assert } from '../stdx/assert.ts';
import { noAdmissionPhases } from './write-guard.ts';
import type { AdmissionPhases, WriteTerms } from './write-guard.ts';

export type ObjectPatch =
  | { readonly kind: 'json'; readonly patch: JsonPatch }
  | { readonly kind: 'merge'; readonly patch: JsonObject }
  | { readonly kind: 'strategic'; readonly patch: JsonObject };

/** What a patch is read as, and how strictly. */
export interface PatchDecodeOptions {
  readonly fieldValidation: FieldValidation;
  /** Problems in the text of the patch: duplicate or unknown fields. */
  readonly noticed: readonly string[];
}

/** A further operation of a kind on its objects, by the name under which its definition registered
 * the decision. */
export interface OperationBody {
  readonly verb: 'operation';
  readonly operation: string;
  readonly object?: ApiObject | undefined;
  readonly data?: JsonObject | undefined;
}

/** Pure, as every decision. */
export type DecideOperation = (
  scope: DecisionScope,
  target: ObjectTarget,
  body: OperationBody,
  input: WriteInput,
  current: CurrentObject,
) => Production;

/** The object that an operation was given. */
export function operationObject({ object, operation }: OperationBody): ApiObject {
  assert(object !== undefined, `${operation} comes with an object`);
  return object;
}

/** The body of a write, by its verb. A scale is another small object that is written. */
export type WriteBody =
  | {
      readonly verb: 'update' | 'update-scale' | 'overwrite' | 'overwrite-unowned';
      readonly object: ApiObject;
    }
  | ({ readonly verb: 'patch' | 'patch-scale'; readonly patch: ObjectPatch } & PatchDecodeOptions)
  | {
      readonly verb: 'apply' | 'apply-scale';
      readonly intent: ApiObject;
      readonly force: boolean;
    }
  | OperationBody
  | { readonly verb: 'delete'; readonly options: DeleteOptions };

export type WriteVerb = WriteBody['verb'];

export interface WriteInput extends CommandInput {
  readonly verb: WriteVerb;
  readonly body: WriteBody;
  /** The version of the request. */
  readonly kind: GroupResource & { readonly version: string };
  /** '' for the object itself. */
  readonly subresource: string;
  /** The field manager; '' counts as unknown. */
  readonly manager: string;
  /** Who writes; undefined: the server itself. */
  readonly user: UserInfo | undefined;
  /** Which guards must be asked. */
  readonly asks: AdmissionPhases;
  /** What the guards get; undefined: the write has none. */
  readonly terms: WriteTerms | undefined;
  /** The uid of an object that it creates; '' if it creates none. */
  readonly uid: string;
  /** Why it may not create a missing object; undefined: it may. */
  readonly creationRefusal: StatusErrorInit | undefined;
  /** Its body was a large one. */
  readonly inTurns: boolean;
}

/** What a decision knows beside the object: the kinds and their rules, and the moment at which the
 * command was given. */
export interface DecisionScope {
  readonly scheme: Scheme;
  readonly identity: Identity;
  readonly strategyOf: StrategyOf;
  readonly nowMs: number;
  /** Of an object that is created. */
  readonly uid: string;
  /** It is about a large object or has a large body: each of its stages has its own turn of the
   * event loop. */
  readonly inTurns: boolean;
}

export interface ChangeRequest {
  readonly subresource: string;
  readonly manager: string;
  readonly user: UserInfo | undefined;
  /** Absent: the write has no guards. */
  readonly asks?: AdmissionPhases | undefined;
  readonly terms?: WriteTerms | undefined;
  readonly dryRun: boolean;
  readonly mayCreate: boolean;
  readonly creationRefusal?: StatusError | undefined;
  readonly conditions: readonly Condition[];
  readonly inTurns: boolean;
}

export function changeCommand(
  { clock, prng }: Pick<RegistryDeps, 'clock' | 'prng'>,
  { kind }: ObjectTarget,
  body: WriteBody,
  request: ChangeRequest,
): ChangeCommand {
  const { asks = noAdmissionPhases, conditions, creationRefusal, dryRun } = request;
  const { inTurns, manager, subresource, terms, user } = request;
  const { group, resource, version } = kind;
  const input: WriteInput = {
    verb: body.verb,
    body,
    kind: { group, version, resource },
    subresource,
    manager,
    user,
    asks,
    terms,
    uid: request.mayCreate ? prng.uuid() : '',
    creationRefusal: creationRefusal && refusalData(creationRefusal),
    inTurns,
  };
  const qualifiedResource = { group, resource };
  return { type: 'change', input, conditions, dryRun, qualifiedResource, nowMs: clock.nowMs() };
}

function refusalData(error: StatusError): StatusErrorInit {
  const { code, details, listContinue, message, reason } = error;
  return { reason, message, details, listContinue, code };
}

/** For an object that is prepared before its actor sees it. */
export function scopeOf({
  clock,
  identity,
  prng,
  scheme,
  strategyOf,
}: RegistryDeps): DecisionScope {
  const uid = prng.uuid();
  return { scheme, identity, strategyOf, nowMs: clock.nowMs(), uid, inTurns: false };
}

export function kindOf(scheme: Scheme, { kind }: WriteInput): KindInfo | undefined {
  const served = scheme.findResource(kind.group, kind.version, kind.resource);
  if (served !== undefined) return served;
  // The server itself writes to what nobody can ask for any more.
  const stored = scheme.findStorage(kind);
  return stored?.version === kind.version ? stored : undefined;
}
