/** What somebody meets who has never seen the server: its usage, its first start, its hints. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cpSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-first');

const entry = path.resolve('dist/bin/sluice.js');
const folder = directories.make();
after(() => directories.removeAll());

const commands = [
  ...['serve', 'export', 'import', 'backup', 'verify', 'mark-restored', 'convert'],
  'kubeconfig',
];

function run(args: readonly string[]) {
  return spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8' });
}

describe('usage', () => {
  it('is printed, with every command, when help is asked for', () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { status, stdout, stderr } = run(args);
      assert.deepEqual([status, stderr], [0, '']);
      for (const name of commands) assert.match(stdout, new RegExp(`^ {2}${name} \\[`, 'm'));
      assert.match(stdout, /sluice serve --identity=kubernetes/);
    }
  });

  it('is printed when no command is given, and that is not success', () => {
    const { status, stdout, stderr } = run([]);
    assert.deepEqual([status, stdout], [2, '']);
    assert.equal(stderr, run(['--help']).stdout);
  });

  it('of each command is printed with its flags', () => {
    for (const name of commands) {
      const { status, stdout } = run([name, '--help']);
      assert.equal(status, 0);
      assert.match(stdout, new RegExp(`^Usage: sluice ${name} `));
      assert.match(stdout, /^ {2}-/m);
    }
  });
});

describe('the executable', () => {
  it('tells the engine how to collect, which a program cannot do once it runs', () => {
    const there = path.join(folder, 'sluice');
    symlinkSync(entry, there);
    const look = 'data:text/javascript,process.stderr.write(process.execArgv.join())';
    const env = {
      PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
      NODE_OPTIONS: `--import=${look}`,
    };
    const engineFlags = [
      '--max-semi-space-size=32',
      '--min-semi-space-size=4',
      '--no-memory-reducer',
      '--no-allocation-site-pretenuring',
    ].join(',');
    const { status, stdout, stderr } = spawnSync(there, ['--version'], { encoding: 'utf8', env });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^\d+\.\d+\.\d+/);
    assert.equal(stderr, engineFlags);
  });

  it('ends quietly when whoever reads its help has seen enough', () => {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', '"$0" "$1" --help | true; exit "${PIPESTATUS[0]}"', process.execPath, entry],
      { encoding: 'utf8' },
    );
    assert.equal(stderr, '');
    assert.equal(status, 0);
  });
});

describe('npm start', () => {
  const place = path.join(folder, 'clone');
  const parts = ['src', 'actors', 'streams', 'package.json', 'bundle.mjs', 'tsconfig.json'];
  for (const part of parts) cpSync(part, path.join(place, part), { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(place, 'node_modules'));

  interface Started {
    readonly said: string;
    readonly kubeconfig: string;
    stop(): Promise<number | null>;
  }

  function start(flags: readonly string[]): Promise<Started> {
    const args = ['start', '--', '--secure-port=0', '--http-port=off', ...flags];
    const child: ChildProcess = spawn('npm', args, { cwd: place, detached: true });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    let said = '';
    return new Promise((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        said += chunk.toString();
        const kubeconfig = /sluice is ready: .* kubeconfig=(.+)\n/.exec(said)?.[1];
        if (kubeconfig === undefined) return;
        const stop = (): Promise<number | null> => {
          process.kill(-(child.pid as number), 'SIGTERM');
          return ended;
        };
        resolve({ said, kubeconfig, stop });
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
      void ended.then((code) => reject(new Error(`it ended (${code}): ${said}`)));
    });
  }

  it('says what it does, builds the server alone, and serves kubectl', async (t) => {
    const started = await start([]);
    try {
      assert.match(started.said, /^sluice: building.*\n[\s\S]*^sluice is ready: .*kubernetes/m);
      assert.match(started.said, /\n[^\n]*export KUBECONFIG=\S+; kubectl get namespaces\n/);
      for (const absent of ['test', 'bench']) {
        assert.throws(() => statSync(path.join(place, 'dist', absent)), { code: 'ENOENT' });
      }
      const kubectl = findKubectl('1.33');
      if (kubectl === undefined) t.diagnostic('kubectl 1.33 is not installed: not tried with it');
      else {
        const { kubeconfig } = started;
        const shown = await runKubectl(kubectl, { home: folder, kubeconfig }, ['get', 'ns']);
        assert.match(shown.stdout, /^kube-system +Active/m, shown.stderr);
      }
    } finally {
      await started.stop();
    }
  });

  it('of another identity can be asked for', async () => {
    const started = await start(['--identity=svc', '--data-dir=other']);
    await started.stop();
    assert.match(started.said, / identity=svc /);
  });

  it('on a store of the other identity names the flag that opens it', async () => {
    await assert.rejects(start(['--identity=svc']), /--identity=kubernetes,? .*--data-dir/);
  });
});

const pods = '/api/v1/namespaces/default/pods';

describe('a client of the other identity', () => {
  const rows = [
    {
      identity: 'svc',
      domain: 'k8s.io',
      flow: 'flowcontrol.apiserver.k8s.io',
      other: 'kubernetes',
    },
    { identity: 'kubernetes', domain: 'svc.io', flow: 'flowcontrol.svc.io', other: 'svc' },
  ] as const;
  for (const { identity, domain, flow, other } of rows) {
    it(`is told of --identity=${other} by a server of ${identity}`, async () => {
      const server = await startTestServer({ identity });
      try {
        const flag = new RegExp(`--identity=${other}`);
        const messageOf = async (method: string, target: string, options = {}) => {
          const { body, status } = await server.request(method, target, options);
          return { status, message: String(body['message']) };
        };
        const group = `rbac.authorization.${domain}`;
        for (const target of [
          `/apis/${group}`,
          `/apis/${group}/v1`,
          `/apis/${group}/v1/clusterroles`,
          `/apis/${flow}/v1/flowschemas/x`,
        ]) {
          const { status, message } = await messageOf('GET', target);
          assert.equal(status, 404);
          assert.match(message, /^the server could not find the requested resource: /);
          assert.match(message, flag);
        }
        const type = `application/vnd.${other}.protobuf`;
        const headers = { 'content-type': type };
        const posted = await messageOf('POST', pods, { headers, body: Buffer.from('k8s\0') });
        assert.equal(posted.status, 415);
        assert.match(posted.message, flag);
        // A Status in Protobuf: its text stands in it as it is.
        const asked = await server.request('GET', pods, { headers: { accept: type } });
        assert.equal(asked.status, 406);
        assert.match(asked.text, flag);
        for (const unknown of [`/apis/snapshot.storage.${domain}/v1`, `/apis/${domain}`]) {
          const { message } = await messageOf('GET', unknown);
          assert.equal(message, 'the server could not find the requested resource', unknown);
        }
      } finally {
        await server.remove();
      }
    });
  }
});
