import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAuthenticationConfiguration } from '../../src/authentication/configuration.ts';
import { anonymousUser } from '../../src/apimachinery/user-info.ts';
import type {
  Authentication,
  AuthenticationRequest,
  Authenticator,
  Caller,
  TokenAuthenticator,
} from '../../src/authentication/authenticator.ts';
import {
  authenticateToken,
  bearerTokens,
  readBearerToken,
  reviewedCharsMax,
  tokenBytesMax,
} from '../../src/authentication/bearer.ts';
import { readTokenFile, staticTokens } from '../../src/authentication/token-file.ts';
import { createAuthentication } from '../../src/authentication/union.ts';
import type { AnonymousRule } from '../../src/authentication/union.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { finished } from '../../src/stdx/stepwise.ts';

function request(
  headers: readonly (readonly [string, string])[] = [],
  path = '/',
): AuthenticationRequest {
  return {
    path,
    remoteAddress: '127.0.0.1',
    peerCertificate: undefined,
    headerValues: (name) => headers.filter(([each]) => each === name).map(([, value]) => value),
    headerNames: () => [...new Set(headers.map(([name]) => name))],
    annotate: () => undefined,
    warn: () => undefined,
  };
}

const authorization = (...values: string[]) =>
  request(values.map((value) => ['authorization', value] as const));

describe('the token file', () => {
  const users = (text: string) => {
    const read = readTokenFile(text);
    assert(read.kind === 'ok', JSON.stringify(read));
    const method = staticTokens(read.users);
    return (token: string) => method.authenticateToken(token, []) as Authentication;
  };

  it('has a user a line; every further column is groups, in quotes where there are several', () => {
    const ask = users(
      't1,jane,u1\r\n"t,2","o""hara",u2,"a, b,"\n\n# comment\nt3,joe,,solo,"b,c",solo\n',
    );
    const of = (name: string, uid: string, groups: string[]) => ({
      kind: 'authenticated',
      user: { name, uid, groups, extra: {} },
    });
    assert.deepEqual(ask('t1'), of('jane', 'u1', []));
    assert.deepEqual(ask('t,2'), of('o"hara', 'u2', ['a', 'b']));
    assert.deepEqual(ask('t3'), of('joe', '', ['solo', 'b', 'c']));
  });

  it('knows no part of a token, and nothing longer', () => {
    const ask = users('secret-token,jane,u1');
    for (const token of [
      '',
      's',
      'secret-toke',
      'secret-tokens',
      'Secret-token',
      'secret-token ',
    ]) {
      assert.deepEqual(ask(token), { kind: 'none' }, token);
    }
  });

  it('is refused with the line and without what stands in it', () => {
    const cases: readonly [string, number, RegExp][] = [
      ['t1,jane', 1, /fewer than 3/],
      ['t1,jane,u\n,joe,u', 2, /token is empty/],
      ['t1,,u', 1, /name is empty/],
      ['t1,"jane,u', 1, /quotes/],
      ['t1,ja"ne,u', 1, /quotes/],
    ];
    for (const [text, line, problem] of cases) {
      const read = readTokenFile(text);
      assert(read.kind === 'invalid', text);
      assert.equal(read.line, line);
      assert.match(read.problem, problem);
      assert(!read.problem.includes('t1') && !read.problem.includes('jane'));
    }
  });
});

