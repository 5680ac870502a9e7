/**
 * Approving one's own certificate request: what somebody tries who may write requests, their
 * approval and their status, and approve for one signer, but not for the one that is asked.
 *
 * The controllers run: a request that were approved would be signed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asAdmin, bindingObject, rbacPath, untilAllowed } from '../support/clients/access-setup.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { makeRequest, requestObject } from '../support/data/signing-requests.ts';
import type { Reply } from '../support/servers/test-server.ts';

const group = 'certificates.k8s.io';
const requests = `/apis/${group}/v1/certificatesigningrequests`;
const client = 'kubernetes.io/kube-apiserver-client';
const permitted = 'example.com/permitted';
const condition = { type: 'Approved', status: 'True', reason: 'r', message: 'm' };
const approved = { conditions: [condition] };
const own = 'own';

const types = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

interface Attempt {
  readonly title: string;
  readonly method: string;
  readonly at: string;
  readonly body: object;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** 2xx: it is answered, and nothing of it is kept. */
  readonly answers: readonly number[];
}

function attempts(asked: object): readonly Attempt[] {
  const withStatus = { ...asked, status: approved };
  const otherSigner = (body: object): object => ({ ...body, spec: { signerName: permitted } });
  const applied = (extra: object) => ({
    apiVersion: `${group}/v1`,
    kind: 'CertificateSigningRequest',
    metadata: { name: own },
    ...extra,
  });
  const add = [{ op: 'add', path: '/status/conditions', value: [condition] }];
  const forced = '?fieldManager=me&force=true';
  return [
    { title: 'PUT of approval', method: 'PUT', at: '/approval', body: withStatus, answers: [403] },
    {
      title: 'PUT of approval that names a signer that is permitted',
      method: 'PUT',
      at: '/approval',
      body: otherSigner(withStatus),
      answers: [403, 422],
    },
    {
      title: 'a merge patch of approval that names one',
      method: 'PATCH',
      at: '/approval',
      body: otherSigner({ status: approved }),
      type: types.merge,
      answers: [403],
    },
    {
      title: 'a JSON patch of approval',
      method: 'PATCH',
      at: '/approval',
      body: add,
      type: types.json,
      answers: [403],
    },
    {
      title: 'approval, applied by force',
      method: 'PATCH',
      at: `/approval${forced}`,
      body: applied({ status: approved }),
      type: types.apply,
      answers: [403],
    },
    {
      title: 'approval in a dry run',
      method: 'PATCH',
      at: '/approval?dryRun=All',
      body: { status: approved },
      type: types.merge,
      answers: [403],
    },
    {
      title: 'approval by an encoded name of the subresource',
      method: 'PATCH',
      at: '/%61pproval',
      body: { status: approved },
      type: types.merge,
      answers: [400, 403, 404],
    },
    {
      title: 'approval in the name of the administrators',
      method: 'PATCH',
      at: '/approval',
      body: { status: approved },
      type: types.merge,
      headers: { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' },
      answers: [403],
    },
    {
      title: 'PUT of the status',
      method: 'PUT',
      at: '/status',
      body: withStatus,
      answers: [403, 422],
    },
    {
      title: 'the status, applied by force',
      method: 'PATCH',
      at: `/status${forced}`,
      body: applied({ status: approved }),
      type: types.apply,
      answers: [403, 422],
    },
    {
      title: 'a certificate in the status',
      method: 'PATCH',
      at: '/status',
      body: { status: { certificate: Buffer.from('mine').toString('base64') } },
      type: types.merge,
      answers: [403, 422],
    },
    { title: 'PUT of the object', method: 'PUT', at: '', body: withStatus, answers: [200] },
    {
      title: 'PUT of the object with another signer and another requester',
      method: 'PUT',
      at: '',
      body: {
        ...asked,
        spec: { ...(asked as { spec: object }).spec, signerName: permitted, username: 'root' },
      },
      answers: [200, 422],
    },
    {
      title: 'the object, applied by force with a status',
      method: 'PATCH',
      at: forced,
      body: applied({ status: approved }),
      type: types.apply,
      answers: [200],
    },
    {
      title: 'a JSON patch of the object',
      method: 'PATCH',
      at: '',
      body: [{ op: 'add', path: '/status', value: approved }],
      type: types.json,
      answers: [200],
    },
  ];
}

interface Stored {
  readonly spec: { readonly username: string; readonly signerName: string };
  readonly status?: { readonly conditions?: readonly object[]; readonly certificate?: string };
}

describe('approving one’s own certificate request', () => {
  let server: SecureServer;
  let asked: ReturnType<typeof requestObject>;
  let base64 = '';

  before(async () => {
    server = await startSecureServer();
    const rules = [
      {
        verbs: ['*'],
        apiGroups: [group],
        resources: ['', '/approval', '/status'].map((sub) => `certificatesigningrequests${sub}`),
      },
      {
        verbs: ['approve'],
        apiGroups: [group],
        resources: ['signers'],
        resourceNames: [permitted],
      },
    ];
    const role = { metadata: { name: 'asker' }, rules };
    await asAdmin(server, 'POST', rbacPath('', 'clusterroles'), role);
    const binding = bindingObject('', 'asker', 'asker', { kind: 'User', name: 'alice' });
    await asAdmin(server, 'POST', rbacPath('', 'clusterrolebindings'), binding);
    const resource = 'certificatesigningrequests';
    await untilAllowed(
      server,
      { user: 'alice' },
      { verb: 'create', resource, namespace: '', group },
    );
    ({ base64 } = await makeRequest({ commonName: 'alice' }));
    asked = requestObject(own, base64, client);
  });
  after(() => server.remove());

  const alice = (
    method: string,
    target: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Reply> =>
    server.request(method, target, {
      ...(body === undefined ? {} : { body }),
      headers: {
        authorization: `Bearer ${tokens.alice}`,
        'content-type': 'application/json',
        ...more,
      },
    });

  async function stored(name: string): Promise<Stored> {
    const reply = await asAdmin(server, 'GET', `${requests}/${name}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body as unknown as Stored;
  }

  async function assertUndecided(name: string): Promise<void> {
    const { spec, status } = await stored(name);
    assert.deepEqual([spec.username, spec.signerName], ['alice', client]);
    assert.deepEqual(status?.conditions ?? [], []);
    assert.equal(status?.certificate, undefined);
  }

  it('is not had by asking with it: the requester and the status are the server’s', async () => {
    const spec = { ...asked.spec, username: 'root', groups: ['system:masters'], uid: 'uid-0' };
    const made = await alice('POST', requests, { ...asked, spec, status: approved });
    assert.equal(made.status, 201, made.text);
    await assertUndecided(own);
    const applied = { ...asked, metadata: { name: 'applied' }, spec, status: approved };
    const at = `${requests}/applied?fieldManager=me`;
    const reply = await alice('PATCH', at, applied, { 'content-type': types.apply });
    assert.equal(reply.status, 201, reply.text);
    await assertUndecided('applied');
  });

  it('is refused, or leaves nothing, however it is written', async () => {
    for (const { answers, at, body, headers, method, title, type } of attempts(asked)) {
      const more = { ...headers, ...(type === undefined ? {} : { 'content-type': type }) };
      const reply = await alice(method, `${requests}/${own}${at}`, body, more);
      assert.ok(answers.includes(reply.status), `${title}: ${reply.status} ${reply.text}`);
      await assertUndecided(own);
    }
  });

  it('is not had by a request of the same name that takes the place of another', async () => {
    const at = `${requests}/changing`;
    const place = (signer: string): Promise<Reply> =>
      alice('POST', requests, requestObject('changing', base64, signer));
    const approve = (): Promise<Reply> =>
      alice('PATCH', `${at}/approval`, { status: approved }, { 'content-type': types.merge });
    await place(permitted);
    assert.equal((await approve()).status, 200, 'what is permitted can be done');
    assert.equal((await alice('DELETE', at)).status, 200);
    for (let round = 0; round < 20; round += 1) {
      await place(permitted);
      const tries = Array.from({ length: 4 }, approve);
      const replaced = alice('DELETE', at).then(() => place(client));
      await Promise.all(tries);
      assert.equal((await replaced).status, 201);
      await assertUndecided('changing');
      assert.equal((await alice('DELETE', at)).status, 200);
    }
  });
});
