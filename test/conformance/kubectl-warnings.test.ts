/**
 * Warnings as people see them: an old and a new kubectl print each of them, and take the object.
 *
 * Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const deployment = (nodeSelector: object): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { nodeSelector, containers: [{ name: 'c', image: 'i' }] },
      },
    },
  });
const newLabel = { 'kubernetes.io/os': 'linux' };
const oldLabel = { 'beta.kubernetes.io/os': 'linux' };
const warning =
  'Warning: spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use ' +
  '"kubernetes.io/os" instead\n';

for (const release of ['1.27', '1.33']) {
  const program = findKubectl(release) ?? '';
  const skip = program === '' && `no kubectl ${release} is installed`;
  describe(`kubectl ${release}`, { skip }, () => {
    let server: TestServer;
    let home: string;
    let kubectl: (args: string, input?: string) => Promise<Ran>;
    before(async () => {
      server = await startTestServer({ 'disable-admission-plugins': '', controllers: '*' });
      home = directories.make();
      await writeFile(path.join(home, 'config'), 'apiVersion: v1\nkind: Config\n');
      kubectl = (args, input = '') =>
        runKubectl(
          program,
          { home, kubeconfig: path.join(home, 'config') },
          [`--server=${server.url}`, ...args.split(' ')],
          input,
        );
    });
    after(async () => {
      await server.remove();
      await directories.removeAll();
    });

    test('prints what is said of an object that it applies, on either side', async () => {
      const made = await kubectl('apply -f -', deployment(newLabel));
      assert.deepEqual([made.code, made.stderr], [0, '']);
      for (const dryRun of [' --dry-run=server', '']) {
        const own = await kubectl(`apply -f -${dryRun}`, deployment(oldLabel));
        assert.deepEqual([own.code, own.stderr], [0, warning]);
      }
      await kubectl('delete deployment d');
      const applied = await kubectl('apply --server-side -f -', deployment(newLabel));
      assert.deepEqual([applied.code, applied.stderr], [0, '']);
    });

    test('prints what is said of a service, an ingress and a volume in one file', async () => {
      const list = {
        apiVersion: 'v1',
        kind: 'List',
        items: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 's' },
            spec: { clusterIP: 'None', sessionAffinity: 'ClientIP', ports: [{ port: 80 }] },
          },
          {
            apiVersion: 'networking.k8s.io/v1',
            kind: 'Ingress',
            metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'nginx' } },
            spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
          },
          {
            apiVersion: 'v1',
            kind: 'PersistentVolume',
            metadata: { name: 'v' },
            spec: {
              capacity: { storage: '1Gi' },
              accessModes: ['ReadWriteOnce'],
              persistentVolumeReclaimPolicy: 'Recycle',
              hostPath: { path: '/tmp/v' },
            },
          },
        ],
      };
      const { code, stderr } = await kubectl('create -f -', JSON.stringify(list));
      assert.equal(code, 0, stderr);
      assert.deepEqual(stderr.trimEnd().split('\n'), [
        'Warning: spec.SessionAffinity is ignored for headless services',
        'Warning: annotation "kubernetes.io/ingress.class" is deprecated, ' +
          "please use 'spec.ingressClassName' instead",
        'Warning: spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ' +
          'Instead, the recommended approach is to use dynamic provisioning.',
      ]);
    });

    test('is told why a pod may not be, and runs one in a namespace made before it', async () => {
      const refused = await kubectl(
        'run p --image=i --overrides={"spec":{"serviceAccountName":"x"}}',
      );
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /\(Forbidden\): pods "p" is forbidden: error looking up service account default\/x: serviceaccount "x" not found/,
      );
      assert.equal((await kubectl('create namespace fresh')).code, 0);
      const ran = await kubectl('run p --image=i -n fresh');
      assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, 'pod/p created\n', '']);
    });
  });
}
