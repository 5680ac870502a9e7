/**
 * What becomes of a request for a version that another server answers for: it is passed on, for the
 * user that it is for, and the answer comes back as it is.
 *
 *     not available, or nowhere to be found     503  service unavailable
 *     it cannot be reached                      503  error trying to reach service: ...
 *     it does not answer in time                504
 *     it leads elsewhere                        502  the backend attempted to redirect ...
 *     it has come from this server              508  it would come back again
 *
 * Elsewhere: whether the user may (before, as for every request), admission (that server's own).
 *
 * Invariants: what says who asks is this server's word alone; a credential never goes on. The path
 * that goes on is the one that was judged: one that a server might read otherwise is refused. No
 * request is passed on twice by one server (`Via`, RFC 9110, 7.6.3): a service may lead back here.
 * Bounds: a request that does not last by nature has `timeoutMs`, one for discovery
 * `discoveryTimeoutMs`.
 */
import { newAllottedTimeout, newBadRequest } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Timers } from '../stdx/clock.ts';
import { passRequest } from '../proxy/pass-request.ts';
import { offering, passUpgrade } from '../proxy/pass-upgrade.ts';
import { passedHeaders } from '../proxy/passed-headers.ts';
import type {
  AnswerHead,
  Pass,
  PassedRequest,
  PlainRefusal,
  Refusal,
} from '../proxy/passed-request.ts';
import type { Header, HttpExchange } from '../transport/http-exchange.ts';
import type { RemoteService } from './api-service.ts';
import type { Backends } from './backends.ts';
import { headersOfUser, saysWho, unsayable } from './remote-user.ts';

const passedLimits = {
  dialTimeoutMs: 30_000,
  timeoutMs: 60_000,
  discoveryTimeoutMs: 5_000,
} as const;

export interface AskedOfRemote {
  readonly exchange: HttpExchange;
  /** For whom it is. */
  readonly user: UserInfo;
  readonly body: Uint8Array | undefined;
  readonly auditId: string;
  /** The end of the path that only the other server reads: what stands behind a subresource. */
  readonly subpath: string;
  /** Subprotocols of WebSocket that are offered, without those that show who asks. */
  readonly protocols: readonly string[];
  /** `discovery`: what there is in the version. `lasting`: a watch, a connection. */
  readonly nature: 'discovery' | 'brief' | 'lasting' | 'watch';
}

export interface PassingOn {
  readonly backends: Pick<Backends, 'reach'>;
  readonly timers: Timers;
  /** What this server calls itself in `Via`, and no other one. */
  readonly pseudonym: string;
}

export function passTo(
  service: RemoteService,
  asked: AskedOfRemote,
  { backends, pseudonym, timers }: PassingOn,
): Pass | Refusal {
  if (!service.isAvailable) return plain(503, unavailable);
  const { body, exchange, nature, protocols, subpath } = asked;
  const via = exchange.header('via') ?? '';
  if (via.includes(pseudonym)) return plain(508, loop);
  if (isAmbiguous(exchange.path, subpath)) return ambiguous();
  const reached = backends.reach(service.backend);
  if (reached.kind === 'nowhere') return plain(503, unavailable);
  if (reached.kind === 'unusable') return plain(500, reached.why);
  const passedBy = via === '' ? `1.1 ${pseudonym}` : `${via}, 1.1 ${pseudonym}`;
  const headers = headersOf(asked, reached.origin.host, passedBy);
  const unsaid = unsayable(headers);
  if (unsaid !== undefined) return unreachable(`invalid header field value for "${unsaid}"`);
  const { discoveryTimeoutMs, timeoutMs } = passedLimits;
  const limitMs = nature === 'discovery' ? discoveryTimeoutMs : timeoutMs;
  const brief = nature === 'discovery' || nature === 'brief';
  const dialTimeoutMs = Math.min(limitMs, passedLimits.dialTimeoutMs);
  const passed: PassedRequest<Refusal> = {
    url: reached.origin,
    target: exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`,
    method: exchange.method,
    headers,
    agent: reached.agent,
    fresh: reached.fresh,
    body,
    dialTimeoutMs,
    ...(brief ? { headTimeoutMs: limitMs, bodyTimeoutMs: limitMs } : {}),
    changed: (head) => answered(head, nature),
    unreachable,
    late: newAllottedTimeout,
  };
  if (exchange.header('upgrade') === undefined) return (seen) => passRequest(seen, passed, timers);
  if (exchange.upgrade === 'bytes') {
    return (seen) => passUpgrade(seen, offering(passed, protocols), timers);
  }
  return newBadRequest('unable to upgrade: other protocols are passed on at the secure port only');
}

const unavailable = 'service unavailable';

const loop = 'the service of this version leads back to this server';

const redirected = 'the backend attempted to redirect this request, which is not permitted';

/** As the reference writes texts. */
function plain(status: number, text: string): PlainRefusal {
  const headers = [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['X-Content-Type-Options', 'nosniff'],
  ] as const;
  return { kind: 'document', status, headers, body: `${text}\n` };
}

function unreachable(why: string): PlainRefusal {
  return plain(503, `error trying to reach service: ${why}`);
}

/** Servers clean paths, each in its own way. Most decode them before they split them: to those an
 * encoded slash in a name is the border between two names. */
function isAmbiguous(path: string, subpath: string): boolean {
  const judged = path.slice(0, path.length - subpath.length);
  return path.includes('\\') || dots.test(path) || encodedSlash.test(judged);
}

const dots = /(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;
const encodedSlash = /%2f/i;

function ambiguous(): StatusError {
  return newBadRequest('the path holds a segment of dots, a backslash, or an encoded slash');
}

/** Set anew. */
const replaced: ReadonlySet<string> = new Set([
  'audit-id',
  'authorization',
  'host',
  'via',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-uri',
]);

function headersOf(
  { auditId, exchange, user }: AskedOfRemote,
  host: string,
  via: string,
): readonly Header[] {
  const kept = passedHeaders(exchange).filter(([name]) => !replaced.has(name) && !saysWho(name));
  return [
    ...kept,
    ['host', host],
    ['via', via],
    ['audit-id', auditId],
    ['x-forwarded-host', exchange.header('host') ?? ''],
    ['x-forwarded-proto', exchange.scheme],
    ['x-forwarded-uri', exchange.path],
    ...headersOfUser(user),
  ];
}

/** Of this server's own words on the request there are some already. */
const saidHere: ReadonlySet<string> = new Set([
  'audit-id',
  'x-kubernetes-pf-flowschema-uid',
  'x-kubernetes-pf-prioritylevel-uid',
]);

/** What a watch in JSON may begin with, for transports that send no head alone. */
const space = Buffer.from(' ');

function answered(
  { headers, status }: AnswerHead,
  nature: AskedOfRemote['nature'],
): AnswerHead | Refusal {
  const says = (name: string): string => headers.find(([each]) => each === name)?.[1] ?? '';
  if (status >= 300 && status <= 399 && says('location') !== '') return plain(502, redirected);
  const kept = headers.filter(([name]) => !saidHere.has(name));
  const isJson = says('content-type').startsWith('application/json');
  const isEarly = nature === 'watch' && status === 200 && isJson && says('content-encoding') === '';
  return isEarly ? { status, headers: kept, preamble: space } : { status, headers: kept };
}
