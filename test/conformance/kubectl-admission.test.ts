/**
 * What kubectl sends and what admission makes of it, field by field: a pod as a Deployment would
 * make it, in a namespace with limits, a service account, a priority class and a security level.
 *
 * The expected object is what a 1.33 server answers, written down by what its plugins do: each
 * member says in a comment whose it is. Skipped, with the reason, where no kubectl is installed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const setting = `
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels: {pod-security.kubernetes.io/enforce: baseline, pod-security.kubernetes.io/warn: restricted}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: usual}
value: 1000
globalDefault: true
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: shop}
spec:
  limits:
  - {type: Container, default: {cpu: 500m, memory: 256Mi}, defaultRequest: {cpu: 100m}, max: {cpu: "2"}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: shop}
imagePullSecrets: [{name: registry}]
`;

const pod = (name: string, image: string): string => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: shop
  labels: {app: web}
spec:
  serviceAccountName: web
  initContainers:
  - {name: init, image: "${image}", command: [migrate]}
  containers:
  - name: web
    image: "${image}"
    ports: [{containerPort: 80}]
    resources: {requests: {memory: 64Mi}}
`;

/** `volume`: the name that was made for the token's. */
function expectedSpec(image: string, volume: string): JsonObject {
  const mount = {
    // ServiceAccount
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    name: volume,
    readOnly: true,
  };
  const usual = {
    // defaults of the kind
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
  return {
    containers: [
      {
        name: 'web',
        image,
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        // LimitRanger: what the container does not say
        resources: {
          limits: { cpu: '500m', memory: '256Mi' },
          requests: { cpu: '100m', memory: '64Mi' },
        },
        ...usual,
        volumeMounts: [mount],
      },
    ],
    initContainers: [
      {
        name: 'init',
        image,
        command: ['migrate'],
        resources: {
          limits: { cpu: '500m', memory: '256Mi' },
          requests: { cpu: '100m', memory: '256Mi' },
        },
        ...usual,
        volumeMounts: [mount],
      },
    ],
    // defaults of the kind
    dnsPolicy: 'ClusterFirst',
    enableServiceLinks: true,
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    // ServiceAccount
    imagePullSecrets: [{ name: 'registry' }],
    serviceAccount: 'web',
    serviceAccountName: 'web',
    // Priority: the class that is everybody's
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 1000,
    priorityClassName: 'usual',
    // DefaultTolerationSeconds
    tolerations: ['not-ready', 'unreachable'].map((why) => ({
      effect: 'NoExecute',
      key: `node.kubernetes.io/${why}`,
      operator: 'Exists',
      tolerationSeconds: 300,
    })),
    // ServiceAccount
    volumes: [
      {
        name: volume,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { items: [{ key: 'ca.crt', path: 'ca.crt' }], name: 'kube-root-ca.crt' } },
            {
              downwardAPI: {
                items: [
                  {
                    fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
                    path: 'namespace',
                  },
                ],
              },
            },
          ],
        },
      },
    ],
  };
}

const releases = ['1.27', '1.33'];

describe('kubectl apply of a pod', () => {
  let folder: string;
  let server: ChildServer;
  const missing = releases.filter((release) => findKubectl(release) === undefined);
  const skip = missing.length > 0 && `no kubectl ${missing.join(', ')} here`;

  before(async () => {
    if (skip !== false) return;
    folder = directories.make();
    const flags = [
      '--store=memory',
      '--identity=kubernetes',
      '--http-port=0',
      `--data-dir=${folder}`,
    ];
    // All plugins, and who makes the accounts that they look for.
    server = await startChildServer(flags, [
      '--secure-port=off',
      '--authorization-mode=AlwaysAllow',
      '--anonymous-auth=true',
    ]);
  });
  after(async () => {
    if (skip !== false) return;
    await server.stop('SIGTERM');
    await directories.removeAll();
  });

  for (const release of releases) {
    const run = (args: readonly string[], input = '') =>
      runKubectl(
        findKubectl(release) ?? '',
        { home: folder, kubeconfig: server.kubeconfig },
        args,
        input,
      );

    for (const form of [[], ['--server-side']]) {
      const how = ['apply', ...form].join(' ');
      it(`${release} ${how}: is completed as by the reference`, { skip }, async () => {
        const set = await run(['apply', '-f', '-'], setting);
        assert.equal(set.code, 0, set.stderr);
        const name = `web-${release.replace('.', '')}-${form.length}`;
        const applied = await run(
          [...how.split(' '), '-f', '-'],
          pod(name, 'registry.example/w:1'),
        );
        assert.equal(applied.code, 0, applied.stderr);
        assert.match(
          applied.stderr,
          /^Warning: would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false \(containers "init", "web" must set/m,
        );
        const read = await run(['get', 'pod', name, '-n', 'shop', '-o', 'json']);
        const found = JSON.parse(read.stdout) as JsonObject & { metadata: JsonObject };
        const spec = found['spec'] as JsonObject;
        const [volume] = spec['volumes'] as JsonObject[];
        const volumeName = String(volume?.['name']);
        assert.match(volumeName, /^kube-api-access-[a-z0-9]{5}$/);
        assert.deepEqual(spec, expectedSpec('registry.example/w:1', volumeName));
        const annotations = found.metadata['annotations'] as JsonObject;
        assert.equal(
          annotations['kubernetes.io/limit-ranger'],
          'LimitRanger plugin set: cpu request for container web; cpu, memory limit for ' +
            'container web; cpu, memory request for init container init; ' +
            'cpu, memory limit for init container init',
        );
        const again = await run([...how.split(' '), '-f', '-'], pod(name, 'registry.example/w:1'));
        assert.equal(again.code, 0, again.stderr);
        if (form.length === 0) assert.equal(again.stdout, `pod/${name} unchanged\n`);
        const image = await run([...how.split(' '), '-f', '-'], pod(name, 'registry.example/w:2'));
        assert.equal(image.code, 0, image.stderr);
      });
    }

    it(`${release}: is told why it is refused, and nothing is made`, { skip }, async () => {
      const host = pod('host', 'i').replace('spec:\n', 'spec:\n  hostNetwork: true\n');
      for (const more of [[], ['--dry-run=server']]) {
        const refused = await run(['apply', ...more, '-f', '-'], host);
        assert.equal(refused.code, 1);
        assert.match(
          refused.stderr,
          /pods "host" is forbidden: violates PodSecurity "baseline:latest": host namespaces \(hostNetwork=true\)/,
        );
      }
      const gone = await run(['get', 'pod', 'host', '-n', 'shop']);
      assert.match(gone.stderr, /pods "host" not found/);
    });
  }
});
