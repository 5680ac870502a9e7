/**
 * Rights to approve, sign and attest, over HTTP: beside the right to write the object. With RBAC,
 * which answers at once, and with a webhook, which has to be waited for: the same table.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { asAdmin, rbacPath } from '../support/clients/access-setup.ts';
import { startAuthorizationHook } from '../support/servers/authorization-hook.ts';
import type { AuthorizationHook } from '../support/servers/authorization-hook.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { makeRequest, requestObject, somebody } from '../support/data/signing-requests.ts';
import type { Reply } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-signers');

const someRequest = await makeRequest(somebody);
const api = '/apis/certificates.k8s.io';
const requests = `${api}/v1/certificatesigningrequests`;
const bundles = `${api}/v1beta1/clustertrustbundles`;
const client = 'kubernetes.io/kube-apiserver-client';
const rbac = 'rbac.authorization.k8s.io';

/** What alice may do with signers; the objects she may write all. */
const rights: readonly (readonly [string, string])[] = [
  ['approve', 'example.com/named'],
  ['approve', 'domain.com/*'],
  ['sign', 'example.com/named'],
  ['sign', 'domain.com/*'],
  ['attest', 'example.com/named'],
  ['attest', 'domain.com/*'],
];

interface Row {
  readonly signer: string;
  readonly allowed: boolean;
}

const rows: readonly Row[] = [
  { signer: 'example.com/named', allowed: true },
  { signer: 'domain.com/any', allowed: true },
  { signer: 'example.com/other', allowed: false },
  { signer: 'sub.domain.com/any', allowed: false },
  { signer: client, allowed: false },
];

const condition = { status: 'True', reason: 'r', message: 'm' };
const certificate = async (): Promise<string> =>
  (await readFile('test/support/data/tls-certificate.pem')).toString('base64');

