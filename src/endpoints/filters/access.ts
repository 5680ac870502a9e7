/**
 * The part of the handler chain that decides whether a request is served, and for whom
 * (spec 2, section 1).
 *
 *     authentication ▶ audit begins ▶ impersonation ▶ a seat ▶ authorization ▶ the handler
 *       401, 429         500             400, 403         429      403
 *
 * Where priority levels give the seats (flow-seats.ts), they judge a request by the user that it is
 * for; there it may wait. Without them the seat comes before the first question to the authorizers,
 * which may ask another server: so before impersonation.
 *
 * Invariants: authorization is asked about the user that the handler is given, and about the same
 * reading of the path; headers that carry credentials, or ask for impersonation, are gone from the
 * exchange when the handler gets it. If all answers come at once, the request does not wait for a
 * turn of the event loop. A client that goes while others are asked ends it (requester.ts).
 */
import type { AuditTrail } from '../../audit/audit.ts';
import type {
  AuthenticationRequest,
  Caller,
  CallerAuthentication,
  Rejection,
} from '../../authentication/authenticator.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { AccessChecker, Attributes, Decision } from '../../authorization/authorizer.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { QueryParameters } from '../../apimachinery/query.ts';
import {
  newClientGone,
  newInternalError,
  newUnauthorized,
} from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { Clock } from '../../stdx/clock.ts';
import { nothing, unlessGone } from '../../stdx/requester.ts';
import type { Requester } from '../../stdx/requester.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { HttpExchange } from '../../transport/http-exchange.ts';
import type { RequestInfo } from '../request-info.ts';
import type { AccessCounts, AuthorizationResult } from './access-counts.ts';
import { attributesOf, forbiddenError } from './attributes.ts';
import { impersonate, isImpersonationHeader, readImpersonation } from './impersonation.ts';
import type {
  Impersonation,
  ImpersonationPorts,
  ImpersonationRequest,
  ReadImpersonation,
} from './impersonation.ts';
import { unlookedCredentials } from '../unlooked-credentials.ts';
import type { Seat } from './in-flight.ts';

export type AccessVerdict =
  /** Too many requests are being answered. */
  | { readonly kind: 'busy' }
  | {
      readonly kind: 'admitted';
      readonly user: UserInfo;
      /** Warnings to the caller about the credentials. Absent: none. */
      readonly warnings?: readonly string[];
    }
  | { readonly kind: 'refused'; readonly error: StatusError };

export interface AccessFilter {
  /** `trail` undefined: nothing is audited. */
  admit(
    exchange: HttpExchange,
    request: RequestHead,
    trail: AuditTrail | undefined,
    seat: Pick<Seat, 'enter'>,
  ): AccessVerdict | Promise<AccessVerdict>;
}

export interface RequestHead {
  readonly info: RequestInfo;
  /** Undefined: it could not be read. */
  readonly query: QueryParameters | undefined;
  /** When it came, monotonic. */
  readonly startMs: number;
}

export interface AccessFilterDeps {
  readonly authentication: CallerAuthentication;
  readonly access: AccessChecker;
  readonly identity: Identity;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** For who asks to be in very many groups. */
  readonly turns: Pick<Turns, 'pause'>;
  readonly counts: AccessCounts;
  /** Credentials were shown and are wrong. `why` holds no secret. */
  readonly onRejected: (path: string, why: string) => void;
  /** An authorizer could not do its work; `decided` is what came of it. */
  readonly onAuthorizationError: (decided: Decision, attributes: Attributes) => void;
}

interface Asked {
  readonly exchange: HttpExchange;
  readonly info: RequestInfo;
  readonly query: QueryParameters | undefined;
  readonly trail: AuditTrail | undefined;
  readonly shown: ShownCredentials;
  readonly seat: Pick<Seat, 'enter'>;
  /** When the request came, monotonic. */
  readonly startMs: number;
  /** When the step in hand began. */
  sinceMs: number;
}

const leftUnknown = (): Caller => ({ kind: 'rejected', why: 'the client went away' });

const nobody: UserInfo = { name: '', uid: '', groups: [], extra: {} };

