/** What an authenticating proxy may say in headers, and how it is read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuthenticationRequest } from '../../src/authentication/authenticator.ts';
import { requestHeaderProxy } from '../../src/authentication/request-header.ts';
import { link, nowMs } from '../support/data/certificate-links.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const headers = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefix: ['x-remote-extra-'],
};

async function userOf(said: readonly (readonly [string, string])[]) {
  const root = await link({ subject: 'root', ca: true });
  const usages = ['1.3.6.1.5.5.7.3.2'];
  const { own } = await link({ subject: 'proxy', issuer: root, usages });
  const rules = { roots: () => [root.own], allowedNames: ['proxy'], headers };
  const request = {
    peerCertificate: { chain: [own.der] },
    headerValues: (name: string) => said.filter(([each]) => each === name).map(([, each]) => each),
    headerNames: () => [...new Set(said.map(([name]) => name))],
  } as unknown as AuthenticationRequest;
  const proxy = requestHeaderProxy(rules, manualTime(nowMs).clock);
  const answer = await proxy.authenticate(request);
  assert.equal(answer.kind, 'authenticated');
  return answer.kind === 'authenticated' ? answer.user : undefined;
}

describe('a proxy', () => {
  it('names no group without a name', async () => {
    const user = await userOf([
      ['x-remote-user', 'joe'],
      ['x-remote-group', ''],
      ['x-remote-group', 'a'],
    ]);
    assert.deepEqual(user?.groups, ['a']);
  });

  it('encodes keys of extra fields, in the case that they have, and the empty one', async () => {
    const user = await userOf([
      ['x-remote-user', 'joe'],
      ['x-remote-extra-a%2fb', '1'],
      ['x-remote-extra-a%2Fb', '2'],
      ['x-remote-extra-%41b', '3'],
      ['x-remote-extra-%zz', '4'],
      ['x-remote-extra-', '5'],
      ['x-remote-extra-__proto__', '6'],
    ]);
    assert.deepEqual(Object.entries(user?.extra ?? {}), [
      ['a/b', ['1', '2']],
      ['Ab', ['3']],
      ['%zz', ['4']],
      ['', ['5']],
      ['__proto__', ['6']],
    ]);
  });
});