function checks(start: () => Promise<SecureServer>): void {
  let server: SecureServer;
  let made = 0;
  before(async () => {
    server = await start();
  });
  after(() => server.remove());

  const alice = (method: string, target: string, body: object): Promise<Reply> =>
    server.request(method, target, {
      body,
      headers: {
        authorization: `Bearer ${tokens.alice}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
    });

  function judge(reply: Reply, { allowed, signer }: Row, what: string): void {
    if (allowed) return assert([200, 201].includes(reply.status), reply.text);
    assert.equal(reply.status, 403, reply.text);
    const message = String(reply.body['message']);
    assert(message.endsWith(`user not permitted to ${what} signerName "${signer}"`), message);
  }

  async function request(signer: string): Promise<string> {
    const name = `request-${(made += 1)}`;
    const reply = await asAdmin(
      server,
      'POST',
      requests,
      requestObject(name, someRequest.base64, signer),
    );
    assert.equal(reply.status, 201, reply.text);
    return name;
  }

  for (const row of rows) {
    const { signer } = row;
    const verdict = row.allowed ? 'allowed' : 'refused';
    it(`approving and denying a request to ${signer} is ${verdict}`, async () => {
      for (const type of ['Approved', 'Denied']) {
        const name = await request(signer);
        const status = { conditions: [{ ...condition, type }] };
        const at = `${requests}/${name}/approval`;
        const dry = await alice('PATCH', `${at}?dryRun=All`, { status });
        judge(dry, row, 'approve requests with');
        judge(await alice('PATCH', at, { status }), row, 'approve requests with');
      }
    });

    it(`signing a request to ${signer} is ${verdict}; its metadata are no matter of it`, async () => {
      const at = `${requests}/${await request(signer)}/status`;
      const labelled = await alice('PATCH', at, { metadata: { labels: { a: 'b' } } });
      assert.equal(labelled.status, 200, labelled.text);
      const status = { certificate: await certificate() };
      judge(await alice('PATCH', at, { status }), row, 'sign requests with');
      const failed = { conditions: [{ ...condition, type: 'Failed' }] };
      judge(await alice('PATCH', at, { status: failed }), row, 'sign requests with');
    });

    it(`attesting for ${signer} is ${verdict}`, async () => {
      const name = `${signer.replace('/', ':')}:bundle`;
      const spec = {
        signerName: signer,
        trustBundle: Buffer.from(await certificate(), 'base64').toString(),
      };
      judge(await alice('POST', bundles, { metadata: { name }, spec }), row, 'attest for');
      if (!row.allowed) {
        const asRoot = await asAdmin(server, 'POST', bundles, { metadata: { name }, spec });
        assert.equal(asRoot.status, 201, asRoot.text);
      }
      const labels = { metadata: { labels: { a: 'b' } } };
      judge(await alice('PATCH', `${bundles}/${name}`, labels), row, 'attest for');
      // What garbage collection does may be done by whoever may write.
      const finalizers = { metadata: { finalizers: ['example.com/f'] } };
      assert.equal((await alice('PATCH', `${bundles}/${name}`, finalizers)).status, 200);
    });
  }

  it('a bundle without a signer is nobody’s to attest', async () => {
    const trustBundle = Buffer.from(await certificate(), 'base64').toString();
    const bundle = { metadata: { name: 'plain' }, spec: { trustBundle } };
    const reply = await alice('POST', bundles, bundle);
    assert.equal(reply.status, 201, reply.text);
  });

  it('nobody asks for a client certificate of the administrators’ group', async () => {
    const masters = await makeRequest({ commonName: 'a', organizations: ['x', 'system:masters'] });
    const send = (signer: string) =>
      asAdmin(
        server,
        'POST',
        requests,
        requestObject(`masters-${signer.length}`, masters.base64, signer),
      );
    const refused = await send(client);
    assert.equal(refused.status, 403, refused.text);
    assert.match(
      String(refused.body['message']),
      /use of kubernetes.io\/kube-apiserver-client signer with system:masters group is not allowed/,
    );
    assert.equal((await send('example.com/other')).status, 201);
  });
}

const served = { controllers: '', 'runtime-config': 'api/all=true' };

describe('rights to signers, by RBAC', () => {
  checks(async () => {
    const server = await startSecureServer({ ...served, 'authorization-mode': 'RBAC' });
    const write = {
      verbs: ['*'],
      apiGroups: ['certificates.k8s.io'],
      resources: [
        'certificatesigningrequests',
        'certificatesigningrequests/approval',
        'certificatesigningrequests/status',
        'clustertrustbundles',
      ],
    };
    const rules = rights.map(([verb, name]) => ({
      verbs: [verb],
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: [name],
    }));
    const role = { metadata: { name: 'approver' }, rules: [write, ...rules] };
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'approver' };
    const subjects = [{ apiGroup: rbac, kind: 'User', name: 'alice' }];
    await asAdmin(server, 'POST', rbacPath('', 'clusterroles'), role);
    const binding = { metadata: { name: 'approver' }, roleRef, subjects };
    await asAdmin(server, 'POST', rbacPath('', 'clusterrolebindings'), binding);
    for (let tries = 0; tries < 20_000; tries += 1) {
      const authorization = `Bearer ${tokens.alice}`;
      const reply = await server.request('GET', requests, { headers: { authorization } });
      if (reply.status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return server;
  });
});

describe('rights to signers, by a webhook', () => {
  let folder = '';
  let hook: AuthorizationHook | undefined;
  after(async () => {
    hook?.close();
    await directories.removeAll();
  });
  checks(async () => {
    folder = directories.make();
    const file = path.join(folder, 'hook.yaml');
    hook = await startAuthorizationHook(file, ({ name, resource, verb }) =>
      resource === 'signers' ? rights.some((each) => each.join() === `${verb},${name}`) : true,
    );
    return startSecureServer({
      ...served,
      'authorization-mode': 'Webhook',
      'authorization-webhook-config-file': file,
      'authorization-webhook-version': 'v1',
    });
  });

  it('were asked of the webhook', () => {
    const verbs = new Set(
      hook?.asked.filter(({ resource }) => resource === 'signers').map(({ verb }) => verb),
    );
    assert.deepEqual([...verbs].sort(), ['approve', 'attest', 'sign']);
  });
});

describe('the flags of admission', () => {
  it('leave out what they name', async () => {
    const server = await startSecureServer({
      ...served,
      'authorization-mode': 'AlwaysAllow',
      'disable-admission-plugins': 'CertificateSubjectRestriction,NodeRestriction',
    });
    const masters = await makeRequest({ commonName: 'a', organizations: ['system:masters'] });
    const reply = await asAdmin(
      server,
      'POST',
      requests,
      requestObject('m', masters.base64, client),
    );
    assert.equal(reply.status, 201, reply.text);
    const as = await server.clientCertificate('system:node:n1', ['system:nodes']);
    const node = { metadata: { name: 'n2' } };
    const made = await server.secure('/api/v1/nodes', { method: 'POST', body: node, as });
    assert.equal(made.status, 201, made.text);
    await server.remove();
  });
});