describe('the Authorization header', () => {
  const cases: readonly [string, readonly string[], string][] = [
    ['nothing', [], 'none'],
    ['a bearer token', ['Bearer abc.def'], 'abc.def'],
    ['a scheme in other letters', ['bEARER abc'], 'abc'],
    ['space around it', ['  Bearer abc  '], 'abc'],
    ['another scheme', ['Basic YTpi'], 'none'],
    ['a scheme that begins like it', ['Bearerabc'], 'none'],
    ['no token', ['Bearer'], 'none'],
    ['only space', ['Bearer  '], 'none'],
    ['two spaces', ['Bearer  abc'], 'rejected'],
    ['something behind the token', ['Bearer abc def'], 'rejected'],
    ['two tokens with a comma and space', ['Bearer abc, Bearer def'], 'rejected'],
    ['two headers', ['Bearer abc', 'Bearer abc'], 'rejected'],
    ['two headers, one of another scheme', ['Basic YTpi', 'Bearer abc'], 'rejected'],
    ['an empty one beside it', ['', 'Bearer abc'], 'rejected'],
    ['a control character', ['Bearer ab\u0001c'], 'rejected'],
    ['a tab', ['Bearer ab\tc'], 'rejected'],
    ['letters that are none of ASCII', ['Bearer abcé'], 'rejected'],
    ['the longest token', [`Bearer ${'a'.repeat(tokenBytesMax)}`], 'a'.repeat(tokenBytesMax)],
    ['a longer one', [`Bearer ${'a'.repeat(tokenBytesMax + 1)}`], 'rejected'],
  ];
  for (const [what, values, expected] of cases) {
    it(`with ${what}`, () => {
      const read = readBearerToken(authorization(...values));
      assert.equal(read.kind === 'token' ? read.token : read.kind, expected);
    });
  }
});

const user = (name: string, groups: string[] = []) => ({ name, uid: '', groups, extra: {} });
const known = (name: string, groups: string[] = []): Authentication => ({
  kind: 'authenticated',
  user: user(name, groups),
});
const none: Authentication = { kind: 'none' };
const wrong: Authentication = { kind: 'rejected', why: 'it is wrong' };

function method(name: string, answer: Authentication, later = false): Authenticator {
  return { name, authenticate: () => (later ? Promise.resolve(answer) : answer) };
}

function union(
  methods: readonly Authenticator[],
  anonymous: AnonymousRule = { kind: 'everywhere' },
) {
  return createAuthentication({
    methods,
    anonymous: () => anonymous,
    isCredentialHeader: () => false,
  });
}

describe('the methods together', () => {
  const nameOf = (caller: Caller) => (caller.kind === 'caller' ? caller.user.name : caller.kind);
  const cases: readonly [string, readonly Authentication[], string][] = [
    ['nothing is shown', [none, none], anonymousUser.name],
    ['the first knows', [known('a'), known('b')], 'a'],
    ['the second knows', [none, known('b')], 'b'],
    ['one refuses, one knows', [wrong, known('b')], 'b'],
    ['one refuses', [none, wrong], 'rejected'],
    ['one refuses, the next has nothing', [wrong, none], 'rejected'],
  ];
  for (const [what, answers, expected] of cases) {
    it(`when ${what}: ${expected}, at once or later`, async () => {
      const now = union(answers.map((answer, i) => method(`m${i}`, answer)));
      const caller = now.authenticate(request());
      assert(!(caller instanceof Promise));
      assert.equal(nameOf(caller), expected);
      for (const late of [0, 1]) {
        const mixed = union(answers.map((answer, i) => method(`m${i}`, answer, i === late)));
        assert.equal(nameOf(await mixed.authenticate(request())), expected);
      }
    });
  }

  it('put every user in system:authenticated, once, and nobody who is not one', async () => {
    const groupsOf = async (answer: Authentication) => {
      const caller = await union([method('m', answer)]).authenticate(request());
      return caller.kind === 'caller' ? caller.user.groups : [];
    };
    assert.deepEqual(await groupsOf(known('a', ['x'])), ['x', 'system:authenticated']);
    const already = ['system:authenticated', 'x'];
    assert.deepEqual(await groupsOf(known('a', already)), already);
    assert.deepEqual(await groupsOf(known('system:anonymous')), []);
    assert.deepEqual(await groupsOf(none), ['system:unauthenticated']);
  });

  it('let nobody in without credentials where that is not allowed', async () => {
    const nowhere = union([], { kind: 'nowhere' });
    assert.equal((await nowhere.authenticate(request())).kind, 'rejected');
    const some = union([], { kind: 'paths', paths: new Set(['/livez']) });
    assert.equal((await some.authenticate(request([], '/livez'))).kind, 'caller');
    for (const path of ['/livez/', '/livez/ping', '/LIVEZ', '//livez', '/readyz', '/']) {
      assert.equal((await some.authenticate(request([], path))).kind, 'rejected', path);
    }
  });

  it('refuse a token that no method knows, with all their reasons', async () => {
    const token = (name: string, answer: Authentication, later: boolean): TokenAuthenticator => ({
      name,
      authenticateToken: () => (later ? Promise.resolve(answer) : answer),
    });
    for (const later of [false, true]) {
      const both = bearerTokens([token('a', wrong, later), token('b', none, later)]);
      assert.deepEqual(await both.authenticate(authorization('Bearer x')), {
        kind: 'rejected',
        why: 'a: it is wrong',
      });
      const second = bearerTokens([token('a', wrong, later), token('b', known('b'), later)]);
      assert.equal((await second.authenticate(authorization('Bearer x'))).kind, 'authenticated');
    }
    assert.equal((await bearerTokens([]).authenticate(authorization('Bearer x'))).kind, 'rejected');
    assert.equal((await bearerTokens([]).authenticate(request())).kind, 'none');
  });

  // A review of a text of 3 MiB had each method make a digest of it, and a webhook was sent it.
  it('ask no method about a text that is longer than a token can be', async () => {
    const asked: number[] = [];
    const method: TokenAuthenticator = {
      name: 'a',
      authenticateToken(token) {
        asked.push(token.length);
        return wrong;
      },
    };
    for (const more of [0, 1]) {
      const text = 'x'.repeat(reviewedCharsMax + more);
      assert.equal((await authenticateToken([method], text, [])).kind, 'rejected');
    }
    assert.deepEqual(asked, [reviewedCharsMax]);
  });
});

