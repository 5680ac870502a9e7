/**
 * What every handler receives: the exchange, what it asks for, and what the server offers. What it
 * returns: answer.ts.
 */
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { AccessChecker } from '../authorization/authorizer.ts';
import type { KeptEncodings } from '../apimachinery/kept-encodings.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { LargeStates } from '../apimachinery/large-states.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { RegistryDeps, Result } from '../registry/registry.ts';
import type { ConnectionDeps } from '../proxy/connections.ts';
import type { Clock } from '../stdx/clock.ts';
import type { Limiter } from '../stdx/limiter.ts';
import type { Prng } from '../stdx/prng.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import type { BodyLanes } from './body-lanes.ts';
import type { RequestInfo, ResourceInfo } from './request-info.ts';
import type { TurnWatch } from '../stdx/turn-watch.ts';
import type { SharedEvents } from './shared-events.ts';
import type { WatchCounts } from './watch-counts.ts';

export interface EndpointDeps {
  readonly registry: RegistryDeps;
  readonly identity: Identity;
  /** Further authorization that a handler needs on the way: for a write that creates. */
  readonly access: AccessChecker;
  /** Minor release of 1 whose API is served. */
  readonly release: number;
  /** A request came for a version that is deprecated in this release. */
  readonly onDeprecatedUse: (use: DeprecatedUse) => void;
  readonly clock: Clock;
  readonly prng: Prng;
  /** Objects that cannot be read may be deleted by those whom `refusal` lets: the verb is
   * `unsafe-delete-ignore-read-errors`. Absent: by nobody. */
  readonly unsafeDelete?: UnsafeDelete | undefined;
  /** Answers reviews, by kind: SubjectAccessReview, TokenReview ... */
  readonly reviews: ReviewAnswerers;
  /** Compute the objects of computed resources. */
  readonly views: ResourceViews;
  /** Counts what watches are sent. */
  readonly watchCounts: WatchCounts;
  /** Called with the request for which long work continues. */
  readonly turnWatch: Pick<TurnWatch<RequestInfo>, 'mark'>;
  readonly features: EndpointFeatures;
  readonly limits: EndpointLimits;
  /** The cache of encoded objects. */
  readonly encodings: KeptEncodings;
  /** What watches show of large objects. */
  readonly largeStates: LargeStates;
  /** Work on large objects for answers, one object at a time (object-in-turns.ts). */
  readonly largeObjects: Limiter;
  /** Large bodies are read in these, one after the other. */
  readonly bodyLanes: BodyLanes;
  /** To pods, services and nodes. */
  readonly connections: ConnectionDeps;
  /** What watches share of the answers of conversion webhooks. */
  readonly sharedEvents: SharedEvents;
}

export interface UnsafeDelete {
  /** Why this request may not, if so. */
  refusal(request: ResourceRequest): Promise<StatusError | undefined>;
}
/** Answers a review with its status filled in. `review` is in the request's version. */
export interface ReviewAnswerer {
  (review: ApiObject, request: ResourceRequest): Result<ApiObject> | Promise<Result<ApiObject>>;
  /** What is asked, whole: with what the server takes where nothing was said. Those who validate
   * see that. Absent: as it was sent. */
  readonly whole?: ((review: ApiObject, request: ResourceRequest) => ApiObject) | undefined;
}

/** The objects of a computed resource as they are now, in the version of the request and in order
 * of their names. */
export type ResourceView = () => Promise<readonly ApiObject[]>;

/** By `<group>/<resource>`. */
export type ResourceViews = ReadonlyMap<string, ResourceView>;

export type ReviewAnswerers = ReadonlyMap<string, ReviewAnswerer>;

export interface DeprecatedUse {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** `1.25`, or '' when none has been announced. */
  readonly removedRelease: string;
}

export interface EndpointFeatures {
  /** Answers to get and list may be gzipped. */
  readonly responseCompression: boolean;
  /** sendInitialEvents is understood. */
  readonly watchList: boolean;
  /** Bodies, answers and watches may be in CBOR. */
  readonly cbor: boolean;
}

export interface EndpointLimits {
  /** Largest request body; above it 413. */
  readonly requestBodyBytesMax: number;
  /** A watch without timeoutSeconds lasts this long to twice this long. */
  readonly minRequestTimeoutMs: number;
}

/** What is left of a request when it is answered. */
export interface AnsweredRequest {
  readonly exchange: HttpExchange;
  /** Texts for Warning headers. */
  readonly warnings: readonly string[];
  /** Called before a stream is started, which waits for what is returned. */
  readonly beforeStream: (() => Promise<void> | undefined) | undefined;
  /** Its seat: an answer that waits for its reader says so. */
  readonly seat: { waits(isWaiting: boolean): void };
}

export interface ApiRequest {
  readonly exchange: HttpExchange;
  readonly info: RequestInfo;
  readonly query: QueryParameters;
  /** The user, after impersonation if there was any. */
  readonly user: UserInfo;
  /** The one of the answer and of audit events. */
  readonly auditId: string;
  /** Texts for Warning headers; handlers add to it before they answer. */
  readonly warnings: string[];
  /** When its head came, monotonic. */
  readonly startMs: number;
  /** Its seat (filters/in-flight.ts): a watch says when it has begun. */
  readonly seat: { begun(): void };
  /** When its body was whole; until then as `startMs`. */
  receivedMs: number;
  /** Of the body, once it is there. */
  bodyBytes: number;
  /** What was made of the body is large, whatever the body was. */
  hasLargeObject?: boolean;
  /** What the audit event of the request says beside its own fields. */
  readonly auditAnnotations: Map<string, string>;
  /** That event holds the body. */
  readonly auditsBody: boolean;
}

/** A request for a kind that is served, in a scope that fits it. */
export interface ResourceRequest extends ApiRequest {
  readonly resource: ResourceInfo;
  readonly kind: KindInfo;
}
