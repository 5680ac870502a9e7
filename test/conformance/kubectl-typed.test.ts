/**
 * The real kubectl, an old and a new one, without any switch: the commands that send Protobuf, a
 * manifest of many kinds through every kind of apply and diff, every resource in every form.
 *
 * Skipped, with the reason, where no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { alwaysSent, shopManifest } from '../support/data/shop-manifest.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

/** Command lines of `kubectl create -n n`, and the object that each must say it has created. */
const creations: readonly (readonly [string, string])[] = [
  ['configmap cm --from-literal=a=1', 'configmap/cm'],
  ['secret generic s --from-literal=a=1', 'secret/s'],
  ['serviceaccount sa', 'serviceaccount/sa'],
  ['deployment d --image=i --port=80', 'deployment.apps/d'],
  ['service clusterip sv --tcp=80:8080', 'service/sv'],
  ['job j --image=i -- date', 'job.batch/j'],
  ['cronjob cj --image=i --schedule=@daily -- date', 'cronjob.batch/cj'],
  ['job again --from=cronjob/cj', 'job.batch/again'],
  ['role r --verb=get --resource=pods,deployments.apps', 'role.rbac.authorization.k8s.io/r'],
  ['rolebinding rb --role=r --user=u', 'rolebinding.rbac.authorization.k8s.io/rb'],
  ['quota q --hard=services=9,pods=9', 'resourcequota/q'],
  ['ingress i --rule=foo.com/bar=sv:80', 'ingress.networking.k8s.io/i'],
  ['pdb p --selector=app=d --min-available=1', 'poddisruptionbudget.policy/p'],
];

/** Command lines in namespace n, and what they print. */
const changes: readonly (readonly [string, string])[] = [
  ['run p --image=i --labels=app=p --port=80', 'pod/p created'],
  ['expose pod p --port=80 --name=e', 'service/e exposed'],
  ['label pod p x=y', 'pod/p labeled'],
  ['set image deployment/d i=i:2', 'deployment.apps/d image updated'],
  ['set env deployment/d B=2', 'deployment.apps/d env updated'],
  ['set resources deployment/d --limits=cpu=1', 'deployment.apps/d resource requirements updated'],
  ['scale deployment/d --current-replicas=1 --replicas=4', 'deployment.apps/d scaled'],
  ['autoscale deployment/d --max=3', 'horizontalpodautoscaler.autoscaling/d autoscaled'],
  ['rollout restart deployment/d', 'deployment.apps/d restarted'],
  ['delete job j again', 'job.batch "j" deleted\njob.batch "again" deleted'],
];

const otherServer = JSON.stringify({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: 'a', name: 'b' },
  },
});

interface Listed {
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}
interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly (Listed & {
        readonly resource: string;
        readonly scope: string;
        readonly responseKind: { readonly kind: string };
      })[];
    }[];
  }[];
}
interface Core {
  readonly resources: readonly (Listed & {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  })[];
}

/** As kubectl prints a line wide: name, short names, namespaced, kind, verbs, categories. */
function rowOf(name: string, kind: string, namespaced: boolean, listed: Listed): string {
  const { verbs, shortNames = [], categories = [] } = listed;
  return [name, shortNames, namespaced, kind, [...verbs].sort(), categories].join(' ');
}

/** What a reference server lists with only stable versions on. */
function referenceList(): readonly string[] {
  const core = readCorpus<Core>('discovery/api__v1.json').resources.filter(
    ({ name }) => !name.includes('/'),
  );
  const { items } = readCorpus<Discovered>('discovery/aggregated_v2.json');
  const groups = items.flatMap(({ metadata, versions }) => {
    const stable = versions.find(({ version }) => /^v\d+$/.test(version));
    return (stable?.resources ?? []).map((each) =>
      rowOf(
        `${each.resource}.${metadata.name ?? ''}`,
        each.responseKind.kind,
        each.scope === 'Namespaced',
        each,
      ),
    );
  });
  return [
    ...core.map((each) => rowOf(each.name, each.kind, each.namespaced, each)),
    ...groups,
  ].sort();
}

/** The same of what kubectl prints. */
function printedList(text: string): readonly string[] {
  const rows = text.split('\n').filter((line) => line !== '');
  return rows
    .map((line) => {
      const cells = line.trim().split(/\s+/);
      const scope = cells.findIndex((cell) => cell === 'true' || cell === 'false');
      const [group, version] = (cells[scope - 1] ?? '').split('/');
      const [kind = '', verbs = '', categories = ''] = cells.slice(scope + 1);
      const list = (cell: string): string[] => cell.split(',').filter((each) => each !== '');
      return rowOf(
        version === undefined ? (cells[0] ?? '') : `${cells[0]}.${group}`,
        kind,
        cells[scope] === 'true',
        {
          verbs: list(verbs),
          shortNames: scope === 3 ? list(cells[1] ?? '') : [],
          categories: list(categories),
        },
      );
    })
    .sort();
}

