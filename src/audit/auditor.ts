/**
 * Makes audit events of requests, with exactly what the policy's level asks for.
 *
 * Elsewhere: HTTP (endpoints/filters/audited-exchange.ts) and writing (log-backend.ts,
 * webhook-backend.ts).
 *
 * Invariants: nothing is written before the policy has been asked, nor after the last stage; each
 * stage of a request is written at most once. No header of the request is in an event but its
 * user agent. An event with large bodies is put together in steps, and only the last one of a
 * request has any; stop() waits for it.
 * Bound: a body above `bodyBytesMax` is left out, and an annotation says so.
 */
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Attributes } from '../authorization/authorizer.ts';
import { isCredentialResource } from '../apimachinery/credential-kinds.ts';
import { stringifyJson } from '../apimachinery/codecs/lossless.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { formatRfc3339Micro } from '../apimachinery/time.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { after } from '../stdx/awaitable.ts';
import type { Clock } from '../stdx/clock.ts';
import { startedAtOnce } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type {
  AuditedBody,
  AuditedRequest,
  Auditor,
  AuditResponse,
  AuditStage,
  AuditTrail,
} from './audit.ts';
import type { AuditBackend, Taken } from './backend.ts';
import { chooseAudit, isOfCredentials } from './policy.ts';
import type { AuditChoice, AuditLevel, AuditPolicy } from './policy.ts';

/** Largest body that is written; above it the event is written without it. */
const bodyBytesMax = 1024 * 1024;
/** Bodies of an event that are written in one step. */
const smallBytes = 64 * 1024;
/** Of a user agent, in characters. */
const userAgentMax = 1024;

export interface AuditorDeps {
  readonly policy: AuditPolicy;
  readonly backends: readonly AuditBackend[];
  readonly clock: Clock;
  readonly identity: Identity;
  readonly turns: Pick<Turns, 'run'>;
}

/** What is counted; the backends count what they lose. */
export interface AuditCounts {
  eventsTotal: number;
  /** Requests not served because their event could not be kept. */
  rejectedTotal: number;
  /** Requests by the level that the policy gave them. */
  readonly levels: Map<AuditLevel, number>;
}

export function createAuditor(deps: AuditorDeps): Auditor & { readonly counts: AuditCounts } {
  const counts: AuditCounts = { eventsTotal: 0, rejectedTotal: 0, levels: new Map() };
  const making = new Set<Promise<unknown>>();
  const keep: Keep = (fields, bytes) => {
    const made = bytes > smallBytes ? startedAtOnce(deps.turns, eventText(fields)) : undefined;
    const kept = after(made ?? stringifyJson(fields), (json) => {
      return allTaken(deps.backends.map((backend) => backend.write({ fields, json })));
    });
    if (!(made instanceof Promise)) return kept;
    making.add(made);
    return Promise.resolve(kept).finally(() => making.delete(made));
  };
  return {
    counts,
    begin: (request) => new Trail(deps, keep, counts, request),
    async stop() {
      await Promise.all(making);
      await Promise.all(deps.backends.map((backend) => backend.stop()));
    },
  };
}

/** Hands an event to the backends. `bytes`: of its bodies. */
type Keep = (fields: JsonObject, bytes: number) => Taken;

/** Member by member: a body is one step. */
function* eventText(fields: JsonObject): Steps<string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const isBody = name === 'requestObject' || name === 'responseObject';
    if (isBody) yield;
    members.push(`${JSON.stringify(name)}:${stringifyJson(value)}`);
  }
  yield;
  return `{${members.join(',')}}`;
}

function allTaken(taken: readonly Taken[]): Taken {
  const now = taken.filter((each) => typeof each === 'boolean').every(Boolean);
  const later = taken.filter((each) => typeof each !== 'boolean');
  if (later.length === 0) return now;
  return Promise.all(later).then((all) => now && all.every(Boolean));
}

