/**
 * A server behind the server: it stands for an aggregated API server, over TLS, under the name of a
 * service `backend` in the namespace `default`. It answers each path as it is told.
 */
import type http from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { makeAuthority, makeCertificate } from '../../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../../src/pki/certificates.ts';
import { startRemoteService } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import type { ApiClient } from './test-server.ts';

export interface BackendRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** The common name in the caller's certificate; undefined: it showed none. */
  readonly caller: string | undefined;
}

export type Answering = (request: BackendRequest, response: http.ServerResponse) => void;

export interface ApiBackend extends RemoteService {
  readonly asked: BackendRequest[];
  /** By path, without the query; `*`: all others. */
  readonly answers: Map<string, Answering>;
  readonly caBundle: string;
  /** Service (where `place` says: at 127.0.0.1), endpoints and the APIService of
   * `widgets.example.com/v1`. */
  serve(client: ApiClient, spec?: JsonObject, place?: JsonObject): Promise<void>;
}

const hourMs = 3_600_000;
export const backendGroup = 'widgets.example.com';

export async function startApiBackend(name = 'backend'): Promise<ApiBackend> {
  const nowMs = Date.now();
  const validity = { notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + hourMs };
  const authority = await makeAuthority({ commonName: `of ${name}`, ...validity });
  const leaf = { commonName: name, dnsNames: [`${name}.default.svc`], ...validity };
  const pair = await makeCertificate(leaf, keyPurposes.serverAuth, authority);
  const asked: BackendRequest[] = [];
  const answers = new Map<string, Answering>([['*', ok({ kind: 'Status', status: 'Success' })]]);
  const service = await startRemoteService(
    (body, { headers, method = '', socket, url = '' }, response) => {
      const { subject } = (socket as TLSSocket).getPeerCertificate() as Partial<PeerCertificate>;
      const caller = subject === undefined ? undefined : String(subject.CN);
      const request: BackendRequest = { method, url, headers, body, caller };
      asked.push(request);
      const [at = ''] = url.split('?');
      (answers.get(at) ?? answers.get('*'))?.(request, response);
    },
    { cert: pair.certificatePem, key: pair.keyPem, requestCert: true, rejectUnauthorized: false },
  );
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  return {
    ...service,
    asked,
    answers,
    caBundle,
    async serve(client, spec = {}, place = { clusterIP: '127.0.0.1' }) {
      const { port } = service;
      await createObjects(client, name, port, place);
      await post(client, '/apis/apiregistration.k8s.io/v1/apiservices', {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `v1.${backendGroup}` },
        spec: {
          group: backendGroup,
          version: 'v1',
          groupPriorityMinimum: 2000,
          versionPriority: 10,
          caBundle,
          service: { namespace: 'default', name, port },
          ...spec,
        },
      });
    },
  };
}

async function createObjects(
  client: ApiClient,
  name: string,
  port: number,
  place: JsonObject,
): Promise<void> {
  await post(client, '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ...place, ports: [{ port }] },
  });
  await post(client, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: '', port }],
    endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
  });
}

async function post(client: ApiClient, target: string, body: JsonObject): Promise<void> {
  const reply = await client.request('POST', target, { body });
  if (reply.status !== 201) throw new Error(`${target}: ${reply.text}`);
}

export function ok(body: JsonObject, headers: http.OutgoingHttpHeaders = {}): Answering {
  return (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}
