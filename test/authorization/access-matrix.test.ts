/**
 * Every verb on resources, subresources and paths, as five users: the decisions are written by hand.
 * A request that gets past authorization fails for what it lacks (no body, no such object), never
 * with 403.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { bind, untilAllowed } from '../support/clients/access-setup.ts';

const users = ['root', 'alice', 'bob', 'carol', 'anonymous'] as const;
type User = (typeof users)[number];

/** alice: view everywhere. bob (by group team-a): edit in `one`. carol: admin in `one`. */
const headersOf: Readonly<Record<User, Record<string, string>>> = {
  root: { authorization: `Bearer ${tokens.admin}` },
  alice: { authorization: `Bearer ${tokens.alice}` },
  bob: { authorization: `Bearer ${tokens.bob}` },
  carol: { authorization: `Bearer ${tokens.admin}`, 'impersonate-user': 'carol' },
  anonymous: {},
};

const one = '/api/v1/namespaces/one';
const two = '/api/v1/namespaces/two';
const apps = '/apis/apps/v1/namespaces/one';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Method, path, and who may: r(oot) a(lice) b(ob) c(arol) and n(obody known). */
const rows: readonly [string, string, string][] = [
  ['GET', `${one}/pods/x`, 'rabc'],
  ['GET', `${one}/pods`, 'rabc'],
  ['GET', `${one}/pods?watch=true&resourceVersion=x`, 'rabc'],
  ['POST', `${one}/pods`, 'rbc'],
  ['PUT', `${one}/pods/x`, 'rbc'],
  ['PATCH', `${one}/pods/x`, 'rbc'],
  ['DELETE', `${one}/pods/x`, 'rbc'],
  ['DELETE', `${one}/pods?dryRun=All`, 'rbc'],
  ['GET', `${two}/pods/x`, 'ra'],
  ['GET', `${two}/pods`, 'ra'],
  ['POST', `${two}/pods`, 'r'],
  ['DELETE', `${two}/pods/x`, 'r'],
  ['GET', '/api/v1/pods', 'ra'],
  ['GET', '/api/v1/pods?watch=true&resourceVersion=x', 'ra'],
  ['GET', `${one}/pods/x/status`, 'rabc'],
  ['PUT', `${one}/pods/x/status`, 'r'],
  ['PATCH', `${one}/pods/x/status`, 'r'],
  ['GET', `${apps}/deployments/x/scale`, 'rabc'],
  ['PUT', `${apps}/deployments/x/scale`, 'rbc'],
  ['PATCH', `${apps}/deployments/x/scale`, 'rbc'],
  ['PUT', `${apps}/deployments/x/status`, 'r'],
  ['GET', `${one}/secrets/x`, 'rbc'],
  ['GET', `${one}/secrets`, 'rbc'],
  ['GET', `${one}/secrets?watch=true&resourceVersion=x`, 'rbc'],
  ['GET', `${one}/secrets?fieldSelector=metadata.name%3Dx`, 'rbc'],
  ['GET', `${two}/secrets/x`, 'r'],
  ['GET', '/api/v1/secrets', 'r'],
  ['POST', `${one}/secrets`, 'rbc'],
  ['POST', `${one}/serviceaccounts/default/token`, 'rbc'],
  ['GET', '/api/v1/namespaces', 'ra'],
  ['GET', '/api/v1/namespaces/one', 'rabc'],
  ['GET', '/api/v1/namespaces/two', 'ra'],
  ['POST', '/api/v1/namespaces', 'r'],
  ['DELETE', '/api/v1/namespaces/nil', 'r'],
  ['PUT', '/api/v1/namespaces/one/finalize', 'r'],
  ['GET', '/api/v1/nodes', 'r'],
  ['GET', '/api/v1/nodes/x', 'r'],
  ['PATCH', '/api/v1/nodes/x/status', 'r'],
  ['GET', `${rbac}/namespaces/one/roles`, 'rc'],
  ['POST', `${rbac}/namespaces/one/roles`, 'rc'],
  ['POST', `${rbac}/namespaces/two/roles`, 'r'],
  ['DELETE', `${rbac}/namespaces/one/rolebindings/x`, 'rc'],
  ['GET', `${rbac}/clusterroles`, 'r'],
  ['POST', `${rbac}/clusterrolebindings`, 'r'],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'rabc'],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', 'rabc'],
  ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', 'r'],
  ['POST', '/apis/authorization.k8s.io/v1/namespaces/one/localsubjectaccessreviews', 'rc'],
  ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', 'rabc'],
  ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', 'r'],
  ['GET', '/apis/coordination.k8s.io/v1/namespaces/one/leases/x', 'rbc'],
  // What does not exist is not told to who may not ask.
  ['GET', '/apis/nothing.example/v1/things', 'r'],
  ['GET', '/api', 'rabc'],
  ['GET', '/api/v1', 'rabc'],
  ['GET', '/apis', 'rabc'],
  ['GET', '/openapi/v3', 'rabc'],
  ['GET', '/version', 'rabcn'],
  ['GET', '/healthz', 'rabcn'],
  ['GET', '/livez', 'rabcn'],
  ['GET', '/readyz', 'rabcn'],
  ['GET', '/livez/ping', 'r'],
  ['GET', '/metrics', 'r'],
  ['POST', '/healthz', 'r'],
  ['GET', '/', 'r'],
  ['GET', '/nothing', 'r'],
];

const letters: Readonly<Record<User, string>> = {
  root: 'r',
  alice: 'a',
  bob: 'b',
  carol: 'c',
  anonymous: 'n',
};

describe('who may do what', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer();
    const request = (method: string, path: string, body?: object) =>
      server.request(method, path, { headers: headersOf.root, body });
    for (const name of ['one', 'two']) {
      const made = await request('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
      assert.equal(made.status, 201, made.text);
    }
    await bind(server, '', 'alice-views', 'view', { kind: 'User', name: 'alice' });
    await bind(server, 'one', 'team-edits', 'edit', { kind: 'Group', name: 'team-a' });
    await bind(server, 'one', 'carol-admin', 'admin', { kind: 'User', name: 'carol' });
    await untilAllowed(
      server,
      { user: 'alice' },
      { verb: 'list', resource: 'pods', namespace: 'two' },
    );
    await untilAllowed(
      server,
      { user: 'bob', groups: ['team-a'] },
      { verb: 'list', resource: 'pods', namespace: 'one' },
    );
    await untilAllowed(
      server,
      { user: 'carol' },
      { verb: 'list', resource: 'pods', namespace: 'one' },
    );
  });
  after(() => server.remove());

  for (const [method, path, allowed] of rows) {
    it(`${method} ${path}: ${allowed}`, async () => {
      for (const user of users) {
        const headers = {
          ...headersOf[user],
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        };
        const reply = await server.request(method, path, { headers });
        assert.notEqual(reply.status, 401, `${user}: ${reply.text}`);
        assert.equal(
          reply.status !== 403,
          allowed.includes(letters[user]),
          `${user}: ${reply.status} ${reply.text}`,
        );
      }
    });
  }
});
