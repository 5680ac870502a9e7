/**
 * The registry's contract: generic verbs over any kind (spec 1, sections 3.1, 4.4, 4.9, 4.10).
 *
 * Bytes are decoded and options are parsed before; a write is a command to the object's actor, a
 * read is a look into streams' snapshots. What differs between kinds is data (KindInfo) and a
 * KindStrategy.
 *
 * Invariants: a verb answers with a Result; it rejects only for broken invariants and failed I/O.
 * A refused request has changed nothing.
 */
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import type { ActorSystem } from '../../actors/actors.ts';
import type { ResourceSnapshot, Streams } from '../../streams/streams.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Prng } from '../stdx/prng.ts';
import type { Turns } from '../stdx/turns.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { StrategyOf } from './strategy.ts';
import type { GuardOf } from './write-guard.ts';
import type { Destination } from '../apimachinery/destination.ts';
import type { Revision } from '../storage/storage.ts';
import type { CompanionRefusal } from './execute-with-companions.ts';

export interface RegistryDeps {
  readonly actors: ActorSystem;
  readonly streams: Streams;
  readonly scheme: Scheme;
  readonly identity: Identity;
  readonly strategyOf: StrategyOf;
  /** Absent: no subresource is an operation. */
  readonly operationOf?: OperationOf | undefined;
  /** Absent: no subresource is a connection. */
  readonly connectionOf?: ConnectOf | undefined;
  readonly clock: Clock;
  readonly prng: Prng;
  /** For walks that may be long. */
  readonly turns: Turns;
  /** The guards for writes of users; absent: none. */
  readonly guardOf?: GuardOf | undefined;
  /** What the failure of a companion means; absent: writes have no companions. */
  readonly companionRefusal?: CompanionRefusal | undefined;
  /** By the name of a feature gate. Absent: none is on. */
  readonly isFeatureOn?: ((gate: string) => boolean) | undefined;
}

/** What a POST does that stores nothing of its own: to a subresource, which `target` is of, or to
 * the collection of a kind that is an operation (`target.name` is ''). */
export type Operation = (
  deps: RegistryDeps,
  target: ObjectTarget,
  body: ApiObject,
  options: OperationOptions,
) => Promise<Result<unknown>>;

export interface OperationOptions {
  readonly dryRun: boolean;
  /** The field manager. */
  readonly manager: string;
  readonly user: UserInfo;
}

/** `subresource` '': of the kind itself. Undefined: it does nothing. */
export type OperationOf = (kind: KindInfo, subresource: string) => Operation | undefined;

/** A request for a connection to a pod, a service or a node. The answer says what is wrong with the
 * request, or where it leads, or it is the text that there is to read. Nothing is changed.
 * `target.name` is as in the path. */
export type Connect = (
  deps: RegistryDeps,
  target: ObjectTarget,
  asked: ConnectRequest,
) => Promise<StatusError | string | Destination>;

export interface ConnectRequest {
  readonly query: QueryParameters;
  readonly isUpgrade: boolean;
}

/** Undefined: the subresource leads nowhere. */
export type ConnectOf = (kind: KindInfo, subresource: string) => Connect | undefined;

/** Which object or collection a request speaks of. */
export interface ResourceTarget {
  /** The kind at the version of the request. */
  readonly kind: KindInfo;
  /** '' for a cluster-scoped kind, or for all namespaces. */
  readonly namespace: string;
}

export interface ObjectTarget extends ResourceTarget {
  readonly name: string;
}

export type Result<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: StatusError };

export function ok<T>(value: T): Result<T> {
  return { kind: 'ok', value };
}

export function refused(error: StatusError): { readonly kind: 'refused'; error: StatusError } {
  return { kind: 'refused', error };
}

/** An object for an answer, in its stored version. */
export interface StoredObject {
  /** JSON with metadata.resourceVersion; shared, never written to. */
  readonly bytes: Uint8Array;
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
}

export interface WriteResult extends StoredObject {
  readonly created: boolean;
  /** Texts for Warning headers. */
  readonly warnings: readonly string[];
}

export interface DeleteResult {
  /** The deleted object in its last state, or the object with its deletion marked. */
  readonly object: StoredObject;
  readonly uid: string;
  readonly removed: boolean;
}

export interface ListResult {
  readonly revision: Revision;
  /** The entries of the page, in key order; each iteration starts at the beginning. An undefined
   * entry means that many were skipped, and that the caller may give way to others here. */
  readonly entries: Iterable<StoredObject | undefined>;
  /** How many entries there are, when known without walking them. */
  readonly count: number | undefined;
  /** Where the next page starts: the key of the last entry examined. Undefined: the last page. */
  readonly continueAfter: string | undefined;
  readonly remainingItemCount: number | undefined;
  readonly snapshot: ResourceSnapshot;
  /** Names the entries within the snapshot; undefined: a page of some. */
  readonly extent: string | undefined;
}