describe('the authentication configuration', () => {
  const head = 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\n';
  const read = (text: string) =>
    finished(readAuthenticationConfiguration(Buffer.from(text), identityOf('kubernetes')));

  it('says where anonymous requests are served', () => {
    const ruleOf = (text: string) => {
      const result = read(head + text);
      assert(result.kind === 'ok', JSON.stringify(result));
      return result.value.anonymous;
    };
    assert.equal(ruleOf(''), undefined);
    assert.deepEqual(ruleOf('anonymous: {enabled: false}'), { kind: 'nowhere' });
    assert.deepEqual(ruleOf('anonymous: {enabled: true}'), { kind: 'everywhere' });
    assert.deepEqual(ruleOf('anonymous: {enabled: true, conditions: [{path: /livez}]}'), {
      kind: 'paths',
      paths: new Set(['/livez']),
    });
  });

  const refused: readonly [string, RegExp][] = [
    ['apiVersion: v1\nkind: AuthenticationConfiguration', /apiVersion/],
    [
      'apiVersion: apiserver.config.svc.io/v1beta1\nkind: AuthenticationConfiguration',
      /apiVersion/,
    ],
    ['apiVersion: apiserver.config.k8s.io/v1beta1\nkind: Other', /kind/],
    [`${head}anonymus: {enabled: false}`, /unknown field "anonymus"/],
    [`${head}anonymous: {enable: false}`, /unknown field "anonymous.enable"/],
    [`${head}anonymous: {enabled: "no"}`, /true or false/],
    [
      `${head}anonymous: {enabled: false, conditions: [{path: /x}]}`,
      /enabled should be set to true/,
    ],
    [`${head}anonymous: {enabled: true, conditions: [{path: x}]}`, /conditions\[0\].path/],
    [`${head}anonymous: {enabled: true, conditions: [{}]}`, /conditions\[0\].path/],
    [`${head}anonymous: {enabled: true, conditions: [/x]}`, /conditions\[0\]: must be an object/],
    [
      `${head}anonymous: {enabled: true, conditions: [{path: /x, paths: [/y]}]}`,
      /unknown field "anonymous.conditions\[0\].paths"/,
    ],
    [`${head}anonymous: {enabled: true, conditions: {path: /x}}`, /conditions: must be a list/],
    [`${head}anonymous: true`, /anonymous: must be an object/],
    [`${head}jwt: {}`, /jwt: must be a list/],
    [`${head}anonymous: {enabled: true}\nanonymous: {enabled: false}`, /./],
    ['[]', /no object/],
    ['{', /./],
  ];
  for (const [text, problem] of refused) {
    it(`is refused: ${text.split('\n').at(-1)}`, () => {
      const result = read(text);
      assert(result.kind === 'invalid');
      assert.match(result.problem, problem);
    });
  }
});
