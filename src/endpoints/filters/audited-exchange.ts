/**
 * An exchange whose request and answer are reported to an audit trail on their way.
 *
 * Elsewhere: the policy and the events (src/audit) and what is recorded of a body
 * (audited-body.ts). Without a policy no exchange is wrapped.
 *
 * Invariants: what the client gets is as without it. A trail ends once: with a whole answer, with
 * the end of a stream, or with the client's going. Only watches and connections have the stage
 * ResponseStarted. Where the backend's mode says so, a whole answer waits until its event is kept,
 * a watch with its head and a streamed list with its end; the parts between, and the end of a
 * watch, wait for nothing. The stages of a request are handed on in their order. Bodies are kept
 * for the trail only where it wants them (audited-body.ts).
 */
import { isIP } from 'node:net';
import type { AuditedBody, AuditResponse, Auditor, AuditTrail } from '../../audit/audit.ts';
import type { SchemaOf } from '../../apimachinery/codecs/protobuf.ts';
import type { Clock } from '../../stdx/clock.ts';
import type {
  BodyResult,
  Conversation,
  Header,
  HttpExchange,
  MessageFraming,
  ResponseStream,
} from '../../transport/http-exchange.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { BodyLanes } from '../body-lanes.ts';
import { asBytes, auditedBody, BodyPrefix, responseOf } from './audited-body.ts';

export interface AuditingDeps {
  readonly auditor: Auditor;
  readonly clock: Clock;
  /** Of the kinds that come and go in Protobuf. */
  readonly schemaOf: SchemaOf;
  readonly turns: Turns;
  /** Those of the handlers, too. */
  readonly bodyLanes: BodyLanes;
}

export interface Audited {
  readonly exchange: HttpExchange;
  readonly trail: AuditTrail;
  /** It is a watch or a connection: its answer starts long before it ends. */
  longRunning(): void;
  /** Another server is asked, and answers: what they say to each other is in no event. */
  passing(): void;
  /** Its stream is about to start. A promise: it must not before that. */
  beforeStream(): Promise<void> | undefined;
  /** Called with the answer. */
  readonly annotations: Map<string, string>;
  /** The handler has come to its end; `failed`: by throwing. A promise: an answer waits still. */
  handled(failed: boolean): void | Promise<void>;
}

export function auditedExchange(
  { auditor, clock, ...reading }: AuditingDeps,
  exchange: HttpExchange,
  auditId: string,
): Audited {
  const { method, path, query } = exchange;
  const trail = auditor.begin({
    auditId,
    requestUri: query === '' ? path : `${path}?${query}`,
    verb: method.toLowerCase(),
    sourceAddresses: sourceAddresses(exchange),
    userAgent: exchange.header('user-agent') ?? '',
    receivedMs: clock.nowMs(),
  });
  const annotations = new Map<string, string>();
  const audited = new AuditedExchange(exchange, trail, annotations, reading);
  return {
    exchange: audited,
    trail,
    annotations,
    longRunning: () => audited.longRunning(),
    passing: () => audited.passing(),
    beforeStream: () => audited.beforeStream(),
    handled: (failed) => audited.handled(failed),
  };
}

/** As proxies on the way say, the peer last. Only the peer's is known to be true. */
function sourceAddresses(exchange: HttpExchange): readonly string[] {
  const forwarded = exchange.header('x-forwarded-for') ?? '';
  const said = forwarded === '' ? (exchange.header('x-real-ip') ?? '') : forwarded;
  const addresses = said
    .split(',')
    .map((each) => each.trim())
    .filter((each) => isIP(each) !== 0)
    .slice(0, forwardedMax);
  const peer = exchange.remoteAddress;
  return peer === '' || addresses.at(-1) === peer ? addresses : [...addresses, peer];
}

/** Addresses in an event beside the peer's. Policy: further ones are left out. */
const forwardedMax = 32;

/** What writing an event counts for. */
const eventMs = 0.1;

type Reading = Omit<AuditingDeps, 'auditor' | 'clock'>;

