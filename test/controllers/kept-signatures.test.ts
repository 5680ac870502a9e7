/** A signature is made once for a text and a token, however often all of them are asked for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { BootstrapToken } from '../../src/authentication/bootstrap-token.ts';
import { detachedSigner } from '../../src/authentication/detached-jws.ts';
import { createKeptSignatures } from '../../src/controllers/kept-signatures.ts';

const token = (id: string, secret = `secret-of-${id}`): BootstrapToken => ({
  id,
  secret,
  usages: ['signing'],
  extraGroups: [],
  expiresMs: undefined,
});

function signing() {
  let made = 0;
  const pause = (): Promise<void> => {
    made += 1;
    return Promise.resolve();
  };
  const signatures = createKeptSignatures({ identity: identityOf('kubernetes'), turns: { pause } });
  /** How many had to be made. */
  const sign = async (content: string, tokens: readonly BootstrapToken[]): Promise<number> => {
    const before = made;
    const found = await signatures.of(content, tokens);
    for (const [at, { id, secret }] of tokens.entries()) {
      assert.deepEqual(found[at], [id, detachedSigner(content)(id, secret)]);
    }
    assert.equal(found.length, tokens.length);
    return made - before;
  };
  return sign;
}

describe('signatures of many tokens', () => {
  const tokens = Array.from({ length: 50 }, (_, at) => token(`t${at}`));

  it('are made once each, not once for each token that comes or goes', async () => {
    const sign = signing();
    for (let count = 1; count <= tokens.length; count += 1) {
      assert.equal(await sign('a', tokens.slice(0, count)), 1);
    }
    assert.equal(await sign('a', tokens.slice(10)), 0);
    assert.equal(await sign('a', tokens.slice(9)), 1, 'of one that was gone nothing is kept');
  });

  it('are made anew for another text, and for another secret of the same id', async () => {
    const sign = signing();
    assert.equal(await sign('a', tokens), 50);
    assert.equal(await sign('b', tokens), 50);
    assert.equal(await sign('b', [token('t0', 'another'), ...tokens.slice(1)]), 1);
  });
});
