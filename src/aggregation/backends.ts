/**
 * The way to servers behind this one: where each is, and connections to it, as whom and by whose
 * certificates.
 *
 *     APIService ─▶ address of its service ─▶ an agent for that backend ─▶ calls of this server
 *                                                                     └──▶ requests passed on
 *
 * Invariants: a backend is called under its service's name in DNS. What this server has been shown
 * of one backend is never trusted of another. Errors hold no credential.
 * Bounds: `backendLimits.agentsMax` backends have connections that are kept; the least recently
 * used one is forgotten, what it has under way goes on, and its idle connections end by their time.
 */
import { createHash } from 'node:crypto';
import type http from 'node:http';
import type https from 'node:https';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import type { Requester } from '../stdx/requester.ts';
import { bracketed } from '../stdx/url-host.ts';
import { callHttp } from '../webhooks/http-call.ts';
import type { HttpAnswer, HttpCall } from '../webhooks/http-call.ts';
import { agentInTurns } from '../webhooks/read-turns.ts';
import type { ResolveService } from '../webhooks/service-resolver.ts';
import { bundleProblem, tlsOptionsOf } from '../webhooks/trust.ts';
import { serverNameOf } from './api-service.ts';
import type { Backend } from './api-service.ts';
import { headersOfUser, unsayable } from './remote-user.ts';

const backendLimits = {
  agentsMax: 512,
  /** What has been read of CAs' certificates. */
  trustsMax: 32,
  /** Connections that are kept for later, to one backend. */
  idleMax: 32,
  idleMs: 30_000,
} as const;

export interface ClientPair {
  readonly cert: string;
  readonly key: string;
}

export interface BackendsDeps {
  readonly resolve: ResolveService;
  /** What this server shows of itself, now: another object when it has changed. Undefined: nothing,
   * and no backend will believe who a request is for. */
  readonly certificate: () => ClientPair | undefined;
  readonly timers: Timers;
}

