/**
 * The real kubectl, an old and a new one, against the executable under --identity=kubernetes.
 *
 * Only what does without PATCH, field schemas and Protobuf: create -f (--validate=false), get in its
 * forms, get -w, wait, delete, api-resources, get --raw. Skipped, with the reason, where no kubectl
 * of that release is installed.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { podSpec, workloadSpec } from '../support/data/valid-objects.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const releases = ['1.27', '1.33'] as const;

function list(...items: object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

const objects = list(
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { k: 'v' } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod', labels: { app: 'x' } },
    spec: podSpec(),
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'dep' },
    spec: workloadSpec({ replicas: 1 }),
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'space' } },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'lease' },
    spec: { holderIdentity: 'me' },
  },
  {
    apiVersion: 'resource.k8s.io/v1alpha3',
    kind: 'ResourceSlice',
    metadata: { name: 'slice' },
    spec: {
      driver: 'd.io',
      nodeName: 'node',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    },
  },
);

/** As kubectl names them, with the table that `get` prints. */
const created = [
  ['configmap', 'cm', 'NAME DATA AGE', 'cm 1 AGE'],
  ['pod', 'pod', 'NAME READY STATUS RESTARTS AGE', /^pod 0\/1( Pending)? 0 AGE$/],
  ['deployment.apps', 'dep', 'NAME READY UP-TO-DATE AVAILABLE AGE', 'dep 0/1 0 0 AGE'],
  ['namespace', 'space', 'NAME STATUS AGE', 'space Active AGE'],
  ['node', 'node', 'NAME STATUS ROLES AGE VERSION', 'node Unknown <none> AGE'],
  ['lease.coordination.k8s.io', 'lease', 'NAME HOLDER AGE', 'lease me AGE'],
  ['resourceslice.resource.k8s.io', 'slice', 'NAME NODE DRIVER POOL AGE', 'slice node d.io p AGE'],
] as const;