class Trail implements AuditTrail {
  readonly #deps: AuditorDeps;
  readonly #keep: Keep;
  readonly #counts: AuditCounts;
  readonly #request: AuditedRequest;
  readonly #annotations = new Map<string, string>();
  #user: UserInfo | undefined;
  #impersonated: UserInfo | undefined;
  #attributes: Attributes | undefined;
  #choice: AuditChoice | undefined;
  #requestObject: JsonValue | undefined;
  #responseObject: JsonValue | undefined;
  /** Of both. */
  #bodyBytes = 0;
  /** Metadata of the request's body. */
  #named: JsonObject = {};
  /** Wrong credentials, and what is said of them. */
  #unauthenticated: string | undefined;
  #ended = false;

  constructor(deps: AuditorDeps, keep: Keep, counts: AuditCounts, request: AuditedRequest) {
    this.#deps = deps;
    this.#keep = keep;
    this.#counts = counts;
    this.#request = request;
  }

  get auditId(): string {
    return this.#request.auditId;
  }

  get wantsRequestObject(): boolean {
    return this.#choice?.level === 'Request' || this.wantsResponseObject;
  }

  get wantsRequestName(): boolean {
    const isNamed = this.#attributes?.verb !== 'create' || this.#attributes.name !== '';
    return !isNamed && this.#choice !== undefined && this.#choice.level !== 'None';
  }

  get wantsResponseObject(): boolean {
    return this.#choice?.level === 'RequestResponse';
  }

  authenticated(user: UserInfo): void {
    this.#user = user;
  }

  impersonated(user: UserInfo): void {
    this.#impersonated = user;
  }

