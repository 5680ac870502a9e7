/**
 * What becomes of a watch when the credentials that opened it end: it goes on, as in the reference,
 * because credentials are looked at when a request begins. The next request with them is refused.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { makeCertificate } from '../../src/pki/certificate-authority.ts';
import { keyPurposes } from '../../src/pki/certificates.ts';
import { openResponse } from '../support/clients/http-client.ts';
import { readWatch } from '../support/clients/watch-reader.ts';
import type { WatchReader } from '../support/clients/watch-reader.ts';
import { identityOf, startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureRequest, SecureServer } from '../support/servers/secure-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const accounts = '/api/v1/namespaces/default/serviceaccounts';
const bootstrapSecrets = '/api/v1/namespaces/kube-system/secrets';
/** A guard against waiting for ever, not a promise about time. */
const triesMax = 20_000;

type Credentials = Pick<SecureRequest, 'as' | 'token'>;

describe('credentials that end under a watch', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer({ 'enable-bootstrap-token-auth': 'true' });
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }];
    await write('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'watcher' },
      rules,
    });
    const groups = ['system:serviceaccounts', 'system:bootstrappers', 'short-lived'];
    await write('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'watcher' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'watcher' },
      subjects: groups.map((name) => ({
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Group',
        name,
      })),
    });
  });
  after(() => server.remove());

  async function write(path: string, body: JsonObject): Promise<JsonObject> {
    const reply = await server.secure(path, { method: 'POST', token: tokens.admin, body });
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  }

  const opened = async (name: string, { as, token }: Credentials): Promise<WatchReader> => {
    const target = `${maps}?watch=true&fieldSelector=metadata.name=${name}`;
    const tls = identityOf(server.caPem, as);
    return readWatch(await openResponse(server.secureUrl, target, { token, tls }));
  };

  /** Waits until the credentials have ended, and sees that the watch goes on. */
  async function outlives(watch: WatchReader, name: string, by: Credentials): Promise<void> {
    assert.equal(watch.status, 200);
    for (let tries = 0; (await server.secure(maps, by)).status !== 401; tries += 1) {
      assert.ok(tries < triesMax, 'the credentials never ended');
      await pause(10);
    }
    await write(maps, { metadata: { name } });
    const event = await watch.next();
    assert.deepEqual([event?.type, event?.object.metadata.name], ['ADDED', name]);
    watch.close();
  }

  it('a client certificate that is over', async () => {
    // On a slow machine the first ones may be over before anything is asked.
    for (let lifeMs = 4000; ; lifeMs *= 2) {
      const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + lifeMs };
      const given = { commonName: 'brief', organizations: ['short-lived'], ...validity };
      const as = await makeCertificate(given, keyPurposes.clientAuth, server.authority);
      const watch = await opened('after-the-certificate', { as });
      if (watch.status === 200) return outlives(watch, 'after-the-certificate', { as });
      watch.close();
      assert.ok(lifeMs < 120_000, 'no certificate was ever good');
    }
  });

  it('a token whose account is deleted and made again', async () => {
    await write(accounts, { metadata: { name: 'reborn' } });
    const asked = await write(`${accounts}/reborn/token`, { spec: {} });
    const token = text(part(asked, 'status'), 'token');
    const watch = await opened('after-the-account', { token });
    await server.secure(`${accounts}/reborn`, { method: 'DELETE', token: tokens.admin });
    await write(accounts, { metadata: { name: 'reborn' } });
    await outlives(watch, 'after-the-account', { token });
  });

  it('a bootstrap token whose time is over', async () => {
    const stringData = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    };
    const name = 'bootstrap-token-abcdef';
    const type = 'bootstrap.kubernetes.io/token';
    await write(bootstrapSecrets, { metadata: { name }, type, stringData });
    const by = { token: 'abcdef.0123456789abcdef' };
    const watch = await opened('after-the-token', by);
    const { status, text: said } = await server.secure(`${bootstrapSecrets}/${name}`, {
      method: 'PATCH',
      token: tokens.admin,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { stringData: { expiration: '2020-01-01T00:00:00Z' } },
    });
    assert.equal(status, 200, said);
    await outlives(watch, 'after-the-token', by);
  });
});
