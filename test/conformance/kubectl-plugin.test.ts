/**
 * kubectl with a credential plugin: what it gets from the plugin is what the server sees, in both
 * versions of ExecCredential, as a token and as a client certificate.
 *
 * The plugin is a shell script of this test: it writes down what it was told (KUBERNETES_EXEC_INFO)
 * and prints the next answer of a row. Skipped, with the reason, where no kubectl is installed.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import type { Ran } from '../support/clients/kubectl.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-plugin');

const releases = ['1.27', '1.30', '1.33'] as const;
const versions = ['v1', 'v1beta1'] as const;
type Version = (typeof versions)[number];
type Mode = 'Never' | 'IfAvailable' | 'Always';

interface ExecInfo {
  readonly apiVersion: string;
  readonly spec: { readonly interactive: boolean; readonly cluster?: { readonly server: string } };
}

/** Each run takes one answer; the last one stays. */
const plugin = `#!/bin/sh
cd "$(dirname "$0")"
printf '%s\\n' "$KUBERNETES_EXEC_INFO" >> asked
next=$(grep -c . asked)
[ -f "answer-$next" ] || next=last
cat "answer-$next"
`;

interface Plugin {
  readonly kubeconfig: string;
  /** What the plugin was told, run by run. */
  asked(): Promise<readonly ExecInfo[]>;
}

interface PluginOptions {
  readonly version: Version;
  readonly statuses: readonly object[];
  readonly mode?: Mode;
  readonly provideClusterInfo?: boolean;
}

async function pluginIn(
  directory: string,
  server: SecureServer,
  { version, statuses, mode = 'Never', provideClusterInfo = false }: PluginOptions,
): Promise<Plugin> {
  const home = await mkdtemp(path.join(directory, 'plugin-'));
  const command = path.join(home, 'plugin.sh');
  await writeFile(command, plugin, { mode: 0o755 });
  const apiVersion = `client.authentication.k8s.io/${version}`;
  for (const [i, status] of [...statuses, statuses.at(-1) ?? {}].entries()) {
    const name = i === statuses.length ? 'answer-last' : `answer-${i + 1}`;
    const credential = { apiVersion, kind: 'ExecCredential', status };
    await writeFile(path.join(home, name), JSON.stringify(credential));
  }
  const ca = Buffer.from(server.caPem).toString('base64');
  const exec = { apiVersion, command, interactiveMode: mode, provideClusterInfo };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'c', cluster: { server: server.secureUrl, 'certificate-authority-data': ca } },
    ],
    users: [{ name: 'u', user: { exec } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  const kubeconfig = path.join(home, 'config');
  await writeFile(kubeconfig, JSON.stringify(config));
  return {
    kubeconfig,
    async asked() {
      const text = await readFile(path.join(home, 'asked'), 'utf8').catch(() => '');
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as ExecInfo);
    },
  };
}

const inAnHour = (): string =>
  new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');

for (const release of releases) {
  const program = findKubectl(release);
  const skip = program === undefined ? `no kubectl.${release} found` : false;
  describe(`kubectl ${release} with a credential plugin`, { skip }, () => {
    let server: SecureServer;
    let directory = '';
    before(async () => {
      directory = directories.make();
      server = await startSecureServer({ identity: 'kubernetes' });
    });
    after(async () => {
      await server.remove();
      await directories.removeAll();
    });
    const kubectl = ({ kubeconfig }: Plugin, ...args: string[]): Promise<Ran> =>
      runKubectl(program ?? '', { home: directory, kubeconfig }, args);

    for (const version of versions) {
      test(`${version}: is the user of the token, asks once while it is good`, async () => {
        const statuses = [{ token: tokens.admin, expirationTimestamp: inAnHour() }];
        const given = await pluginIn(directory, server, { version, statuses });
        const pods = await kubectl(given, 'get', 'pods', '--all-namespaces');
        assert.equal(pods.code, 0, pods.stderr);
        const asked = await given.asked();
        assert.equal(asked.length, 1);
        assert.equal(asked[0]?.apiVersion, `client.authentication.k8s.io/${version}`);
        assert.equal(asked[0]?.spec.interactive, false);
        assert.equal(asked[0]?.spec.cluster, undefined);
      });

      test(`${version}: a token that has run out is asked for anew, and the new one counts`, async () => {
        const past = '2020-01-01T00:00:00Z';
        const statuses = [
          { token: tokens.alice, expirationTimestamp: past },
          { token: tokens.admin, expirationTimestamp: inAnHour() },
        ];
        const given = await pluginIn(directory, server, { version, statuses });
        await kubectl(given, 'get', 'pods');
        const pods = await kubectl(given, 'get', 'pods');
        assert.equal(pods.code, 0, pods.stderr);
        assert((await given.asked()).length >= 2);
      });

      test(`${version}: 401 makes it ask again, for the next request`, async () => {
        const statuses = [{ token: 'nobodys-token' }, { token: tokens.admin }];
        const given = await pluginIn(directory, server, { version, statuses });
        const got = await kubectl(given, 'get', '--raw', '/api/v1/pods');
        assert.notEqual(got.code, 0);
        assert.match(got.stderr, /Unauthorized|must be logged in/);
        assert.equal((await given.asked()).length, 2);
        const next = await kubectl(given, 'get', '--raw', '/api/v1/pods');
        assert.equal(next.code, 0, next.stderr);
      });

      test(`${version}: a client certificate of the plugin is the user`, async () => {
        const pair = await server.clientCertificate('carol', ['team-c']);
        const statuses = [
          { clientCertificateData: pair.certificatePem, clientKeyData: pair.keyPem },
        ];
        const given = await pluginIn(directory, server, { version, statuses });
        const pods = await kubectl(given, 'get', 'pods');
        assert.match(pods.stderr, /User "carol" cannot list resource "pods"/);
      });

      test(`${version}: is told of the cluster where the kubeconfig says so`, async () => {
        const statuses = [{ token: tokens.admin }];
        const options = { version, statuses, provideClusterInfo: true };
        const given = await pluginIn(directory, server, options);
        assert.equal((await kubectl(given, 'get', 'pods')).code, 0);
        assert.equal((await given.asked())[0]?.spec.cluster?.server, server.secureUrl);
      });
    }

    test('a plugin that must be asked interactively is not run without a terminal', async () => {
      const statuses = [{ token: tokens.admin }];
      const always = await pluginIn(directory, server, { version: 'v1', statuses, mode: 'Always' });
      const said = await kubectl(always, 'get', 'pods');
      assert.notEqual(said.code, 0);
      assert.deepEqual(await always.asked(), []);
      const options = { version: 'v1', statuses, mode: 'IfAvailable' } as const;
      const available = await pluginIn(directory, server, options);
      assert.equal((await kubectl(available, 'get', 'pods')).code, 0);
      assert.equal((await available.asked())[0]?.spec.interactive, false);
    });
  });
}
