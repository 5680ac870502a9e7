/** What the server and its commands write is their owner's alone, whatever the umask was. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, it } from 'node:test';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { runToEnd, startServer } from '../support/servers/server-process.ts';

const directories = testDirectories('sluice-modes');
after(() => directories.removeAll());

function open(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => (statSync(file).mode & 0o077) !== 0);
}

it('keys, tokens, kubeconfig, store, audit logs and backups are nobody else’s to read', async () => {
  const directory = directories.make();
  const dataDir = path.join(directory, 'data');
  const logs = path.join(directory, 'logs');
  mkdirSync(dataDir, { mode: 0o755 });
  mkdirSync(logs, { mode: 0o755 });
  const policy = path.join(logs, 'policy.json');
  const rules = [{ level: 'Metadata' }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.svc.io/v1', kind: 'Policy', rules }));
  chmodSync(policy, 0o600);
  const flags = [
    '--secure-port=0',
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${path.join(logs, 'audit.log')}`,
  ];
  const command = { dataDir, flags, before: 'umask 000' };
  const first = await startServer(command);
  const port = Number(/ http=http:\/\/[^ ]+:(\d+) /.exec(first.readyLine)?.[1]);
  const connection = new HttpConnection(port);
  assert.equal((await connection.request('GET', '/version')).status, 200);
  connection.close();
  assert.deepEqual(open(directory), []);
  assert.ok(statSync(path.join(logs, 'audit.log')).size > 0);
  await first.stop();
  // As an older release, or a copy, may have left it.
  chmodSync(path.join(dataDir, 'data.mdb'), 0o644);
  const second = await startServer(command);
  assert.deepEqual(open(directory), []);
  await second.stop();
  const backup = path.join(directory, 'backup');
  const done = await runToEnd(['backup', `--data-dir=${dataDir}`, `--to=${backup}`]);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(open(directory), []);
});
