import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { nodeProblem } from '../../src/server/config/node-release.ts';

describe('a release of Node', () => {
  const rows: readonly [string, boolean][] = [
    ['18.20.8', false],
    ['20.14.0', false],
    ['20.15.0', true],
    ['20.20.2', true],
    ['21.7.3', false],
    ['22.1.0', false],
    ['22.2.0', true],
    ['23.0.0', true],
    ['24.21.0', true],
  ];
  for (const [version, isFit] of rows) {
    it(`${version} ${isFit ? 'will do' : 'is refused, and named'}`, () => {
      const problem = nodeProblem(version);
      assert.equal(problem === undefined, isFit);
      if (!isFit) assert.ok(problem?.includes(version));
    });
  }

  it('will do where package.json says so', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
      engines: { node: string };
    };
    assert.equal(manifest.engines.node, '>=20.15.0 <21 || >=22.2.0');
  });
});