for (const release of releases) {
  const program = findKubectl(release);
  const skip = program === undefined ? `no kubectl.${release} beside the installed kubectl` : false;
  describe(`kubectl ${release}`, { skip }, () => {
    let dataDir = '';
    let server: ChildServer;

    const environment = (): NodeJS.ProcessEnv => ({
      PATH: process.env['PATH'],
      HOME: dataDir,
      KUBECONFIG: server.kubeconfig,
    });
    const run = (args: readonly string[], input?: string): Promise<Ran> =>
      runKubectl(program ?? '', { home: dataDir, kubeconfig: server.kubeconfig }, args, input);
    const succeeds = async (args: readonly string[], input = ''): Promise<string> => {
      const ran = await run(args, input);
      assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
      return ran.stdout;
    };
    const create = (input: string): Promise<string> => succeeds(['create', '-f', '-'], input);

    before(async () => {
      dataDir = directories.make();
      server = await startChildServer([
        '--http-port=0',
        `--data-dir=${dataDir}`,
        '--identity=kubernetes',
        '--runtime-config=resource.k8s.io/v1alpha3=true',
        '--feature-gates=DynamicResourceAllocation=true',
      ]);
    });

    test('create -f says what it has created', async () => {
      const said = await create(objects);
      for (const [kind, name] of created) assert(said.includes(`${kind}/${name} created\n`), said);
      const again = await run(['create', '-f', '-'], objects);
      assert.notEqual(again.code, 0);
      assert.match(again.stderr, /\(AlreadyExists\).*pods "pod" already exists/);
    });

    for (const [kind, name, header, row] of created) {
      test(`get shows ${kind}/${name} as a table, as YAML, as a name`, async () => {
        const table = await succeeds(['get', kind, name]);
        const lines = table.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
        assert.equal(lines[0], header);
        const shown = lines[1]?.replace(/\b\d+(s|m\d*s?)\b/, 'AGE') ?? '';
        if (typeof row === 'string') assert.equal(shown, row);
        else assert.match(shown, row);
        const yaml = await succeeds(['get', kind, name, '-o', 'yaml']);
        assert.match(yaml, /^apiVersion: \S+\n/);
        assert.match(yaml, new RegExp(`\n {2}name: ${name}\n`));
        assert.match(yaml, /\n {2}resourceVersion: "\d+"\n/);
        assert.equal(await succeeds(['get', kind, '-o', 'name', name]), `${kind}/${name}\n`);
      });
    }

    test('get lists by selector, across namespaces and in chunks', async () => {
      assert.match(await succeeds(['get', 'pods', '-A', '-l', 'app=x']), /\ndefault +pod /);
      const none = await run(['get', 'pods', '-l', 'app=y']);
      assert.match(none.stderr, /^No resources found in default namespace\./);
      const chunked = await succeeds(['get', 'ns', '--chunk-size=2', '-o', 'name']);
      assert(chunked.split('\n').length >= 5, chunked);
      const fields = ['get', 'ns', '-o', 'name', '--field-selector', 'metadata.name=space'];
      assert.equal(await succeeds(fields), 'namespace/space\n');
      const missing = await run(['get', 'pod', 'nope']);
      assert.equal(missing.stderr, 'Error from server (NotFound): pods "nope" not found\n');
    });

    test('get -w prints what happens, in order', async () => {
      const args = ['get', 'configmaps', '-w', '--output-watch-events'];
      const child = spawn(program ?? '', args, { env: environment() });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async (): Promise<string> => String((await lines.next()).value);
      const eventOf = (line: string): string => line.split(/\s+/).slice(0, 2).join(' ');
      assert.match(await next(), /^EVENT +NAME +DATA +AGE$/);
      assert.equal(eventOf(await next()), 'ADDED cm');
      await create(list({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen' } }));
      assert.equal(eventOf(await next()), 'ADDED seen');
      await succeeds(['delete', 'configmap', 'seen']);
      assert.equal(eventOf(await next()), 'DELETED seen');
      child.kill();
    });

    test('replace and wait --for a change', async () => {
      const waiting = succeeds([
        'wait',
        '--timeout=300s',
        '--for=jsonpath={.data.k}=w',
        'configmap/cm',
      ]);
      const replaced = await succeeds(
        ['replace', '-f', '-'],
        list({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { k: 'w' } }),
      );
      assert.equal(replaced, 'configmap/cm replaced\n');
      assert.equal(await waiting, 'configmap/cm condition met\n');
    });

    test('wait --for=delete ends when the object goes', async () => {
      const brief = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'brief' }, spec: podSpec() };
      await create(list(brief));
      const waiting = succeeds(['wait', '--for=delete', 'pod/brief', '--timeout=300s']);
      assert.equal(await succeeds(['delete', 'pod', 'brief']), 'pod "brief" deleted\n');
      await waiting;
    });

    test('a field that the kind does not have is refused before anything is stored', async () => {
      const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w' }, dota: {} };
      const ran = await run(['create', '-f', '-'], JSON.stringify(wrong));
      assert.notEqual(ran.code, 0);
      assert.match(ran.stderr, /unknown field "?(ConfigMap\.)?dota|unknown field \\"dota/);
      assert.notEqual((await run(['get', 'configmap', 'w'])).code, 0);
    });

    test('explain shows fields, their types and what is required', async () => {
      const strategy = await succeeds(['explain', 'deployments.spec.strategy']);
      assert.match(strategy, /rollingUpdate\s+<RollingUpdateDeployment>/);
      assert.match(strategy, /DESCRIPTION:\n {4}How old pods give way to new ones\./);
      assert.match(strategy, /How many at once; for RollingUpdate only\./);
      const recursive = await succeeds(['explain', 'pods', '--recursive']);
      assert.match(recursive, /\n {4}containers\s+<\[\]Container> -required-\n/);
      assert.match(recursive, /\n +containerPort\s+<integer> -required-\n/);
    });

    test('api-resources, api-versions and get --raw', async () => {
      const resources = await succeeds(['api-resources']);
      assert.match(resources, /\nconfigmaps +cm +v1 +true +ConfigMap\n/);
      assert.match(resources, /\ndeployments +deploy +apps\/v1 +true +Deployment\n/);
      assert.match(
        resources,
        /\nresourceslices +resource\.k8s\.io\/v1alpha3 +false +ResourceSlice/,
      );
      assert.match(await succeeds(['api-versions']), /^apps\/v1$/m);
      assert.equal(await succeeds(['get', '--raw', '/readyz']), 'ok');
      const raw = await succeeds(['get', '--raw', '/api/v1/namespaces/default/pods/pod']);
      assert.equal((JSON.parse(raw) as { kind: string }).kind, 'Pod');
      assert.match(await succeeds(['version']), /Server Version.*v1\.33\.0/);
    });

    test('delete namespace waits until the namespace and what is in it are gone', async () => {
      const inside = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'in' } };
      await succeeds(['create', '-n', 'space', '-f', '-'], list(inside));
      assert.equal(await succeeds(['delete', 'namespace', 'space']), 'namespace "space" deleted\n');
      const gone = await run(['get', 'namespace', 'space']);
      assert.equal(gone.stderr, 'Error from server (NotFound): namespaces "space" not found\n');
      const content = await run(['get', 'configmaps', '-n', 'space']);
      assert.match(content.stderr, /^No resources found in space namespace\./);
      const refused = await run(['delete', 'namespace', 'default']);
      assert.match(refused.stderr, /\(Forbidden\).*this namespace may not be deleted/);
    });

    test('delete says what it has deleted, and waits for it', async () => {
      for (const [kind, name] of created.filter(([kind]) => kind !== 'namespace')) {
        const said = await succeeds(['delete', kind, name]);
        assert.equal(said, `${kind} "${name}" deleted\n`);
        assert.notEqual((await run(['get', kind, name])).code, 0);
      }
    });

    after(async () => {
      assert.equal(await server.stop('SIGTERM'), 0);
      await directories.removeAll();
    });
  });
}
