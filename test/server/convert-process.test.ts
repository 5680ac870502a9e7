/** `sluice convert` as a program: what goes to which stream, and how it ends. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-convert');

const entry = path.resolve('dist/bin/sluice.js');
const folder = directories.make();
after(() => directories.removeAll());

function run(args: readonly string[], input = '') {
  const done = spawnSync(process.execPath, [entry, 'convert', ...args], {
    input,
    encoding: 'utf8',
  });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

const budget =
  'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n' +
  'spec: {minAvailable: 1}\n';

describe('sluice convert, the program', () => {
  it('reads stdin, prints the object and nothing else', () => {
    const { code, stdout, stderr } = run(['-f', '-', '--output-version', 'policy/v1'], budget);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^kind: PodDisruptionBudget\napiVersion: policy\/v1\n/);
  });

  it('warns on stderr, and ends well', () => {
    const input = `${budget}spce: {}\nspce: {}\n`;
    const { code, stdout, stderr } = run(['-f', '-', '-o', 'json'], input);
    assert.equal(code, 0);
    assert.deepEqual(stderr.trim().split('\n').sort(), [
      'Warning: document 1: duplicate field "spce"',
      'Warning: document 1: unknown field "spce"',
    ]);
    const { apiVersion } = JSON.parse(stdout) as { apiVersion: string };
    assert.equal(apiVersion, 'policy/v1');
  });

  it('reads files and stdin together, several documents each', () => {
    const file = path.join(folder, 'a.yaml');
    writeFileSync(file, `${budget}---\n${budget}`);
    const { code, stdout } = run(['-f', file, '-f', '-', '-o', 'json'], budget);
    assert.equal(code, 0);
    const { kind, items } = JSON.parse(stdout) as { kind: string; items: unknown[] };
    assert.deepEqual([kind, items.length], ['List', 3]);
  });

  const refusals: readonly (readonly [string, readonly string[], string, RegExp])[] = [
    ['a file that is not there', ['-f', path.join(folder, 'none.yaml')], '', /ENOENT/],
    ['what is no manifest', ['-f', '-'], 'a: [', /YAML/],
    [
      'an unknown kind beside a known one',
      ['-f', '-'],
      `${budget}---\nkind: W\napiVersion: v1\n`,
      /document 2: no kind W/,
    ],
    ['an unknown flag', ['-f', '-', '--colour'], budget, /--colour/],
    ['no file', [], '', /--filename/],
  ];
  for (const [title, args, input, message] of refusals) {
    it(`ends with 2, one line and no output for ${title}`, () => {
      const { code, stdout, stderr } = run(args, input);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    });
  }
});
