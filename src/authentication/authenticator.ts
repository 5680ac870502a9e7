/**
 * The authentication contract: who sent a request (spec 2, sections 5.1-5.3).
 *
 * The handler chain asks, and answers 401.
 *
 *     request ▶ method, method, ... ▶ a user      the first that knows the caller decides
 *                                   ▶ rejected    credentials were shown and are wrong: 401
 *                                   ▶ nothing     no credentials: anonymous, where that is allowed
 *
 * Invariants: no secret leaves this folder: not into a log, an error, a metric or a reason.
 * Comparisons of secrets take the same time wherever they differ. Credentials that were shown and
 * are wrong are refused even where anonymous requests are allowed.
 */
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Requester } from '../stdx/requester.ts';

/** The certificate that the peer has proved to hold; the transport has checked no chain. */
export interface PeerCertificate {
  /** DER, leaf first, then what the peer sent along. */
  readonly chain: readonly Uint8Array[];
}

/** What a method has to say of credentials beside its verdict, whatever that is. */
export interface RequestNotes {
  /** Goes into the audit event of the request. */
  annotate(key: string, value: string): void;
  /** Goes to the client in a header, if it is served. */
  warn(text: string): void;
}

/** Who shows a token. */
export interface TokenBearer extends RequestNotes {
  readonly remoteAddress: string;
}

/** What an authenticator may look at. */
export interface AuthenticationRequest extends TokenBearer {
  readonly path: string;
  /** Undefined: plain HTTP, or no certificate was sent. */
  readonly peerCertificate: PeerCertificate | undefined;
  /** All values of a header (lower-case name), apart, in the order they came. */
  headerValues(name: string): readonly string[];
  /** Lower-case names of all headers, each once. */
  headerNames(): readonly string[];
  /** Of the request that shows them. Absent: nobody goes. */
  readonly requester?: Requester | undefined;
}

export type Authentication =
  | {
      readonly kind: 'authenticated';
      readonly user: UserInfo;
      /** Audiences that the credential is good for, of those that were asked for. Undefined: the
       * method knows no audiences. */
      readonly audiences?: readonly string[] | undefined;
    }
  /** Nothing of this method's kind in the request. */
  | { readonly kind: 'none' }
  | Rejection;

/** Something of a method's kind, and wrong. `why` is for the server's log, never for the caller. */
export interface Rejection {
  readonly kind: 'rejected';
  readonly why: string;
  /** Nobody has looked at it, for too many others are looked at: it may be good later. */
  readonly unlooked?: true;
}

export interface Authenticator {
  readonly name: string;
  authenticate(request: AuthenticationRequest): Authentication | Promise<Authentication>;
}

/** What all methods together say about a request. */
export type Caller =
  | { readonly kind: 'caller'; readonly user: UserInfo }
  /** 401; 429 where something was not looked at. */
  | Rejection;

/** The union of the configured methods, which always ends in a caller or a rejection. */
export interface CallerAuthentication {
  authenticate(request: AuthenticationRequest): Caller | Promise<Caller>;
  /** Headers (lower case) that carry credentials: nothing behind authentication may see them. */
  isCredentialHeader(name: string): boolean;
}

/** A method that takes bearer tokens; TokenReview asks these directly. */
export interface TokenAuthenticator {
  readonly name: string;
  /** `audiences`: the token must be good for at least one of them; empty: the server's own.
   * `bearer` undefined: the token is only reviewed. `requester`: for whom. */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    bearer?: TokenBearer | undefined,
    requester?: Requester | undefined,
  ): Authentication | Promise<Authentication>;
}

/** What several methods say of one request: all reasons, and whether one of them has not looked. */
export function joinedRejection(
  before: Rejection | undefined,
  method: string,
  answer: Authentication,
): Rejection | undefined {
  if (answer.kind !== 'rejected') return before;
  const own = { ...answer, why: `${method}: ${answer.why}` };
  return before === undefined ? own : { ...before, ...own, why: `${before.why}; ${own.why}` };
}