class AuditedExchange implements HttpExchange {
  readonly #inner: HttpExchange;
  readonly #trail: AuditTrail;
  readonly #annotations: ReadonlyMap<string, string>;
  readonly #reading: Reading;
  #isLongRunning = false;
  #passing = false;
  /** Whether the stage ResponseStarted has been reported, and what waits for it. */
  #hasBegun = false;
  #beginning: Promise<void> | undefined;
  /** An answer that waits for its event. */
  #waiting: Promise<void> | undefined;

  constructor(
    inner: HttpExchange,
    trail: AuditTrail,
    annotations: ReadonlyMap<string, string>,
    reading: Reading,
  ) {
    this.#inner = inner;
    this.#trail = trail;
    this.#annotations = annotations;
    this.#reading = reading;
  }

  get method(): string {
    return this.#inner.method;
  }

  get path(): string {
    return this.#inner.path;
  }

  get query(): string {
    return this.#inner.query;
  }

  get scheme(): 'http' | 'https' {
    return this.#inner.scheme;
  }

  get remoteAddress(): string {
    return this.#inner.remoteAddress;
  }

  get peerCertificate(): HttpExchange['peerCertificate'] {
    return this.#inner.peerCertificate;
  }

  get webSocketProtocols(): readonly string[] | undefined {
    return this.#inner.webSocketProtocols;
  }

  get upgrade(): HttpExchange['upgrade'] {
    return this.#inner.upgrade;
  }

  get trace(): HttpExchange['trace'] {
    return this.#inner.trace;
  }

  set trace(trace: HttpExchange['trace']) {
    this.#inner.trace = trace;
  }

  get answered(): boolean {
    return this.#waiting !== undefined || this.#inner.answered;
  }

  get status(): number {
    return this.#inner.status;
  }

  get closed(): boolean {
    return this.#inner.closed;
  }

  get sentBytes(): number {
    return this.#inner.sentBytes;
  }

  onClosed(callback: () => void): void {
    this.#inner.onClosed(callback);
  }

  header(name: string): string | undefined {
    return this.#inner.header(name);
  }

  headers(): readonly Header[] {
    return this.#inner.headers();
  }

  headerValues(name: string): readonly string[] {
    return this.#inner.headerValues(name);
  }

  someHeader(test: (name: string) => boolean): boolean {
    return this.#inner.someHeader(test);
  }

  forgetHeaders(test: (name: string) => boolean): void {
    this.#inner.forgetHeaders(test);
  }

  onAbort(callback: () => void): void {
    this.#inner.onAbort(callback);
  }

  offAbort(callback: () => void): void {
    this.#inner.offAbort(callback);
  }

  setAnswerHeader(name: string, value: string): void {
    this.#inner.setAnswerHeader(name, value);
  }

