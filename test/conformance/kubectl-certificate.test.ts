/**
 * Certificates by kubectl, an old one and a new one: asked for, approved or denied by those who may,
 * signed, and used. Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { makeRequest, requestObject } from '../support/data/signing-requests.ts';
import type { MadeRequest } from '../support/data/signing-requests.ts';
import { kubeconfigFor } from '../support/data/kubeconfig.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const programs = ['1.27', '1.33'].map((release) => [release, findKubectl(release)] as const);
const missing = programs.every(([, program]) => program === undefined);
const client = 'kubernetes.io/kube-apiserver-client';

describe('kubectl certificate', { skip: missing ? 'no kubectl found' : false }, () => {
  let dataDir = '';
  let server: ChildServer;

  before(async () => {
    dataDir = directories.make();
    await writeFile(path.join(dataDir, 'tokens.csv'), 'alices-token,alice,u1\n');
    server = await startChildServer([
      '--secure-port=0',
      '--http-port=off',
      '--authorization-mode=Node,RBAC',
      '--anonymous-auth=',
      '--identity=kubernetes',
      '--controllers=*',
      `--token-auth-file=${path.join(dataDir, 'tokens.csv')}`,
      `--data-dir=${dataDir}`,
    ]);
  });
  after(async () => {
    await server.stop('SIGTERM');
    await directories.removeAll();
  });

  /** The same server for another user. */
  async function kubeconfigOf(name: string, user: object): Promise<string> {
    const own = readFileSync(server.kubeconfig, 'utf8');
    const caData = /certificate-authority-data: *(\S+)/.exec(own)?.[1];
    const file = path.join(dataDir, `${name}.kubeconfig`);
    const cluster = { server: server.url, 'certificate-authority-data': caData };
    await writeFile(file, kubeconfigFor(cluster, user));
    return file;
  }

  for (const [release, program] of programs) {
    const skip = program === undefined ? `no kubectl.${release} found` : false;
    describe(`of kubectl ${release}`, { skip }, () => {
      const run = (kubeconfig: string, args: readonly string[], input?: string): Promise<Ran> =>
        runKubectl(program ?? '', { home: dataDir, kubeconfig }, args, input);
      const admin = async (args: readonly string[], input?: string): Promise<string> => {
        const { code, stderr, stdout } = await run(server.kubeconfig, args, input);
        assert.equal(code, 0, stderr);
        return stdout;
      };
      const plain = release.replace('.', '-');

      async function ask(name: string, signer = client): Promise<MadeRequest> {
        const made = await makeRequest({ commonName: 'jane', organizations: ['devs'] });
        const object = requestObject(name, made.base64, signer);
        await admin(['create', '-f', '-'], JSON.stringify(object));
        return made;
      }

      test('approve makes a certificate that says who one is', async () => {
        const name = `jane-${plain}`;
        const made = await ask(name);
        assert.match(await admin(['get', 'csr', name]), /Pending/);
        const approved = await admin(['certificate', 'approve', name]);
        assert.match(approved, new RegExp(`certificatesigningrequest.* approved`));
        let data = '';
        for (let tries = 0; data === '' && tries < 200; tries += 1) {
          data = await admin(['get', 'csr', name, '-o', 'jsonpath={.status.certificate}']);
        }
        assert.match(await admin(['get', 'csr', name]), /Approved,Issued/);
        const key = Buffer.from(made.keyPem).toString('base64');
        const user = { 'client-certificate-data': data, 'client-key-data': key };
        const jane = await run(await kubeconfigOf(name, user), ['get', 'pods']);
        assert.match(jane.stderr, /User "jane" cannot list resource "pods"/);
        await admin(['delete', 'csr', name]);
      });

      test('deny is for ever', async () => {
        const name = `denied-${plain}`;
        await ask(name);
        assert.match(await admin(['certificate', 'deny', name]), /denied/);
        assert.match(await admin(['get', 'csr', name]), /Denied/);
        const late = await run(server.kubeconfig, ['certificate', 'approve', name]);
        assert.notEqual(late.code, 0);
        assert.match(late.stderr, /Denied|mutually exclusive|remove/);
        await admin(['delete', 'csr', name]);
      });

      test('approve is for those who may approve for the signer', async () => {
        const alice = await kubeconfigOf('alice', { token: 'alices-token' });
        const [role, name] = [`approver-${plain}`, `asked-${plain}`];
        const rule = (more: object) => ({ apiGroups: ['certificates.k8s.io'], ...more });
        const rules = [
          rule({ resources: ['certificatesigningrequests'], verbs: ['get', 'list', 'watch'] }),
          rule({ resources: ['certificatesigningrequests/approval'], verbs: ['update'] }),
        ];
        const object = {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: role },
        };
        await admin(['apply', '-f', '-'], JSON.stringify({ ...object, rules }));
        await admin([
          'create',
          'clusterrolebinding',
          role,
          '--user=alice',
          `--clusterrole=${role}`,
        ]);
        await ask(name);
        const approve = ['certificate', 'approve', name];
        let said = await run(alice, approve);
        for (let tries = 0; /cannot (get|update)/.test(said.stderr) && tries < 100; tries += 1) {
          said = await run(alice, approve);
        }
        assert.notEqual(said.code, 0);
        assert.match(
          said.stderr,
          /is forbidden: user not permitted to approve requests with signerName "kubernetes.io\/kube-apiserver-client"/,
        );
        const signers = { resources: ['signers'], resourceNames: ['kubernetes.io/*'] };
        const more = [...rules, rule({ ...signers, verbs: ['approve'] })];
        await admin(['apply', '-f', '-'], JSON.stringify({ ...object, rules: more }));
        for (let tries = 0; said.code !== 0 && tries < 100; tries += 1) {
          said = await run(alice, approve);
        }
        assert.equal(said.code, 0, said.stderr);
        await admin(['delete', 'clusterrolebinding', role]);
      });
    });
  }
});
