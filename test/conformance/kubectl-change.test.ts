/**
 * The real kubectl, an old and a new one, changing objects: applies of both kinds, patches, an
 * editor, the commands that patch, evictions and waits.
 *
 * Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { podSpec } from '../support/data/valid-objects.ts';
import { makeRequest, somebody } from '../support/data/signing-requests.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const someRequest = await makeRequest(somebody);
const releases = ['1.27', '1.33'] as const;

const labels = { app: 'web' };
const environment = [{ name: 'A', value: '1' }];

function deployment(replicas: number, container: object = { env: environment }): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'example.io/web:1', ...container }] },
      },
    },
  });
}

function runningPod(name: string): string {
  const metadata = { name, labels: { app: 'guarded' } };
  const spec = podSpec({ nodeName: 'node', terminationGracePeriodSeconds: 0 });
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
}

const budget = JSON.stringify({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'budget' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
});

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

for (const release of releases) {
  const program = findKubectl(release);
  const skip = program === undefined ? `no kubectl.${release} beside the installed kubectl` : false;
  describe(`kubectl ${release} changes objects`, { skip }, () => {
    let dataDir = '';
    let server: ChildServer;

    const run = (
      args: readonly string[],
      input?: string,
      more?: NodeJS.ProcessEnv,
    ): Promise<Ran> => {
      const { kubeconfig } = server;
      return runKubectl(program ?? '', { home: dataDir, kubeconfig }, args, input, more);
    };
    const succeeds = async (args: readonly string[], input = ''): Promise<string> => {
      const ran = await run(args, input);
      assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
      return ran.stdout;
    };
    const applyServerSide = (input: string, ...more: string[]): Promise<Ran> =>
      run(['apply', '--server-side', '-f', '-', ...more], input);
    const shown = (jsonpath: string, what = 'deployment/web'): Promise<string> =>
      succeeds(['get', what, '-o', `jsonpath=${jsonpath}`]);
    const patchStatus = (what: string, status: object): Promise<string> =>
      succeeds([
        'patch',
        what,
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status }),
      ]);

    before(async () => {
      dataDir = directories.make();
      server = await startChildServer([
        '--http-port=0',
        `--data-dir=${dataDir}`,
        '--identity=kubernetes',
      ]);
    });
    after(async () => {
      await server.stop('SIGTERM');
      await directories.removeAll();
    });

    test('apply --server-side: again, a conflict, forced, a field that goes, delete', async () => {
      const first = await applyServerSide(deployment(2));
      assert.equal(first.stdout, 'deployment.apps/web serverside-applied\n', first.stderr);
      const version = await shown('{.metadata.resourceVersion}');
      assert.equal((await applyServerSide(deployment(2))).code, 0);
      assert.equal(await shown('{.metadata.resourceVersion}'), version);

      const other = await applyServerSide(deployment(5), '--field-manager=other');
      assert.notEqual(other.code, 0);
      assert.match(
        other.stderr,
        /^error: Apply failed with 1 conflict: conflict with "kubectl": \.spec\.replicas\n/,
      );
      const forced = ['--field-manager=other', '--force-conflicts'];
      assert.equal((await applyServerSide(deployment(5), ...forced)).code, 0);
      assert.equal(await shown('{.spec.replicas}'), '5');

      assert.equal((await applyServerSide(deployment(5, {}))).code, 0);
      const env = '{.spec.template.spec.containers[0].env[*].name}';
      assert.equal(await shown(env), 'A', 'the other manager still owns it');
      assert.equal((await applyServerSide(deployment(5, {}), '--field-manager=other')).code, 0);
      assert.equal(await shown(env), '');
      const deleted = await succeeds(['delete', '-f', '-'], deployment(5));
      assert.equal(deleted, 'deployment.apps "web" deleted\n');
    });

    test('a Secret in text: created, applied, replaced, edited, and never its own conflict', async () => {
      const secret = (password: string): string =>
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'text' },
          stringData: { password },
        });
      const applies = async (): Promise<void> => {
        const ran = await applyServerSide(secret('one'));
        assert.equal(ran.stdout, 'secret/text serverside-applied\n', ran.stderr);
      };
      await succeeds(['create', '-f', '-'], secret('one'));
      await applies();
      await applies();
      await succeeds(['replace', '-f', '-'], secret('one'));
      await applies();
      const change = ['-p', '{"stringData":{"password":"two"}}'];
      await succeeds(['patch', 'secret', 'text', '--type=merge', ...change]);
      assert.equal(await shown('{.data.password}', 'secret/text'), 'dHdv');
      await applies();
      assert.equal(await shown('{.data.password}', 'secret/text'), 'b25l');
      const owners = await shown(
        '{.metadata.managedFields[?(@.operation=="Update")]}',
        'secret/text',
      );
      assert.doesNotMatch(owners, /stringData/);
    });

    test('JSON patches: absent members, moves, and what is none', async () => {
      await succeeds(['create', 'configmap', 'moved', '--from-literal=a=1']);
      const patch = (...operations: object[]): Promise<Ran> =>
        run(['patch', 'configmap', 'moved', '--type=json', '-p', JSON.stringify(operations)]);
      const done = await patch(
        { op: 'test', path: '/data/b', value: null },
        { op: 'replace', path: '/data/b', value: '2' },
        { op: 'move', from: '/data/a', path: '/data/c' },
      );
      assert.equal(done.stdout, 'configmap/moved patched\n', done.stderr);
      assert.equal(await shown('{.data}', 'configmap/moved'), '{"b":"2","c":"1"}');
      const none = await patch({ op: 'jump', path: '/data/b' });
      assert.match(none.stderr, /^Error from server \(BadRequest\): error decoding patch: /);
      const unfit = await patch({ op: 'remove', path: '/data/x' });
      assert.match(unfit.stderr, /^The request is invalid: the server rejected our request/);
    });

    test('apply, and then apply --server-side goes on where it was', async () => {
      const apply = (input: string): Promise<string> => succeeds(['apply', '-f', '-'], input);
      assert.equal(await apply(deployment(2)), 'deployment.apps/web created\n');
      assert.equal(await apply(deployment(2)), 'deployment.apps/web unchanged\n');
      assert.equal(await apply(deployment(3)), 'deployment.apps/web configured\n');
      const diff = await run(['diff', '-f', '-'], deployment(4));
      assert.equal(diff.code, 1, diff.stderr);
      assert.match(diff.stdout, /\n- {2}replicas: 3\n\+ {2}replicas: 4\n/);
      const taken = await applyServerSide(deployment(4, {}));
      assert.equal(taken.code, 0, taken.stderr);
      assert.equal(await shown('{.spec.replicas}'), '4');
      assert.equal(await shown('{.spec.template.spec.containers[0].env}'), '');
      assert.equal(await apply(deployment(1)), 'deployment.apps/web configured\n');
    });

    test('patch in its three types, and of a subresource', async () => {
      const patches = [
        ['strategic', '{"spec":{"template":{"spec":{"containers":[{"name":"two","image":"b"}]}}}}'],
        ['merge', '{"spec":{"replicas":7}}'],
        ['json', '[{"op":"add","path":"/metadata/labels/new","value":"yes"}]'],
      ] as const;
      for (const [type, patch] of patches) {
        const said = await succeeds(['patch', 'deployment', 'web', `--type=${type}`, '-p', patch]);
        assert.equal(said, 'deployment.apps/web patched\n');
      }
      const names = '{.spec.template.spec.containers[*].name} {.spec.replicas} ';
      assert.deepEqual(
        (await shown(`${names}{.metadata.labels.new}`)).split(' ').sort(),
        ['7', 'two', 'web', 'yes'].sort(),
      );
      const patch = ['patch', 'deployment', 'web', '--subresource=scale', '--type=merge'];
      await succeeds([...patch, '-p', '{"spec":{"replicas":2}}']);
      assert.equal(await shown('{.spec.replicas}'), '2');
    });

    test('a patch that does not apply says why', async () => {
      const operations = '[{"op":"test","path":"/spec/replicas","value":99}]';
      const ran = await run(['patch', 'deployment', 'web', '--type=json', '-p', operations]);
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, /request is invalid: .*operation 0 .*test failed/);
    });

    test('the commands that patch, and the end of a rollout', async () => {
      const commands = [
        [['set', 'image', 'deployment/web', 'web=example.io/web:2'], /image updated/],
        [['scale', 'deployment/web', '--replicas=3'], /scaled/],
        [['label', 'deployment/web', 'color=blue'], /labeled/],
        [['label', 'deployment/web', 'color-'], /unlabeled/],
        [['annotate', 'deployment/web', 'note=hello'], /annotate/],
        [['rollout', 'restart', 'deployment/web'], /restarted/],
      ] as const;
      for (const [args, said] of commands) assert.match(await succeeds(args), said);
      assert.match(
        await shown('{.spec.template.metadata.annotations}'),
        /kubectl\.kubernetes\.io\/restartedAt/,
      );
      const rollout = succeeds(['rollout', 'status', 'deployment/web', '--timeout=300s']);
      const replicas = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
      const observedGeneration = Number(await shown('{.metadata.generation}'));
      await patchStatus('deployment/web', { ...replicas, observedGeneration });
      assert.match(await rollout, /successfully rolled out/);
    });

    test('edit sends what the editor has changed', async () => {
      const editor = { EDITOR: 'sed -i s/web:2/web:3/' };
      const edited = await run(['edit', 'deployment', 'web'], '', editor);
      assert.equal(edited.stdout, 'deployment.apps/web edited\n', edited.stderr);
      assert.match(await shown('{..image}'), /web:3/);
      const same = await run(['edit', 'deployment', 'web'], '', { EDITOR: 'true' });
      assert.match(same.stderr + same.stdout, /Edit cancelled, no changes made/);
    });

    test('wait ends when a field has its value, and when the object has gone', async () => {
      const scaled = succeeds([
        'wait',
        '--timeout=300s',
        '--for=jsonpath={.spec.replicas}=9',
        'deployment/web',
      ]);
      await succeeds(['scale', 'deployment/web', '--replicas=9']);
      assert.equal(await scaled, 'deployment.apps/web condition met\n');
      const gone = run(['wait', '--for=delete', 'deployment/web', '--timeout=300s']);
      await succeeds(['delete', 'deployment', 'web']);
      await gone;
      assert.notEqual((await run(['get', 'deployment', 'web'])).code, 0);
    });

    test('drain evicts as many as the budget allows, and goes on when it allows more', async () => {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } };
      for (const object of [JSON.stringify(node), budget, runningPod('p1'), runningPod('p2')]) {
        await succeeds(['create', '-f', '-'], object);
      }
      for (const name of ['p1', 'p2']) await patchStatus(`pod/${name}`, ready);
      const counted = { observedGeneration: 1, expectedPods: 2, currentHealthy: 2 };
      const status = { ...counted, desiredHealthy: 1, disruptionsAllowed: 1 };
      await patchStatus('pdb/budget', status);
      const drain = ['drain', 'node', '--force', '--ignore-daemonsets'];
      const stuck = await run([...drain, '--timeout=10s']);
      assert.notEqual(stuck.code, 0);
      assert.match(
        stuck.stderr,
        /Cannot evict pod as it would violate the pod's disruption budget/,
      );
      assert.match(stuck.stdout, /pod\/p[12] evicted/);
      assert.equal(await shown('{.items[*].metadata.name}', 'pods').then((s) => s.length), 2);
      await patchStatus('pdb/budget', { disruptionsAllowed: 1 });
      assert.match(await succeeds([...drain, '--timeout=300s']), /node\/node drained/);
      assert.equal(await shown('{.items[*].metadata.name}', 'pods'), '');
    });

    test('a signing request is approved once', async () => {
      const request = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'csr' },
        spec: { request: someRequest.base64, signerName: 'example.com/s', usages: ['client auth'] },
      };
      await succeeds(['create', '-f', '-'], JSON.stringify(request));
      assert.match(await succeeds(['certificate', 'approve', 'csr']), /csr approved/);
      assert.match(await succeeds(['get', 'csr', 'csr']), /Approved/);
      assert.notEqual((await run(['certificate', 'deny', 'csr'])).code, 0);
    });
  });
}
