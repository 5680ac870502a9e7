/** What an entry of the authentication configuration may say of its issuer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { claimLanguage } from '../../src/authentication/claim-expressions.ts';
import { readIssuers } from '../../src/authentication/issuer-config.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

const claims = claimLanguage(testLanguage, identityOf('kubernetes'));
const url = 'https://issuer.example';
const entry = (issuer: JsonObject): JsonObject => ({
  issuer: { url, audiences: ['cluster'], ...issuer },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
});
const problemOf = (...issuers: readonly JsonObject[]): string | undefined => {
  const read = finished(readIssuers(issuers.map(entry), [], claims));
  return read.kind === 'ok' ? undefined : read.problem;
};
const pem = tlsPair.certificatePem;

describe('an issuer', () => {
  it('may have a place of its own for its document, and several certificates', () => {
    const certificateAuthority = `# two\n${pem}\n${pem}`;
    assert.equal(problemOf({ discoveryURL: `${url}/here`, certificateAuthority }), undefined);
    const second = { url: 'https://second.example', discoveryURL: `${url}/there` };
    assert.equal(problemOf({ discoveryURL: `${url}/here` }, second), undefined);
  });

  const one = 'https://shared.example/document';
  const rows: readonly [string, readonly JsonObject[], string][] = [
    ['its own URL as the place of its document', [{ discoveryURL: `${url}/` }], '[0].issuer.disco'],
    [
      'the place of another one',
      [{ discoveryURL: one }, { url: 'https://second.example', discoveryURL: one }],
      '[1].issuer.discoveryURL: is given twice',
    ],
    [
      'an audience twice',
      [{ audiences: ['a', 'b', 'a'], audienceMatchPolicy: 'MatchAny' }],
      '[0].issuer.audiences[2]: is given twice',
    ],
    ['a CA that is none', [{ certificateAuthority: 'ca.pem' }], '[0].issuer.certificateAuthority'],
    [
      'a CA of which a part is broken',
      [{ certificateAuthority: `${pem}\n${pem.replace(/\n.{20}/, '\n')}` }],
      '[0].issuer.certificateAuthority: has no certificate, or a broken one',
    ],
  ];
  for (const [title, issuers, problem] of rows) {
    it(`with ${title} is refused`, () => {
      assert.ok(problemOf(...issuers)?.startsWith(`jwt${problem}`), problemOf(...issuers));
    });
  }

  const username = { claim: 'sub', prefix: '' };
  const many = (length: number, of: (at: number) => JsonValue): JsonValue[] =>
    Array.from({ length }, (_, at) => of(at));
  const wrong: readonly [JsonObject, string][] = [
    [{ issuer: null }, 'issuer: must be an object'],
    [{ issuer: { url, audiences: 'a' } }, 'issuer.audiences: must be a list'],
    [{ issuer: { url, audiences: [''] } }, 'issuer.audiences[0]: must be a text'],
    [{ issuer: { url, audiences: ['a'], audienceMatchPolicy: 'MatchAll' } }, 'must be MatchAny'],
    [
      {
        issuer: { url, audiences: many(65, (at) => `a${at}`), audienceMatchPolicy: 'MatchAny' },
      },
      'issuer.audiences: must have at most 64 entries',
    ],
    ...['https://u@a', 'https://:p@a', 'https://a?q', 'https://a#f'].map(
      (place): [JsonObject, string] => [
        { issuer: { url: place, audiences: ['a'] } },
        'issuer.url: must have neither a user, a query nor a fragment',
      ],
    ),
    [{ issuer: { url: 'a.example', audiences: ['a'] } }, 'issuer.url: must be a URL'],
    [
      { claimMappings: { username: { expression: 'claims.sub', prefix: '' } } },
      'claimMappings.username.prefix: may not be specified when expression is set',
    ],
    [
      { claimMappings: { username, groups: { claim: 'g' } } },
      'claimMappings.groups.prefix: is required',
    ],
    [
      { claimMappings: { username, uid: { claim: 'u', expression: 'claims.u' } } },
      "claimMappings.uid: claim and expression can't both be set",
    ],
    ...(
      [
        ['a.io/x', undefined, 'valueExpression: is required'],
        ['A.io/x', '"y"', 'key: '],
        ['a.io/X', '"y"', 'key: must be lowercase'],
        ['a.io/x y', '"y"', 'key: Invalid path'],
        ['a.io/', '"y"', 'key: must be a domain-prefixed path'],
        ['/x', '"y"', 'key: must be a domain-prefixed path'],
        ['k8s.io/x', '"y"', 'key: k8s.io, kubernetes.io and their subdomains are reserved'],
      ] as const
    ).map(([key, text, problem]): [JsonObject, string] => [
      {
        claimMappings: {
          username,
          extra: [text === undefined ? { key } : { key, valueExpression: text }],
        },
      },
      `claimMappings.extra[0].${problem}`,
    ]),
    [
      {
        claimMappings: {
          username,
          extra: many(2, () => ({ key: 'a.io/x', valueExpression: '"y"' })),
        },
      },
      'claimMappings.extra[1].key: is given twice',
    ],
    [
      {
        claimMappings: {
          username,
          extra: many(65, (at) => ({ key: `a.io/${at}`, valueExpression: '"y"' })),
        },
      },
      'claimMappings.extra: must have at most 64 entries',
    ],
    ...(
      [
        [{}, ': claim or expression is required'],
        [{ claim: 'a', requiredValue: 1 }, '.requiredValue: must be a text'],
        [{ claim: 'a', expression: 'true' }, ": claim and expression can't both be set"],
        [{ claim: 'a', message: 'm' }, '.message: may not be specified when claim is set'],
        [
          { expression: 'true', requiredValue: 'v' },
          '.requiredValue: may not be specified when expression is set',
        ],
      ] as const
    ).map(([rule, problem]): [JsonObject, string] => [
      { claimValidationRules: [rule] },
      `claimValidationRules[0]${problem}`,
    ]),
    [
      { claimValidationRules: many(2, () => ({ claim: 'a', requiredValue: 'b' })) },
      'claimValidationRules[1].claim: is given twice',
    ],
    [
      { claimValidationRules: many(65, (at) => ({ claim: `a${at}`, requiredValue: 'b' })) },
      'claimValidationRules: must have at most 64 entries',
    ],
    [{ userValidationRules: [{ message: 'm' }] }, 'userValidationRules[0].expression: is required'],
  ];
  for (const [more, problem] of wrong) {
    it(`is refused: ${problem}`, () => {
      const read = finished(readIssuers([{ ...entry({}), ...more }], [], claims));
      assert.ok(read.kind === 'invalid' && read.problem.startsWith('jwt[0].'));
      assert.ok(read.problem.includes(problem), read.problem);
    });
  }

  it('may be one of 64', () => {
    const some = (length: number): JsonObject[] =>
      Array.from({ length }, (_, at) => ({ url: `https://${at}.example` }));
    assert.equal(problemOf(...some(64)), undefined);
    assert.equal(problemOf(...some(65)), 'jwt: must have at most 64 entries');
  });
});
