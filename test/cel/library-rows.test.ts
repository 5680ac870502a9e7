/** Rows of our own: what the functions of the libraries give at their edges. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evaluationOf } from './evaluation.ts';

/** An expression that is true, or one that fails with a part of this message. */
const rows: readonly (string | readonly [expression: string, error: string])[] = [
  // Addresses: one form only.
  "!isIP('010.0.0.1') && !isIP('1.2.3') && !isIP('1.2.3.4.5') && !isIP('256.0.0.1')",
  "!isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !isIP('') && !isIP('1.2.3.4 ')",
  "isIP('::1.2.3.4') && string(ip('2001:DB8:0:0:0:0:0:1')) == '2001:db8::1'",
  "string(ip('1:0:0:2:0:0:0:3')) == '1:0:0:2::3' && !ip.isCanonical('1:0:0:2:0:0:0:3')",
  ["ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ["ip('1.2.3.04')", 'IPv4 field has octet with leading zero'],
  ["ip('1::2::3')", 'multiple :: in address'],
  ["ip.isCanonical('x')", 'unable to parse IP'],
  "ip('10.0.0.1') == ip('10.0.0.1') && ip('10.0.0.1') != ip('10.0.0.2')",
  "ip('fe80::1').isLinkLocalUnicast() && ip('127.1.2.3').isLoopback()",
  "ip('10.0.0.1').isGlobalUnicast() && !ip('0.0.0.0').isGlobalUnicast()",
  "cidr('10.0.0.0/8').containsIP('10.255.0.1') && !cidr('10.0.0.0/8').containsIP('11.0.0.0')",
  "!cidr('0.0.0.0/0').containsIP('::1') && cidr('::/0').containsIP('::1')",
  "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8",
  "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/8') && !cidr('10.0.0.0/9').containsCIDR('10.0.0.0/8')",
  "!isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0/08') && !isCIDR('10.0.0.0') && !isCIDR('::1/129')",
  ["cidr('10.0.0.0/x')", 'bad bits after slash: "x"'],
  // Choices: the other one is not evaluated where there is one.
  'optional.of(1).orValue(1 / 0) == 1 && optional.of(1).or(optional.of(1 / 0)).value() == 1',
  'optional.none().or(optional.of(2)).orValue(3) == 2 && optional.none().orValue(3) == 3',
  // What is no optional is taken as it is: so does the reference of 1.33.
  'dyn(1).orValue(2) == 1 && dyn([1]).orValue([]).all(i, i == 1) && dyn(dyn(1).or(optional.of(2))) == 1',
  ['optional.none().orValue(1 / 0) == 1', 'division by zero'],
  // URLs.
  "url('https://u:p@example.com:80/a%2Fb?k=1&k=2&e#f').getHost() == 'example.com:80'",
  "url('https://u:p@example.com:80/a%2Fb?k=1&k=2&e#f').getQuery() == {'k': ['1', '2'], 'e': ['']}",
  "url('https://example.com/a b').getEscapedPath() == '/a%20b'",
  "url('https://example.com/a%2Fb').getEscapedPath() == '/a%2Fb'",
  "url('https://[::1]:80/').getHostname() == '::1' && url('https://[::1]:80/').getPort() == '80'",
  "url('/path').getScheme() == '' && url('/path').getHost() == ''",
  "!isURL('example.com/a') && !isURL('') && !isURL('http://a b/') && isURL('mailto:a@b')",
  ["url('http://[::1')", "missing ']' in host"],
  ["url('http://a:x')", 'invalid port ":x" after host'],
  ["url('http://a/%zz')", 'invalid URL escape "%zz"'],
  // Versions.
  "semver('1.0.0-alpha').isLessThan(semver('1.0.0-alpha.1'))",
  "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))",
  "semver('1.0.0-2').isLessThan(semver('1.0.0-11')) && semver('1.0.0-11').isLessThan(semver('1.0.0'))",
  "semver('1.0.0+a') == semver('1.0.0+b') && semver('v01.2', true) == semver('1.2.0')",
  "!isSemver('01.0.0') && !isSemver('1.0.0-') && !isSemver('1.0.0-01') && isSemver('1.0.0--')",
  ["semver('1.0.x')", 'Invalid character(s) found in patch number "x"'],
  ["semver('18446744073709551616.0.0')", 'value out of range'],
  // Quantities.
  "quantity('1.5Gi').isGreaterThan(quantity('1500M')) && quantity('1e3') == quantity('1k')",
  "quantity('0.5').isInteger() == false && quantity('1500m').isInteger() == false",
  "quantity('-1').add(1).asInteger() == 0 && sign(quantity('-5')) == -1",
  ["quantity('1.5').asInteger()", 'cannot convert value to integer'],
  ["quantity('abc')", 'quantities must match the regular expression'],
  ["quantity('1.2.3')", 'quantities must match the regular expression'],
  "quantity('12345678901234567890').asApproximateFloat() == 12345678901234569216.0",
  "quantity('0.0001').add(quantity('1.5Gi')).asApproximateFloat() == 1610612736.0001001",
  // Numbers as texts: an exponent from a million on, and down to a ten-thousandth.
  "string(999999.5) == '999999.5' && string(1e6) == '1e+06' && string(1234567.5) == '1.2345675e+06'",
  "string(0.0001) == '0.0001' && string(0.00001) == '1e-05' && string(-1e20) == '-1e+20'",
  "'%f %.2f %e'.format([-0.0, -0.001, -0.0]) == '0.000000 -0.00 0.000000×10⁰⁰'",
  // Times: the offset stays, zones are names of files or any number of hours and minutes.
  "string(timestamp('2023-10-05T08:00:00+05:30') - duration('1h')) == '2023-10-05T07:00:00+05:30'",
  "timestamp('2024-01-01T00:00:00Z').getHours('25:00') == 1",
  "timestamp('2024-01-01T00:00:00Z').getHours('-1:99') == 21",
  ["timestamp(0).getHours('a:b')", 'strconv.Atoi: parsing "a": invalid syntax'],
  ["timestamp(0).getHours('../x')", 'time: invalid location name'],
  ["timestamp(0).getHours('europe/berlin')", 'unknown time zone europe/berlin'],
  ["duration('2562047h') + duration('2562047h') == duration('0')", 'integer overflow'],
  "duration('1h2m3s4ms').getMilliseconds() == 3723004",
  // What has no overload says so as the reference does.
  ['dyn({}) - 1 == 0', 'no such overload: _-_'],
  ['dyn(null) < 1', 'no such overload: _<_'],
  ["dyn(1).find('a') == ''", 'no such overload'],
  ["dyn(1).join() == ''", 'no such overload: join(int)'],
  ['dyn(1.5).size() == 1', 'no such overload: size'],
  ["dyn(1).matches('A'.lowerAscii())", 'no such overload: matches'],
  ['dyn(1).all(x, true)', "got 'types.Int', expected iterable type"],
  ['dyn(true).all(x, y, true)', 'unsupported comprehension range type: types.Bool'],
  ['[1][9223372036854775807] == 1', 'index out of bounds: 9223372036854775807'],
  ["'abc'.charAt(-9223372036854775808) == ''", 'index out of range: -9223372036854775808'],
  ["cidr('10.0.0.0/8').containsIP('zz')", 'no such overload'],
  // A type that is only wanted is not taken for granted.
  'dyn(-(dyn([1, 2])[?1].value())) == -2',
  // Nothing is in an empty list, whatever it is.
  '!(1 / 0 in [])',
  // Lists and sets.
  '[1, 2, 2].isSorted() && ![2, 1].isSorted() && [].isSorted()',
  ['[].max()', 'max called on empty list'],
  ['[9223372036854775807, 1].sum()', 'integer overflow'],
  "[].sum() == 0 && [1.5, 2.0].sum() == 3.5 && ['b', 'a'].min() == 'a'",
  "[duration('1s'), duration('2m')].sum() == duration('121s')",
  // A list of which nobody knew the type has the type of its first element.
  "dyn([1.0, 2.0]).sum() == 3.0 && dyn([duration('1s')]).sum() == duration('1s')",
  'dyn([1u, 2u]).sum() == 3u && dyn([]).sum() == 0',
  ['[dyn(1), dyn(2.0)].sum() == 3', 'no such overload'],
  '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(2) == -1',
  'sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [])',
  // Patterns.
  "'abc 123 def 456'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''",
  "'a1b22c333'.findAll('[0-9]+') == ['1', '22', '333'] && 'a1b2'.findAll('[0-9]', 1) == ['1']",
  "'abc'.findAll('x') == [] && 'abc'.findAll('b', 0) == []",
  // Texts, in code points.
  "'👑b'.charAt(0) == '👑' && '👑b'.indexOf('b') == 1 && '👑b'.substring(1) == 'b'",
  "'abcabc'.lastIndexOf('abc') == 3 && 'abcabc'.lastIndexOf('abc', 2) == 0",
  "'abc'.indexOf('', 2) == 2 && 'abc'.lastIndexOf('') == 3 && ''.indexOf('a') == -1",
  "'aaa'.replace('a', 'b', 2) == 'bba' && 'ab'.replace('', '-') == '-a-b-'",
  "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'ab'.split('') == ['a', 'b'] && 'a'.split(',', 0) == []",
  "'\\u00a0 a\\t'.trim() == 'a' && 'ÄbC'.lowerAscii() == 'Äbc' && 'äb'.upperAscii() == 'äB'",
  "'@[`{zZaA'.upperAscii() == '@[`{ZZAA' && '@[`{zZaA'.lowerAscii() == '@[`{zzaa'",
  "'@[`{zZ👑ŁšaA'.upperAscii() == '@[`{ZZ👑ŁšAA' && '@[`{zZ👑ŁšaA'.lowerAscii() == '@[`{zz👑Łšaa'",
  "['a', 'b'].join('-') == 'a-b' && [].join() == ''",
  "'Aλ1'.matches('^\\\\p{Lu}\\\\p{Greek}\\\\pN$')",
  [
    `'a'.matches('x' + ${Array(20)
      .fill(`'${'\\\\pL'.repeat(20)}'`)
      .join(' + ')})`,
    'regular expression is too large',
  ],
  ["'abc'.charAt(4)", 'index out of range: 4'],
  ["'abc'.substring(2, 1)", 'invalid substring range. start: 2, end: 1'],
  // Formats as releases up to 1.33 have them.
  "'%s'.format([['a', 1.5, null]]) == '[\"a\", 1.500000, null]'",
  "'%s'.format([{'b': 1, 'a': b'x'}]) == '{\"a\":b\"x\", \"b\":1}'",
  "'%.2f %d %x %b%%'.format([1234.567, 7, 255, 5]) == '1,234.57 7 ff 101%'",
  ["'%d'.format(['a'])", 'decimal clause can only be used on integers, was given string'],
  ["'%.101f'.format([1.0])", 'precision 101 exceeds limit of 100'],
  ["'%s'.format([])", 'index 0 out of range'],
  // Named formats.
  "format.named('date').value().validate('2023-02-29').value() == ['invalid date']",
  "!format.date().validate('2024-02-29').hasValue() && format.uuid().validate('x').hasValue()",
  "!format.datetime().validate('2024-02-29t23:59:59z').hasValue()",
  "format.uri().validate('x').value() == ['parse \"x\": invalid URI for request']",
  "format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
  "!format.dns1123LabelPrefix().validate('a-').hasValue() && format.dns1123Label().validate('a-').hasValue()",
];

describe('functions of the libraries', () => {
  for (const row of rows) {
    const [expression, error] = typeof row === 'string' ? [row, undefined] : row;
    test(expression, () => {
      const outcome = evaluationOf(expression);
      if (error === undefined) {
        assert.ok(outcome.kind === 'value', 'message' in outcome ? outcome.message : outcome.kind);
        assert.equal(outcome.value, true);
      } else {
        assert.ok(outcome.kind === 'error', outcome.kind);
        assert.ok(outcome.message.includes(error), outcome.message);
      }
    });
  }
});

describe('texts of a caller with bad intentions', () => {
  const long = 'a'.repeat(100_000);
  const half = `${'a'.repeat(50_000)}b`;
  test('are searched in linear time', () => {
    const bindings = { text: long, part: half };
    for (const call of [
      'text.indexOf(part) == -1',
      'text.lastIndexOf(part) == -1',
      "text.replace(part, 'x') == text",
      'text.split(part).size() == 1',
    ]) {
      const outcome = evaluationOf(call, bindings);
      assert.ok(outcome.kind === 'value' && outcome.value === true, call);
    }
  });

  test('cannot make a huge one of small ones', () => {
    const bindings = { text: long, part: half };
    for (const call of ["text.replace('a', text)", 'text.split("").map(c, text).join()']) {
      const outcome = evaluationOf(call, bindings);
      assert.ok(outcome.kind === 'error' || outcome.kind === 'budget-exceeded', outcome.kind);
    }
  });
});
