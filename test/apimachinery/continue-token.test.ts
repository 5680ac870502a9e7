/** Tokens, versions and times keep every digit on their way out and back (spec 1, 2.2, 4.9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  CONTINUE_AT_LATEST,
  CONTINUE_TOKEN_LENGTH_MAX,
  decodeContinueToken,
  encodeContinueToken,
  newContinueExpired,
} from '../../src/apimachinery/continue-token.ts';
import {
  REVISION_MAX,
  parseRequestedVersion,
  parseResourceVersion,
} from '../../src/apimachinery/resource-version.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import {
  formatRfc3339,
  formatRfc3339Micro,
  microsOfRfc3339,
  parseRfc3339,
} from '../../src/apimachinery/time.ts';

const metaGroup = 'meta.k8s.io';
const revisions = fc.bigInt({ min: 1n, max: REVISION_MAX });

const tokenOf = (json: string): string => Buffer.from(json, 'utf8').toString('base64url');

function problem(text: string): string {
  const result = decodeContinueToken(metaGroup, text);
  assert.ok(result instanceof StatusError, `accepted ${text}`);
  assert.equal(result.code, 400);
  return result.message;
}

describe('continue token', () => {
  it('is the base64url of the documented JSON, without padding', () => {
    const token = encodeContinueToken(metaGroup, { revision: 42n, start: 'ns/name\u0000' });
    const json = '{"v":"meta.k8s.io/v1","rv":42,"start":"ns/name\\u0000"}';
    assert.equal(Buffer.from(token, 'base64url').toString('utf8'), json);
    assert.ok(!token.includes('='));
  });

  it('comes back as it went out', () => {
    const segment = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
    const start = fc.oneof(
      segment.map((name) => `${name}\u0000`),
      fc.tuple(segment, segment).map(([ns, name]) => `${ns}/${name}\u0000`),
      segment.map((name) => `/${name}\u0000`),
      fc.constant('ns/"rv":5,\\"rv\\":6'),
    );
    const revision = fc.oneof(revisions, fc.constant(CONTINUE_AT_LATEST));
    fc.assert(
      fc.property(fc.record({ revision, start }, { noNullPrototype: true }), (token) => {
        const text = encodeContinueToken(metaGroup, token);
        assert.deepEqual(decodeContinueToken(metaGroup, text), token);
      }),
    );
  });

  const invalid = 'continue key is not valid';
  const startingWith = (start: string): string =>
    tokenOf(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start }));
  const rows: [string, string, string][] = [
    ['garbage', '!!!', invalid],
    ['not JSON', tokenOf('{'), invalid],
    ['no object', tokenOf('[]'), invalid],
    ['null', tokenOf('null'), invalid],
    ['wrong types', tokenOf('{"v":1,"rv":1,"start":"a"}'), invalid],
    ['a fraction', tokenOf('{"v":"meta.k8s.io/v1","rv":1.5,"start":"a"}'), invalid],
    ['padding', `${startingWith('a')}=`, invalid],
    ['too long', startingWith('a'.repeat(CONTINUE_TOKEN_LENGTH_MAX)), invalid],
    [
      'another version',
      tokenOf('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}'),
      `${invalid}: server does not recognize this encoded version "meta.k8s.io/v2"`,
    ],
    [
      'another identity',
      encodeContinueToken('meta.svc.io', { revision: 1n, start: 'a' }),
      `${invalid}: server does not recognize this encoded version "meta.svc.io/v1"`,
    ],
    ...['"rv":0,', '', '"rv":-2,', '"rv":9223372036854775808,'].map(
      (rv): [string, string, string] => [
        `revision ${rv || 'missing'}`,
        tokenOf(`{"v":"meta.k8s.io/v1",${rv}"start":"a"}`),
        `${invalid}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)`,
      ],
    ),
    [
      'no start',
      tokenOf('{"v":"meta.k8s.io/v1","rv":1}'),
      `${invalid}: encoded start key empty (version meta.k8s.io/v1)`,
    ],
    ...['../secrets', 'a/../b', 'a//b', './a', 'a/', '/', '//a', '..', 'a/./b'].map(
      (start): [string, string, string] => [
        `start ${start}`,
        startingWith(start),
        `${invalid}: ${start}`,
      ],
    ),
  ];
  for (const [name, token, message] of rows) {
    it(`refuses ${name}`, () => assert.equal(problem(token), message));
  }

  it('that has expired is answered with one that goes on at the latest', () => {
    const error = newContinueExpired(metaGroup, 'ns/a\u0000');
    assert.equal(error.code, 410);
    assert.match(error.message, /inconsistent list/);
    assert.deepEqual(decodeContinueToken(metaGroup, error.listContinue ?? ''), {
      revision: CONTINUE_AT_LATEST,
      start: 'ns/a\u0000',
    });
  });

  it('of any text is a token or a 400', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json().map(tokenOf)), (text) => {
        const result = decodeContinueToken(metaGroup, text);
        if (result instanceof StatusError) assert.equal(result.code, 400);
      }),
    );
  });
});

describe('resource version', () => {
  it('comes back as the revision it was made of', () => {
    fc.assert(
      fc.property(revisions, (revision) => {
        assert.equal(parseResourceVersion(revision.toString()), revision);
      }),
    );
  });
  for (const text of [
    '-1',
    '+1',
    '01',
    ' 1',
    '1 ',
    '1e3',
    '0x1',
    '1.0',
    'abc',
    '9223372036854775808',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(parseResourceVersion(text), undefined);
      assert.equal(parseRequestedVersion(text), undefined);
    });
  }
  it('keeps unset and any apart', () => {
    assert.deepEqual(parseRequestedVersion(''), { kind: 'unset' });
    assert.deepEqual(parseRequestedVersion('0'), { kind: 'any' });
    assert.deepEqual(parseRequestedVersion('9223372036854775807'), {
      kind: 'revision',
      revision: REVISION_MAX,
    });
    assert.equal(parseResourceVersion('0'), undefined);
    assert.equal(parseResourceVersion(''), undefined);
  });
});

describe('time', () => {
  it('is written in UTC and whole seconds', () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5, 999);
    assert.equal(formatRfc3339(ms), '2026-01-02T03:04:05Z');
    assert.equal(formatRfc3339Micro(ms), '2026-01-02T03:04:05.999000Z');
  });
  it('comes back to the second', () => {
    const seconds = fc.integer({ min: -62167219200, max: 253402300799 });
    fc.assert(
      fc.property(seconds, (s) => assert.equal(parseRfc3339(formatRfc3339(s * 1000)), s * 1000)),
    );
  });
  const good: [string, string][] = [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'],
    ['2026-01-02T03:04:05.1234567890123Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05,5Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T3:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05-24:60', '2026-01-03T04:04:05Z'],
    ['2026-01-02T03:04:05+24:00', '2026-01-01T03:04:05Z'],
    ['0004-02-29T00:00:00Z', '0004-02-29T00:00:00Z'],
    ['0099-12-31T23:00:00-01:00', '0100-01-01T00:00:00Z'],
    ['1969-12-31T23:59:59.9Z', '1969-12-31T23:59:59Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ];
  for (const [text, normal] of good) {
    it(`reads ${text}`, () => {
      const ms = parseRfc3339(text);
      assert.ok(ms !== undefined);
      assert.equal(formatRfc3339(ms), normal);
    });
  }
  const micros: [string, number][] = [
    ['2026-01-02T03:04:05Z', 0],
    ['2026-01-02T03:04:05.5Z', 500_000],
    ['2026-01-02T03:04:05,000001999+24:60', 1],
  ];
  for (const [text, expected] of micros) {
    it(`finds ${expected} µs in ${text}`, () => assert.equal(microsOfRfc3339(text), expected));
  }
  const bad = [
    '',
    '2026-01-02',
    '2026-01-02T03:04:05',
    '2026-01-02 03:04:05Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+25:00',
    '2026-01-01T00:00:00+24:61',
    '2026-01-01T00:00:00+1:00',
    '2026-01-01T:00:00Z',
    '2026-01-01T001:00:00Z',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-01-01T00:00:00.Z',
    ' 2026-01-01T00:00:00Z',
    '1900-02-29T00:00:00Z',
  ];
  for (const text of bad) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseRfc3339(text), undefined));
  }
});
