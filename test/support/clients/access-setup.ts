/** Bindings and questions of access, made as the administrator of a secure test server. */
import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { tokens } from '../servers/secure-server.ts';
import type { ApiClient, Reply } from '../servers/test-server.ts';

const group = 'rbac.authorization.k8s.io';

export function asAdmin(
  server: ApiClient,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const authorization = `Bearer ${tokens.admin}`;
  return server.request(method, path, { body, headers: { authorization, ...headers } });
}

export function rbacPath(namespace: string, resource: string, name = ''): string {
  const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `/apis/${group}/v1${scope}/${resource}${name === '' ? '' : `/${name}`}`;
}

export function bindingObject(
  namespace: string,
  name: string,
  clusterRole: string,
  subject: { readonly kind: string; readonly name: string },
): JsonObject {
  return {
    apiVersion: `${group}/v1`,
    kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: clusterRole },
    subjects: [{ apiGroup: group, ...subject }],
  };
}

/** Binds a cluster role, everywhere ('') or in a namespace. */
export async function bind(
  server: ApiClient,
  namespace: string,
  name: string,
  clusterRole: string,
  subject: { readonly kind: string; readonly name: string },
): Promise<void> {
  const resource = namespace === '' ? 'clusterrolebindings' : 'rolebindings';
  const object = bindingObject(namespace, name, clusterRole, subject);
  const made = await asAdmin(server, 'POST', rbacPath(namespace, resource), object);
  assert.equal(made.status, 201, made.text);
}

interface Asker {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** The answer of a SubjectAccessReview. */
export async function mayAccess(
  server: ApiClient,
  who: Asker,
  resourceAttributes: JsonObject,
): Promise<boolean> {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const reply = await asAdmin(server, 'POST', path, { spec: { ...who, resourceAttributes } });
  assert.equal(reply.status, 201, reply.text);
  return (reply.body['status'] as JsonObject)['allowed'] === true;
}

interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly group?: string;
}

/** Grants are seen a moment after they are written. */
export function untilAllowed(server: ApiClient, who: Asker, right: Right): Promise<void> {
  return untilDecided(server, who, right, 'allowed');
}

/** So it is when they are taken away. */
export function untilRefused(server: ApiClient, who: Asker, right: Right): Promise<void> {
  return untilDecided(server, who, right, 'refused');
}

async function untilDecided(
  server: ApiClient,
  who: Asker,
  right: Right,
  wanted: 'allowed' | 'refused',
): Promise<void> {
  for (let tries = 0; tries < 20_000; tries += 1) {
    const allowed = await mayAccess(server, who, { group: '', ...right });
    if (allowed === (wanted === 'allowed')) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`${who.user} ${right.verb} ${right.resource}: not ${wanted} in time`);
}
