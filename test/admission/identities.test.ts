/** Built-in plugins under both identities: the names of labels, groups and files that they know. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { IdentityName } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';

for (const name of ['svc', 'kubernetes'] satisfies IdentityName[]) {
  describe(`built-in plugins under ${name}`, () => {
    const { domain, labelDomain } = identityOf(name);
    it('know their names', async () => {
      const server = await startTestServer({
        identity: name,
        'disable-admission-plugins': '',
        controllers: '*',
      });
      const post = (target: string, body: object) => server.request('POST', target, { body });
      const labels = { [`pod-security.${labelDomain}/enforce`]: 'baseline' };
      await post('/api/v1/namespaces', { metadata: { name: 'n', labels } });
      const classes = `/apis/storage.${domain}/v1/storageclasses`;
      const mark = `storageclass.${labelDomain}/is-default-class`;
      await post(classes, {
        metadata: { name: 'usual', annotations: { [mark]: 'true' } },
        provisioner: 'example.com/p',
      });
      const spec = { containers: [{ name: 'c', image: 'i' }] };
      const pods = '/api/v1/namespaces/n/pods';
      const pod = await post(pods, { metadata: { name: 'p' }, spec });
      assert.equal(pod.status, 201, pod.text);
      const made = pod.body['spec'] as JsonObject;
      const [toleration] = made['tolerations'] as JsonObject[];
      assert.equal(toleration?.['key'], `node.${labelDomain}/not-ready`);
      const [container] = made['containers'] as JsonObject[];
      const [mount] = container?.['volumeMounts'] as JsonObject[];
      assert.equal(mount?.['mountPath'], `/var/run/secrets/${labelDomain}/serviceaccount`);
      const refused = await post(pods, {
        metadata: { name: 'q' },
        spec: { ...spec, hostPID: true },
      });
      assert.equal(refused.status, 403, refused.text);
      const claim = await post('/api/v1/namespaces/n/persistentvolumeclaims', {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
      });
      assert.equal((claim.body['spec'] as JsonObject)['storageClassName'], 'usual', claim.text);
      assert.deepEqual((claim.body['metadata'] as JsonObject)['finalizers'], [
        `${labelDomain}/pvc-protection`,
      ]);
      await server.remove();
    });
  });
}