export function createAccessFilter(deps: AccessFilterDeps): AccessFilter {
  const { authentication, clock, counts } = deps;
  const note = decisionNotes(deps);
  const authorized = authorizing(deciding(deps, conclusions(deps, note)));
  const impersonating = impersonations(deps, note, authorized);

  function identified(asked: Asked, caller: Caller): AccessVerdict | Promise<AccessVerdict> {
    const { exchange, info, query, trail } = asked;
    const nowMs = clock.monotonicMs();
    counts.identified(caller.kind === 'caller' ? 'success' : 'failure', nowMs - asked.sinceMs);
    asked.sinceMs = nowMs;
    if (caller.kind === 'rejected') return rejected(deps, asked, caller);
    counts.served(caller.user.name);
    exchange.forgetHeaders(authentication.isCredentialHeader);
    const attributes = attributesOf(caller.user, info, query);
    trail?.authenticated(caller.user);
    const taken = trail?.attributes(attributes) ?? true;
    return taken instanceof Promise
      ? taken.then((known) => audited(asked, attributes, known, 'later'))
      : audited(asked, attributes, taken);
  }

  function audited(
    asked: Asked,
    attributes: Attributes,
    taken: boolean,
    when?: 'later',
  ): AccessVerdict | Promise<AccessVerdict> {
    if (!taken) return { kind: 'refused', error: newInternalError('failed to store audit event') };
    return impersonating(asked, attributes, when);
  }

  return {
    admit(exchange, { info, query, startMs }, trail, seat) {
      const shown = new ShownCredentials(exchange, trail);
      const sinceMs = startMs;
      const asked: Asked = { exchange, info, query, trail, shown, seat, startMs, sinceMs };
      const caller = authentication.authenticate(shown);
      return caller instanceof Promise
        ? unlessGone(exchange, caller, leftUnknown).then((known) => identified(asked, known))
        : identified(asked, caller);
    },
  };
}

/** Whom the caller asks to be, if he asks; then whether he may do what he asks. */
function impersonations(
  { access, identity, turns }: AccessFilterDeps,
  note: DecisionNote,
  authorized: ReturnType<typeof authorizing>,
) {
  const authenticationGroup = identity.fill('authentication.{domain}');

  function seated(
    asked: Asked,
    attributes: Attributes,
    wanted: ImpersonationRequest,
    hasSeat: boolean,
  ): AccessVerdict | Promise<AccessVerdict> {
    if (!hasSeat) return busy;
    const { exchange } = asked;
    const ports: ImpersonationPorts = {
      ask: (question) => access.check(question, exchange),
      isOver: () => exchange.closed,
      turns,
    };
    const result = impersonate(attributes.user, wanted, ports, authenticationGroup);
    return result instanceof Promise
      ? unlessGone(exchange, result, nothing).then((known) =>
          known === undefined ? left : impersonated(asked, attributes, known),
        )
      : impersonated(asked, attributes, result);
  }

  function impersonated(
    asked: Asked,
    attributes: Attributes,
    result: Impersonation,
  ): AccessVerdict | Promise<AccessVerdict> {
    if (result.kind === 'refused') {
      note(asked, result.attributes, result.decision);
      return result;
    }
    asked.trail?.impersonated(result.user);
    return authorized(asked, { ...attributes, user: result.user }, 'later');
  }

  return (
    asked: Asked,
    attributes: Attributes,
    when: 'later' | undefined,
  ): AccessVerdict | Promise<AccessVerdict> => {
    const wanted = takeImpersonation(asked.exchange);
    if (wanted.kind === 'none') return authorized(asked, attributes, when);
    if (wanted.kind === 'refused') return wanted;
    const { request } = wanted;
    const entered = asked.seat.enter(attributes, asked, true);
    return entered instanceof Promise
      ? entered.then((has) => seated(asked, attributes, request, has))
      : seated(asked, attributes, request, entered);
  };
}

/** `when`: something came between this step and the one before. */
function authorizing(decide: ReturnType<typeof deciding>) {
  return (
    asked: Asked,
    attributes: Attributes,
    when?: 'later',
  ): AccessVerdict | Promise<AccessVerdict> => {
    const entered = asked.seat.enter(attributes, asked);
    return entered instanceof Promise
      ? entered.then((has) => (has ? decide(asked, attributes, 'later') : busy))
      : entered
        ? decide(asked, attributes, when)
        : busy;
  };
}

const busy: AccessVerdict = { kind: 'busy' };
const left: AccessVerdict = { kind: 'refused', error: newClientGone('it was authorized') };

function deciding({ access, clock }: AccessFilterDeps, concluded: ReturnType<typeof conclusions>) {
  return (
    asked: Asked,
    attributes: Attributes,
    when: 'later' | undefined,
  ): AccessVerdict | Promise<AccessVerdict> => {
    if (when === 'later') asked.sinceMs = clock.monotonicMs();
    const { exchange } = asked;
    const decision = access.check(attributes, exchange);
    return decision instanceof Promise
      ? unlessGone(exchange, decision, nothing).then((known) =>
          known === undefined ? left : concluded(asked, attributes, known),
        )
      : concluded(asked, attributes, decision);
  };
}

