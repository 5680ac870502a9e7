/**
 * How admission webhooks are called, over TLS: where, as whom, how many at once, over which
 * connections; and what audit events say of it.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { serviceResolver } from '../../src/server/compose/service-resolver.ts';
import { bindingOf, policiesOn, policyOf } from '../support/data/policy-objects.ts';
import { webhookOf, webhooksOn } from '../support/data/webhook-objects.ts';
import { patching, startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook, Mood } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-admission-calls');
after(() => directories.removeAll());

const hourMs = 3_600_000;
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';
const maps = '/api/v1/namespaces/default/configmaps?dryRun=All';
const services = '/api/v1/namespaces/hooks/services';
const tooLarge = 'Request entity too large: limit is 4194304';
const down = 'https://127.0.0.1:1/down';

describe('admission webhooks', () => {
  const folder = directories.make();
  const log = path.join(folder, 'audit.log');
  let server: TestServer;
  /** As localhost and 127.0.0.1. */
  let hook: AdmissionHook;
  /** Behind a service. */
  let behind: AdmissionHook;
  const { clear, inForce } = webhooksOn(() => server);

  before(async () => {
    const nowMs = Date.now();
    const validity = { notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + hourMs };
    const ca = await makeAuthority({ commonName: 'of the test', ...validity });
    const dnsNames = ['hook.hooks.svc'];
    const pair = await makeCertificate({ commonName: 'x', dnsNames, ...validity }, serverAuth, ca);
    const caller = { commonName: 'caller', ...validity };
    const callers = await makeCertificate(caller, clientAuth, ca);
    [hook, behind] = await Promise.all([
      startAdmissionHook(),
      startAdmissionHook({ pair, authority: ca.certificatePem }),
    ]);
    server = await startTestServer({
      'audit-policy-file': write('policy.json', {
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        rules: [{ level: 'Request' }],
      }),
      'audit-log-path': log,
      'audit-log-mode': 'blocking',
      'admission-control-config-file': admissionConfig(callers),
      'service-cluster-ip-range': '127.0.0.0/24',
    });
    await installService();
  });
  after(async () => {
    hook.close();
    behind.close();
    await server.remove();
  });
  afterEach(async () => {
    await clear();
    for (const each of [hook, behind]) {
      each.moods.clear();
      each.asked.length = 0;
    }
  });

  const write = (name: string, content: JsonObject): string => {
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const admissionConfig = ({ certificatePem, keyPem }: KeyPair): string => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const certificate = {
      'client-certificate-data': base64(certificatePem),
      'client-key-data': base64(keyPem),
    };
    write('callers.json', {
      users: [
        { name: `localhost:${hook.port}`, user: { token: 'of-localhost' } },
        { name: `*.hooks.svc:${behind.port}`, user: certificate },
        { name: '*', user: { username: 'any', password: 'body' } },
      ],
    });
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile: 'callers.json',
    };
    return write('admission.json', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [{ name: 'ValidatingAdmissionWebhook', configuration }],
    });
  };
  /** With a port that leads to `behind`, and one that leads nowhere. */
  const installService = async (): Promise<void> => {
    const metadata = { name: 'hooks' };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata };
    await server.request('POST', '/api/v1/namespaces', { body: namespace });
    for (const [name, spec] of [
      ['hook', { clusterIP: '127.0.0.1', ports: [{ port: behind.port }] }],
      ['headless', { clusterIP: 'None', ports: [{ port: 443 }] }],
    ] as const) {
      const body = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
      const made = await server.request('POST', services, { body });
      assert.equal(made.status, 201, made.text);
    }
  };
  const at = (where: string): JsonObject => ({ url: where, caBundle: hook.caBundle });
  const service = (name: string, more: JsonObject = {}): JsonObject => ({
    service: { namespace: 'hooks', name, path: '/behind', ...more },
    caBundle: behind.caBundle,
  });
  const create = (): Promise<Reply> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    return server.request('POST', maps, { body });
  };
  const created = async (): Promise<Reply> => {
    const reply = await create();
    assert.equal(reply.status, 201, reply.text);
    return reply;
  };
  const messageOf = ({ body }: Reply): string => String(body['message']);

  /** Of the audit event at the end of the request. */
  const annotationsOf = ({ headers }: Reply): Readonly<Record<string, string>> => {
    const events = readFileSync(log, 'utf8').trimEnd().split('\n');
    const event = events
      .map((line) => JSON.parse(line) as JsonObject)
      .find((one) => one['auditID'] === headers['audit-id'] && one['stage'] === 'ResponseComplete');
    return event?.['annotations'] as Record<string, string>;
  };

  it('are named by audit events, with what they changed and what they said', async () => {
    const operations = [{ op: 'add', path: '/data', value: { a: 'b' } }];
    hook.moods.set('/patch', () => patching(operations, { auditAnnotations: { seen: 'yes' } }));
    await inForce('Mutating', 'hooks', webhookOf('patch', at(`${hook.url}/patch`)));
    const annotations = annotationsOf(await created());
    const who = { configuration: 'hooks', webhook: 'patch.example.com' };
    const place = 'webhook.admission.k8s.io/round_0_index_0';
    assert.deepEqual(JSON.parse(annotations[`mutation.${place}`] ?? ''), { ...who, mutated: true });
    const patched = { ...who, patch: operations, patchType: 'JSONPatch' };
    assert.deepEqual(JSON.parse(annotations[`patch.${place}`] ?? ''), patched);
    assert.equal(annotations['patch.example.com/seen'], 'yes');
  });

  it('that fail open are named by audit events, and counted', async () => {
    const open = { failurePolicy: 'Ignore' };
    const elsewhere = { ...open, objectSelector: { matchLabels: { a: 'b' } } };
    const ok = at(`${hook.url}/ok`);
    await inForce(
      'Mutating',
      'changes',
      webhookOf('unasked-a', at(down), elsewhere),
      webhookOf('well-a', ok),
      webhookOf('open-a', at(down), open),
    );
    await inForce(
      'Validating',
      'judges',
      webhookOf('unasked-b', at(down), elsewhere),
      webhookOf('well-b', ok),
      webhookOf('open-b', at(down), open),
    );
    const annotations = annotationsOf(await created());
    const failed = Object.entries(annotations).filter(([key]) => key.startsWith('failed-open'));
    // Mutating ones count all that there are, validating ones those that are asked.
    assert.deepEqual(Object.fromEntries(failed), {
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_2': 'open-a.example.com',
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_1': 'open-b.example.com',
    });
    const mutation = annotations['mutation.webhook.admission.k8s.io/round_0_index_2'] ?? '';
    const who = { configuration: 'changes', webhook: 'open-a.example.com' };
    assert.deepEqual(JSON.parse(mutation), { ...who, mutated: false });
    const { text } = await server.request('GET', '/metrics');
    const metric = 'apiserver_admission_webhook';
    for (const [name, type] of [
      ['open-a.example.com', 'admit'],
      ['open-b.example.com', 'validating'],
    ] as const) {
      const call = `name="${name}",operation="CREATE",rejected="false",type="${type}"`;
      for (const line of [
        `${metric}_fail_open_count{name="${name}",type="${type}"} 1`,
        `${metric}_request_total{code="503",${call}} 1`,
        `${metric}_admission_duration_seconds_count{${call}} 1`,
      ]) {
        assert.ok(text.includes(`\n${line}\n`), line);
      }
      assert.ok(!text.includes(`${metric}_rejection_count{error_type="calling_webhook_error",na`));
    }
  });

  it('whose patch nobody can read fail as their policy says, as the reference has it', async () => {
    const text = (patch: string): Mood => {
      const bytes = Buffer.from(patch).toString('base64');
      return () => ({ allowed: true, patchType: 'JSONPatch', patch: bytes });
    };
    const patches = ['no JSON', '{"op":"add"}', '["add"]'];
    const open = { failurePolicy: 'Ignore' };
    await inForce('Mutating', 'open', webhookOf('open', at(`${hook.url}/patch`), open));
    for (const patch of patches) {
      hook.moods.set('/patch', text(patch));
      await created();
    }
    hook.moods.set('/patch', text('[{"op":"sing","path":"/data"}]'));
    assert.equal((await create()).status, 500, 'one that can be read and does not apply');
    await clear();
    await inForce('Mutating', 'shut', webhookOf('shut', at(`${hook.url}/patch`)));
    for (const patch of patches) {
      hook.moods.set('/patch', text(patch));
      const refused = await create();
      assert.equal(refused.status, 500);
      assert.match(
        messageOf(refused),
        /failed calling webhook "shut.example.com": received undecodable patch in webhook response: /,
      );
    }
    hook.moods.set('/patch', text('null'));
    await created();
  });

  it('are shown nothing that the store does not take, however much those before have added', async () => {
    const names = ['first', 'second', 'third'];
    for (const name of names) {
      await inForce('Mutating', name, webhookOf(name, at(`${hook.url}/${name}`)));
      const value = { [name]: 'x'.repeat(2_500_000) };
      const isFirst = name === names[0];
      const add = isFirst ? { path: '/data', value } : { path: '/data/more', value: value[name] };
      hook.moods.set(`/${name}`, () => patching([{ op: 'add', ...add }]));
    }
    hook.asked.length = 0;
    const refused = await create();
    assert.deepEqual([refused.status, messageOf(refused)], [413, tooLarge]);
    assert.deepEqual(
      names.map((name) => hook.take(`/${name}`).length),
      [1, 1, 0],
    );
  });

  it('are called as the user whose name is their server’s', async () => {
    const port = hook.port;
    await inForce(
      'Validating',
      'callers',
      webhookOf('by-name', at(`https://localhost:${port}/named`)),
      webhookOf('by-address', at(`https://127.0.0.1:${port}/other`)),
      webhookOf('by-service', service('hook', { port: behind.port })),
    );
    // Mutating webhooks are told of no users.
    await inForce('Mutating', 'nobody', webhookOf('nobody', at(`https://localhost:${port}/none`)));
    await created();
    const seen = [...hook.asked, ...behind.asked].map(({ authorization, caller, path: where }) => [
      where,
      authorization,
      caller,
    ]);
    const basic = `Basic ${Buffer.from('any:body').toString('base64')}`;
    assert.deepEqual(seen.sort(), [
      ['/behind', undefined, 'caller'],
      ['/named', 'Bearer of-localhost', undefined],
      ['/none', undefined, undefined],
      ['/other', basic, undefined],
    ]);
  });

  it('behind a service are called at its address and port, under its name', async () => {
    await inForce(
      'Mutating',
      'behind',
      webhookOf('plain', service('hook', { port: behind.port })),
      webhookOf('slashes', service('hook', { port: behind.port, path: '/a/b/' })),
      webhookOf('no-path', {
        service: { namespace: 'hooks', name: 'hook', port: behind.port },
        caBundle: behind.caBundle,
      }),
    );
    await created();
    assert.deepEqual(
      behind.asked.map(({ path: where, serverName }) => [where, serverName]),
      ['/behind', '/a/b', '/'].map((where) => [where, 'hook.hooks.svc']),
    );
  });

  const unreachable: readonly (readonly [string, JsonObject, string])[] = [
    ['that is not there', { name: 'absent' }, 'service "absent" not found'],
    ['without the port', { name: 'hook' }, 'no service port 443 found for service "hook"'],
    ['without an address', { name: 'headless' }, 'cannot route to service with ClusterIP "None"'],
  ];
  for (const [what, { name }, problem] of unreachable) {
    it(`behind a service ${what} cannot be called, in the words of the reference`, async () => {
      await inForce('Validating', 'behind', webhookOf('behind', service(String(name))));
      const reply = await create();
      assert.equal(reply.status, 500);
      assert.equal(
        messageOf(reply),
        'Internal error occurred: failed calling webhook "behind.example.com": failed to call ' +
          `webhook: Post "https://${name}.hooks.svc:443/behind?timeout=10s": ${problem}`,
      );
    });
  }

  it('behind a service are not called under another name than its own', async () => {
    await inForce('Validating', 'behind', webhookOf('behind', at(`${behind.url}/behind`)));
    const reply = await create();
    assert.equal(reply.status, 500);
    assert.match(messageOf(reply), /failed to verify certificate|altnames|certificate/);
    assert.equal(behind.asked.length, 0);
  });

  it('that validate are asked all at once', async () => {
    let waiting = 0;
    let open = (): void => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      hook.moods.set(`/${name}`, async () => {
        waiting += 1;
        if (waiting === names.length) open();
        await all;
        return { allowed: true };
      });
    }
    const webhooks = names.map((name) => webhookOf(name, at(`${hook.url}/${name}`)));
    await inForce('Validating', 'parallel', ...webhooks);
    await created();
    assert.equal(waiting, names.length);
  });

  it('that validate are all heard, whoever has refused already; the first of them says why', async () => {
    let told = (): void => undefined;
    const last = new Promise<void>((resolve) => (told = resolve));
    const deny = (message: string): JsonObject => ({ allowed: false, status: { message } });
    hook.moods.set('/first', async () => {
      await last;
      return deny('the first');
    });
    hook.moods.set('/second', async () => {
      await last;
      return { allowed: true, warnings: ['heard, too'] };
    });
    hook.moods.set('/last', (_asked, response) => {
      response.on('finish', told);
      return deny('the last');
    });
    const webhooks = ['first', 'second', 'last'].map((name) =>
      webhookOf(name, at(`${hook.url}/${name}`)),
    );
    await inForce('Validating', 'heard', ...webhooks);
    const reply = await create();
    assert.equal(reply.status, 400);
    const words = 'admission webhook "first.example.com" denied the request: the first';
    assert.equal(messageOf(reply), words);
    assert.equal(reply.headers['warning'], '299 - "heard, too"');
  });

  it('that have ended a kept connection are called over a new one', async () => {
    await inForce('Validating', 'kept', webhookOf('kept', at(`${hook.url}/kept`)));
    await created();
    const before = hook.connections();
    await created();
    assert.equal(hook.connections(), before, 'it was kept');
    hook.hangUp();
    await created();
    // One that is kept again.
    await created();
    // It ends in the middle of a request, which has not been answered.
    let left = 1;
    const hangingUp: Mood = (_asked, response) => {
      left -= 1;
      if (left < 0) return { allowed: true };
      response.socket?.destroy();
      return undefined;
    };
    hook.moods.set('/kept', hangingUp);
    await created();
    assert.equal(left, -1, 'asked twice');
    await created();
    left = 2;
    const refused = await create();
    assert.equal(refused.status, 500, 'a new connection that ends is a failure');
    assert.match(messageOf(refused), /failed to call webhook: Post "https:/);
    assert.equal(left, 0, 'and not asked a third time');
  });
});

