/**
 * One request, from its head to its answer: audit, a seat, access, then the handler of its resource
 * or of its plain path; and its answer is sent (spec 1, section 4; spec 2, 4.1).
 *
 *   exchange ─▶ readTarget ─▶ access filter ─┬─▶ resource-handler.ts ───┬─▶ send-answer.ts
 *                                            ├─▶ plain-paths.ts ────────┤
 *                                            └─▶ handlers/aggregate.ts ─┘   another server's
 *
 * Elsewhere: who may (filters/access.ts), and what a path means.
 *
 * Invariants: every exchange gets an answer; a broken invariant in a request fails that request
 * with 500 and is reported, never more.
 */
import type { Aggregation } from '../aggregation/aggregation.ts';
import { parseQuery, queryBoolean } from '../apimachinery/query.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import { requestTimeoutProblem } from '../apimachinery/request-timeout.ts';
import { newBadRequest, newInternalError, StatusError } from '../apimachinery/status-error.ts';
import { interpretStorageError } from '../registry/storage-failure.ts';
import { assert } from '../stdx/assert.ts';
import type { Prng } from '../stdx/prng.ts';
import type { Step } from '../stdx/trace.ts';
import { StorageError } from '../storage/storage.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import type { Answer } from './answer.ts';
import { handleRemote, remoteOf } from './handlers/aggregate.ts';
import type { AccessFilter, AccessVerdict } from './filters/access.ts';
import { identifyRequest } from './filters/audit-id.ts';
import { auditedExchange } from './filters/audited-exchange.ts';
import type { Audited, AuditingDeps } from './filters/audited-exchange.ts';
import type { Seat, Seats } from './filters/in-flight.ts';
import { beginTrace, endTrace, mayTrace, tracedWork } from './filters/traced-request.ts';
import type { TracingDeps } from './filters/traced-request.ts';
import { handlePlainPath } from './plain-paths.ts';
import type { PlainPathDeps } from './plain-paths.ts';
import type { AnsweredRequest, ApiRequest } from './request.ts';
import type { RequestCounts } from './request-counts.ts';
import { isLongRunning, parseRequestInfo } from './request-info.ts';
import type { RequestInfo } from './request-info.ts';
import { handleResource } from './resource-handler.ts';
import { sendAnswer } from './send-answer.ts';
import { allowCbor } from './status-response.ts';

export interface ApiHandlerDeps extends PlainPathDeps {
  /** Other servers, which answer for some versions. */
  readonly aggregation: Aggregation;
  /** Authentication and authorization. */
  readonly filter: AccessFilter;
  readonly seats: Seats;
  /** Makes IDs for requests. */
  readonly prng: Prng;
  /** Undefined: nothing is audited. */
  readonly auditing: AuditingDeps | undefined;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingDeps | undefined;
  /** The header Strict-Transport-Security of answers over TLS; undefined: none. */
  readonly strictTransport: string | undefined;
  readonly requestCounts: RequestCounts;
  /** A request failed for a reason that is not the client's. */
  readonly onFailure: (path: string, error: unknown) => void;
}

/** `startMs`: when the request came; `nowMs`: when it begins. Both monotonic. */
export type ApiHandler = (exchange: HttpExchange, startMs: number, nowMs: number) => Promise<void>;

export function createApiHandler(deps: ApiHandlerDeps): ApiHandler {
  const { auditing, prng, requestCounts, seats, strictTransport } = deps;
  const { features, turnWatch } = deps.endpoints;
  return async (exchange, startMs, nowMs) => {
    if (features.cbor) allowCbor(exchange);
    const auditId = identifyRequest(exchange, prng);
    if (strictTransport !== undefined && exchange.scheme === 'https') {
      exchange.setAnswerHeader('Strict-Transport-Security', strictTransport);
    }
    const audited =
      auditing === undefined ? undefined : auditedExchange(auditing, exchange, auditId);
    const asked = readTarget(exchange, startMs, auditId);
    turnWatch.mark(asked.info, nowMs);
    const seat = seats.begin(asked.info);
    const seen = audited?.exchange ?? exchange;
    const { warnings } = asked;
    const answered = { exchange: seen, warnings, beforeStream: audited?.beforeStream, seat };
    try {
      const answer = await handle(deps, seen, audited, asked, seat);
      const step = asked.trace?.begin('SerializeObject');
      const sending = sendAnswer(deps.endpoints, answered, answer);
      if (sending !== undefined) {
        const isPassed = !(answer instanceof StatusError) && answer.kind === 'passed';
        if (!isPassed) await sending;
        else await sending.finally(requestCounts.passedOn(seen, asked.info, asked.query));
      }
      step?.end();
      if (audited !== undefined) await audited.handled(false);
    } catch (error) {
      await failed(deps, answered, audited, error, seat);
    }
    requestCounts.handled(
      exchange,
      asked.info,
      asked.query,
      startMs,
      leaving(asked, seat, exchange),
    );
  };
}

/** What is given back when the request is over: its seat, and its trace is ended. */
function leaving({ trace }: Asked, seat: Seat, exchange: HttpExchange): Pick<Seat, 'leave'> {
  if (trace === undefined) return seat;
  return {
    leave() {
      seat.leave();
      endTrace(trace, exchange);
    },
  };
}

