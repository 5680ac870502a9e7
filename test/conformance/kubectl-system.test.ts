/**
 * What an old and a new kubectl show of the objects that a server makes itself, on a server as
 * `npm start` makes it. Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const programs = ['1.27', '1.33'].map((release) => [release, findKubectl(release)] as const);
const missing = programs.every(([, program]) => program === undefined);

describe('kubectl and the system’s objects', { skip: missing && 'no kubectl found' }, () => {
  let dataDir = '';
  let server: ChildServer;

  before(async () => {
    dataDir = directories.make();
    server = await startChildServer([
      '--secure-port=0',
      '--http-port=off',
      '--authorization-mode=RBAC',
      '--anonymous-auth=',
      '--controllers=*',
      '--identity=kubernetes',
      '--advertise-address=192.0.2.7',
      `--data-dir=${dataDir}`,
    ]);
  });
  after(async () => {
    await server.stop('SIGTERM');
    await directories.removeAll();
  });

  for (const [release, program] of programs) {
    const skip = program === undefined && `kubectl ${release} not found`;
    const kubectl = async (line: string): Promise<string> => {
      const { kubeconfig } = server;
      const at = { home: dataDir, kubeconfig };
      const ran = await runKubectl(program ?? '', at, line.split(' '));
      assert.equal(ran.code, 0, `kubectl ${line}: ${ran.stderr}`);
      return ran.stdout;
    };

    test(`${release}: cluster-info names the server`, { skip }, async () => {
      assert.match(await kubectl('cluster-info'), /control plane.*is running at.*https:\/\/127/);
    });

    test(`${release}: each kind is listed, as it is`, { skip }, async () => {
      await eventually('the service is there', async () =>
        (await kubectl('get endpointslices')).includes('192.0.2.7'),
      );
      const all = await kubectl('get all -A');
      assert.match(all, /default +service\/kubernetes +ClusterIP +10\.0\.0\.1 +<none> +443\/TCP/);
      const { port } = server;
      const endpoints = await kubectl('get endpoints kubernetes');
      assert.match(endpoints, new RegExp(`kubernetes +192\\.0\\.2\\.7:${port} `));
      const slices = await kubectl('get endpointslices');
      assert.match(slices, new RegExp(`kubernetes +IPv4 +${port} +192\\.0\\.2\\.7 `));
      const classes = await kubectl('get priorityclasses');
      assert.match(classes, /system-cluster-critical +2000000000 +false/);
      assert.match(classes, /system-node-critical +2000001000 +false/);
      const schemas = await kubectl('get flowschemas');
      assert.match(schemas, /\nprobes +exempt +2 +<none> +\S+ +False/);
      assert.match(schemas, /\nservice-accounts +workload-low +9000 +ByUser +\S+ +False/);
      const levels = await kubectl('get prioritylevelconfigurations');
      assert.match(levels, /\nworkload-high +Limited +40 +128 +6 +50 /);
      assert.match(levels, /\ncatch-all +Limited +5 +<none> +<none> +<none> /);
      assert.match(await kubectl('get servicecidrs'), /\nkubernetes +10\.0\.0\.0\/24 /);
      await kubectl('wait --for=condition=Ready servicecidr/kubernetes --timeout=300s');
    });
  }
});