  attributes(attributes: Attributes): Taken {
    this.#choose(attributes);
    const taken = this.#write('RequestReceived', this.#request.receivedMs, undefined);
    return taken instanceof Promise
      ? taken.then((known) => this.#mayGoOn(known))
      : this.#mayGoOn(taken);
  }

  unauthenticated(attributes: Attributes, why: string): void {
    this.#choose(attributes);
    this.#unauthenticated = why;
  }

  annotate(key: string, value: string): void {
    this.#annotations.set(key, value);
  }

  requestObject(body: AuditedBody): void {
    const whole = this.wantsRequestObject;
    if (!whole && (!this.wantsRequestName || body.bytes > bodyBytesMax)) return;
    const object = this.#objectOf(body);
    const metadata = isJsonObject(object) ? object['metadata'] : undefined;
    if (isJsonObject(metadata)) this.#named = metadata;
    if (whole && !isOfCredentials(object)) this.#requestObject = object;
  }

  responseObject(body: AuditedBody): void {
    if (this.wantsResponseObject) this.#responseObject = this.#objectOf(body);
  }

  started(response: AuditResponse): Taken {
    // Wrong credentials have this stage as their only one, written with the answer.
    if (this.#ended || this.#unauthenticated !== undefined) return true;
    return this.#write('ResponseStarted', this.#deps.clock.nowMs(), response);
  }

  completed(response: AuditResponse): Taken {
    if (this.#ended) return true;
    this.#ended = true;
    const nowMs = this.#deps.clock.nowMs();
    const why = this.#unauthenticated;
    if (why === undefined) return this.#write('ResponseComplete', nowMs, response);
    const status = { ...response.status, message: why };
    return this.#write('ResponseStarted', nowMs, { ...response, status });
  }

  panicked(): void {
    if (this.#ended) return;
    this.#ended = true;
    const message = 'the request failed inside the server';
    const status = { reason: 'InternalError', message };
    void this.#write('Panic', this.#deps.clock.nowMs(), { code: 500, status });
  }

  #choose(attributes: Attributes): void {
    this.#attributes = attributes;
    this.#choice = chooseAudit(this.#deps.policy, attributes);
    const { levels } = this.#counts;
    levels.set(this.#choice.level, (levels.get(this.#choice.level) ?? 0) + 1);
  }

  /** What was not begun has no end. */
  #mayGoOn(taken: boolean): boolean {
    if (taken) return true;
    this.#ended = true;
    this.#counts.rejectedTotal += 1;
    return false;
  }

  #objectOf({ bytes, value }: AuditedBody): JsonValue | undefined {
    if (value === undefined || bytes > bodyBytesMax) {
      this.annotate(this.#deps.identity.fill('audit.{domain}/truncated'), 'true');
      return undefined;
    }
    this.#bodyBytes += bytes;
    if (this.#choice?.omitManagedFields === true) withoutManagedFields(value);
    return value;
  }

  #write(stage: AuditStage, atMs: number, response: AuditResponse | undefined): Taken {
    const choice = this.#choice;
    if (choice === undefined || choice.level === 'None' || choice.omitStages.has(stage)) {
      return true;
    }
    this.#counts.eventsTotal += 1;
    return this.#keep(this.#fields(choice.level, stage, atMs, response), this.#bodyBytes);
  }

  #fields(
    level: AuditLevel,
    stage: AuditStage,
    atMs: number,
    response: AuditResponse | undefined,
  ): JsonObject {
    const { identity } = this.#deps;
    const { auditId, receivedMs, requestUri, sourceAddresses, userAgent, verb } = this.#request;
    const attributes = this.#attributes;
    const event: Record<string, JsonValue> = {
      kind: 'Event',
      apiVersion: identity.fill('audit.{domain}/v1'),
      level,
      auditID: auditId,
      stage,
      requestURI: requestUri,
      verb: attributes?.verb ?? verb,
      user: userJson(this.#user),
    };
    if (this.#impersonated !== undefined) event['impersonatedUser'] = userJson(this.#impersonated);
    event['sourceIPs'] = [...sourceAddresses];
    if (userAgent !== '') event['userAgent'] = shortened(userAgent);
    if (attributes?.isResourceRequest === true) {
      event['objectRef'] = objectRef(attributes, this.#named);
    }
    if (response !== undefined) event['responseStatus'] = this.#statusJson(response);
    if (this.#requestObject !== undefined) event['requestObject'] = this.#requestObject;
    if (this.#responseObject !== undefined) event['responseObject'] = this.#responseObject;
    event['requestReceivedTimestamp'] = formatRfc3339Micro(receivedMs);
    event['stageTimestamp'] = formatRfc3339Micro(atMs);
    if (this.#annotations.size > 0) event['annotations'] = Object.fromEntries(this.#annotations);
    return event;
  }

  /** Of credentials the message and details of a refusal are left out: they may quote what was
   * sent. */
  #statusJson({ code, status }: AuditResponse): JsonObject {
    if (status === undefined) return { metadata: {}, code };
    const { resource = '', subresource = '' } = this.#attributes ?? {};
    const isQuiet = isCredentialResource(resource, subresource);
    // Why a caller is not known is said by the server itself, and quotes nothing.
    const message = isQuiet && this.#unauthenticated === undefined ? '' : (status.message ?? '');
    const { details = {}, reason = '' } = status;
    const isTold = !isQuiet && Object.keys(details).length > 0;
    return {
      metadata: {},
      status: 'Failure',
      ...(message === '' ? {} : { message }),
      ...(reason === '' ? {} : { reason }),
      ...(isTold && { details }),
      code,
    };
  }
}

function userJson(user: UserInfo | undefined): JsonObject {
  if (user === undefined) return {};
  const { extra, groups, name, uid } = user;
  const keys = Object.entries(extra).map(([key, values]) => [key, [...values]] as const);
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(keys.length === 0 ? {} : { extra: Object.fromEntries(keys) }),
  };
}

/** Of a create the name is in the body only. */
function objectRef(attributes: Attributes, named: JsonObject): JsonObject {
  const fields: readonly (readonly [string, JsonValue | undefined])[] = [
    ['resource', attributes.resource],
    ['namespace', attributes.namespace],
    ['name', attributes.name === '' ? named['name'] : attributes.name],
    ['uid', named['uid']],
    ['apiGroup', attributes.apiGroup],
    ['apiVersion', attributes.apiVersion],
    ['resourceVersion', named['resourceVersion']],
    ['subresource', attributes.subresource],
  ];
  const present = fields.filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries<JsonValue | undefined>(present);
}

function shortened(text: string): string {
  return text.length > userAgentMax ? `${text.slice(0, userAgentMax)}...TRUNCATED` : text;
}

/** Of an object and of the items of a list. */
function withoutManagedFields(value: JsonValue): void {
  if (!isJsonObject(value)) return;
  const { items, metadata } = value;
  if (isJsonObject(metadata)) delete (metadata as Record<string, JsonValue>)['managedFields'];
  if (Array.isArray(items)) items.forEach(withoutManagedFields);
}
