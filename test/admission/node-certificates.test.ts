/** NodeRestriction: the certificates that the agent of node n1 may ask for, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { makeRequest, requestObject } from '../support/data/signing-requests.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureReply, SecureServer } from '../support/servers/secure-server.ts';

const certificates = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const kubeletSigners = ['kube-apiserver-client-kubelet', 'kubelet-serving'];
const names = ['system:node:n1', 'system:node:n2', 'somebody'] as const;
const refusal = 'can only create a node CSR with CN=system:node:n1';

describe('certificates that a kubelet asks for', () => {
  let server: SecureServer;
  let as: KeyPair;
  let requests: ReadonlyMap<string, string>;
  const start = async (gates: string): Promise<void> => {
    const options = { 'authorization-mode': 'AlwaysAllow', 'feature-gates': gates };
    server = await startSecureServer({ ...options, controllers: '' });
    as = await server.clientCertificate('system:node:n1', ['system:nodes']);
  };
  before(async () => {
    const made = names.map(async (commonName) => {
      const { base64 } = await makeRequest({ commonName, organizations: ['system:nodes'] });
      return [commonName, base64] as const;
    });
    requests = new Map(await Promise.all(made));
    await start('');
  });
  after(() => server.remove());

  let asked = 0;
  const ask = (commonName: string, signer: string): Promise<SecureReply> => {
    const body = requestObject(`r${(asked += 1)}`, requests.get(commonName) ?? '', signer);
    return server.secure(certificates, { method: 'POST', as, body });
  };

  for (const signer of kubeletSigners.map((name) => `kubernetes.io/${name}`)) {
    for (const name of names) {
      const isOwn = name === names[0];
      it(`of ${signer} for ${name} are ${isOwn ? 'its own' : 'refused'}`, async () => {
        const reply = await ask(name, signer);
        assert.equal(reply.status, isOwn ? 201 : 403, reply.text);
        if (!isOwn) assert.ok(String(reply.body['message']).endsWith(`is forbidden: ${refusal}`));
      });
    }
  }

  it('of other signers are those signers’ business', async () => {
    for (const signer of ['example.com/any', 'kubernetes.io/kube-apiserver-client']) {
      const reply = await ask('somebody', signer);
      assert.equal(reply.status, 201, reply.text);
    }
  });

  it('may be labelled and taken back, whatever they say', async () => {
    const { body } = await ask('system:node:n1', 'kubernetes.io/kubelet-serving');
    const { name } = body['metadata'] as unknown as { name: string };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const labels = { metadata: { labels: { a: 'b' } } };
    const target = `${certificates}/${name}`;
    const patch = await server.secure(target, { method: 'PATCH', headers, as, body: labels });
    assert.equal(patch.status, 200, patch.text);
    assert.equal((await server.secure(target, { method: 'DELETE', as })).status, 200);
  });

  it('are any under the gate AllowInsecureKubeletCertificateSigningRequests', async () => {
    await server.remove();
    await start('AllowInsecureKubeletCertificateSigningRequests=true');
    const reply = await ask('system:node:n2', 'kubernetes.io/kubelet-serving');
    assert.equal(reply.status, 201, reply.text);
  });
});
