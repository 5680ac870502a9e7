/**
 * The trace of a request, as those see it who work for it: what they do becomes steps of it.
 *
 *     request                        GET /api/v1/...             its exchange's `trace`
 *     ├─ access
 *     └─ Update                      what its verb does          the exchange's while it is done
 *        ├─ Decide, Commit, Deliver  stages of the write         added when they are over
 *        └─ POST                     a call to a webhook         which continues the trace
 *
 * It goes along with the requester (requester.ts). Who has none is not traced, and does nothing:
 * nearly all requests are like that.
 *
 * Elsewhere: which requests are traced (src/tracing).
 *
 * Invariants: a step that is begun is ended once; what is said of it later is dropped. Nothing here
 * throws. Bound: a trace has a number of steps; further ones are left out, and counted in it.
 */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Trace {
  /** A step of it begins now. */
  begin(name: string, attributes?: TraceAttributes): Step;
  /** A call to another server begins now; it gets the step's `headers`. */
  call(name: string, attributes?: TraceAttributes): Step;
  /** A step that is over. Both monotonic. */
  add(name: string, fromMs: number, toMs: number, attributes?: TraceAttributes): void;
  /** For who is called and continues the trace: names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Step extends Trace {
  note(attributes: TraceAttributes): void;
  /** It is over now; `failure`: why it came to nothing. */
  end(failure?: string): void;
}

/** A call by HTTP begins; the step is named by its method, as is usual. */
export function beginHttpCall(
  trace: Trace | undefined,
  method: string,
  { hostname, pathname, port, protocol }: URL,
): Step | undefined {
  return trace?.call(method, {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.scheme': protocol.slice(0, -1),
    'url.path': pathname,
  });
}

/** It was answered. */
export function endHttpCall(step: Step | undefined, status: number): void {
  step?.note({ 'http.response.status_code': status });
  step?.end(status >= 500 ? `answered with status ${status}` : undefined);
}
