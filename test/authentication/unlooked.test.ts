/** Credentials that nobody had time to look at are not wrong: they are told to come again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  Authentication,
  AuthenticationRequest,
  TokenAuthenticator,
} from '../../src/authentication/authenticator.ts';
import { bearerTokens } from '../../src/authentication/bearer.ts';
import { checkSignature } from '../../src/authentication/jwt-verify.ts';
import { createAuthentication } from '../../src/authentication/union.ts';
import { tokenReviewAnswerer } from '../../src/endpoints/reviews/token-review.ts';
import type { ReviewAnswerer } from '../../src/endpoints/request.ts';

const unlooked: Authentication = { kind: 'rejected', why: 'no time', unlooked: true };
const wrong: Authentication = { kind: 'rejected', why: 'expired' };
const user = { name: 'ann', uid: '', groups: ['system:authenticated'], extra: {} };
const good: Authentication = { kind: 'authenticated', user };
const none: Authentication = { kind: 'none' };

function callerBy(answers: readonly Authentication[], later: boolean) {
  const methods = answers.map((answer, at): TokenAuthenticator => ({
    name: `m${at}`,
    authenticateToken: () => (later ? Promise.resolve(answer) : answer),
  }));
  const authentication = createAuthentication({
    methods: [bearerTokens(methods)],
    anonymous: () => ({ kind: 'everywhere' }),
    isCredentialHeader: () => false,
  });
  const headerValues = (name: string) => (name === 'authorization' ? ['Bearer abc'] : []);
  const request = { path: '/', remoteAddress: '', headerValues, headerNames: () => [] };
  return authentication.authenticate(request as unknown as AuthenticationRequest);
}

describe('a token that one method has not looked at', () => {
  for (const later of [false, true]) {
    const when = later ? 'later' : 'at once';
    it(`is not said to be wrong, whatever the others say ${when}`, async () => {
      for (const answers of [[unlooked], [none, unlooked], [unlooked, wrong], [wrong, unlooked]]) {
        const caller = await callerBy(answers, later);
        assert.ok(caller.kind === 'rejected');
        assert.equal(caller.unlooked, true);
        assert.match(caller.why, /^bearer: .*no time/);
      }
    });

    it(`is good if another method knows it ${when}`, async () => {
      for (const answers of [
        [unlooked, good],
        [good, unlooked],
      ]) {
        assert.equal((await callerBy(answers, later)).kind, 'caller');
      }
    });

    it(`is wrong if all have looked ${when}`, async () => {
      const caller = await callerBy([wrong, none, wrong], later);
      assert.ok(caller.kind === 'rejected');
      assert.equal(caller.unlooked, undefined);
      assert.equal(caller.why, 'bearer: m0: expired; m2: expired');
    });
  }

  it('is one whose signature had no turn', async () => {
    const key = { id: 'k', algorithm: 'ES256' } as unknown as Parameters<typeof checkSignature>[2];
    const read = { header: { alg: 'ES256' }, claims: {} };
    const keys = [key] as unknown as Parameters<typeof checkSignature>[2];
    const checked = await checkSignature('t', read, keys, () => Promise.resolve(undefined));
    assert.ok(checked.kind === 'refused');
    assert.equal(checked.unlooked, true);
  });

  it('is reviewed later', async () => {
    const answerer = tokenReviewAnswerer({
      authenticate: () => Promise.resolve(unlooked),
      audiences: [],
    });
    const review = { apiVersion: 'v1', kind: 'TokenReview', spec: { token: 'a' } };
    type Args = Parameters<ReviewAnswerer>;
    const answer = await answerer(review as unknown as Args[0], {} as unknown as Args[1]);
    assert.ok(answer.kind === 'refused');
    assert.equal(answer.error.code, 429);
    assert.equal(answer.error.details?.retryAfterSeconds, 1);
  });
});