  async readBody(limitBytes: number): Promise<BodyResult> {
    const body = await this.#inner.readBody(limitBytes);
    const trail = this.#trail;
    const wanted = !this.#passing && (trail.wantsRequestObject || trail.wantsRequestName);
    if (wanted && body.kind === 'complete' && body.bytes.length > 0) {
      const told = await auditedBody(this.#reading, bodyTypeOf(this.#inner), body.bytes);
      if (told !== undefined) trail.requestObject(told);
    }
    return body;
  }

  send(status: number, headers: readonly Header[], body: Uint8Array | string): void {
    this.#annotate();
    const type = headerOf(headers, 'content-type') ?? '';
    const response = responseOf(status, type, body);
    void this.#begin(response);
    const told = this.#trail.wantsResponseObject && this.#tellResponse(headers, asBytes(body));
    // Before the answer is sent: whoever waits for the event has it then.
    const complete = () => this.#complete(response);
    const taken = told instanceof Promise ? told.then(complete) : complete();
    if (!(taken instanceof Promise)) return this.#inner.send(status, headers, body);
    this.#waiting = taken.then(() => this.#inner.send(status, headers, body));
  }

  stream(
    status: number,
    headers: readonly Header[],
    preamble: Uint8Array,
    messages?: MessageFraming,
  ): ResponseStream {
    this.#annotate();
    const response: AuditResponse = { code: status };
    const isLongRunning = this.#isLongRunning;
    void this.#begin(response);
    const stream = this.#inner.stream(status, headers, preamble, messages);
    const isTold = !isLongRunning && !this.#passing && this.#trail.wantsResponseObject;
    const kept = isTold ? new BodyPrefix() : undefined;
    const ended = (whole: boolean): Promise<unknown> | undefined => {
      const told = whole && kept !== undefined && this.#tellResponse(headers, kept.bytes());
      const complete = () => this.#complete(response);
      const taken = told instanceof Promise ? told.then(complete) : complete();
      if (isLongRunning || !(taken instanceof Promise)) return undefined;
      this.#waiting = taken.then(() => undefined);
      return this.#waiting;
    };
    // Thousands may go in one turn of the event loop: their events take turns with others.
    const gone = (): void => void this.#reading.turns.pause(eventMs).then(() => ended(false));
    this.#inner.onAbort(gone);
    return new AuditedStream(stream, kept, ended);
  }

  /** What is said is nobody's but theirs. */
  converse(
    headers: readonly Header[],
    framing: MessageFraming | undefined,
  ): Conversation | undefined {
    this.#annotate();
    const response: AuditResponse = { code: 101 };
    void this.#begin(response);
    const conversation = this.#inner.converse(headers, framing);
    this.#inner.onClosed(() => void this.#complete(response));
    return conversation;
  }

  longRunning(): void {
    this.#isLongRunning = true;
  }

  passing(): void {
    this.#passing = true;
  }

  beforeStream(): Promise<void> | undefined {
    this.#annotate();
    return this.#begin({ code: 200 });
  }

  handled(failed: boolean): void | Promise<void> {
    this.#annotate();
    if (failed) this.#trail.panicked();
    // Nobody was there any more to be answered.
    else if (!this.answered) void this.#trail.completed({ code: 0 });
    return this.#waiting;
  }

  #begin(response: AuditResponse): Promise<void> | undefined {
    if (!this.#isLongRunning || this.#hasBegun) return undefined;
    this.#hasBegun = true;
    const taken = this.#trail.started(response);
    if (taken instanceof Promise) this.#beginning = taken.then(() => undefined);
    return this.#beginning;
  }

  #complete(response: AuditResponse): boolean | Promise<boolean> {
    return this.#beginning === undefined
      ? this.#trail.completed(response)
      : this.#beginning.then(() => this.#trail.completed(response));
  }

  #annotate(): void {
    for (const [key, value] of this.#annotations) this.#trail.annotate(key, value);
  }

  /** A promise: it has been told then. */
  #tellResponse(headers: readonly Header[], body: Uint8Array): Promise<void> | undefined {
    if (body.length === 0 || headerOf(headers, 'content-encoding') !== undefined) return undefined;
    const tell = (told: AuditedBody | undefined): void => {
      if (told !== undefined) this.#trail.responseObject(told);
    };
    const told = auditedBody(this.#reading, headerOf(headers, 'content-type') ?? '', body);
    if (told instanceof Promise) return told.then(tell);
    tell(told);
    return undefined;
  }
}

class AuditedStream implements ResponseStream {
  readonly #inner: ResponseStream;
  readonly #kept: BodyPrefix | undefined;
  /** A promise: the end waits for it. */
  readonly #ended: (whole: boolean) => Promise<unknown> | undefined;

  constructor(
    inner: ResponseStream,
    kept: BodyPrefix | undefined,
    ended: (whole: boolean) => Promise<unknown> | undefined,
  ) {
    this.#inner = inner;
    this.#kept = kept;
    this.#ended = ended;
  }

  get closed(): boolean {
    return this.#inner.closed;
  }

  get preambleSent(): boolean {
    return this.#inner.preambleSent === true;
  }

  write(chunk: Uint8Array, shared?: boolean): boolean {
    this.#kept?.add(chunk);
    return this.#inner.write(chunk, shared);
  }

  onDrain(callback: () => void): void {
    this.#inner.onDrain(callback);
  }

  end(): void {
    const taken = this.#ended(true);
    if (taken === undefined) this.#inner.end();
    else void taken.then(() => this.#inner.end());
  }

  abort(): void {
    void this.#ended(false);
    this.#inner.abort();
  }
}

/** A body of no type is JSON, as for whoever handles the request. */
function bodyTypeOf(exchange: HttpExchange): string {
  const type = exchange.header('content-type')?.trim() ?? '';
  return type === '' ? 'application/json' : type;
}

function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1];
}
