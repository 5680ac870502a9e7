/** The life of metrics, and the page in the text form that is scraped. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presentMetric } from '../../src/server/metrics/metric-stability.ts';
import type { MetricLife } from '../../src/server/metrics/metric-stability.ts';
import { createMetricsPage } from '../../src/server/metrics/metrics.ts';
import { OptionsError } from '../../src/server/config/option-values.ts';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import type { RawOptions } from '../../src/server/config/options.ts';

const base = { name: 'm', help: 'What it is.' };

const rows: readonly (readonly [MetricLife, number, boolean, string | undefined])[] = [
  [{}, 33, false, '[ALPHA] What it is.'],
  [{ stability: 'BETA' }, 33, false, '[BETA] What it is.'],
  [{ stability: 'STABLE' }, 33, false, '[STABLE] What it is.'],
  [{ stability: 'STABLE', deprecated: 34 }, 33, false, '[STABLE] What it is.'],
  [
    { stability: 'STABLE', deprecated: 33 },
    33,
    false,
    '[STABLE] (Deprecated from 1.33) What it is.',
  ],
  [{ deprecated: 31 }, 33, false, '[ALPHA] (Deprecated from 1.31) What it is.'],
  [{ deprecated: 30 }, 33, false, undefined],
  [{ deprecated: 29 }, 33, false, undefined],
  [{ deprecated: 30 }, 33, true, '[ALPHA] (Deprecated from 1.30) What it is.'],
  [{ deprecated: 30 }, 32, false, '[ALPHA] (Deprecated from 1.30) What it is.'],
];

describe('metrics', () => {
  for (const [life, release, showHidden, help] of rows) {
    const title = `${JSON.stringify(life)} in 1.${release}${showHidden ? ', hidden ones shown' : ''}`;
    it(`${title}: ${help ?? 'hidden'}`, () => {
      const presented = presentMetric({ ...base, ...life }, { release, showHidden });
      assert.equal(presented.kind === 'shown' ? presented.help : undefined, help);
      if (presented.kind === 'hidden') return;
      assert.equal(presented.warning !== undefined, (life.deprecated ?? 99) <= release);
    });
  }

  it('are on the page with their class, hidden ones are not, deprecated ones are warned of', async () => {
    const warnings: string[] = [];
    const read = () => 7;
    const page = createMetricsPage(
      [
        { name: 'shown_metric', help: 'Shown.', stability: 'STABLE', read },
        { name: 'old_metric', help: 'Old.', deprecated: 32, read },
        { name: 'hidden_metric', help: 'Hidden.', deprecated: 20, read },
      ],
      {
        view: { release: 33, showHidden: false },
        worker: undefined,
        warn: (warning) => warnings.push(warning),
      },
    );
    const { body, contentType } = await page.render();
    const text = String(body);
    assert.match(contentType, /^text\/plain/);
    assert.match(
      text,
      /# HELP shown_metric \[STABLE\] Shown\.\n# TYPE shown_metric gauge\nshown_metric 7\n/,
    );
    assert.match(text, /# HELP old_metric \[ALPHA\] \(Deprecated from 1\.32\) Old\.\n/);
    assert.ok(!text.includes('hidden_metric'));
    assert.deepEqual(warnings, ['the metric old_metric is deprecated from 1.32']);
  });

  it('that are hidden are on the page when the flag names the release before', async () => {
    const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
    const shownBy = async (flags: Partial<RawOptions>) => {
      const raw = { ...(defaults as unknown as RawOptions), ...flags };
      const { release, showHiddenMetrics: showHidden } = completeConfig(raw);
      const warnings: string[] = [];
      const page = createMetricsPage(
        [{ name: 'hidden_metric', help: 'Hidden.', deprecated: 29, read: () => 7 }],
        {
          view: { release, showHidden },
          worker: undefined,
          warn: (warning) => warnings.push(warning),
        },
      );
      return { text: String((await page.render()).body), warnings };
    };
    const flag = 'show-hidden-metrics-for-version';
    assert.ok(!(await shownBy({})).text.includes('hidden_metric'));
    const { text, warnings } = await shownBy({ [flag]: '1.32' });
    assert.match(text, /# HELP hidden_metric \[ALPHA\] \(Deprecated from 1\.29\) Hidden\.\n/);
    assert.match(text, /\nhidden_metric 7\n/);
    assert.deepEqual(warnings, ['the metric hidden_metric is deprecated from 1.29 and hidden']);
    // Three releases after 1.29 it is hidden; two after, it is not yet.
    assert.ok(!(await shownBy({ 'emulated-version': '1.32' })).text.includes('hidden_metric'));
    assert.match((await shownBy({ 'emulated-version': '1.31' })).text, /\nhidden_metric 7\n/);
    for (const other of ['1.31', '1.33', '1.34', '32', '1.32.1', 'v1.32']) {
      await assert.rejects(shownBy({ [flag]: other }), OptionsError, other);
    }
  });

  it("of a worker say whose they are: every series, and the page's first line", async () => {
    const labels = { of: 'x' };
    const page = createMetricsPage([{ ...base, labels, read: () => 7 }], {
      view: { release: 33, showHidden: false },
      worker: 3,
      series: [{ ...base, name: 's', read: () => [{ labels, value: 1 }] }],
      warn: () => undefined,
    });
    const use = { group: 'g', version: 'v1', resource: 'r', subresource: '', removedRelease: '' };
    page.deprecatedUse(use);
    const [first, ...lines] = String((await page.render()).body).split('\n');
    assert.equal(first, `# worker 3, process ${process.pid}`);
    const samples = lines.filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(
      samples.filter((line) => !/[{,]worker="3"[,}]/.test(line)),
      [],
    );
    for (const name of ['m', 's', 'process_cpu_seconds_total']) {
      assert.ok(
        samples.some((line) => line.startsWith(`${name}{`)),
        name,
      );
    }
  });

  it('that tell servers apart have the hash of its name, and no others', async () => {
    const page = createMetricsPage([], {
      view: { release: 33, showHidden: false },
      worker: 3,
      serverId: () => 'apiserver-a',
      series: [
        { ...base, name: 'own', ofServer: true, read: () => [{ labels: { of: 'x' }, value: 1 }] },
        { ...base, name: 'other', read: () => [{ labels: { of: 'x' }, value: 1 }] },
      ],
      warn: () => undefined,
    });
    const lines = String((await page.render()).body).split('\n');
    // printf apiserver-a | sha256sum
    const hash = 'sha256:b5b662adf0e40b9253722f985e321a40f8f9592881365a3ffc91fb56c54da2dc';
    assert.ok(lines.includes(`own{of="x",apiserver_id_hash="${hash}",worker="3"} 1`));
    assert.ok(lines.includes('other{of="x",worker="3"} 1'));
  });

  it('say once of each deprecated version that it was asked for', async () => {
    const page = createMetricsPage([], {
      view: { release: 33, showHidden: false },
      worker: undefined,
      warn: () => undefined,
    });
    const use = {
      group: 'g',
      version: 'v1beta1',
      resource: 'r',
      subresource: 'status',
      removedRelease: '',
    };
    page.deprecatedUse(use);
    page.deprecatedUse(use);
    const text = String((await page.render()).body);
    const line =
      'apiserver_requested_deprecated_apis{group="g",version="v1beta1",resource="r",subresource="status",removed_release=""} 1';
    assert.equal(text.split('\n').filter((each) => each === line).length, 1, text);
  });

  it('are the same text in however many turns it is written', async () => {
    const samples = Array.from({ length: 20_000 }, (_, at) => ({
      labels: { of: `é${at}` },
      value: at,
    }));
    const series = [{ name: 'many_metric', help: 'Many.', read: () => samples }];
    const setting = {
      view: { release: 33, showHidden: false },
      worker: undefined,
      warn: () => undefined,
    };
    let turns = 0;
    const pause = () => {
      turns += 1;
      return Promise.resolve();
    };
    const own = (text: string) => text.slice(text.indexOf('# HELP many_metric'));
    const whole = String((await createMetricsPage([], { ...setting, series }).render()).body);
    const page = createMetricsPage([], { ...setting, series, pause });
    const parts = Buffer.from((await page.render()).body as Uint8Array).toString();
    assert.ok(turns > 1, `${turns} turns`);
    assert.equal(own(parts), own(whole));
    assert.match(parts, /^many_metric\{of="é19999"\} 19999$/m);
  });
});
