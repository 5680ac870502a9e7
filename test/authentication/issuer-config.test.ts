/** What an entry of the authentication configuration may say of its issuer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
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
});
