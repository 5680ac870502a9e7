/** PodSecurity over HTTP: who is refused, warned, exempt; and a namespace that becomes stricter. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { AdmissionObjects, Review } from '../../../src/admission/admission.ts';
import { readPodSecurity } from '../../../src/admission/pod-security/configuration.ts';
import { podsMax, warningsOf } from '../../../src/admission/pod-security/existing-pods.ts';
import { podSecurity } from '../../../src/admission/pod-security/pod-security.ts';
import { createSecurityCounts } from '../../../src/admission/pod-security/security-counts.ts';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { finished } from '../../../src/stdx/stepwise.ts';
import type { Step } from '../../../src/stdx/turns.ts';
import { startTestServer } from '../../support/servers/test-server.ts';
import type { Reply, TestServer } from '../../support/servers/test-server.ts';
import { testDirectories } from '../../support/data/test-directories.ts';

const directories = testDirectories('sluice-admission');

const core = '/api/v1/namespaces';
const container = { name: 'c', image: 'i' };
const careful: JsonObject = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      ...container,
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};
const careless: JsonObject = { containers: [container], hostNetwork: true };
const merge = { 'content-type': 'application/merge-patch+json' };

const configuration = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults:
      audit: baseline
    exemptions:
      usernames: [trusted]
      namespaces: [exempt]
      runtimeClasses: [vm]
`;

function warnings({ headers }: Reply): readonly string[] {
  const all = [...String(headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
  return all.map(([, said = '']) => said.replaceAll('\\"', '"'));
}

describe('the security of pods in a namespace', () => {
  let server: TestServer;
  let folder: string;
  const post = (target: string, body: object, headers = {}): Promise<Reply> =>
    server.request('POST', target, { body, headers });
  const label = (labels: Record<string, string>): JsonObject =>
    Object.fromEntries(
      Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
    );
  const makeNamespace = (name: string, labels: Record<string, string> = {}): Promise<Reply> =>
    post(core, { metadata: { name, labels: label(labels) } });
  const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): object => ({
    metadata: { name, ...metadata },
    spec,
  });

  before(async () => {
    folder = directories.make();
    const file = path.join(folder, 'admission.yaml');
    await writeFile(file, configuration);
    server = await startTestServer({ 'admission-control-config-file': file });
    await post('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'vm' }, handler: 'vm' });
    await makeNamespace('open');
    await makeNamespace('strict', { enforce: 'restricted' });
    await makeNamespace('pinned', { enforce: 'baseline', 'enforce-version': 'v1.20' });
    await makeNamespace('talks', { warn: 'restricted' });
  });
  after(async () => {
    await server.remove();
    await directories.removeAll();
  });

  const violation =
    'violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true), ' +
    'allowPrivilegeEscalation != false (container "c" must set ' +
    'securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" ' +
    'must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container ' +
    '"c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must ' +
    'set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

  it('refuses a pod by the level that its namespace enforces, in a dry run too', async () => {
    for (const query of ['', '?dryRun=All']) {
      const refused = await post(`${core}/strict/pods${query}`, pod('p', careless));
      assert.equal(refused.status, 403, refused.text);
      assert.equal(refused.body['message'], `pods "p" is forbidden: ${violation}`);
      assert.deepEqual(warnings(refused), []);
    }
    assert.equal((await post(`${core}/strict/pods`, pod('careful', careful))).status, 201);
    assert.equal((await post(`${core}/open/pods`, pod('careless', careless))).status, 201);
  });

  it('refuses by the rules of the release that is pinned, and says which', async () => {
    const refused = await post(`${core}/pinned/pods`, pod('p', careless));
    assert.equal(refused.status, 403, refused.text);
    assert.equal(
      refused.body['message'],
      'pods "p" is forbidden: violates PodSecurity "baseline:v1.20": ' +
        'host namespaces (hostNetwork=true)',
    );
  });

  it('warns of a pod that it lets through', async () => {
    const made = await post(`${core}/talks/pods`, pod('p', careless));
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(warnings(made), [`would violate ${violation.slice('violates '.length)}`]);
    assert.deepEqual(warnings(await post(`${core}/talks/pods`, pod('careful', careful))), []);
  });

  const template = { metadata: { labels: { a: 'b' } }, spec: careless };
  const selector = { matchLabels: { a: 'b' } };
  const workloads: readonly (readonly [string, string, JsonObject])[] = [
    ['deployments', 'apis/apps/v1', { spec: { selector, template } }],
    ['replicasets', 'apis/apps/v1', { spec: { selector, template } }],
    ['statefulsets', 'apis/apps/v1', { spec: { selector, template, serviceName: 's' } }],
    ['daemonsets', 'apis/apps/v1', { spec: { selector, template } }],
    ['replicationcontrollers', 'api/v1', { spec: { template } }],
    ['podtemplates', 'api/v1', { template }],
    [
      'jobs',
      'apis/batch/v1',
      { spec: { template: { spec: { ...careless, restartPolicy: 'Never' } } } },
    ],
    [
      'cronjobs',
      'apis/batch/v1',
      {
        spec: {
          schedule: '* * * * *',
          jobTemplate: {
            spec: { template: { spec: { ...careless, restartPolicy: 'Never' } } },
          },
        },
      },
    ],
  ];
  for (const [resource, group, body] of workloads) {
    it(`only warns of the pods of ${resource}`, async () => {
      const made = await post(`/${group}/namespaces/strict/${resource}`, {
        metadata: { name: 'w' },
        ...body,
      });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(warnings(made), [`would violate ${violation.slice('violates '.length)}`]);
      const quiet = await post(`/${group}/namespaces/open/${resource}`, {
        metadata: { name: 'w' },
        ...body,
      });
      assert.deepEqual([quiet.status, warnings(quiet)], [201, []]);
    });
  }

  it('looks at a pod again when it gets other images or containers, and for nothing else', async () => {
    await makeNamespace('later');
    const target = `${core}/later/pods/p`;
    await post(`${core}/later/pods`, pod('p', careless));
    const labels = label({ enforce: 'baseline' });
    await server.request('PATCH', `${core}/later`, {
      headers: merge,
      body: { metadata: { labels } },
    });
    const change = (body: object, subresource = ''): Promise<Reply> =>
      server.request('PATCH', `${target}${subresource}`, {
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body,
      });
    const noted = await change({ metadata: { annotations: { note: 'x' } } });
    assert.equal(noted.status, 200, noted.text);
    const image = await change({ spec: { containers: [{ name: 'c', image: 'other' }] } });
    assert.equal(image.status, 403, image.text);
    const added = await change(
      { spec: { ephemeralContainers: [{ name: 'debug', image: 'i' }] } },
      '/ephemeralcontainers',
    );
    assert.equal(added.status, 403, added.text);
    assert.match(String(added.body['message']), /^pods "p" is forbidden: violates PodSecurity/);
  });

  it('does not look at exempt users, namespaces and runtime classes', async () => {
    const trusted = { 'impersonate-user': 'trusted' };
    const nearly = { 'impersonate-user': 'Trusted' };
    assert.equal((await post(`${core}/strict/pods`, pod('t', careless), trusted)).status, 201);
    const refused = await post(`${core}/strict/pods`, pod('n', careless), nearly);
    assert.equal(refused.status, 403, 'only the very name is exempt');
    const vm = { ...careless, runtimeClassName: 'vm' };
    assert.equal((await post(`${core}/strict/pods`, pod('vm', vm))).status, 201);
    const namespace = await makeNamespace('exempt', { enforce: 'restricted' });
    assert.deepEqual(warnings(namespace), [
      'namespace "exempt" is exempt from Pod Security, and the policy ' +
        '(enforce=restricted:latest) will be ignored',
    ]);
    assert.equal((await post(`${core}/exempt/pods`, pod('p', careless))).status, 201);
  });

  const wrong: readonly (readonly [string, Record<string, string>, string])[] = [
    [
      'a level that there is not',
      { enforce: 'Baseline' },
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "Baseline": ' +
        'must be one of privileged, baseline, restricted',
    ],
    [
      'a version that is none',
      { warn: 'baseline', 'warn-version': '1.30' },
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.30": ' +
        'must be "latest" or "v1.x"',
    ],
  ];
  for (const [title, labels, why] of wrong) {
    it(`refuses a namespace with ${title}`, async () => {
      const refused = await makeNamespace('wrong', labels);
      assert.equal(refused.status, 422, refused.text);
      assert.equal(refused.body['message'], `Namespace "wrong" is invalid: ${why}`);
      const patched = await server.request('PATCH', `${core}/open`, {
        headers: merge,
        body: { metadata: { labels: label(labels) } },
      });
      assert.equal(patched.status, 422, patched.text);
    });
  }

  it('tells who makes a namespace stricter what that means for its pods', async () => {
    await makeNamespace('grown');
    const maker = await post(`${core}/grown/configmaps`, { metadata: { name: 'maker' } });
    const { uid } = maker.body['metadata'] as { uid: string };
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'maker', uid, controller: true };
    const owned = { ownerReferences: [owner] };
    const ports = { containers: [{ ...container, ports: [{ containerPort: 1, hostPort: 1 }] }] };
    for (const body of [
      pod('b', careless),
      pod('a', careless, owned),
      pod('c', careless, owned),
      pod('d', ports),
    ]) {
      const made = await post(`${core}/grown/pods`, body);
      assert.equal(made.status, 201, made.text);
    }
    const stricter = (level: string, query = '') =>
      server.request('PATCH', `${core}/grown${query}`, {
        headers: merge,
        body: { metadata: { labels: label({ enforce: level }) } },
      });
    const expected = [
      'existing pods in namespace "grown" violate the new PodSecurity enforce level ' +
        '"baseline:latest"',
      'a (and 2 other pods): host namespaces',
      'd: hostPort',
    ];
    const dry = await stricter('baseline', '?dryRun=All');
    assert.equal(dry.status, 200, dry.text);
    assert.deepEqual(warnings(dry), expected);
    assert.deepEqual(warnings(await stricter('baseline')), expected);
    assert.deepEqual(warnings(await stricter('privileged')), []);
  });
});

describe('the pods of a namespace that becomes stricter', () => {
  const object = (name: string, uid?: string): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(uid === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'v1', kind: 'R', name: 'r', uid, controller: true }] }),
    },
  });
  const level = { level: 'baseline', version: 30 } as const;
  const judge = { reasons: () => 'why', isExempt: () => false, isOver: () => false };
  const found = (pods: readonly ApiObject[], own: Partial<typeof judge> = {}) =>
    finished(warningsOf('n', level, { count: pods.length, all: () => pods }, { ...judge, ...own }));

  it(`are looked at up to ${podsMax}, those of different controllers first`, () => {
    const pods = Array.from({ length: podsMax + 500 }, (_, at) => object(`p${at}`, 'one'));
    const looked: string[] = [];
    const reasons = ({ metadata: { name = '' } }: ApiObject): string => {
      looked.push(name);
      return '';
    };
    const all = [...pods, object('last', 'two')];
    assert.deepEqual(found(all, { reasons } as Partial<typeof judge>), [
      'new PodSecurity enforce level only checked against the first ' +
        `${podsMax} of ${podsMax + 501} existing pods`,
    ]);
    assert.deepEqual(looked.slice(0, 2), ['p0', 'last']);
  });

  it('are looked at until the time is over', () => {
    let asked = 0;
    const isOver = () => (asked += 1) > 3;
    const pods = Array.from({ length: 10 }, (_, at) => object(`p${at}`));
    assert.deepEqual(found(pods, { isOver }), [
      'new PodSecurity enforce level only checked against the first 3 of 10 existing pods',
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:v1.30"',
      'p0 (and 2 other pods): why',
    ]);
  });

  it('are looked at for half of the time that the request has left', async () => {
    let nowMs = 0;
    const pods = Array.from({ length: 100 }, (_, at) => object(`p${at}`));
    const listed = () => ({ count: pods.length, all: () => pods });
    const run = (step: Step): void => {
      while (step(() => false));
    };
    const plugin = podSecurity(
      identityOf('kubernetes'),
      readPodSecurity(undefined, '', []),
      { release: 33, relaxesUserNamespaces: false },
      {
        objects: { listed } as unknown as AdmissionObjects,
        clock: { monotonicMs: () => (nowMs += 1) },
        turns: { run },
        counts: createSecurityCounts(33),
      },
    );
    const namespace = (labels: JsonObject): JsonObject => ({ metadata: { name: 'n', labels } });
    const review = {
      resource: { group: '', resource: 'namespaces' },
      subresource: '',
      operation: 'UPDATE',
      current: namespace({}),
      next: namespace({ 'pod-security.kubernetes.io/enforce': 'restricted' }),
      deadlineMs: 41,
    } as unknown as Review;
    const warned: string[] = [];
    const recorder = { warn: (text: string) => void warned.push(text), annotate: () => undefined };
    await plugin.validate?.(review, { ask: () => true, decide: () => true, recorder });
    const [checked = ''] = warned;
    assert.match(checked, /only checked against the first (?:1\d|2[01]) of 100 existing pods/);
  });

  it('are not looked at where they are exempt', () => {
    assert.deepEqual(found([object('a'), object('b')], { isExempt: () => true }), []);
  });
});
