/**
 * The real kubectl, an old and a new one, with quotas and the addresses of services.
 *
 * Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl-quota');

for (const release of ['1.27', '1.33'] as const) {
  const program = findKubectl(release);
  const skip = program === undefined ? `no kubectl.${release} beside the installed kubectl` : false;
  describe(`kubectl ${release}, quotas and addresses`, { skip }, () => {
    let dataDir = '';
    let server: ChildServer;
    before(async () => {
      dataDir = directories.make();
      server = await startChildServer([
        '--http-port=0',
        `--data-dir=${dataDir}`,
        '--identity=kubernetes',
        '--controllers=resourcequota',
      ]);
    });
    after(async () => {
      await server.stop('SIGTERM');
      await directories.removeAll();
    });
    const run = (...args: readonly string[]): Promise<Ran> =>
      runKubectl(program as string, { home: dataDir, kubeconfig: server.kubeconfig }, args);

    test('prints what a quota has used, and why a write is refused', async () => {
      await run('create', 'quota', 'q', '--hard=count/configmaps=1,services.nodeports=1');
      await run('create', 'configmap', 'a');
      const refused = await run('create', 'configmap', 'b');
      assert.match(
        refused.stderr,
        /exceeded quota: q, requested: count\/configmaps=1, used: count\/configmaps=1, limited: count\/configmaps=1/,
      );
      const { stdout } = await run('describe', 'quota', 'q');
      assert.match(stdout, /count\/configmaps\s+1\s+1\n/);
      assert.match(stdout, /services\.nodeports\s+0\s+1\n/);
      await run('delete', 'configmap', 'a');
      assert.match((await run('describe', 'quota', 'q')).stdout, /count\/configmaps\s+0\s+1\n/);
    });

    test('exposes with an address and a node port', async () => {
      await run('create', 'service', 'nodeport', 'web', '--tcp=80:8080');
      const { stdout } = await run('get', 'service', 'web', '--no-headers');
      assert.match(stdout, /^web\s+NodePort\s+10\.0\.0\.\d+\s+<none>\s+80:3\d{4}\/TCP/);
      const second = await run('create', 'service', 'nodeport', 'web2', '--tcp=80:8080');
      assert.match(second.stderr, /exceeded quota: q, requested: services\.nodeports=1/);
      await run('expose', 'service', 'web', '--name=again', '--port=81', '--selector=app=web');
      assert.match(
        (await run('get', 'service', 'again', '--no-headers')).stdout,
        /ClusterIP\s+10\.0/,
      );
    });
  });
}
