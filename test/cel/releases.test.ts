/** What came with a release is for expressions that are written a release later, or are stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { costTables } from '../../src/cel/cost-tables.ts';
import { compileExpression } from '../../src/cel/expression.ts';
import { createLanguage } from '../../src/cel/language.ts';
import { authorizerType } from '../../src/cel/library/authorizer-library.ts';

const rows: readonly (readonly [expression: string, since: number])[] = [
  ["'a'.lowerAscii() == 'a'", 0],
  ["'a'.find('a') == 'a'", 0],
  ['[1].sum() == 1', 0],
  ["isURL('https://a')", 0],
  ["authorizer.path('/').check('get').allowed()", 27],
  ["isQuantity('1')", 28],
  ['optional.of(1).hasValue()', 28],
  ['{?"a": optional.of(1)} == {"a": 1}', 28],
  ['1 < 1.5', 28],
  ['sets.contains([1], [1])', 29],
  ["'%d'.format([1]) == '1'", 29],
  ["strings.quote('a') == ''", 29],
  ["isIP('::1')", 30],
  ["isCIDR('::1/128')", 30],
  ["format.dns1123Label().validate('a').hasValue()", 31],
  ["authorizer.group('').resource('pods').labelSelector('a').check('list').allowed()", 31],
  ['[1].all(i, v, v > i)', 32],
  ['{"a": 1}.transformList(k, v, v) == [1]', 32],
  ["isSemver('1.0.0')", 33],
  ["isSemver('1.0.0', true)", 33],
];
const releases = [26, 27, 28, 29, 30, 31, 32, 33, 34];
const place = { variables: [{ name: 'authorizer', type: authorizerType }] };

describe('releases of functions', () => {
  for (const [expression, since] of rows) {
    test(`${expression} came with ${since}`, () => {
      for (const release of releases) {
        const language = createLanguage({ release, costs: costTables.kubernetes });
        const asNew = compileExpression(language.forNew(place), expression);
        const wanted = release > since ? 'ok' : 'invalid';
        assert.equal(asNew.kind, wanted, `new at ${release}: ${JSON.stringify(asNew.kind)}`);
        const stored = compileExpression(language.forStored(place), expression);
        assert.equal(stored.kind, 'ok', `stored at ${release}`);
      }
    });
  }

  test('what is checked of literals came with 29', () => {
    const compiled = (release: number, expression: string): string => {
      const language = createLanguage({ release, costs: costTables.kubernetes });
      return compileExpression(language.forNew(place), expression).kind;
    };
    for (const expression of ["duration('1x') == duration('1s')", "'a'.matches('(')"]) {
      assert.equal(compiled(29, expression), 'ok');
      assert.equal(compiled(30, expression), 'invalid');
    }
  });
});
