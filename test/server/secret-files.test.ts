/** Files with secrets that are there before the server is, with modes that are too wide. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import type { OptionName } from '../../src/server/config/options.ts';
import { guardSecretFiles } from '../../src/server/compose/secret-files.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { TestOptions } from '../support/servers/test-server.ts';

const directories = testDirectories('sluice-secret-files');
after(() => directories.removeAll());

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

function written(directory: string, name: string, mode: number, text = ''): string {
  const file = path.join(directory, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** What is logged, as `level: message file`. */
function guard(options: TestOptions, worker?: number): readonly string[] {
  const said: string[] = [];
  const note =
    (level: string) =>
    (fields: object, message: string): void => {
      const { file, mode = '' } = fields as { file: string; mode?: string };
      said.push(`${level}: ${message}: ${path.basename(file)} ${mode}`.trimEnd());
    };
  const log = {
    error: note('error'),
    warn: note('warn'),
    info: note('info'),
    debug: note('debug'),
  };
  const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
  const raw = { ...(defaults as Record<OptionName, string>), store: 'memory', ...options };
  guardSecretFiles(completeConfig(raw), worker, log);
  return said;
}

const tightened = (name: string): string =>
  `info: a file with secrets is its owner’s alone again: ${name}`;

describe('files with secrets', () => {
  for (const worker of [undefined, 2]) {
    it(`an audit log and what was put aside are tightened (worker: ${worker ?? 'none'})`, () => {
      const dir = directories.make();
      const policy = written(dir, 'policy.yaml', 0o644, 'rules: []');
      const suffix = worker === undefined ? 'log' : `log.${worker}`;
      const [stem, ext] = worker === undefined ? ['audit', '.log'] : ['audit.log', `.${worker}`];
      const own = written(dir, `audit.${suffix}`, 0o644);
      const aside = written(dir, `${stem}-2026-01-01T00-00-00.000Z${ext}`, 0o640);
      const other = written(dir, 'audit-of-mine.log', 0o644);
      const said = guard(
        {
          'data-dir': dir,
          'audit-policy-file': policy,
          'audit-log-path': path.join(dir, 'audit.log'),
        },
        worker,
      );
      assert.deepEqual([own, aside].map(modeOf), ['600', '600']);
      assert.deepEqual([other, policy].map(modeOf), ['644', '644'], 'none of its own');
      assert.deepEqual(
        said,
        [own, aside].map((file) => tightened(path.basename(file))),
      );
    });
  }

  it('keys and tokens in the data directory are tightened; certificates are for all', () => {
    const dir = directories.make();
    const names = ['ca.key', 'serving.key', 'admin.key', 'admin.token', 'sa.key'];
    const files = names.map((name) => written(dir, `pki/${name}`, 0o644));
    const certificate = written(dir, 'pki/ca.crt', 0o644);
    assert.deepEqual(guard({ 'data-dir': dir }), names.map(tightened));
    assert.deepEqual(files.map(modeOf), ['600', '600', '600', '600', '600']);
    assert.equal(modeOf(certificate), '644');
    assert.deepEqual(guard({ 'data-dir': dir }), [], 'and nothing is said the next time');
  });

  it('a file that cannot be tightened is told and ends nothing', (context) => {
    // Its mode is nobody's to change, not even root's.
    const fixed = '/proc/self/comm';
    if (!existsSync(fixed)) return context.skip('no /proc');
    const dir = directories.make();
    const policy = written(dir, 'policy.yaml', 0o644, 'rules: []');
    const options = { 'audit-policy-file': policy, 'audit-log-path': fixed };
    const said = guard({ 'data-dir': dir, ...options });
    assert.deepEqual(said, ['warn: others can read a file with secrets: comm 0644']);
  });

  it('a pipe, a device and standard output are left alone', () => {
    const dir = directories.make();
    const policy = written(dir, 'policy.yaml', 0o644, 'rules: []');
    const before = modeOf('/dev/null');
    for (const target of ['/dev/null', '-']) {
      const options = { 'audit-policy-file': policy, 'audit-log-path': target };
      assert.deepEqual(guard({ 'data-dir': dir, ...options }), []);
    }
    assert.equal(modeOf('/dev/null'), before);
  });

  it('a file that a flag names is told when everybody can read it, and left as it is', () => {
    const dir = directories.make();
    for (const [mode, said] of [
      [0o644, ['warn: everybody can read a file that holds secrets: tokens.csv 0644']],
      [0o640, []],
      [0o600, []],
    ] as const) {
      const file = written(dir, 'tokens.csv', mode, 'a,b,c');
      for (const flag of ['token-auth-file', 'encryption-provider-config']) {
        assert.deepEqual(guard({ 'data-dir': dir, [flag]: file }), said);
      }
      assert.equal(modeOf(file), mode.toString(8));
    }
    const missing = path.join(dir, 'none.csv');
    assert.deepEqual(guard({ 'data-dir': dir, 'token-auth-file': missing }), []);
  });

  it('a server does it before it serves', async () => {
    const dir = directories.make();
    const body = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
    const policy = written(dir, 'policy.json', 0o600, JSON.stringify(body));
    const log = written(dir, 'audit.log', 0o666, '{}\n');
    const server = await startSecureServer({ 'audit-policy-file': policy, 'audit-log-path': log });
    assert.equal(modeOf(log), '600');
    await server.remove();
  });
});
