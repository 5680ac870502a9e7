/** Mistakes at the start: each is one line that names the flag, the place, and what to do. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { testDirectories } from '../support/data/test-directories.ts';
import { launch, serveArguments } from '../support/servers/server-process.ts';

const entry = path.resolve('dist/bin/sluice.js');
const directories = testDirectories('sluice-refused');
const folder = directories.make();
const broken = path.join(folder, 'broken');
const missing = path.join(folder, 'missing');
writeFileSync(broken, 'a: [');
const unopened = path.join(folder, 'unopened');
mkdirSync(path.join(unopened, 'lock.mdb'), { recursive: true });
writeFileSync(path.join(unopened, 'data.mdb'), '');
const pipe = path.join(folder, 'pipe');
execFileSync('mkfifo', [pipe]);

const taken = createServer();
before(() => new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve)));
after(async () => {
  taken.close();
  await directories.removeAll();
});
const takenPort = (): string => String((taken.address() as AddressInfo).port);

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

function serve(flags: readonly string[]): Promise<Ended> {
  const ports = ['--secure-port=0', '--token-port=off', '--http-port=0', '--log-level=silent'];
  const args = [entry, 'serve', `--data-dir=${directories.make()}`, ...ports, ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
    if (said.includes('sluice is ready')) child.kill('SIGKILL');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}

const inUse = (port: string): string =>
  `127.0.0.1:${port} is in use by another program: ` +
  'stop it, or choose another port (0 picks a free one)';

interface Row {
  readonly title: string;
  flags(): readonly string[];
  says(): string;
}

const rows: readonly Row[] = [
  ...['--secure-port', '--http-port', '--token-port'].map((flag) => ({
    title: `a ${flag} that another program has`,
    flags: () => [`${flag}=${takenPort()}`],
    says: () => `${flag}: ${inUse(takenPort())}`,
  })),
  {
    title: 'a port that another program has, with several workers',
    flags: () => [`--secure-port=${takenPort()}`, '--workers=2'],
    says: () => `--secure-port: ${inUse(takenPort())}`,
  },
  {
    title: 'an address of another machine',
    flags: () => ['--bind-address=192.0.2.1', '--http-port=off'],
    says: () => '--bind-address: this machine does not have the address 192.0.2.1',
  },
  {
    title: 'a data directory that is a file',
    flags: () => [`--data-dir=${broken}`],
    says: () => `cannot open the directory ${broken}: it is not a directory`,
  },
  {
    title: 'a data directory that the system refuses as if its parent were missing',
    flags: () => ['--data-dir=/proc/sluice'],
    says: () =>
      "cannot open the directory /proc/sluice: ENOENT: no such file or directory, mkdir '/proc/sluice'",
  },
  {
    title: 'a data directory in which the store cannot be opened',
    flags: () => [`--data-dir=${unopened}`],
    says: () => `cannot open the store in ${unopened}: EISDIR: illegal operation on a directory`,
  },
  {
    title: 'a key of tokens that is a pipe nobody writes to',
    flags: () => [`--service-account-key-file=${pipe}`],
    says: () =>
      `--service-account-key-file: ${pipe}: ${pipe} is a pipe, and did not end within 10 seconds`,
  },
  {
    title: 'a CA of a certificate that is not given',
    flags: () => [`--root-ca-file=${broken}`],
    says: () => '--root-ca-file: it is for --tls-cert-file: give that, too',
  },
  {
    title: 'a certificate without its key',
    flags: () => [`--tls-cert-file=${broken}`],
    says: () => '--tls-cert-file, --tls-private-key-file: give both or neither',
  },
  {
    title: 'a key of the serving certificate that is not there',
    flags: () => [`--tls-cert-file=${broken}`, `--tls-private-key-file=${missing}`],
    says: () =>
      `--tls-private-key-file: ${missing}: ENOENT: no such file or directory, open '${missing}'`,
  },
  {
    title: 'an API that does not exist',
    flags: () => ['--runtime-config=batch/v9=true,api/x'],
    says: () => '--runtime-config: api/x: expected api/all',
  },
  {
    title: 'a policy file that is no such file',
    flags: () => ['--authorization-mode=ABAC', `--authorization-policy-file=${broken}`],
    says: () => `--authorization-policy-file: ${broken}: line 1: not a JSON document`,
  },
  {
    title: 'a webhook file that is no kubeconfig',
    flags: () => ['--authorization-mode=Webhook', `--authorization-webhook-config-file=${broken}`],
    says: () => `--authorization-webhook-config-file: ${broken}: not valid YAML: did not find`,
  },
  {
    title: 'a command log in a folder that is not there',
    flags: () => [`--command-log=${missing}/log`],
    says: () => `--command-log: ENOENT: no such file or directory, open '${missing}/log'`,
  },
];

describe('a start is refused with one line for', { concurrency: 3 }, () => {
  for (const { title, flags, says } of rows) {
    it(title, async () => {
      const { code, said } = await serve(flags());
      const line = `sluice: ${says()}`;
      assert.equal(said.slice(0, line.length), line);
      assert.equal(said.indexOf('\n'), said.length - 1, said);
      assert.equal(code, 2);
    });
  }
});

test('a limit of address space that leaves no room for the map is told, not died of', async () => {
  const dataDir = directories.make();
  const { ended } = launch(serveArguments({ dataDir }), 'ulimit -v 20000000');
  const { code, signal, stderr } = await ended;
  const line = `sluice: cannot open the store in ${dataDir}: its map takes 64 GiB of address space`;
  assert.equal(stderr.slice(0, line.length), line);
  assert.match(stderr, /raise the limit \(ulimit -v, LimitAS=\)/);
  assert.deepEqual([code, signal], [2, null]);
});

test('a limit of open files that lets no module be loaded is told in one line', async () => {
  const { ended } = launch(serveArguments({ dataDir: directories.make() }), 'ulimit -n 24');
  const { code, signal, stderr } = await ended;
  const remedy = 'raise it (ulimit -n, LimitNOFILE=)';
  assert.equal(stderr, `sluice: the limit of open files is too low: ${remedy}\n`);
  assert.deepEqual([code, signal], [2, null]);
});