export interface BackendCall {
  readonly path: string;
  /** Absent: GET. */
  readonly method?: 'DELETE' | 'PATCH' | undefined;
  /** JSON; its type is among the headers. */
  readonly body?: string | undefined;
  /** When it goes the call is cut. */
  readonly requester?: Requester | undefined;
  readonly user: UserInfo;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

export type Reached =
  | {
      readonly kind: 'reached';
      readonly origin: URL;
      readonly agent: http.Agent;
      readonly fresh: http.Agent;
    }
  /** Nobody is there. */
  | { readonly kind: 'nowhere'; readonly why: string }
  /** It cannot be spoken to. */
  | { readonly kind: 'unusable'; readonly why: string };

export interface Backends {
  reach(backend: Backend): Reached;
  /** Of this server itself. @throws Error that says why there is no answer. */
  call(backend: Backend, call: BackendCall): Promise<HttpAnswer>;
  /** The same, whoever answers: only whether somebody does is asked. */
  knock(backend: Backend, call: BackendCall): Promise<HttpAnswer & { readonly url: string }>;
}

interface Kept {
  readonly agent: http.Agent;
  /** Keeps no connection. */
  readonly fresh: http.Agent;
  readonly certificate: ClientPair | undefined;
}

type Agents = ReturnType<typeof createAgents>;

/** Those that are kept; their certificate is the one of now. */
function createAgents(certificate: BackendsDeps['certificate']) {
  const agents = new Map<string, Kept>();
  const idOf = idsOfBackends();
  const optionsOf = keptOptions();
  let knocking: Pick<Kept, 'agent' | 'certificate'> | undefined;
  const keptFor = (backend: Backend): Kept => {
    const id = idOf(backend);
    const known = agents.get(id);
    agents.delete(id);
    const shown = certificate();
    const kept =
      known !== undefined && known.certificate === shown
        ? known
        : newAgents(backend, shown, optionsOf(backend, shown));
    agents.set(id, kept);
    const [oldest] = agents.keys();
    if (agents.size > backendLimits.agentsMax && oldest !== undefined) agents.delete(oldest);
    return kept;
  };
  const knockingAgent = (): http.Agent => {
    const shown = certificate();
    if (knocking === undefined || knocking.certificate !== shown) {
      const options = optionsOf({ ca: '', insecureSkipVerify: true }, shown);
      const agent = agentInTurns(true, { keepAlive: false, ...options });
      knocking = { agent, certificate: shown };
    }
    return knocking.agent;
  };
  return { keptFor, knockingAgent };
}

export function createBackends({ certificate, resolve, timers }: BackendsDeps): Backends {
  const agents: Agents = createAgents(certificate);
  const originOf = (backend: Backend): URL => {
    const { host, port } = resolve(backend.namespace, backend.name, backend.port);
    return new URL(`https://${bracketed(host)}:${port}`);
  };
  const reach = (backend: Backend): Reached => {
    let origin: URL;
    try {
      origin = originOf(backend);
    } catch (error) {
      return { kind: 'nowhere', why: messageOf(error) };
    }
    const problem = bundleProblem(backend.ca);
    if (problem !== undefined) return { kind: 'unusable', why: problem };
    try {
      const { agent, fresh } = agents.keptFor(backend);
      return { kind: 'reached', origin, agent, fresh };
    } catch (error) {
      return { kind: 'unusable', why: messageOf(error) };
    }
  };
  const send = async (origin: URL, by: SentBy, call: BackendCall) => {
    const { answerBytesMax, body, method = 'GET', path, requester, timeoutMs } = call;
    const url = new URL(path, origin);
    const headers = headersOfCall(call);
    const sent = { url, method, headers, body, requester, ...by } as const;
    return callHttp({ ...sent, timeoutMs, answerBytesMax }, timers);
  };
  return {
    reach,
    async call(backend, call) {
      const reached = reach(backend);
      if (reached.kind !== 'reached') throw new Error(reached.why);
      const { agent, fresh, origin } = reached;
      return send(origin, { agent, fresh: () => fresh }, call);
    },
    async knock(backend, call) {
      const origin = originOf(backend);
      const url = new URL(call.path, origin).href;
      try {
        const by = { agent: agents.knockingAgent(), serverName: serverNameOf(backend) };
        return { ...(await send(origin, by, call)), url };
      } catch (error) {
        throw new Error(`failing or missing response from ${url}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
  };
}

type SentBy = Pick<HttpCall, 'agent' | 'fresh' | 'serverName'>;

function newAgents(
  backend: Backend,
  certificate: ClientPair | undefined,
  options: https.AgentOptions,
): Kept {
  const tls = { ...options, servername: serverNameOf(backend) };
  const { idleMax: maxFreeSockets, idleMs: timeout } = backendLimits;
  const agent = agentInTurns(true, { keepAlive: true, maxFreeSockets, timeout, ...tls });
  const fresh = agentInTurns(true, { keepAlive: false, ...tls });
  return { agent, fresh, certificate };
}

/** What tells two backends apart: APIServices by the thousand may have one server. */
function idsOfBackends(): (backend: Backend) => string {
  const known = new WeakMap<Backend, string>();
  return (backend) => {
    const before = known.get(backend);
    if (before !== undefined) return before;
    const { ca, insecureSkipVerify, name, namespace, port } = backend;
    const digest = createHash('sha256').update(ca).digest('base64');
    const id = `${namespace}/${name}:${port} ${insecureSkipVerify} ${digest}`;
    known.set(backend, id);
    return id;
  };
}

/** Of TLS, without the name: to read certificates takes longer than a call, and most backends of a
 * cluster show those of a few CAs. The least recently used are forgotten. */
function keptOptions() {
  const kept = new Map<string, { shown: ClientPair | undefined; options: https.AgentOptions }>();
  return (
    { ca, insecureSkipVerify }: Pick<Backend, 'ca' | 'insecureSkipVerify'>,
    shown: ClientPair | undefined,
  ): https.AgentOptions => {
    const id = `${insecureSkipVerify} ${ca}`;
    const known = kept.get(id);
    kept.delete(id);
    const tls = { ca, certificate: shown, insecureSkipVerify, serverName: undefined };
    const options =
      known !== undefined && known.shown === shown ? known.options : tlsOptionsOf(tls);
    kept.set(id, { shown, options });
    const [oldest] = kept.keys();
    if (kept.size > backendLimits.trustsMax && oldest !== undefined) kept.delete(oldest);
    return options;
  };
}

/** Of one name there may be several. */
function headersOfCall({ body, headers, user }: BackendCall): Record<string, string | string[]> {
  const ofUser = headersOfUser(user);
  const problem = unsayable(ofUser);
  if (problem !== undefined) throw new Error(`invalid header field value for ${problem}`);
  const all: Record<string, string | string[]> = { ...headers };
  if (body !== undefined) all['Content-Length'] = String(Buffer.byteLength(body));
  for (const [name, value] of ofUser) {
    const known = all[name];
    all[name] = known === undefined ? value : [known, value].flat();
  }
  return all;
}