/** Where configurations could be written that 1.22 took away; and services have no address of their
 * own that anybody listens at. */
describe('admission webhooks of release 1.21, called at endpoints', () => {
  let server: TestServer;
  let hook: AdmissionHook;
  const { clear, inForce } = webhooksOn(() => server, 'v1beta1');
  before(async () => {
    hook = await startAdmissionHook();
    const options = { 'emulated-version': '1.21', 'enable-aggregator-routing': 'true' };
    server = await startTestServer(options);
  });
  after(async () => {
    hook.close();
    await server.remove();
  });
  afterEach(async () => {
    await clear();
    hook.asked.length = 0;
  });

  const create = (query = ''): Promise<Reply> => {
    const metadata = { generateName: 'x-' };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    return server.request('POST', `/api/v1/namespaces/default/configmaps${query}`, { body });
  };
  const rules = [
    { apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'], operations: ['CREATE'] },
  ];
  const beta = (name: string, more: JsonObject = {}): JsonObject => ({
    name: `${name}.example.com`,
    clientConfig: { url: `${hook.url}/${name}`, caBundle: hook.caBundle },
    rules,
    ...more,
  });

  for (const kind of ['Mutating', 'Validating'] as const) {
    for (const [what, more] of [
      ['that say nothing of side effects', {}],
      ['that say that they have some', { sideEffects: 'Some', failurePolicy: 'Fail' }],
    ] as const) {
      it(`${what} are not asked about a dry run, which is refused (${kind})`, async () => {
        await inForce(kind, 'beta', beta('beta', more));
        const dry = await create('?dryRun=All');
        assert.equal(dry.status, 400, dry.text);
        assert.equal(dry.body['reason'], 'BadRequest');
        const words = 'admission webhook "beta.example.com" does not support dry run';
        assert.equal(dry.body['message'], words);
        assert.equal(hook.asked.length, 0);
        assert.equal((await create()).status, 201);
        const [asked] = hook.asked;
        assert.equal(asked?.review['apiVersion'], 'admission.k8s.io/v1beta1');
        assert.equal(asked.timeout, '30s');
      });
    }
  }

  it('that say nothing of failures fail open', async () => {
    await inForce('Validating', 'open', beta('open', { clientConfig: { url: down } }));
    assert.equal((await create()).status, 201);
  });

  it('behind a service are called where somebody is ready', async () => {
    const metadata = { name: 'hook' };
    const spec = { ports: [{ name: 'web', port: 443 }] };
    const service = { apiVersion: 'v1', kind: 'Service', metadata, spec };
    const list = '/api/v1/namespaces/default/services';
    assert.equal((await server.request('POST', list, { body: service })).status, 201);
    const clientConfig = { service: { namespace: 'default', name: 'hook' } };
    await inForce('Validating', 'behind', beta('behind', { clientConfig, failurePolicy: 'Fail' }));
    const nobody = await create();
    const called = 'failed to call webhook: Post "https://hook.default.svc:443/?timeout=30s": ';
    const words = `${called}no endpoints available for service "hook"`;
    assert.ok(String(nobody.body['message']).endsWith(words), nobody.text);
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      ports: [{ name: 'web', port: hook.port }],
      endpoints: [
        { addresses: ['10.1.1.1'], conditions: { ready: false } },
        { addresses: ['10.1.1.2'], conditions: { ready: true } },
      ],
    };
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const made = await server.request('POST', slices, { body: slice });
    assert.equal(made.status, 201, made.text);
    await server.running.parts.streams.waitUntilCurrent();
    const { streams, registry } = server.running.parts;
    const resolve = serviceResolver({
      ownAddress: () => undefined,
      streams,
      scheme: registry.scheme,
      identity: registry.identity,
      prng: registry.prng,
      toEndpoints: true,
    });
    assert.deepEqual(resolve('default', 'hook', 443), { host: '10.1.1.2', port: hook.port });
  });
});

it('what is stored is asked about the very first writes of a server that starts again', async () => {
  const dataDir = directories.make();
  const options = { store: 'lmdb', 'data-dir': dataDir };
  let server = await startTestServer(options);
  const secrets = '/api/v1/namespaces/default/secrets';
  const maps = '/api/v1/namespaces/default/configmaps';
  await webhooksOn(() => server).inForce('Validating', 'dead', webhookOf('dead', { url: down }));
  await policiesOn(() => server).inForce(
    policyOf('none', '/v1/secrets', { validations: [{ expression: 'false' }] }),
    bindingOf('none'),
  );
  await server.stop();
  server = await startTestServer(options);
  const write = async (place: string, number: number): Promise<number> => {
    const body = { metadata: { name: `n${number}` } };
    return (await server.request('POST', place, { body })).status;
  };
  const numbers = Array.from({ length: 10 }, (_none, number) => number);
  const statuses = await Promise.all(
    numbers.flatMap((number) => [write(maps, number), write(secrets, number)]),
  );
  assert.deepEqual(
    statuses,
    numbers.flatMap(() => [500, 422]),
  );
  await server.remove();
});
