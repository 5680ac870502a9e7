/**
 * kubectl logs, exec, attach, cp, port-forward and proxies: what people read when nothing can be
 * reached, and a log and a command, over both transports (TLS is node's, plain HTTP is uWebSockets.js'), by an old client
 * that asks for SPDY and a new one that asks for a WebSocket first. Skipped, with the reason, where
 * no kubectl of that release is installed.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import { startKubelet } from '../support/servers/kubelet.ts';
import type { Kubelet } from '../support/servers/kubelet.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const releases = ['1.27', '1.33'] as const;
const programs = releases.map((release) => [release, findKubectl(release)] as const);
const missing = programs.every(([, program]) => program === undefined);

const pods = '/api/v1/namespaces/default/pods';
const container = { name: 'c', image: 'example.io/c:1' };
const unbound = 'pod waiting does not have a host assigned';
const noNode = 'nodes "n" not found';

/** Arguments, and what kubectl says; `$dir` is a directory with a file `f`. */
const rows: readonly (readonly [args: readonly string[], said: string])[] = [
  [['logs', 'waiting', '-c', 'z'], 'container z is not valid for pod waiting'],
  [['exec', 'waiting', '-c', 'z', '--', 'ls'], 'container z is not valid for pod waiting'],
  [['exec', 'waiting', '--', 'ls'], unbound],
  [['exec', '-i', 'waiting', '--', 'cat'], unbound],
  [['attach', 'waiting'], unbound],
  [['cp', '$dir/f', 'waiting:/tmp/f'], unbound],
  [['cp', 'waiting:/tmp/f', '$dir/g'], unbound],
  [['port-forward', 'placed', '0:80'], noNode],
  [['logs', 'placed'], `Error from server (NotFound): ${noNode}`],
  [['exec', 'placed', '--', 'ls'], noNode],
  [['attach', 'placed'], noNode],
  [['logs', 'gone'], 'rror from server (NotFound): pods "gone" not found'],
  [['exec', 'gone', '--', 'ls'], 'Error from server (NotFound): pods "gone" not found'],
  [['get', '--raw', `${pods}/waiting/proxy/x/y`], '(BadRequest): address not allowed'],
  [['get', '--raw', '/api/v1/nodes/n/proxy/metrics'], '(NotFound): nodes "n" not found'],
  [
    ['get', '--raw', '/api/v1/namespaces/default/services/http:s:80/proxy/'],
    'Error from server (ServiceUnavailable): no endpoints available for service "s"',
  ],
];

async function fill(
  server: TestServer,
  headers: Record<string, string>,
  kubelet: Kubelet,
): Promise<void> {
  const send = async (method: string, target: string, body: object, more = {}): Promise<void> => {
    const reply = await server.request(method, target, { body, headers: { ...headers, ...more } });
    assert.ok(reply.status < 300, reply.text);
  };
  await send('POST', pods, { metadata: { name: 'waiting' }, spec: { containers: [container] } });
  const placed = { nodeName: 'n', containers: [container] };
  await send('POST', pods, { metadata: { name: 'placed' }, spec: placed });
  const patch = { 'content-type': 'application/merge-patch+json' };
  await send('PATCH', `${pods}/placed/status`, { status: { phase: 'Running' } }, patch);
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await send('POST', '/api/v1/nodes', { metadata: { name: 'k' } });
  await send('PATCH', '/api/v1/nodes/k/status', { status }, patch);
  const running = { nodeName: 'k', containers: [container] };
  await send('POST', pods, { metadata: { name: 'running' }, spec: running });
  await send('PATCH', `${pods}/running/status`, { status: { phase: 'Running' } }, patch);
  const spec = { ports: [{ port: 80 }] };
  await send('POST', '/api/v1/namespaces/default/services', { metadata: { name: 's' }, spec });
}

function configOf(cluster: object, user: object): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
    'current-context': 'c',
  });
}

