/** What came with a release is for expressions that are written a release later, or are stored. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { costTables } from '../../src/cel/cost-tables.ts';
import { compileExpression } from './evaluation.ts';
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

  test('what is wrong with a literal is said where it stands since 30', () => {
    const problem = (release: number, expression: string): string => {
      const language = createLanguage({ release, costs: costTables.kubernetes });
      const compiled = compileExpression(language.forNew(place), expression);
      return compiled.kind === 'invalid' ? compiled.problem : 'none';
    };
    for (const expression of ["duration('1x') == duration('1s')", "'a'.matches('(')"]) {
      assert.match(problem(29, expression), /^program instantiation failed: /);
      assert.match(problem(30, expression), /^compilation failed: /);
    }
  });

  test('conversions of constants that fail are refused when they are written', () => {
    const language = createLanguage({ release: 33, costs: costTables.kubernetes });
    const refused = [
      "int('x') == 1",
      'false && uint(-1) == 1u',
      "bool('perhaps')",
      "int(string('x')) > 0",
    ];
    for (const environment of [language.forNew(place), language.forStored(place)]) {
      for (const expression of refused) {
        const compiled = compileExpression(environment, expression);
        const said = compiled.kind === 'invalid' ? compiled.problem : expression;
        assert.match(said, /^program instantiation failed: /);
      }
      assert.equal(compileExpression(environment, "int('5') + int('6') == 11").kind, 'ok');
    }
  });
});
