/**
 * An admission webhook that is written in Go on the reference's own types, and what kubectl shows of
 * it: a sidecar, a denial, a warning.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildGo, findGoWith } from '../support/clients/go-client.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { kubeconfigFor } from '../support/data/kubeconfig.ts';

const directories = testDirectories('sluice-admission-go');

const releases = ['1.27', '1.33'];
const found = findGoWith('src/k8s.io/api/admission/v1');
const skip = found.kind === 'missing' ? found.reason : false;
const pem = (name: string): string => path.resolve('test', 'support', 'data', `tls-${name}.pem`);

const rule = (resource: string): JsonObject => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: [resource],
  operations: ['CREATE'],
});
const map = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe('a webhook on the types of the reference', { skip }, () => {
  let server: TestServer;
  let hook: ChildProcess;
  let home = '';
  const asked: JsonObject[] = [];

  before(async () => {
    assert(found.kind === 'found');
    home = directories.make();
    const program = await buildGo(found, path.resolve('test/support/admission-go'));
    hook = spawn(program, [pem('certificate'), pem('key')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert(hook.stdout !== null);
    const lines = createInterface({ input: hook.stdout });
    const port = await new Promise<string>((resolve) => void lines.once('line', resolve));
    lines.on('line', (line) => asked.push(JSON.parse(line) as JsonObject));
    server = await startTestServer({ identity: 'kubernetes' });
    writeFileSync(path.join(home, 'config'), kubeconfigFor({ server: server.url }));
    const caBundle = readFileSync(pem('certificate')).toString('base64');
    for (const [type, at, resource] of [
      ['Mutating', 'inject', 'pods'],
      ['Validating', 'deny', 'configmaps'],
    ] as const) {
      const kind = `${type}WebhookConfiguration`;
      const body = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name: at },
        webhooks: [
          {
            name: `${at}.example.com`,
            clientConfig: { url: `https://localhost:${port}/${at}`, caBundle },
            rules: [rule(resource)],
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
          },
        ],
      };
      const list = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
      const reply = await server.request('POST', list, { body });
      assert.equal(reply.status, 201, reply.text);
    }
    const inForce = async (target: string, body: JsonObject): Promise<void> => {
      const before = asked.length;
      while (asked.length === before) {
        await server.request('POST', `/api/v1/namespaces/default/${target}?dryRun=All`, { body });
      }
    };
    await inForce('configmaps', map('probe', {}));
    const spec = { containers: [{ name: 'app', image: 'app:1' }] };
    const metadata = { name: 'probe' };
    await inForce('pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  });
  after(async () => {
    hook.kill();
    await server.remove();
    await directories.removeAll();
  });

  for (const release of releases) {
    const kubectl = findKubectl(release);
    const why = kubectl === undefined ? `no kubectl ${release}` : false;
    it(`is shown by kubectl ${release} as users know it`, { skip: why }, async () => {
      assert(kubectl !== undefined);
      const own = { home, kubeconfig: path.join(home, 'config') };
      const run = (args: readonly string[], body?: JsonObject) =>
        runKubectl(kubectl, own, args, body === undefined ? '' : JSON.stringify(body));
      const name = `k-${release.replace('.', '-')}`;
      const denied = await run(['create', '-f', '-'], map(name, { forbidden: 'x' }));
      assert.equal(denied.code, 1);
      const lines = denied.stderr.trim().split('\n');
      assert.equal(lines[0], 'Warning: config maps are looked at');
      assert.match(
        lines.at(-1) ?? '',
        /^Error from server \(Forbidden\): error when creating "STDIN": admission webhook "deny\.example\.com" denied the request: no such key here$/,
      );
      const allowed = await run(['create', '-f', '-'], map(name, {}));
      assert.equal(allowed.code, 0, allowed.stderr);
      assert.match(allowed.stderr, /Warning: config maps are looked at/);
      const made = await run(['run', name, '--image=app:1', '-o', 'json']);
      assert.equal(made.code, 0, made.stderr);
      const containers = part(JSON.parse(made.stdout) as JsonObject, 'spec')['containers'];
      assert.deepEqual(
        (containers as readonly JsonObject[]).map((each) => [
          each['name'],
          each['imagePullPolicy'],
        ]),
        [
          [name, 'IfNotPresent'],
          ['sidecar', 'IfNotPresent'],
        ],
      );
    });
  }
});