describe(
  'kubectl and what can be reached, or cannot',
  { skip: missing ? 'no kubectl found' : false },
  () => {
    let home = '';
    let plain: TestServer;
    let secure: SecureServer;
    let kubelet: Kubelet;
    const kubeconfigs = new Map<string, string>();

    before(async () => {
      home = directories.make();
      await writeFile(path.join(home, 'f'), 'content\n');
      plain = await startTestServer({ transport: 'uws' });
      secure = await startSecureServer();
      kubelet = await startKubelet({
        log: (_request, response) => void response.end('a line\n'),
        stderr: 'oh',
      });
      await fill(plain, {}, kubelet);
      await fill(secure, { authorization: `Bearer ${tokens.admin}` }, kubelet);
      const ca = Buffer.from(secure.caPem).toString('base64');
      const tls = { server: secure.secureUrl, 'certificate-authority-data': ca };
      const configs = {
        uws: configOf({ server: plain.url }, {}),
        node: configOf(tls, { token: tokens.admin }),
        reader: configOf(tls, { token: tokens.alice }),
      };
      for (const [name, text] of Object.entries(configs)) {
        kubeconfigs.set(name, path.join(home, `${name}.kubeconfig`));
        await writeFile(path.join(home, `${name}.kubeconfig`), text);
      }
    });

    after(async () => {
      kubelet.close();
      await plain.remove();
      await secure.remove();
      await directories.removeAll();
    });

    const run = (program: string, as: string, args: readonly string[]) => {
      const kubeconfig = kubeconfigs.get(as) ?? '';
      const filled = args.map((arg) => arg.replace('$dir', home));
      return runKubectl(program, { home: path.join(home, as), kubeconfig }, filled);
    };

    for (const [release, program] of programs) {
      const skip = program === undefined ? `no kubectl ${release} found` : false;
      for (const transport of ['uws', 'node']) {
        for (const [args, said] of rows) {
          test(`${release}, ${transport}: ${args.join(' ')}`, { skip }, async () => {
            const ran = await run(program ?? '', transport, args);
            assert.notEqual(ran.code, 0);
            assert.ok(`${ran.stdout}${ran.stderr}`.includes(said), JSON.stringify(ran));
          });
        }
        test(
          `${release}, ${transport}: the log of a pod that waits is empty`,
          { skip },
          async () => {
            const ran = await run(program ?? '', transport, ['logs', '-f', 'waiting', '-c', 'c']);
            assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, '', '']);
          },
        );
      }

      for (const transport of ['uws', 'node']) {
        test(`${release}, ${transport}: the log of a container`, { skip }, async () => {
          const ran = await run(program ?? '', transport, ['logs', 'running', '--tail=3']);
          assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, 'a line\n', '']);
        });

        const asksForSpdy = release === '1.27';
        const notRun = asksForSpdy ? 'the kubelet of these tests does not know its SPDY' : skip;
        test(`${release}, ${transport}: a command in a container`, { skip: notRun }, async () => {
          const args = ['exec', '-i', 'running', '--', 'cat'];
          const ran = await run(program ?? '', transport, args);
          assert.deepEqual([ran.code, ran.stdout, ran.stderr.trim()], [0, '', 'oh']);
        });
      }

      test(`${release}: the right to a part is asked for by its name`, { skip }, async () => {
        const headers = { authorization: `Bearer ${tokens.admin}` };
        const root = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
        const grant = async (resources: readonly string[], verbs: readonly string[]) => {
          const role = { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources, verbs }] };
          const binding = {
            metadata: { name: 'r' },
            subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
            roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
          };
          await secure.request('PUT', `${root}/roles/r`, { headers, body: role });
          await secure.request('PUT', `${root}/rolebindings/r`, { headers, body: binding });
        };
        const says = async (args: readonly string[], said: string): Promise<void> => {
          const ran = await run(program ?? '', 'reader', args);
          assert.notEqual(ran.code, 0);
          assert.ok(`${ran.stdout}${ran.stderr}`.includes(said), JSON.stringify(ran));
        };
        await grant(['pods'], ['get', 'list']);
        const refused =
          'cannot create resource "pods/exec" in API group "" in the namespace "default"';
        await says(['exec', 'waiting', '--', 'ls'], refused);
        await says(['logs', 'waiting'], 'cannot get resource "pods/log" in API group ""');
        const proxied = ['get', '--raw', `${pods}/waiting/proxy/x/y`];
        await says(proxied, 'cannot get resource "pods/proxy" in API group ""');
        await grant(['pods', 'pods/exec', 'pods/log', 'pods/proxy'], ['get', 'create']);
        await says(['exec', 'waiting', '--', 'ls'], unbound);
        await says(['logs', 'placed'], noNode);
        await says(proxied, 'address not allowed');
      });
    }
  },
);
