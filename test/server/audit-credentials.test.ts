/**
 * What audit events and figures say of credentials, under either identity: which one it was, and
 * that one was used that should come to an end.
 */
import assert from 'node:assert/strict';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { signedByEc, takenApart } from '../support/data/forged-tokens.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureRequest, SecureServer } from '../support/servers/secure-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-audit');

const identities = [
  { identity: 'kubernetes', domain: 'k8s.io', labelDomain: 'kubernetes.io' },
  { identity: 'svc', domain: 'svc.io', labelDomain: 'svc.io' },
] as const;
const robot = 'system:serviceaccount:default:robot';
const accounts = '/api/v1/namespaces/default/serviceaccounts';
const secrets = '/api/v1/namespaces/default/secrets';

for (const { identity, domain, labelDomain } of identities) {
  describe(`credentials in audit, identity ${identity}`, () => {
    let dir = '';
    let server: SecureServer;
    before(async () => {
      dir = directories.make();
      const rules = [{ level: 'Metadata', omitStages: ['RequestReceived'] }];
      const policy = { apiVersion: `audit.${domain}/v1`, kind: 'Policy', rules };
      await writeFile(path.join(dir, 'policy.json'), JSON.stringify(policy));
      server = await startSecureServer({
        identity,
        controllers: 'serviceaccount-token',
        'service-account-max-token-expiration': '2h',
        'audit-policy-file': path.join(dir, 'policy.json'),
        'audit-log-path': path.join(dir, 'audit.log'),
      });
      await admin('POST', accounts, { metadata: { name: 'robot' } });
    });
    after(async () => {
      await server.remove();
      await directories.removeAll();
    });

    async function admin(method: string, target: string, body?: object): Promise<JsonObject> {
      const more = body === undefined ? {} : { body };
      const reply = await server.secure(target, { method, token: tokens.admin, ...more });
      assert.ok(reply.status < 300, reply.text);
      return reply.body;
    }
    /** The last event of a request for `/version`, and its status. */
    async function eventOf(request: SecureRequest): Promise<{ status: number; event: JsonObject }> {
      const reply = await server.secure('/version', request);
      const lines = readFileSync(path.join(dir, 'audit.log'), 'utf8').trimEnd().split('\n');
      const event = lines
        .map((line) => JSON.parse(line) as JsonObject)
        .findLast((each) => each['auditID'] === reply.headers['audit-id']);
      assert.ok(event !== undefined);
      return { status: reply.status, event };
    }
    const annotationsOf = (event: JsonObject): Record<string, string> =>
      Object.fromEntries(
        Object.entries((event['annotations'] ?? {}) as Record<string, string>).filter(([key]) =>
          key.startsWith('authentication.'),
        ),
      );
    const extraOf = (event: JsonObject): JsonObject =>
      ((event['user'] as JsonObject)['extra'] ?? {}) as JsonObject;
    async function accountToken(): Promise<string> {
      const answer = await admin('POST', `${accounts}/robot/token`, { spec: {} });
      return (answer['status'] as JsonObject)['token'] as string;
    }
    async function secretToken(name: string): Promise<string> {
      const annotations = { [`${labelDomain}/service-account.name`]: 'robot' };
      const type = `${labelDomain}/service-account-token`;
      await admin('POST', secrets, { metadata: { name, annotations }, type });
      for (let tries = 0; ; tries += 1) {
        assert.ok(tries < 20_000, 'the secret is filled in time');
        const { data } = await admin('GET', `${secrets}/${name}`);
        const token = (data as JsonObject | undefined)?.['token'];
        if (typeof token === 'string') return Buffer.from(token, 'base64').toString();
      }
    }
    const figure = async (name: string): Promise<number> => {
      const { text } = await server.secure('/metrics', { token: tokens.admin });
      const found = new RegExp(`^serviceaccount_${name}_total (\\d+)$`, 'm').exec(text);
      assert.ok(text.includes(`# HELP serviceaccount_${name}_total [ALPHA] `), name);
      return Number(found?.[1]);
    };

    it('a certificate is named by its digest, in the event and to its holder', async () => {
      const as = await server.clientCertificate('jane', ['team-a']);
      const { event, status } = await eventOf({ as });
      assert.equal(status, 200);
      const der = new X509Certificate(as.certificatePem).raw;
      const id = `X509SHA256=${createHash('sha256').update(der).digest('hex')}`;
      const extra = { [`authentication.${labelDomain}/credential-id`]: [id] };
      assert.deepEqual(extraOf(event), extra);
      const review = await server.secure(`/apis/authentication.${domain}/v1/selfsubjectreviews`, {
        method: 'POST',
        as,
        body: { apiVersion: `authentication.${domain}/v1`, kind: 'SelfSubjectReview' },
      });
      const { userInfo } = review.body['status'] as { userInfo: JsonObject };
      assert.deepEqual(userInfo['extra'], extra);
    });

    it('a token is named by its id, where it is made and where it is used', async () => {
      const token = await accountToken();
      const id = `JTI=${String(takenApart(token).claims['jti'])}`;
      const { event } = await eventOf({ token });
      assert.deepEqual(extraOf(event), { [`authentication.${labelDomain}/credential-id`]: [id] });
      assert.deepEqual(annotationsOf(event), {});
      const log = readFileSync(path.join(dir, 'audit.log'), 'utf8');
      assert.ok(log.includes(`"authentication.${labelDomain}/issued-credential-id":"${id}"`));
    });

    it('a token of a secret is told as what it is, and refused when it is marked as invalid', async () => {
      const token = await secretToken('by-hand');
      const legacy = { [`authentication.${domain}/legacy-token`]: robot };
      const first = await eventOf({ token });
      assert.equal(first.status, 200);
      assert.deepEqual(annotationsOf(first.event), {
        ...legacy,
        [`authentication.${domain}/legacy-token-manual-secret`]: 'by-hand',
      });
      const secret = await admin('GET', `${secrets}/by-hand`);
      const labels = { [`${labelDomain}/legacy-token-invalid-since`]: '2026-01-01' };
      const metadata = { ...(secret['metadata'] as JsonObject), labels };
      await admin('PUT', `${secrets}/by-hand`, { ...secret, metadata });
      let last = first;
      for (let tries = 0; last.status === 200; tries += 1) {
        assert.ok(tries < 20_000, 'the mark is seen in time');
        last = await eventOf({ token });
      }
      assert.equal(last.status, 401);
      assert.deepEqual(annotationsOf(last.event), {
        ...legacy,
        [`authentication.${domain}/legacy-token-invalidated`]: 'by-hand/default',
      });
      assert.ok((await figure('legacy_manual_token_uses')) >= 1);
      assert.equal(await figure('invalid_legacy_auto_token_uses'), 1);
      assert.equal(
        await figure('legacy_tokens'),
        (await figure('legacy_manual_token_uses')) + 1,
        'every use is one',
      );
      assert.equal(await figure('legacy_auto_token_uses'), 0);
    });

    it('a token of a secret that its account names brings a warning', async () => {
      const token = await secretToken('named');
      const account = await admin('GET', `${accounts}/robot`);
      await admin('PUT', `${accounts}/robot`, { ...account, secrets: [{ name: 'named' }] });
      const review = () =>
        server.secure(`/apis/authentication.${domain}/v1/selfsubjectreviews`, {
          method: 'POST',
          token,
          body: { apiVersion: `authentication.${domain}/v1`, kind: 'SelfSubjectReview' },
        });
      let warning: unknown;
      for (let tries = 0; warning === undefined; tries += 1) {
        assert.ok(tries < 20_000, 'the name is seen in time');
        const reply = await review();
        assert.equal(reply.status, 201);
        warning = reply.headers['warning'];
      }
      assert.match(String(warning), /^299 - "this token is from a secret that its service account/);
      const { event } = await eventOf({ token });
      const key = `authentication.${domain}/legacy-token-autogenerated-secret`;
      assert.equal(annotationsOf(event)[key], 'named');
    });

    it('who asks for a longer life than there is gets a shorter one and is told', async () => {
      const ask = (expirationSeconds: number) =>
        server.secure(`${accounts}/robot/token`, {
          method: 'POST',
          token: tokens.admin,
          body: { spec: { expirationSeconds } },
        });
      const long = await ask(7201);
      assert.equal((long.body['spec'] as JsonObject)['expirationSeconds'], 7200);
      const told = 'requested expiration of 7201 seconds shortened to 7200 seconds';
      assert.equal(long.headers['warning'], `299 - "${told}"`);
      assert.equal((await ask(7200)).headers['warning'], undefined);
    });

    it('a token of an extended life is told when it should have been renewed', async () => {
      const { claims, header } = takenApart(await accountToken());
      const key = createPrivateKey(readFileSync(path.join(server.dataDir, 'pki', 'sa.key')));
      const nowSeconds = Math.floor(Date.now() / 1000);
      const withEnd = (warnafter: number): string => {
        const own = { ...(claims[labelDomain] as JsonObject), warnafter };
        return signedByEc(header, { ...claims, [labelDomain]: own }, key);
      };
      const good = await eventOf({ token: withEnd(nowSeconds + 3600) });
      assert.equal(good.status, 200);
      assert.deepEqual(annotationsOf(good.event), {});
      assert.deepEqual([await figure('valid_tokens'), await figure('stale_tokens')], [1, 0]);
      const late = await eventOf({ token: withEnd(nowSeconds - 3600) });
      assert.equal(late.status, 200, 'it is good all the same');
      const [told, ...rest] = Object.entries(annotationsOf(late.event));
      assert.deepEqual(rest, []);
      assert.equal(told?.[0], `authentication.${domain}/stale-token`);
      assert.match(
        told[1],
        new RegExp(`^subject: ${robot}, seconds after warning threshold: \\d+$`),
      );
      assert.deepEqual([await figure('valid_tokens'), await figure('stale_tokens')], [1, 1]);
    });
  });
}
