/**
 * The real kubectl, an old and a new one, against a server as `npm start` makes it: TLS, RBAC, and
 * the kubeconfig of the ready line. Skipped, with the reason, where no kubectl of that release is
 * installed.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/servers/child-server.ts';
import type { ChildServer } from '../support/servers/child-server.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

const releases = ['1.27', '1.33'] as const;

const programs = releases.map((release) => [release, findKubectl(release)] as const);
const missing = programs.every(([, program]) => program === undefined);

describe('kubectl against a secured server', { skip: missing ? 'no kubectl found' : false }, () => {
  let dataDir = '';
  let server: ChildServer;
  /** The same server, by token. */
  let byToken = '';
  /** The same server, without credentials. */
  let noUser = '';

  before(async () => {
    dataDir = directories.make();
    await writeFile(path.join(dataDir, 'tokens.csv'), 'alices-token,alice,u1,"devs"\n');
    server = await startChildServer([
      '--secure-port=0',
      '--http-port=off',
      '--authorization-mode=RBAC',
      '--anonymous-auth=',
      '--identity=kubernetes',
      `--token-auth-file=${path.join(dataDir, 'tokens.csv')}`,
      `--data-dir=${dataDir}`,
    ]);
    byToken = path.join(dataDir, 'token.kubeconfig');
    const caData = /certificate-authority-data: *(\S+)/.exec(
      readFileSync(server.kubeconfig, 'utf8'),
    )?.[1];
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'c', cluster: { server: server.url, 'certificate-authority-data': caData } },
      ],
      users: [
        { name: 'u', user: { token: 'alices-token' } },
        { name: 'wrong', user: { token: 'alices-toke' } },
        { name: 'none', user: {} },
      ],
      contexts: ['u', 'wrong', 'none'].map((user) => ({
        name: user,
        context: { cluster: 'c', user },
      })),
      'current-context': 'u',
    };
    await writeFile(byToken, JSON.stringify(config));
    noUser = path.join(dataDir, 'none.kubeconfig');
    await writeFile(noUser, JSON.stringify({ ...config, 'current-context': 'none' }));
  });

  after(async () => {
    await server.stop('SIGTERM');
    await directories.removeAll();
  });

  test('the kubeconfig is its owner’s alone, over TLS, with a client certificate', () => {
    assert.equal(statSync(server.kubeconfig).mode & 0o777, 0o600);
    const text = readFileSync(server.kubeconfig, 'utf8');
    assert.match(text, /server: https:\/\//);
    assert.match(text, /client-certificate-data:/);
    assert.match(text, /client-key-data:/);
    assert.doesNotMatch(text, /insecure/);
    // A token is in it for the port for tokens, and only who names that context sends it.
    assert.match(text, /^current-context: "?sluice"?$/m);
  });

  for (const [release, program] of programs) {
    const skip = program === undefined ? `no kubectl.${release} found` : false;
    describe(`kubectl ${release}`, { skip }, () => {
      const run = (kubeconfig: string, args: readonly string[], input?: string): Promise<Ran> =>
        runKubectl(program ?? '', { home: dataDir, kubeconfig }, args, input);
      const admin = (...args: string[]): Promise<Ran> => run(server.kubeconfig, args);
      const alice = (...args: string[]): Promise<Ran> => run(byToken, args);

      test('with the client certificate may do everything', async () => {
        const name = `space-${release.replace('.', '-')}`;
        const made = await admin('create', 'namespace', name);
        assert.equal(made.code, 0, made.stderr);
        const removed = await admin('delete', 'namespace', name);
        assert.equal(removed.code, 0, removed.stderr);
      });

      test('with a token is the user of the token', async () => {
        const pods = await alice('get', 'pods');
        assert.equal(pods.code, 1);
        assert.match(
          pods.stderr,
          /^Error from server \(Forbidden\): pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"/,
        );
      });

      test('with a wrong token is told to log in, without any forbidden', async () => {
        for (const args of [['get', 'pods'], ['version']]) {
          const said = await alice('--context=wrong', ...args);
          assert.notEqual(said.code, 0);
          const told = /You must be logged in to the server|Unauthorized/;
          assert.match(said.stderr, told);
        }
      });

      test('--as and --as-group act as somebody else, for those who may', async () => {
        const joe = await admin('get', 'pods', '--as=joe');
        assert.match(joe.stderr, /User "joe" cannot list resource "pods"/);
        const master = await admin('get', 'pods', '--as=joe', '--as-group=system:masters');
        assert.equal(master.code, 0, master.stderr);
        const uid = await admin('get', 'pods', '--as=joe', '--as-uid=7');
        assert.match(uid.stderr, /User "joe" cannot list/);
        const denied = await alice('get', 'pods', '--as=joe');
        assert.match(denied.stderr, /users "joe" is forbidden: User "alice" cannot impersonate/);
      });

      test('auth whoami says who one is, also in another’s name', async () => {
        // Its 1.27 asks for versions of the review that 1.33 does not serve any more, and says so.
        if (release === '1.27') {
          const said = await admin('auth', 'whoami');
          return assert.match(said.stderr, /the selfsubjectreviews API is not enabled/);
        }
        const own = await admin('auth', 'whoami', '-o', 'json');
        const { userInfo } = (JSON.parse(own.stdout) as Review).status;
        assert.equal(userInfo.username, 'kubernetes-admin');
        assert.deepEqual(userInfo.groups, ['system:masters', 'system:authenticated']);
        const other = ['--as=joe', '--as-group=g1', '--as-group=g2', '--as-uid=7'];
        const joe = await admin('auth', 'whoami', '-o', 'json', ...other);
        assert.deepEqual((JSON.parse(joe.stdout) as Review).status.userInfo, {
          username: 'joe',
          uid: '7',
          groups: ['g1', 'g2', 'system:authenticated'],
        });
      });

      test('auth can-i answers by its code, and lists every rule', async () => {
        const can = await admin('auth', 'can-i', 'create', 'pods');
        assert.deepEqual([can.code, can.stdout], [0, 'yes\n']);
        const cannot = await alice('auth', 'can-i', 'create', 'pods');
        assert.deepEqual([cannot.code, cannot.stdout], [1, 'no\n']);
        const path = await alice('auth', 'can-i', 'get', '/metrics');
        assert.deepEqual([path.code, path.stdout], [1, 'no\n']);
        const rules = await alice('auth', 'can-i', '--list');
        assert.equal(rules.code, 0, rules.stderr);
        assert.match(
          rules.stdout,
          /^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m,
        );
        assert.match(rules.stdout, /^ +\[\/healthz\] +\[\] +\[get\]$/m);
      });

      test('create token is good for the account, until its role binding is all it lacks', async () => {
        const account = `bot-${release}`;
        assert.equal((await admin('create', 'serviceaccount', account)).code, 0);
        const made = await admin('create', 'token', account, '--duration=20m');
        assert.equal(made.code, 0, made.stderr);
        const token = made.stdout.trim();
        const user = `system:serviceaccount:default:${account}`;
        const asBot = (...args: string[]): Promise<Ran> =>
          run(noUser, [`--token=${token}`, ...args]);
        const before = await asBot('get', 'pods');
        assert.match(before.stderr, new RegExp(`User "${user}" cannot list resource "pods"`));
        const bound = await admin(
          ...['create', 'clusterrolebinding', account, '--clusterrole=view'],
          `--serviceaccount=default:${account}`,
        );
        assert.equal(bound.code, 0, bound.stderr);
        await until(async () => (await asBot('get', 'pods')).code === 0);
        const secrets = await asBot('get', 'secrets');
        assert.match(secrets.stderr, /cannot list resource "secrets"/);
        assert.equal((await admin('delete', 'serviceaccount', account)).code, 0);
        await until(async () => /Unauthorized|logged in/.test((await asBot('get', 'pods')).stderr));
      });

      test('auth reconcile makes roles and bindings, adds to them, and takes away when told', async () => {
        const name = `reader-${release}`;
        const manifest = (verbs: readonly string[]): string =>
          JSON.stringify({ apiVersion: 'v1', kind: 'List', items: roleAndBinding(name, verbs) });
        const reconcile = (verbs: readonly string[], ...flags: string[]): Promise<Ran> =>
          run(server.kubeconfig, ['auth', 'reconcile', '-f', '-', ...flags], manifest(verbs));
        const verbsNow = async (): Promise<string[]> => {
          const role = await admin('get', 'clusterrole', name, '-o', 'json');
          const { rules } = JSON.parse(role.stdout) as { rules: { verbs: string[] }[] };
          return rules.flatMap(({ verbs }) => verbs).sort();
        };
        const made = await reconcile(['get', 'list']);
        assert.equal(made.code, 0, made.stderr);
        const joe = async (verb: string): Promise<string> =>
          (await admin('auth', 'can-i', verb, 'pods', `--as=joe-${release}`)).stdout.trim();
        await until(async () => (await joe('list')) === 'yes');
        assert.equal(await joe('watch'), 'no');
        assert.equal((await reconcile(['watch'])).code, 0);
        assert.deepEqual(await verbsNow(), ['get', 'list', 'watch']);
        assert.equal((await reconcile(['watch'], '--remove-extra-permissions')).code, 0);
        assert.deepEqual(await verbsNow(), ['watch']);
      });
    });
  }
});

interface Review {
  readonly status: { readonly userInfo: { username: string; groups: readonly string[] } };
}

function roleAndBinding(name: string, verbs: readonly string[]): readonly object[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const head = (kind: string) => ({ apiVersion: `${apiGroup}/v1`, kind, metadata: { name } });
  const subject = { kind: 'User', name: name.replace('reader', 'joe'), apiGroup };
  return [
    { ...head('ClusterRole'), rules: [{ apiGroups: [''], resources: ['pods'], verbs }] },
    {
      ...head('ClusterRoleBinding'),
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [subject],
    },
  ];
}

/** Grants, and the end of an account, are seen a moment after they are written. */
async function until(seen: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (await seen()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail('it was never seen');
}
