/** An admission webhook in the test's process, over TLS: it answers each path as it is told. */
import type http from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { part, text } from '../../../src/apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../../src/apimachinery/unstructured.ts';
import type { KeyPair } from '../../../src/pki/certificate-authority.ts';
import { tlsPair, tlsServerOptions } from '../data/tls-pair.ts';
import { startRemoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';

export interface Asked {
  readonly path: string;
  readonly timeout: string | null;
  readonly review: JsonObject;
  readonly request: JsonObject;
  readonly authorization: string | undefined;
  readonly traceparent: string | undefined;
  /** The common name in the caller's certificate; undefined: it showed none. */
  readonly caller: string | undefined;
  /** The name that it called the server. */
  readonly serverName: string | undefined;
}

/** The `response`, without its uid; or whatever it does with the raw answer. */
export type Mood = (
  asked: Asked,
  response: http.ServerResponse,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

export interface HookIdentity {
  readonly pair: KeyPair;
  /** PEM; of the server's certificate and of its callers'. */
  readonly authority: string;
}

export interface AdmissionHook extends RemoteService {
  readonly asked: Asked[];
  /** By path. */
  readonly moods: Map<string, Mood>;
  /** For `clientConfig`. */
  readonly caBundle: string;
  /** Of what was asked at this path, and not looked at yet. */
  take(path: string): readonly JsonObject[];
}

/** Without `identity` it is `localhost` and 127.0.0.1. */
export async function startAdmissionHook(identity?: HookIdentity): Promise<AdmissionHook> {
  const asked: Asked[] = [];
  const moods = new Map<string, Mood>();
  const tls =
    identity === undefined
      ? tlsServerOptions
      : { key: identity.pair.keyPem, cert: identity.pair.certificatePem, ca: identity.authority };
  const callers = { requestCert: true, rejectUnauthorized: false };
  const service = await startRemoteService(
    (body, request, response) => {
      const url = new URL(request.url ?? '', 'https://x');
      const review = JSON.parse(body) as JsonObject;
      const one: Asked = {
        path: url.pathname,
        timeout: url.searchParams.get('timeout'),
        review,
        request: part(review, 'request'),
        authorization: request.headers.authorization,
        traceparent: request.headers['traceparent'] as string | undefined,
        ...callerOf(request.socket as TLSSocket),
      };
      asked.push(one);
      const mood = moods.get(url.pathname) ?? (() => ({ allowed: true }));
      void Promise.resolve(mood(one, response)).then((answer) => {
        if (answer !== undefined) reply(response, review, answer);
      });
    },
    { ...tls, ...callers },
  );
  return {
    ...service,
    asked,
    moods,
    caBundle: Buffer.from(identity?.authority ?? tlsPair.certificatePem).toString('base64'),
    take(at) {
      const found = asked.filter((each) => each.path === at);
      for (const each of found) asked.splice(asked.indexOf(each), 1);
      return found.map(({ request }) => request);
    },
  };
}

function callerOf(socket: TLSSocket): Pick<Asked, 'caller' | 'serverName'> {
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  const { servername } = socket as { readonly servername?: string | false };
  const caller = subject === undefined ? undefined : String(subject.CN);
  return { caller, serverName: servername === false ? undefined : servername };
}

/** As v1 wants it, or as v1beta1 does: in the version that was asked in. */
function reply(response: http.ServerResponse, review: JsonObject, answer: JsonObject): void {
  const { apiVersion = '', kind = '' } = review;
  const uid = text(part(review, 'request'), 'uid');
  const body = { apiVersion, kind, response: { uid, ...answer } };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** An answer that changes the object. */
export function patching(operations: readonly JsonValue[], more: JsonObject = {}): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch, ...more };
}
