/**
 * Streams under the blocking modes of auditing, with a webhook that holds its answer: what a client
 * has seen by then, and what it sees after.
 *
 * That nothing has come is asked after another request has gone its whole way: what the server had
 * sent before would be here.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import { openResponse } from '../support/clients/http-client.ts';
import { startAuditHook } from '../support/servers/audit-hook.ts';
import type { AuditHook } from '../support/servers/audit-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestOptions, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-audit');

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    { level: 'None', verbs: ['create'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['configmaps'] }] },
  ],
};
const configMaps = '/api/v1/namespaces/default/configmaps';
const watches = [
  ['a watch', `${configMaps}?watch=true`],
  [
    'a streaming list',
    `${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  ],
  ['a watch by its old path', '/api/v1/watch/namespaces/default/configmaps'],
] as const;

interface Following {
  /** 0: no head has come yet. */
  status(): number;
  readonly head: Promise<void>;
  close(): void;
}

/** `auditId`: the name of its events. */
function follow(server: TestServer, target: string, auditId = 'it'): Following {
  let status = 0;
  const end = new AbortController();
  const request = { headers: { 'audit-id': auditId }, signal: end.signal };
  const opened = openResponse(server.url, target, request).then((response) => {
    status = response.statusCode ?? 0;
    response.on('error', () => undefined).resume();
  });
  // Closed before there is an answer, it never begins.
  const head = opened.catch(() => new Promise<void>(() => undefined));
  return { status: () => status, head, close: () => end.abort() };
}

