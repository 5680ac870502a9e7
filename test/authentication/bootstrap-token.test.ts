/** Bootstrap tokens: the public vectors, and what a token must be to count. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { createBootstrapAuthenticator } from '../../src/authentication/bootstrap-authenticator.ts';
import {
  bootstrapGroupProblem,
  bootstrapSecretName,
  formatBootstrapToken,
  parseBootstrapToken,
  readBootstrapToken,
} from '../../src/authentication/bootstrap-token.ts';
import { detachedSigner, tokenSigningSecret } from '../../src/authentication/detached-jws.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

interface Signature {
  readonly content: string;
  readonly id: string;
  readonly secret: string;
  readonly detached: string;
}

interface Corpus {
  readonly authentication: readonly {
    readonly name: string;
    readonly secret: ApiObject & { readonly stringData: Readonly<Record<string, string>> };
    readonly token: string;
    readonly deleteFirst?: boolean;
    readonly user: { readonly username: string; readonly groups: readonly string[] } | null;
  }[];
  readonly jws: readonly Signature[];
  readonly jwsInvalid: readonly Signature[];
  readonly tokenFromIDAndSecret: readonly { id: string; secret: string; expected: string }[];
  readonly isValidBootstrapToken: readonly { token: string; expected: boolean }[];
  readonly isValidBootstrapTokenID: readonly { tokenID: string; expected: boolean }[];
  readonly bootstrapTokenSecretName: readonly { tokenID: string; expected: string }[];
  readonly validateBootstrapGroupName: readonly { name: string; input: string; valid: boolean }[];
  readonly validateUsages: readonly { name: string; input: string[]; valid: boolean }[];
}

const corpus = readCorpus<Corpus>('bootstrap-token/cases.json');
const identity = identityOf('kubernetes');

function stored(secret: Corpus['authentication'][number]['secret'], deleted = false): ApiObject {
  const { stringData, ...rest } = secret;
  const data = Object.fromEntries(
    Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const mark = deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return { ...rest, metadata: { ...rest.metadata, ...mark }, data };
}

function authenticatorOver(secret: ApiObject | undefined, timerState?: string, nowMs = Date.now()) {
  return createBootstrapAuthenticator({
    identity,
    clock: manualTime(nowMs).clock,
    objects: {
      get: (resource, namespace, name) =>
        resource.resource === 'secrets' &&
        secret?.metadata.name === name &&
        secret.metadata.namespace === namespace
          ? { object: secret, timerState }
          : undefined,
      isWaiting: () => false,
      current: () => Promise.resolve(),
    },
  });
}

const parts = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' };
const allowed = { ...parts, 'usage-bootstrap-authentication': 'true' };

function tokenSecret(stringData: Record<string, string>, type?: string): ApiObject {
  return stored({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    type: type ?? identity.secretTypes.bootstrapToken,
    stringData,
  });
}

describe('bootstrap tokens', () => {
  test('the vectors of authentication', { skip: noVectors }, async () => {
    assert.ok(corpus.authentication.length >= 5);
    for (const { deleteFirst, name, secret, token, user } of corpus.authentication) {
      const known = authenticatorOver(stored(secret, deleteFirst));
      const answer = await known.authenticateToken(token, []);
      if (user === null) assert.equal(answer.kind, 'rejected', name);
      else {
        assert.ok(answer.kind === 'authenticated', name);
        assert.deepEqual(answer.user, {
          name: user.username,
          uid: '',
          groups: user.groups,
          extra: {},
        });
      }
    }
  });

  test('the vectors of detached signatures', { skip: noVectors }, () => {
    for (const { content, detached, id, secret } of corpus.jws) {
      assert.equal(detachedSigner(content)(id, secret), detached);
    }
    for (const { content, detached, id, secret } of corpus.jwsInvalid) {
      assert.notEqual(detachedSigner(content)(id, secret), detached);
    }
  });

  test('the vectors of names and patterns', { skip: noVectors }, () => {
    for (const { expected, id, secret } of corpus.tokenFromIDAndSecret) {
      assert.equal(formatBootstrapToken({ id, secret }), expected);
    }
    for (const { expected, token } of corpus.isValidBootstrapToken) {
      assert.equal(parseBootstrapToken(token) !== undefined, expected, token);
    }
    for (const { expected, tokenID } of corpus.isValidBootstrapTokenID) {
      const token = `${tokenID}.${parts['token-secret']}`;
      assert.equal(parseBootstrapToken(token) !== undefined, expected, tokenID);
    }
    for (const { expected, tokenID } of corpus.bootstrapTokenSecretName) {
      assert.equal(bootstrapSecretName(tokenID), expected);
    }
    for (const { input, name, valid } of corpus.validateBootstrapGroupName) {
      assert.equal(bootstrapGroupProblem(input) === undefined, valid, name);
    }
    for (const { input, name, valid } of corpus.validateUsages) {
      const said = input.map((usage) => [`usage-bootstrap-${usage}`, 'true']);
      const secret = tokenSecret({ ...parts, ...Object.fromEntries(said) });
      const token = readBootstrapToken(identity, secret);
      assert.equal(token?.usages.length === input.length, valid, name);
    }
  });

  test('a token that is wrong in any one thing is rejected, and the reason holds no secret', async () => {
    const spaced = 'system:bootstrappers:a, system:bootstrappers:b';
    const rows: readonly [string, ApiObject | undefined, string, string?][] = [
      ['another secret part', tokenSecret(allowed), 'abcdef.0123456789abcdeg'],
      ['no such token', undefined, 'abcdef.0123456789abcdef'],
      ['expired', tokenSecret({ ...allowed, expiration: '2020-01-01T00:00:00Z' }), ''],
      ['unreadable expiration', tokenSecret({ ...allowed, expiration: 'soon' }), ''],
      ['its machine says so', tokenSecret(allowed), '', 'expired'],
      ['another type', tokenSecret(allowed, 'Opaque'), ''],
      ['an id that is not its name', tokenSecret({ ...allowed, 'token-id': 'abcdeg' }), ''],
      ['a short secret part', tokenSecret({ ...allowed, 'token-secret': '0123' }), ''],
      ['only for signing', tokenSecret({ ...parts, 'usage-bootstrap-signing': 'true' }), ''],
      ['usage is not true', tokenSecret({ ...parts, 'usage-bootstrap-authentication': '1' }), ''],
      ['space before a group', tokenSecret({ ...allowed, 'auth-extra-groups': spaced }), ''],
      ['one wrong group', tokenSecret({ ...allowed, 'auth-extra-groups': 'system:masters' }), ''],
    ];
    for (const [name, secret, token, state] of rows) {
      const shown = token === '' ? 'abcdef.0123456789abcdef' : token;
      const answer = await authenticatorOver(secret, state).authenticateToken(shown, []);
      assert.ok(answer.kind === 'rejected', name);
      assert.doesNotMatch(answer.why, /0123456789/, name);
    }
    const good = await authenticatorOver(tokenSecret(allowed)).authenticateToken(
      'abcdef.0123456789abcdef',
      [],
    );
    assert.equal(good.kind, 'authenticated');
  });

  test('truncated and prefix tokens are none of its kind', async () => {
    const known = authenticatorOver(tokenSecret(allowed));
    const whole = 'abcdef.0123456789abcdef';
    const others = [`${whole}0`, `0${whole}`, `${whole}\n`, whole.toUpperCase(), ` ${whole}`];
    const cut = Array.from({ length: whole.length }, (_, length) => whole.slice(0, length));
    for (const text of [...cut, ...others]) {
      assert.equal((await known.authenticateToken(text, [])).kind, 'none', JSON.stringify(text));
    }
  });

  test('the specification signs with the whole token, the programs of the other identity do not', () => {
    const token = { id: 'abcdef', secret: '0123456789abcdef' };
    assert.equal(tokenSigningSecret(identityOf('svc'), token), 'abcdef.0123456789abcdef');
    assert.equal(tokenSigningSecret(identity, token), '0123456789abcdef');
  });
});
