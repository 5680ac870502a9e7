/** An authorization webhook in the test's process: it answers as it is told, for every attribute. */
import { writeFile } from 'node:fs/promises';
import { kubeconfigFor } from '../data/kubeconfig.ts';
import { startRemoteService } from './remote-service.ts';

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
  const { close, url } = await startRemoteService((body, _request, response) => {
    const { spec } = JSON.parse(body) as {
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
  await writeFile(kubeconfig, kubeconfigFor({ server: `${url}/authorize` }));
  return { asked, close };
}
