/** Tokens of an issuer: a signature that is known is not verified again, and forgets its key. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { TokenCacheCounts } from '../../src/authentication/token-cache-counts.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { claimLanguage } from '../../src/authentication/claim-expressions.ts';
import { createIssuerAuthenticator } from '../../src/authentication/issuer-authenticator.ts';
import { readIssuers } from '../../src/authentication/issuer-config.ts';
import { createVerificationLine } from '../../src/authentication/verification-line.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { tlsPair, tlsServerOptions } from '../support/data/tls-pair.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const startMs = 1_800_000_000_000;
const pairOf = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

function signed(claims: object, privateKey: KeyObject): string {
  const input = `${encode({ alg: 'ES256', kid: 'one' })}.${encode(claims)}`;
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

/** An issuer that publishes one key, and who trusts it and counts what is verified. */
async function harness() {
  let published = pairOf();
  let verified = 0;
  const { close, url } = await startRemoteService((_body, request, response) => {
    const jwk = { ...published.publicKey.export({ format: 'jwk' }), kid: 'one' };
    const isSet = request.url === '/jwks';
    response.end(
      JSON.stringify(isSet ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/jwks` }),
    );
  }, tlsServerOptions);
  after(close);
  const issuer = { url, certificateAuthority: tlsPair.certificatePem, audiences: ['client'] };
  const claimMappings = { username: { claim: 'sub', prefix: '' } };
  const language = claimLanguage(testLanguage, identityOf('kubernetes'));
  const read = finished(readIssuers([{ issuer, claimMappings }], [], language));
  assert.ok(read.kind === 'ok');
  const time = manualTime(startMs);
  const line = createVerificationLine(systemTimers);
  const tokens = createIssuerAuthenticator({
    issuers: read.issuers,
    clock: time.clock,
    cacheCounts: new TokenCacheCounts(time.clock),
    timers: systemTimers,
    turns: createTurns({ clock: systemClock, timers: systemTimers }),
    audiences: ['api'],
    credentialIdKey: 'authentication.k8s.io/credential-id',
    signatures: {
      verify(network, verification) {
        verified += 1;
        return line.verify(network, verification);
      },
    },
    onError: (_issuer, error) => assert.fail(String(error)),
  });
  const claims = { iss: url, aud: 'client', sub: 'ann', exp: startMs / 1000 + 3600 };
  return {
    claims,
    pair: published,
    publish: (pair: typeof published): void => void (published = pair),
    verified: () => verified,
    ask: async (token: string): Promise<string> => (await tokens.authenticateToken(token, [])).kind,
    /** Until keys may be fetched again. */
    pause: () => time.advance(11_000),
  };
}

describe('the signature of an issued token', () => {
  // Before, it was verified at each request.
  it('is verified once while its key is published', async () => {
    const { ask, claims, pair, verified } = await harness();
    const token = signed(claims, pair.privateKey);
    assert.equal(await ask(token), 'authenticated');
    assert.equal(await ask(token), 'authenticated');
    assert.equal(verified(), 1);
  });

  // Before, each token was tried with all keys again when they had been fetched for it.
  it('is tried once with a key that is there again when the keys are fetched', async () => {
    const { ask, claims, pair, pause, verified } = await harness();
    const token = signed(claims, pair.privateKey);
    assert.equal(await ask(token), 'authenticated');
    pause();
    assert.equal(await ask(signed(claims, pairOf().privateKey)), 'rejected');
    assert.equal(verified(), 2);
    assert.equal(await ask(token), 'authenticated');
    assert.equal(verified(), 2);
  });

  it('is good no more when another key has the name of its key', async () => {
    const { ask, claims, pair, pause, publish } = await harness();
    const [token, other] = [signed(claims, pair.privateKey), pairOf()];
    assert.equal(await ask(token), 'authenticated');
    publish(other);
    pause();
    assert.equal(await ask(signed(claims, other.privateKey)), 'authenticated');
    assert.equal(await ask(token), 'rejected');
  });

  it('is not looked at when the token has expired or is for others', async () => {
    const { ask, claims, pair, verified } = await harness();
    for (const more of [{ exp: startMs / 1000 - 60 }, { aud: 'another' }]) {
      assert.equal(await ask(signed({ ...claims, ...more }, pair.privateKey)), 'rejected');
    }
    assert.equal(verified(), 0);
  });
});