for (const release of ['1.27', '1.33'] as const) {
  const program = findKubectl(release);
  const skip = program === undefined ? `no kubectl.${release} beside the installed kubectl` : false;
  describe(`kubectl ${release} without switches`, { skip }, () => {
    let home = '';
    let server: ChildServer;
    const run = (args: readonly string[], input = ''): Promise<Ran> =>
      runKubectl(program ?? '', { home, kubeconfig: server.kubeconfig }, args, input);
    const succeeds = async (line: string, input = ''): Promise<string> => {
      const ran = await run(line.split(' '), input);
      assert.equal(ran.code, 0, `${line}: ${ran.stderr}${ran.stdout}`);
      return ran.stdout;
    };

    before(async () => {
      home = directories.make();
      const flags = [
        '--http-port=0',
        `--data-dir=${home}`,
        '--identity=kubernetes',
        '--controllers=apiserviceavailability',
      ];
      server = await startChildServer(flags);
    });
    after(async () => {
      await server.stop('SIGTERM');
      await directories.removeAll();
    });

    test('create in its forms, and what changes an object afterwards', async () => {
      assert.equal(await succeeds('create namespace n'), 'namespace/n created\n');
      for (const [line, object] of creations) {
        assert.equal(await succeeds(`create -n n ${line}`), `${object} created\n`);
      }
      for (const [line, said] of changes) {
        assert.equal(await succeeds(`-n n ${line}`), `${said}\n`);
      }
    });

    test('apply, again, diff, from the server and back: nothing changes but owners', async () => {
      const first = await succeeds('apply -f -', shopManifest);
      assert.equal(first.match(/ created$/gm)?.length, 23, first);
      const second = (await succeeds('apply -f -', shopManifest)).trim().split('\n');
      for (const line of second) {
        const [object = '', said] = line.split(' ');
        assert.equal(said, alwaysSent.has(object) ? 'configured' : 'unchanged', line);
      }
      assert.equal(await succeeds('diff -f -', shopManifest), '');
      const taken = await run(
        ['apply', '--server-side', '--force-conflicts', '-f', '-'],
        shopManifest,
      );
      assert.equal(taken.code, 0, taken.stderr);
      assert.equal(taken.stderr, '');
      assert.equal(await succeeds('diff --server-side --force-conflicts -f -', shopManifest), '');
    });

    test('get shows every resource as a table, wide, as YAML, JSON and names', async () => {
      const names = await succeeds('api-resources --verbs=list -o name');
      const all = names.trim().split('\n').join();
      assert(all.split(',').length > 40, names);
      for (const form of ['', ' -o wide', ' -o yaml', ' -o json', ' -o name']) {
        assert.match(await succeeds(`get ${all} -A${form}`), /shop/);
      }
    });

    test('api-resources prints the reference list', { skip: noVectors }, async () => {
      const printed = printedList(await succeeds('api-resources --no-headers -o wide'));
      assert.deepEqual(printed, referenceList());
      const names = (await succeeds('api-resources -o name')).trim().split('\n');
      assert.deepEqual(
        [...new Set(names)].sort(),
        [...new Set(printed.map((row) => row.split(' ')[0]))].sort(),
      );
    });

    test('componentstatuses and apiservices: what this server is made of, and what it serves', async () => {
      const components = await run(['get', 'cs']);
      assert.match(
        components.stdout,
        /^controller-manager +Healthy +ok *\nstorage +Healthy +ok *$/m,
      );
      assert.equal(
        components.stderr,
        'Warning: v1 ComponentStatus is deprecated in v1.19+\n',
        'as the reference warns',
      );
      assert.match(await succeeds('describe cs storage'), /Status: +True/);
      const services = await succeeds('get apiservices');
      assert.match(services, /^NAME +SERVICE +AVAILABLE +AGE\nv1\. +Local +True /);
      assert.match(
        await succeeds('wait --for=condition=Available apiservice/v1.apps --timeout=300s'),
        /v1\.apps condition met/,
      );
      assert.match(await succeeds('explain apiservice --recursive'), /versionPriority\s+<integer>/);

      const name = 'apiservice.apiregistration.k8s.io/v1.example.com';
      assert.equal(await succeeds('create -f -', otherServer), `${name} created\n`);
      assert.equal(
        await succeeds('apply --server-side -f -', otherServer),
        `${name} serverside-applied\n`,
      );
      await succeeds(`wait --for=jsonpath={.status.conditions[0].status}=False ${name}`);
      assert.match(await succeeds(`get ${name}`), / a\/b +False \(ServiceNotFound\) /);
      assert.match(await succeeds(`describe ${name}`), /service\/b in "a" is not present/);
      assert.match(await succeeds('api-resources'), /^apiservices /m, 'discovery goes on');
      await succeeds(`delete ${name}`);
    });

    test('explain --recursive, events, cordon and taint', async () => {
      assert.match(await succeeds('explain --recursive pods'), /containerPort\s+<integer>/);
      assert.match(await succeeds('explain --recursive deployments'), /maxSurge\s+<IntOrString>/);
      const events = await run(['events', '-A']);
      assert.equal(`${events.code}${events.stderr}`, '0No events found.\n');
      await succeeds('create -f -', '{"apiVersion":"v1","kind":"Node","metadata":{"name":"w"}}');
      assert.equal(await succeeds('cordon w'), 'node/w cordoned\n');
      assert.equal(await succeeds('taint nodes w k=v:NoSchedule'), 'node/w tainted\n');
    });

    test('create --validate=strict, warn and ignore', async () => {
      const spec = { bogus: 1, containers: [{ name: 'c', image: 'i', imagee: 1 }] };
      const pod = (name: string): string =>
        JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
      const strict = await run(['create', '--validate=strict', '-f', '-'], pod('strict'));
      assert.equal(strict.code, 1);
      assert.match(
        strict.stderr,
        /unknown field "spec\.bogus", unknown field "spec\.cont.*imagee"/,
      );
      const warned = await run(['create', '--validate=warn', '-f', '-'], pod('warned'));
      assert.equal(warned.stdout, 'pod/warned created\n', warned.stderr);
      assert.equal(warned.stderr.match(/^Warning: unknown field/gm)?.length, 2, warned.stderr);
      const ignored = await run(['create', '--validate=ignore', '-f', '-'], pod('ignored'));
      assert.equal(`${ignored.stdout}${ignored.stderr}`, 'pod/ignored created\n');
    });
  });
}
