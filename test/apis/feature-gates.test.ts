/** Feature gates by release: stages, what may be switched, what is warned about. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { featureGates, parseFeatureGates } from '../../src/apis/feature-gates.ts';
import type { GateTable } from '../../src/apis/feature-gates.ts';
import { currentRelease, oldestRelease } from '../../src/apis/served-versions.ts';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import { OptionsError } from '../../src/server/config/option-values.ts';
import type { RawOptions } from '../../src/server/config/options.ts';

const table: GateTable = {
  Young: [
    { since: 20, stage: 'alpha', on: false },
    { since: 22, stage: 'beta', on: true },
    { since: 24, stage: 'ga', on: true },
    { since: 26, stage: 'removed', on: false },
  ],
  Quiet: [{ since: 20, stage: 'beta', on: false }],
  Dying: [
    { since: 20, stage: 'beta', on: true },
    { since: 22, stage: 'deprecated', on: true },
    { since: 24, stage: 'removed', on: false },
  ],
};

interface Row {
  readonly text: string;
  readonly release: number;
  readonly values?: Readonly<Record<string, boolean>>;
  readonly warning?: RegExp;
  readonly refused?: RegExp;
}

const rows: readonly Row[] = [
  { text: '', release: 20, values: { Young: false, Quiet: false, Dying: true } },
  { text: 'Young=true', release: 20, values: { Young: true } },
  { text: 'Young', release: 20, values: { Young: true } },
  { text: 'Young=false', release: 22, values: { Young: false } },
  { text: ' Young = true , Young=false ', release: 21, values: { Young: false } },
  {
    text: 'Young=true',
    release: 24,
    values: { Young: true },
    warning: /Young=true.*non-operational/,
  },
  { text: 'Young=false', release: 24, refused: /Young is non-operational and locked to true/ },
  { text: 'Young=true', release: 26, refused: /a gate of release 1\.26: AllAlpha, AllBeta, Quiet/ },
  { text: '', release: 26, values: { Young: true } },
  { text: 'Young=true', release: 19, refused: /a gate of release 1\.19/ },
  { text: 'Young=false', release: 19, values: { Young: false } },
  {
    text: 'Dying=false',
    release: 22,
    values: { Dying: false },
    warning: /Dying=false is deprecated/,
  },
  { text: 'AllAlpha=true', release: 20, values: { Young: true, Quiet: false } },
  { text: 'AllBeta=true', release: 22, values: { Quiet: true } },
  { text: 'AllBeta=false,Young=true', release: 22, values: { Young: true, Quiet: false } },
  { text: 'Young=true,AllBeta=false', release: 22, values: { Young: true } },
  { text: 'AllBeta=false', release: 24, values: { Young: true } },
  { text: 'Nothing=true', release: 22, refused: /a gate of release/ },
  { text: 'constructor=true', release: 22, refused: /a gate of release/ },
  { text: 'Young=maybe', release: 22, refused: /NAME=true or NAME=false/ },
  { text: 'Young=true=true', release: 22, refused: /NAME=true or NAME=false/ },
];

describe('feature gates', () => {
  for (const { text, release, values = {}, warning, refused } of rows) {
    it(`1.${release} ${text}: ${refused?.source ?? JSON.stringify(values)}`, () => {
      const parsed = parseFeatureGates(text, release, table);
      if (refused !== undefined) {
        assert.ok(parsed.kind === 'invalid');
        assert.match(parsed.problem, refused);
        return;
      }
      assert.ok(parsed.kind === 'ok');
      for (const [name, on] of Object.entries(values)) assert.equal(parsed.values.get(name), on);
      assert.equal(parsed.warnings.length, warning === undefined ? 0 : 1);
      if (warning !== undefined) assert.match(parsed.warnings[0] ?? '', warning);
    });
  }

  it('have a life that only goes on: from alpha to beta to stable, never back', () => {
    const order = ['alpha', 'beta', 'ga', 'deprecated', 'removed'];
    for (const [name, steps] of Object.entries(featureGates)) {
      for (const [at, step] of steps.entries()) {
        const before = steps[at - 1];
        if (before === undefined) continue;
        assert.ok(step.since > before.since, name);
        assert.ok(order.indexOf(step.stage) > order.indexOf(before.stage), name);
        if (step.stage === 'removed' && before.stage === 'ga') {
          assert.ok(step.since >= before.since + 2, `${name} goes too soon`);
        }
      }
      if (steps[0]?.stage === 'alpha') assert.equal(steps[0].on, false, name);
    }
  });

  it('have a value in every release', () => {
    for (let release = oldestRelease; release <= currentRelease; release += 1) {
      const parsed = parseFeatureGates('', release);
      assert.ok(parsed.kind === 'ok');
      assert.deepEqual([...parsed.values.keys()], Object.keys(featureGates));
    }
  });

  it('stand in docs/flags.md as they are', () => {
    const readme = readFileSync(path.join(process.cwd(), 'docs/flags.md'), 'utf8');
    const shown = /<!-- gates[^\n]*-->\n([\s\S]*?)<!-- end of gates -->/.exec(readme)?.[1] ?? '';
    const lines = shown.split('\n').filter((line) => line.startsWith('| `'));
    const expected = Object.entries(featureGates).flatMap(([name, steps]) => {
      const step = steps.findLast(({ since }) => since <= currentRelease);
      if (step === undefined || step.stage === 'removed') return [];
      return [`| \`${name}\` | ${step.stage} | ${step.on ? 'on' : 'off'} |`];
    });
    assert.deepEqual(
      lines.map((line) => line.split(' | ').slice(0, 3).join(' | ') + ' |'),
      expected,
    );
  });

  const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
  const configOf = (flags: Partial<RawOptions>) =>
    completeConfig({ ...(defaults as unknown as RawOptions), ...flags });

  it('are read for the release that is emulated', () => {
    assert.equal(configOf({}).featureGates.get('WatchList'), true);
    const old = configOf({ 'emulated-version': '1.30' });
    assert.deepEqual([old.release, old.featureGates.get('WatchList')], [30, false]);
    assert.equal(configOf({ 'feature-gates': 'OpenAPIV3=true' }).warnings.length, 1);
    assert.throws(
      () => configOf({ 'feature-gates': 'OpenAPIV3=false' }),
      (error: unknown) => error instanceof OptionsError && error.message.includes('locked to true'),
    );
  });

  for (const given of ['1.15', '1.34', '2.20', '1', '', '1.20.3', 'v1.x']) {
    it(`no release ${JSON.stringify(given)} is emulated`, () => {
      assert.throws(() => configOf({ 'emulated-version': given }), OptionsError);
    });
  }

  it('hidden metrics are shown for the release before the served one alone', () => {
    const flag = 'show-hidden-metrics-for-version';
    assert.equal(configOf({ [flag]: '1.32' }).showHiddenMetrics, true);
    assert.equal(configOf({ [flag]: '1.23', 'emulated-version': '1.24' }).showHiddenMetrics, true);
    assert.equal(configOf({}).showHiddenMetrics, false);
    for (const other of ['1.31', '1.33', 'x']) {
      assert.throws(() => configOf({ [flag]: other }), OptionsError);
    }
  });
});