async function failed(
  deps: ApiHandlerDeps,
  request: AnsweredRequest,
  audited: Audited | undefined,
  error: unknown,
  seat: Seat,
): Promise<void> {
  const { exchange } = request;
  try {
    deps.onFailure(exchange.path, error);
    const broken = !(error instanceof StatusError || error instanceof StorageError);
    if (broken) void audited?.handled(true);
    // After the head is sent there is no second answer: the stream has been cut by its writer.
    if (!exchange.answered) {
      await sendAnswer(deps.endpoints, { ...request, warnings: [] }, failureStatus(error));
    }
    await audited?.handled(false);
  } catch (own) {
    seat.leave();
    throw own;
  }
}

interface Asked {
  readonly auditId: string;
  readonly info: RequestInfo;
  /** Undefined: not well formed. */
  readonly query: QueryParameters | undefined;
  /** What is wrong with the head of the request. */
  readonly problem: StatusError | undefined;
  /** When it came, monotonic. */
  readonly startMs: number;
  /** Texts for Warning headers of the answer, whatever that is. */
  readonly warnings: string[];
  /** Undefined: it is not traced, or it is not known yet who asks. */
  trace: Step | undefined;
}

/** With its ID. */
function readTarget(
  { method, path, query: text }: HttpExchange,
  startMs: number,
  auditId: string,
): Asked {
  const warnings: string[] = [];
  const parsedQuery = parseQuery(text);
  const query = parsedQuery instanceof StatusError ? undefined : parsedQuery;
  const watch = query !== undefined && queryBoolean(query, 'watch') === true;
  const parsed = parseRequestInfo(method, path, watch);
  if (parsed.kind === 'ok') {
    if (parsedQuery instanceof StatusError) {
      const { info } = parsed;
      return { auditId, info, query, problem: parsedQuery, startMs, warnings, trace: undefined };
    }
    const problem = isLongRunning(parsed.info) ? undefined : requestTimeoutProblem(parsedQuery);
    const { info } = parsed;
    return { auditId, info, query, problem, startMs, warnings, trace: undefined };
  }
  const info = { path, resource: undefined, verb: method.toLowerCase() };
  const problem = newBadRequest('the path holds an escape that is not UTF-8');
  return { auditId, info, query, problem, startMs, warnings, trace: undefined };
}

function handle(
  deps: ApiHandlerDeps,
  exchange: HttpExchange,
  audited: Audited | undefined,
  request: Asked,
  seat: Seat,
): Promise<Answer> | Answer {
  const { auditId, info, query, problem, startMs, warnings } = request;
  const { tracing } = deps;
  if (isLongRunning(info)) audited?.longRunning();
  const asked = deps.filter.admit(exchange, { info, query, startMs }, audited?.trail, seat);
  const serve = (admission: AccessVerdict): Promise<Answer> | Answer => {
    if (tracing !== undefined && mayTrace(tracing, exchange)) {
      const user = admission.kind === 'admitted' ? admission.user : undefined;
      request.trace = beginTrace(tracing, exchange, request, user);
    }
    if (admission.kind === 'refused') return admission.error;
    if (admission.kind === 'busy') return seat.refusal;
    // A caller without access is not told what is wrong with the request.
    if (problem !== undefined) return problem;
    assert(query !== undefined, 'a request without a problem has its query');
    warnings.push(...(admission.warnings ?? []));
    const { user } = admission;
    const admitted = { auditId, info, query, user, warnings, startMs, seat };
    if (request.trace === undefined) return serveAdmitted(deps, exchange, audited, admitted);
    return tracedWork(exchange, request, () => serveAdmitted(deps, exchange, audited, admitted));
  };
  return asked instanceof Promise ? asked.then(serve) : serve(asked);
}

/** Of a request that may be served: what is asked for, and by whom. */
type Admitted = Pick<
  ApiRequest,
  'auditId' | 'info' | 'query' | 'user' | 'warnings' | 'startMs' | 'seat'
>;

function serveAdmitted(
  deps: ApiHandlerDeps,
  exchange: HttpExchange,
  audited: Audited | undefined,
  { auditId, info, query, user, warnings, startMs, seat }: Admitted,
): Promise<Answer> | Answer {
  const request: ApiRequest = {
    exchange,
    info,
    query,
    user,
    auditId,
    warnings,
    startMs,
    seat,
    receivedMs: startMs,
    bodyBytes: 0,
    auditAnnotations: audited?.annotations ?? new Map<string, string>(),
    auditsBody: audited?.trail.wantsRequestObject ?? false,
  };
  const remote = remoteOf(deps.aggregation, info);
  if (remote !== undefined) {
    audited?.passing();
    const { aggregation, endpoints } = deps;
    return handleRemote({ ...endpoints, aggregation }, request, remote);
  }
  if (info.resource?.subresource === 'proxy') audited?.passing();
  if (info.resource !== undefined) {
    return handleResource(deps.endpoints, request, info.resource);
  }
  return handlePlainPath(deps, request);
}

function failureStatus(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof StorageError) {
    return interpretStorageError(error, { group: '', resource: 'objects' });
  }
  return newInternalError('a broken invariant; the server has a record of it');
}
