/** An admission webhook in the test's process, over TLS: it answers each path as it is told. */
import type http from 'node:http';
import https from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { part, text } from '../../../src/apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../../src/apimachinery/unstructured.ts';
import type { KeyPair } from '../../../src/pki/certificate-authority.ts';

export interface Asked {
  readonly path: string;
  readonly timeout: string | null;
  readonly review: JsonObject;
  readonly request: JsonObject;
  readonly authorization: string | undefined;
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

export interface AdmissionHook {
  readonly asked: Asked[];
  /** By path. */
  readonly moods: Map<string, Mood>;
  /** For `clientConfig`. */
  readonly caBundle: string;
  readonly url: string;
  readonly port: number;
  connections(): number;
  /** Ends every connection that is open. */
  hangUp(): void;
  /** Of what was asked at this path, and not looked at yet. */
  take(path: string): readonly JsonObject[];
  close(): void;
}

const folder = path.join('test', 'support', 'data');
const pem = (name: string): Buffer => readFileSync(path.join(folder, `tls-${name}.pem`));

/** Without `identity` it is `localhost` and 127.0.0.1. */
export async function startAdmissionHook(identity?: HookIdentity): Promise<AdmissionHook> {
  const asked: Asked[] = [];
  const moods = new Map<string, Mood>();
  const sockets = new Set<Duplex>();
  let connections = 0;
  const tls =
    identity === undefined
      ? { key: pem('key'), cert: pem('certificate') }
      : { key: identity.pair.keyPem, cert: identity.pair.certificatePem, ca: identity.authority };
  const callers = { requestCert: true, rejectUnauthorized: false };
  const server = https.createServer({ ...tls, ...callers }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'https://x');
      const review = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      const one: Asked = {
        path: url.pathname,
        timeout: url.searchParams.get('timeout'),
        review,
        request: part(review, 'request'),
        authorization: request.headers.authorization,
        ...callerOf(request.socket as TLSSocket),
      };
      asked.push(one);
      const mood = moods.get(url.pathname) ?? (() => ({ allowed: true }));
      void Promise.resolve(mood(one, response)).then((answer) => {
        if (answer !== undefined) reply(response, review, answer);
      });
    });
  });
  server.on('secureConnection', () => (connections += 1));
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    moods,
    caBundle: Buffer.from(identity?.authority ?? pem('certificate')).toString('base64'),
    url: `https://localhost:${port}`,
    port,
    connections: () => connections,
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    take(at) {
      const found = asked.filter((each) => each.path === at);
      for (const each of found) asked.splice(asked.indexOf(each), 1);
      return found.map(({ request }) => request);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
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