type DecisionNote = ReturnType<typeof decisionNotes>;

function conclusions({ clock, counts }: AccessFilterDeps, note: DecisionNote) {
  return (asked: Asked, attributes: Attributes, decision: Decision): AccessVerdict => {
    counts.decided(resultOf(decision), clock.monotonicMs() - asked.sinceMs);
    note(asked, attributes, decision);
    return decision.kind === 'allow'
      ? admitted(asked, attributes.user)
      : { kind: 'refused', error: forbiddenError(attributes, decision.reason) };
  };
}

function resultOf({ kind, error }: Decision): AuthorizationResult {
  if (kind === 'allow') return 'allowed';
  if (error !== undefined) return 'error';
  return kind === 'deny' ? 'denied' : 'no-opinion';
}

function admitted({ shown: { warnings } }: Asked, user: UserInfo): AccessVerdict {
  return warnings.length === 0 ? { kind: 'admitted', user } : { kind: 'admitted', user, warnings };
}

function rejected(
  deps: AccessFilterDeps,
  asked: Asked,
  { unlooked, why }: Rejection,
): AccessVerdict {
  const { exchange, info, query, trail } = asked;
  deps.onRejected(exchange.path, why);
  trail?.unauthenticated(attributesOf(nobody, info, query), attempted(exchange));
  exchange.forgetHeaders(deps.authentication.isCredentialHeader);
  return { kind: 'refused', error: unlooked === true ? unlookedCredentials() : newUnauthorized() };
}

const notAsked: ReadImpersonation = { kind: 'none' };

/** Takes the impersonation headers out of the exchange. Most requests have none, and are not
 * searched. */
function takeImpersonation(exchange: HttpExchange): ReadImpersonation {
  if (!exchange.someHeader(isImpersonationHeader)) return notAsked;
  const wanted = readImpersonation(exchange.headers());
  exchange.forgetHeaders(isImpersonationHeader);
  return wanted;
}

/** Reports a decision to metrics and the audit trail. */
function decisionNotes({ identity, onAuthorizationError }: AccessFilterDeps) {
  const decisionKey = identity.fill('authorization.{domain}/decision');
  const reasonKey = identity.fill('authorization.{domain}/reason');
  return ({ trail }: Asked, attributes: Attributes, decision: Decision): void => {
    if (decision.error !== undefined) onAuthorizationError(decision, attributes);
    if (trail === undefined) return;
    trail.annotate(decisionKey, decision.kind === 'allow' ? 'allow' : 'forbid');
    trail.annotate(reasonKey, decision.reason);
  };
}

/** What an audit event says of wrong credentials: which kinds there were, not what they were. */
function attempted(exchange: HttpExchange): string {
  const schemes = exchange.headerValues('authorization').map((value) => {
    const [scheme = ''] = value.trim().toLowerCase().split(' ');
    return ['basic', 'bearer'].includes(scheme) ? scheme : 'unknown';
  });
  const methods = exchange.peerCertificate === undefined ? schemes : [...schemes, 'x509'];
  if (methods.length === 0) return 'Authentication failed, no credentials provided';
  return `Authentication failed, attempted: ${[...new Set(methods)].join(', ')}`;
}

const noWarnings: readonly string[] = [];

/** What authenticators see of an exchange; nothing of it is looked up before it is asked for. */
class ShownCredentials implements AuthenticationRequest {
  readonly #exchange: HttpExchange;
  readonly #trail: AuditTrail | undefined;
  warnings: readonly string[] = noWarnings;

  constructor(exchange: HttpExchange, trail: AuditTrail | undefined) {
    this.#exchange = exchange;
    this.#trail = trail;
  }

  get path(): string {
    return this.#exchange.path;
  }

  get remoteAddress(): string {
    return this.#exchange.remoteAddress;
  }

  get requester(): Requester {
    return this.#exchange;
  }

  get peerCertificate(): AuthenticationRequest['peerCertificate'] {
    return this.#exchange.peerCertificate;
  }

  headerValues(name: string): readonly string[] {
    return this.#exchange.headerValues(name);
  }

  headerNames(): readonly string[] {
    return [...new Set(this.#exchange.headers().map(([name]) => name))];
  }

  annotate(key: string, value: string): void {
    this.#trail?.annotate(key, value);
  }

  warn(text: string): void {
    this.warnings = [...this.warnings, text];
  }
}
