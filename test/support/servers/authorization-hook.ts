/** An authorization webhook in the test's process: it answers as it is told, for every attribute. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';

interface Asked {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
}

export interface AuthorizationHook {
  readonly asked: readonly Asked[];
  close(): void;
}

/** `kubeconfig` is written; it is what --authorization-webhook-config-file names. */
export async function startAuthorizationHook(
  kubeconfig: string,
  allows: (asked: Asked) => boolean,
): Promise<AuthorizationHook> {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { spec } = JSON.parse(Buffer.concat(chunks).toString()) as {
        spec: { user: string; resourceAttributes?: Partial<Asked> };
      };
      const { verb = '', resource = '', name = '' } = spec.resourceAttributes ?? {};
      const question = { user: spec.user, verb, resource, name };
      asked.push(question);
      const status = { allowed: allows(question) };
      const kind = 'SubjectAccessReview';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind, status }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const config = {
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/authorize` } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return {
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