describe('streams under auditing that blocks', () => {
  let dir = '';
  before(async () => {
    dir = directories.make();
    await writeFile(path.join(dir, 'policy.yaml'), stringify(policy));
    await writeFile(path.join(dir, 'tokens.csv'), 'right,jane,1');
  });
  after(() => directories.removeAll());

  async function withServer(
    options: TestOptions,
    work: (server: TestServer, hook: AuditHook) => Promise<void>,
  ): Promise<void> {
    const hook = await startAuditHook();
    await hook.writeConfig(path.join(dir, 'webhook.yaml'));
    const server = await startTestServer({
      'audit-policy-file': path.join(dir, 'policy.yaml'),
      'audit-webhook-config-file': path.join(dir, 'webhook.yaml'),
      'audit-webhook-initial-backoff': '1ms',
      ...options,
    });
    try {
      await work(server, hook);
    } finally {
      hook.release();
      await server.remove();
      hook.close();
    }
  }
  const elsewhere = async (server: TestServer): Promise<void> => {
    assert.equal((await server.request('GET', '/version')).status, 200);
  };
  const stages = (hook: AuditHook, auditId?: string): readonly unknown[] =>
    hook.taken
      .filter((event) => auditId === undefined || event['auditID'] === auditId)
      .map((event) => event['stage']);

  for (const transport of ['uws', 'node']) {
    for (const mode of ['blocking', 'blocking-strict']) {
      const options = { transport, 'audit-webhook-mode': mode };
      for (const [what, target] of watches) {
        it(`${mode}, ${transport}: nothing of ${what} is sent before its events are kept`, () =>
          withServer(options, async (server, hook) => {
            for (const stage of ['RequestReceived', 'ResponseStarted']) {
              hook.hold(stage);
              const held = hook.held(stage);
              const watch = follow(server, target, stage);
              await held;
              await elsewhere(server);
              assert.equal(watch.status(), 0, stage);
              hook.release();
              await watch.head;
              assert.equal(watch.status(), 200);
              assert.deepEqual(stages(hook, stage), ['RequestReceived', 'ResponseStarted']);
              watch.close();
            }
          }));
      }
    }
  }

  for (const [what, target] of watches) {
    it(`blocking-strict: ${what} whose RequestReceived is refused is answered 500`, () =>
      withServer({ 'audit-webhook-mode': 'blocking-strict' }, async (server, hook) => {
        hook.answer('RequestReceived', 503);
        const reply = await server.request('GET', target);
        assert.equal(reply.status, 500);
        assert.match(String(reply.body['message']), /failed to store audit event/);
        assert.deepEqual(hook.taken, []);
        const metrics = await server.request('GET', '/metrics');
        assert.match(metrics.text, /apiserver_audit_requests_rejected_total 1/);
      }));
  }

  for (const mode of ['blocking', 'blocking-strict']) {
    it(`${mode}: a ResponseStarted that cannot be kept is lost, and the watch goes on`, () =>
      withServer({ 'audit-webhook-mode': mode }, async (server, hook) => {
        hook.answer('ResponseStarted', 503);
        const watch = await server.openWatch(`${configMaps}?watch=true`);
        const body = { metadata: { name: 'a' } };
        assert.equal((await server.request('POST', configMaps, { body })).status, 201);
        assert.equal((await watch.next())?.object.metadata.name, 'a');
        const metrics = await server.request('GET', '/metrics');
        assert.match(metrics.text, /apiserver_audit_error_total\{plugin="webhook"\} 1/);
      }));
  }

  it('batch: a watch waits for no event', () =>
    withServer(
      { 'audit-webhook-mode': 'batch', 'audit-webhook-batch-max-wait': '1ms' },
      async (server, hook) => {
        for (const stage of ['RequestReceived', 'ResponseStarted']) hook.hold(stage);
        const watch = follow(server, `${configMaps}?watch=true`);
        await watch.head;
        assert.equal(watch.status(), 200);
        watch.close();
      },
    ));

  for (const transport of ['uws', 'node']) {
    it(`a client that goes while the event is held leaves the stages in their order (${transport})`, () =>
      withServer({ transport, 'audit-webhook-mode': 'blocking' }, async (server, hook) => {
        hook.hold('ResponseStarted');
        const held = hook.held('ResponseStarted');
        const watch = follow(server, `${configMaps}?watch=true`);
        await held;
        watch.close();
        await elsewhere(server);
        hook.release();
        for (let tries = 0; hook.taken.length < 3; tries += 1) {
          assert.ok(tries < 20_000, 'its end is told in time');
          await elsewhere(server);
        }
        const all = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'];
        assert.deepEqual(stages(hook), all);
      }));
  }

  for (const [what, more] of [
    ['JSON', {}],
    ['packed', { 'accept-encoding': 'gzip' }],
  ] as const) {
    it(`the end of a long list (${what}) waits for ResponseComplete, as a short one does`, () =>
      withServer({ 'audit-webhook-mode': 'blocking' }, async (server, hook) => {
        for (let at = 0; at < 4; at += 1) {
          const body = { metadata: { name: `a${at}` }, data: { k: 'v'.repeat(100_000) } };
          assert.equal((await server.request('POST', configMaps, { body })).status, 201);
        }
        hook.hold('ResponseComplete');
        const held = hook.held('ResponseComplete');
        let isAnswered = false;
        const listing = server.request('GET', configMaps, { headers: more }).then((reply) => {
          isAnswered = true;
          return reply;
        });
        await held;
        await elsewhere(server);
        assert.equal(isAnswered, false);
        hook.release();
        const reply = await listing;
        assert.equal(reply.headers['transfer-encoding'], 'chunked', 'it is a long one');
        assert.equal(reply.status, 200);
        assert.deepEqual(stages(hook), ['RequestReceived', 'ResponseComplete']);
      }));
  }

  it('what is told of a long list, sent in several chunks, is what was sent', async () => {
    const file = path.join(dir, 'responses.yaml');
    const rules = [
      { level: 'None', verbs: ['create'] },
      { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] },
    ];
    await writeFile(file, stringify({ ...policy, rules }));
    const options = { 'audit-webhook-mode': 'blocking', 'audit-policy-file': file };
    await withServer(options, async (server, hook) => {
      for (const letter of ['a', 'b', 'c', 'd', 'e', 'f']) {
        const body = { metadata: { name: letter }, data: { k: letter.repeat(100_000) } };
        assert.equal((await server.request('POST', configMaps, { body })).status, 201);
      }
      const reply = await server.request('GET', configMaps);
      assert.equal(reply.headers['transfer-encoding'], 'chunked', 'it is a long one');
      assert.deepEqual(hook.taken.at(-1)?.['responseObject'], reply.body);
    });
  });

  it('wrong credentials have one stage, whatever they ask for', () =>
    withServer(
      { 'audit-webhook-mode': 'blocking', 'token-auth-file': path.join(dir, 'tokens.csv') },
      async (server, hook) => {
        const headers = { authorization: 'Bearer wrong' };
        for (const [, target] of watches) {
          hook.taken.length = 0;
          assert.equal((await server.request('GET', target, { headers })).status, 401);
          assert.deepEqual(stages(hook), ['ResponseStarted']);
        }
      },
    ));

  it('a server that ends while an event is held ends all the same', () =>
    withServer({ 'audit-webhook-mode': 'blocking' }, async (server, hook) => {
      hook.hold('ResponseComplete');
      const watch = await server.openWatch(`${configMaps}?watch=true`);
      const held = hook.held('ResponseComplete');
      const stopped = server.stop();
      await held;
      hook.release();
      await stopped;
      watch.close();
    }));
});
