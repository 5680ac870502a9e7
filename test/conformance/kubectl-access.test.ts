/**
 * The real kubectl, an old and a new one, against a server as `npm start` makes it: TLS, RBAC, and
 * the kubeconfig of the ready line. Skipped, with the reason, where no kubectl of that release is
 * installed.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startChildServer } from '../support/child-server.ts';
import type { ChildServer } from '../support/child-server.ts';

const releases = ['1.27', '1.33'] as const;

/** `kubectl.<release>` stands beside the program that `kubectl` is a link to. */
function findKubectl(release: string): string | undefined {
  try {
    const found = execFileSync('which', ['kubectl'], { encoding: 'utf8' }).trim();
    const own = path.join(path.dirname(realpathSync(found)), `kubectl.${release}`);
    return existsSync(own) ? own : undefined;
  } catch {
    return undefined;
  }
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const programs = releases.map((release) => [release, findKubectl(release)] as const);
const missing = programs.every(([, program]) => program === undefined);

describe('kubectl against a secured server', { skip: missing ? 'no kubectl found' : false }, () => {
  let dataDir = '';
  let server: ChildServer;
  /** The same server, by token. */
  let byToken = '';

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'sluice-kubectl-'));
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
      ],
      contexts: ['u', 'wrong'].map((user) => ({
        name: user,
        context: { cluster: 'c', user },
      })),
      'current-context': 'u',
    };
    await writeFile(byToken, JSON.stringify(config));
  });

  after(async () => {
    await server.stop('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  });

  test('the kubeconfig is its owner’s alone, over TLS, with a client certificate', () => {
    assert.equal(statSync(server.kubeconfig).mode & 0o777, 0o600);
    const text = readFileSync(server.kubeconfig, 'utf8');
    assert.match(text, /server: https:\/\//);
    assert.match(text, /client-certificate-data:/);
    assert.match(text, /client-key-data:/);
    assert(!/insecure|token:/.test(text));
  });

  for (const [release, program] of programs) {
    const skip = program === undefined ? `no kubectl.${release} found` : false;
    describe(`kubectl ${release}`, { skip }, () => {
      const run = (kubeconfig: string, args: readonly string[]): Promise<Ran> =>
        new Promise((resolve) => {
          const env = { PATH: process.env['PATH'], HOME: dataDir, KUBECONFIG: kubeconfig };
          execFile(program ?? '', args, { env, timeout: 60_000 }, (error, stdout, stderr) => {
            resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
          });
        });
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
    });
  }
});
