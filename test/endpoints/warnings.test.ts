/** Warning texts of deprecated versions, and their headers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import {
  deprecationText,
  deprecationWarning,
  formatWarning,
  warningHeaders,
  warningLimits,
} from '../../src/endpoints/warnings.ts';
import { readCorpus } from '../support/data/corpora.ts';

interface WarningRow {
  readonly gvk: string;
  readonly deprecated: string;
  readonly removed?: string;
  readonly replacement?: string;
  readonly warning: string;
}

describe('warnings', () => {
  const { warningText } = readCorpus<{ warningText: readonly WarningRow[] }>(
    'deprecations/cases.json',
  );
  for (const row of warningText) {
    it(`say: ${row.warning}`, () => {
      const text = deprecationText(row.gvk, row.deprecated, row.removed, row.replacement);
      assert.equal(text, row.warning);
    });
  }

  it('come with a version from the release that deprecates it', () => {
    const built = buildScheme({ identity: identityOf('kubernetes'), release: 24 });
    assert.equal(built.kind, 'ok');
    if (built.kind !== 'ok') return;
    const kind = built.scheme.findKind('policy', 'v1beta1', 'PodDisruptionBudget');
    assert.ok(kind);
    assert.equal(
      deprecationWarning(kind, 24),
      'policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; ' +
        'use policy/v1 PodDisruptionBudget',
    );
    assert.equal(deprecationWarning(kind, 20), undefined);
    const pod = built.scheme.findKind('', 'v1', 'Pod');
    assert.ok(pod);
    assert.equal(deprecationWarning(pod, 24), undefined);
  });

  const headers: readonly [string, string][] = [
    ['plain', '299 - "plain"'],
    ['a "quoted" \\ text', '299 - "a \\"quoted\\" \\\\ text"'],
    ['two\r\nlines', '299 - "two  lines"'],
    ['unknown field "spec.ü"', '299 - "unknown field \\"spec.U+00FC\\""'],
  ];
  for (const [text, expected] of headers) {
    it(`fit into a header: ${JSON.stringify(text)}`, () => {
      assert.equal(formatWarning(text), expected);
    });
  }

  it('are sent once each and bounded in number and length', () => {
    assert.deepEqual(warningHeaders(['a', 'b', 'a']), [
      ['Warning', '299 - "a"'],
      ['Warning', '299 - "b"'],
    ]);
    const many = Array.from({ length: 1000 }, (_, index) => `w${index}`);
    assert.equal(warningHeaders(many).length, warningLimits.warningsMax);
  });

  it('are cut when all together are too long, and what has no room is left out', () => {
    const lengths = (texts: readonly string[]): readonly number[] =>
      warningHeaders(texts).map(([, value]) => value.length - '299 - ""'.length);
    const { textMax, totalMax } = warningLimits;
    assert.deepEqual(lengths(['a'.repeat(3000), 'b'.repeat(1000)]), [3000, 1000]);
    assert.deepEqual(lengths(['a'.repeat(3000), 'short', 'b'.repeat(2000)]), [textMax, 5, textMax]);
    const long = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(300, 'x'));
    assert.equal(lengths(long).length, totalMax / textMax);
  });
});
