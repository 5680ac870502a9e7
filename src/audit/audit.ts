/**
 * The audit contract: what happened, for whom, in which order (spec 2, sections 1 and 9.1).
 *
 *     RequestReceived ▶ ResponseStarted (long-running only) ▶ ResponseComplete | Panic
 *     ResponseStarted alone, for wrong credentials
 *
 * Invariants: no credential is in an event. An event of a level holds what the level says and no
 * more. What happens when a backend cannot write is its named policy.
 */
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Attributes } from '../authorization/authorizer.ts';
import type { Taken } from './backend.ts';

export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** What is known of a request when it comes in. */
export interface AuditedRequest {
  /** From the Audit-ID header when the client sent one, else made here; echoed in the answer. */
  readonly auditId: string;
  readonly requestUri: string;
  readonly verb: string;
  readonly sourceAddresses: readonly string[];
  readonly userAgent: string;
  readonly receivedMs: number;
}

export interface AuditResponse {
  readonly code: number;
  /** The Status of a refusal, or undefined. */
  readonly status?:
    | {
        readonly reason?: string;
        readonly message?: string;
        /** As they are answered. */
        readonly details?: JsonObject | undefined;
      }
    | undefined;
}

/** A decoded copy of a body, which only the audit event uses. */
export interface AuditedBody {
  /** Undefined: the body is too long for an event, in whichever format. */
  readonly value: JsonValue | undefined;
  /** Its length as JSON. */
  readonly bytes: number;
}

/** One request on its way through the chain. Every call is cheap when nothing is audited. */
export interface AuditTrail {
  readonly auditId: string;
  /** Once the caller is known. */
  authenticated(user: UserInfo): void;
  impersonated(user: UserInfo): void;
  /** Once it is known what is asked for: the policy decides the level here. False: the request
   * must not be served. */
  attributes(attributes: Attributes): Taken;
  /** The same for wrong credentials; `why` is recorded instead of the answer's message. */
  unauthenticated(attributes: Attributes, why: string): void;
  annotate(key: string, value: string): void;
  /** Whether the level wants bodies; ask before keeping them. */
  readonly wantsRequestObject: boolean;
  /** Of a create no more may be wanted of its body than which object it is about. */
  readonly wantsRequestName: boolean;
  readonly wantsResponseObject: boolean;
  requestObject(body: AuditedBody): void;
  responseObject(body: AuditedBody): void;
  /** A promise: the head of the stream waits for it. */
  started(response: AuditResponse): Taken;
  /** A promise: the answer waits for it. */
  completed(response: AuditResponse): Taken;
  panicked(): void;
}

export interface Auditor {
  begin(request: AuditedRequest): AuditTrail;
  /** Writes what is buffered. */
  stop(): Promise<void>;
}
