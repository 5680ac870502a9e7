/**
 * Admission webhooks over TLS: what they are asked, what their answers do, and what a webhook that
 * is down, slow or mad costs.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { part } from '../../src/apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { patching, startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook, Mood } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const group = 'admissionregistration.k8s.io';
const maps = '/api/v1/namespaces/default/configmaps';
const podsPath = '/api/v1/namespaces/default/pods';

const core = { apiGroups: [''], apiVersions: ['v1'] };
const mapRule: JsonObject = { ...core, resources: ['configmaps'], operations: ['*'] };
const map = (name: string, data: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const pod = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'app', image: 'app:1' }] },
});
const allow: Mood = () => ({ allowed: true });

type Type = 'Mutating' | 'Validating';

describe('admission webhooks', () => {
  let server: TestServer;
  let hook: AdmissionHook;
  const installed: string[] = [];
  let unique = 0;

  before(async () => {
    hook = await startAdmissionHook();
    server = await startTestServer({ identity: 'kubernetes' });
  });
  after(async () => {
    hook.close();
    await server.remove();
  });
  afterEach(async () => {
    for (const target of installed.splice(0)) {
      assert.equal((await server.request('DELETE', target)).status, 200);
    }
    hook.moods.clear();
    await quiet();
    hook.asked.length = 0;
  });

  const webhook = (at: string, more: JsonObject = {}): JsonObject => ({
    name: `${at.slice(1)}.example.com`,
    clientConfig: { url: `${hook.url}${at}`, caBundle: hook.caBundle },
    rules: [mapRule],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    ...more,
  });

  /** Nobody is asked any more about what a test before has installed. */
  const quiet = async (): Promise<void> => {
    for (;;) {
      hook.asked.length = 0;
      for (const [path, body] of [
        [maps, map('probe')],
        [podsPath, pod('probe')],
      ] as const) {
        await server.request('POST', `${path}?dryRun=All`, { body });
      }
      const reply = await server.request('POST', `${maps}?dryRun=All`, { body: map('probe') });
      if (hook.asked.length === 0 && reply.status === 201) return;
    }
  };

  /** In force when it resolves: its last webhook has been asked, by a path of its own. */
  const install = async (type: Type, webhooks: readonly JsonObject[]): Promise<string> => {
    unique += 1;
    const marker = `/in-force-${unique}`;
    const probe = webhook(marker, {
      rules: [{ ...mapRule, operations: ['CREATE'] }],
      objectSelector: { matchLabels: { probe: String(unique) } },
    });
    const kind = `${type}WebhookConfiguration`;
    const name = `c${String(unique).padStart(4, '0')}`;
    const list = `/apis/${group}/v1/${kind.toLowerCase()}s`;
    const body = {
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name },
      webhooks: [...webhooks, probe],
    };
    const reply = await server.request('POST', list, { body });
    assert.equal(reply.status, 201, reply.text);
    installed.push(`${list}/${name}`);
    const moods = new Map(hook.moods);
    hook.moods.clear();
    while (hook.take(marker).length === 0) {
      const labels = { probe: String(unique) };
      await server.request('POST', `${maps}?dryRun=All`, { body: map('probe', {}, { labels }) });
    }
    hook.asked.length = 0;
    for (const [path, mood] of moods) hook.moods.set(path, mood);
    return name;
  };
  const create = (body: JsonObject, query = '') =>
    server.request('POST', `${body['kind'] === 'Pod' ? podsPath : maps}${query}`, { body });
  const messageOf = (reply: { readonly body: JsonObject }): string => String(reply.body['message']);

  it('are asked what the reference asks, and nobody is who does not match', async () => {
    await install('Validating', [
      webhook('/all'),
      webhook('/updates', { rules: [{ ...mapRule, operations: ['UPDATE'] }] }),
      webhook('/others', { rules: [{ ...mapRule, resources: ['secrets'] }] }),
      webhook('/labelled', { objectSelector: { matchLabels: { a: 'b' } } }),
      webhook('/elsewhere', { namespaceSelector: { matchLabels: { a: 'b' } } }),
      webhook('/conditions', {
        rules: [{ ...mapRule, operations: ['CREATE'] }],
        matchConditions: [{ name: 'x', expression: 'object.metadata.name == "other"' }],
      }),
      webhook('/beta', { admissionReviewVersions: ['v2', 'v1beta1'] }),
    ]);
    const reply = await create(map('asked'), '?fieldManager=tool&fieldValidation=Strict');
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(hook.asked.map(({ path }) => path).sort(), ['/all', '/beta']);
    const { review, timeout } = hook.asked.find(({ path }) => path === '/all') ?? assert.fail();
    assert.equal(timeout, '10s');
    assert.equal(review['apiVersion'], 'admission.k8s.io/v1');
    const request = { ...part(review, 'request') } as Record<string, JsonValue>;
    const { object, uid, userInfo, ...rest } = request;
    assert.match(String(uid), /^[0-9a-f-]{36}$/);
    assert.equal(typeof (userInfo as JsonObject)['username'], 'string');
    assert.equal(part(object as JsonObject, 'metadata')['name'], 'asked');
    const gvk = { group: '', version: 'v1', kind: 'ConfigMap' };
    const gvr = { group: '', version: 'v1', resource: 'configmaps' };
    assert.deepEqual(rest, {
      kind: gvk,
      resource: gvr,
      requestKind: gvk,
      requestResource: gvr,
      name: 'asked',
      namespace: 'default',
      operation: 'CREATE',
      oldObject: null,
      dryRun: false,
      options: {
        kind: 'CreateOptions',
        apiVersion: 'meta.k8s.io/v1',
        fieldManager: 'tool',
        fieldValidation: 'Strict',
      },
    });
    const beta = hook.asked.find(({ path }) => path === '/beta');
    assert.equal(beta?.review['apiVersion'], 'admission.k8s.io/v1beta1');
    hook.asked.length = 0;
    assert.equal((await server.request('DELETE', `${maps}/asked`)).status, 200);
    const [deleted] = hook.take('/all');
    assert.equal(deleted?.['operation'], 'DELETE');
    assert.equal(deleted['object'], null);
    assert.equal(part(part(deleted, 'oldObject'), 'metadata')['name'], 'asked');
    assert.equal(part(deleted, 'options')['kind'], 'DeleteOptions');
  });

  it('inject a sidecar, which has the defaults of its kind and is nobody’s', async () => {
    const container = { name: 'sidecar', image: 'sidecar' };
    hook.moods.set('/inject', () =>
      patching([{ op: 'add', path: '/spec/containers/-', value: container }]),
    );
    await install('Mutating', [
      webhook('/inject', { rules: [{ ...mapRule, resources: ['pods'], operations: ['CREATE'] }] }),
    ]);
    const reply = await create(pod('injected'));
    assert.equal(reply.status, 201, reply.text);
    const made = reply.body;
    const containers = part(made, 'spec')['containers'] as readonly JsonObject[];
    assert.deepEqual(
      containers.map(({ name, imagePullPolicy }) => [name, imagePullPolicy]),
      [
        ['app', 'IfNotPresent'],
        ['sidecar', 'Always'],
      ],
    );
    const owners = JSON.stringify(part(made, 'metadata')['managedFields']);
    assert.match(owners, /k:\{\\"name\\":\\"app\\"\}/);
    assert.doesNotMatch(owners, /sidecar/);
    await server.request('DELETE', `${podsPath}/injected?gracePeriodSeconds=0`);
  });

  it('deny with the code, the reason and the words of their own, and warn', async () => {
    hook.moods.set('/deny', () => ({
      allowed: false,
      status: { code: 418, reason: 'Teapot', message: 'no tea', details: { kind: 'pots' } },
      warnings: ['it is about to be refused'],
    }));
    await install('Validating', [webhook('/deny')]);
    const reply = await create(map('denied'));
    assert.equal(reply.status, 418);
    const { code, details, message, reason, status } = reply.body;
    assert.deepEqual([code, reason, status, details], [418, 'Teapot', 'Failure', { kind: 'pots' }]);
    assert.equal(message, 'admission webhook "deny.example.com" denied the request: no tea');
    assert.equal(reply.headers['warning'], '299 - "it is about to be refused"');
    assert.equal((await server.request('GET', `${maps}/denied`)).status, 404);
  });

  const bad: readonly (readonly [string, Mood, RegExp])[] = [
    ['a wrong uid', () => ({ allowed: true, uid: 'x' }), /expected response\.uid="[^"]*", got "x"/],
    [
      'an answer of another type',
      (_asked, response) => void response.end('{"kind":"Other","response":{"allowed":true}}'),
      /received invalid webhook response: expected response\.uid/,
    ],
    ['no answer at all', (_asked, response) => void response.end('{}'), /response was absent/],
    [
      'no JSON',
      (_asked, response) => void response.end('<html>'),
      /failed to call webhook: the answer is not a JSON object/,
    ],
    [
      'a redirect',
      (_asked, response) => void response.writeHead(302, { location: '/allowed' }).end(),
      /the server responded with the status code 302/,
    ],
    [
      'an error of its server',
      (_asked, response) => void response.writeHead(500).end('it broke'),
      /an error on the server \("it broke"\) has prevented the request from succeeding/,
    ],
    [
      'more than can be read',
      (_asked, response) => {
        response.writeHead(200, { 'content-length': String(2 ** 31) });
        const chunk = Buffer.alloc(65_536, ' ');
        const write = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', write);
        write();
        return undefined;
      },
      /the answer is too long/,
    ],
    [
      'half an answer',
      (_asked, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"response":', () => response.destroy());
        return undefined;
      },
      /failed to call webhook: Post "https:\/\/localhost/,
    ],
    [
      'a switch of protocols',
      (_asked, response) => {
        response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end();
        return undefined;
      },
      /101/,
    ],
  ];
  for (const type of ['Mutating', 'Validating'] as const) {
    for (const [what, mood, expected] of bad) {
      it(`that answer with ${what} fail as the policy says (${type})`, async () => {
        await install(type, [webhook('/bad')]);
        hook.moods.set('/bad', mood);
        const failed = await create(map('bad'));
        assert.equal(failed.status, 500, failed.text);
        const text = messageOf(failed);
        assert.match(
          text,
          /^Internal error occurred: failed calling webhook "bad\.example\.com": /,
        );
        assert.match(text, expected);
      });
    }

    it(`that fail open change nothing (${type})`, async () => {
      await install(type, [webhook('/bad', { failurePolicy: 'Ignore' })]);
      for (const [at, [, mood]] of bad.entries()) {
        hook.moods.set('/bad', mood);
        const reply = await create(map(`open-${at}`), '?dryRun=All');
        assert.equal(reply.status, 201, reply.text);
      }
      hook.moods.set('/bad', allow);
    });
  }

  it('that do not answer cost their timeout, and the request’s own deadline ends all waiting', async () => {
    hook.moods.set('/silent', () => undefined);
    await install('Validating', [
      webhook('/silent', { timeoutSeconds: 1 }),
      webhook('/open', { timeoutSeconds: 1, failurePolicy: 'Ignore' }),
    ]);
    const failed = await create(map('slow'));
    assert.equal(failed.status, 500);
    assert.match(
      messageOf(failed),
      /Post "https:\/\/localhost:\d+\/silent\?timeout=1s": context deadline/,
    );
    const late = await create(map('slow'), '?timeout=100ms');
    assert.equal(late.status, 504);
    const text = 'Timeout: request did not complete within requested timeout';
    assert.equal(messageOf(late), text);
    hook.moods.set('/silent', allow);
  });

  it('are reached no more when nobody is there, as the policy says', async () => {
    const gone = { url: 'https://127.0.0.1:1/x', caBundle: hook.caBundle };
    await install('Mutating', [
      webhook('/gone', { clientConfig: gone, failurePolicy: 'Ignore' }),
      webhook('/shut', {
        clientConfig: gone,
        objectSelector: { matchLabels: { shut: 'yes' } },
      }),
    ]);
    assert.equal((await create(map('gone'), '?dryRun=All')).status, 201);
    const failed = await create(map('gone', {}, { labels: { shut: 'yes' } }));
    assert.equal(failed.status, 500);
    assert.equal(
      messageOf(failed),
      'Internal error occurred: failed calling webhook "shut.example.com": failed to call webhook: ' +
        'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });

  const patches: readonly (readonly [string, JsonObject, RegExp])[] = [
    ['that does not apply', patching([{ op: 'remove', path: '/spec/x' }]), /^Internal error occ/],
    ['that is none', { ...patching([]), patch: 'e30=' }, /a JSON patch is a list of operations/],
    [
      'after which the object is none of its kind',
      patching([{ op: 'add', path: '/data', value: 5 }]),
      /^Internal error occurred/,
    ],
    [
      'in another form',
      { ...patching([{ op: 'add', path: '/x', value: 5 }]), patchType: 'Merge' },
      /unsupported patch type "Merge"/,
    ],
  ];
  for (const [what, answer, expected] of patches) {
    it(`whose patch is one ${what} change nothing`, async () => {
      await install('Mutating', [webhook('/patch')]);
      hook.moods.set('/patch', () => answer);
      const reply = await create(map('patched'));
      assert.equal(reply.status, 500, reply.text);
      assert.match(messageOf(reply), expected);
      assert.equal((await server.request('GET', `${maps}/patched`)).status, 404);
    });
  }

  it('whose patch breaks the rules of the kind have the write refused for them', async () => {
    await install('Mutating', [webhook('/patch')]);
    hook.moods.set('/patch', () => patching([{ op: 'add', path: '/data', value: { 'a b': 'x' } }]));
    const reply = await create(map('ruled'));
    assert.equal(reply.status, 422, reply.text);
  });

  it('may not change a deletion', async () => {
    await create(map('deleted'));
    await install('Mutating', [webhook('/patch')]);
    hook.moods.set('/patch', () => patching([{ op: 'add', path: '/data', value: {} }]));
    const reply = await server.request('DELETE', `${maps}/deleted`);
    assert.equal(reply.status, 500);
    assert.equal(
      messageOf(reply),
      'Internal error occurred: admission webhook "patch.example.com" attempted to modify the ' +
        'object, which is not supported for this operation',
    );
    hook.moods.set('/patch', allow);
    assert.equal((await server.request('DELETE', `${maps}/deleted`)).status, 200);
  });

  it('are asked again when others have changed what they saw, if they want to be', async () => {
    const adding =
      (name: string): Mood =>
      ({ request }) => {
        const data = part(part(request, 'object'), 'data');
        if (data[name] !== undefined) return { allowed: true };
        return patching([{ op: 'add', path: `/data/${name}`, value: 'x' }]);
      };
    await install('Mutating', [
      webhook('/again', { reinvocationPolicy: 'IfNeeded' }),
      webhook('/once'),
      webhook('/last', { reinvocationPolicy: 'IfNeeded' }),
    ]);
    for (const name of ['again', 'once', 'last']) hook.moods.set(`/${name}`, adding(name));
    const reply = await create(map('reinvoked', { own: 'x' }), '?dryRun=All');
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(Object.keys(part(reply.body, 'data')).sort(), [
      'again',
      'last',
      'once',
      'own',
    ]);
    assert.deepEqual(
      hook.asked.map(({ path }) => path),
      ['/again', '/once', '/last', '/again'],
    );
  });

  it('see a dry run as one, unless they do more than answer: then it is refused', async () => {
    await install('Validating', [webhook('/dry', { sideEffects: 'NoneOnDryRun' })]);
    assert.equal((await create(map('dry'), '?dryRun=All')).status, 201);
    const [request] = hook.take('/dry');
    assert.equal(request?.['dryRun'], true);
    assert.deepEqual(part(request, 'options')['dryRun'], ['All']);
  });

  it('see equivalent versions as the one that their rules name', async () => {
    const rule = {
      apiGroups: ['autoscaling'],
      apiVersions: ['v1'],
      resources: ['horizontalpodautoscalers'],
      operations: ['CREATE'],
    };
    hook.moods.set('/equivalent', () =>
      patching([{ op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 42 }]),
    );
    await install('Mutating', [
      webhook('/equivalent', { rules: [rule] }),
      webhook('/exact', { rules: [rule], matchPolicy: 'Exact' }),
    ]);
    const scaleTargetRef = { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' };
    const reply = await server.request(
      'POST',
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All',
      {
        body: {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'x' },
          spec: { scaleTargetRef, maxReplicas: 2 },
        },
      },
    );
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(hook.take('/exact'), []);
    const [request] = hook.take('/equivalent');
    assert.deepEqual(request?.['kind'], {
      group: 'autoscaling',
      version: 'v1',
      kind: 'HorizontalPodAutoscaler',
    });
    assert.deepEqual(part(request, 'requestKind')['version'], 'v2');
    assert.equal(part(request, 'object')['apiVersion'], 'autoscaling/v1');
    const metrics = part(reply.body, 'spec')['metrics'];
    assert.match(JSON.stringify(metrics), /"averageUtilization":42/);
  });

  it('are asked about every kind of request, as what was sent', async () => {
    const everything = [
      { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] },
    ];
    await create(pod('target'));
    await install('Validating', [webhook('/all', { rules: everything })]);
    const say = async (method: string, target: string, body?: JsonObject, status = 0) => {
      const reply = await server.request(method, target, body === undefined ? {} : { body });
      if (status > 0) assert.equal(reply.status, status, reply.text);
      return hook
        .take('/all')
        .map((request) => [
          request['operation'],
          part(request, 'kind')['kind'],
          part(request, 'resource')['resource'],
          request['subResource'],
          request['name'],
        ]);
    };
    assert.deepEqual(
      await say('POST', `${podsPath}/target/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'target' },
        target: { kind: 'Node', name: 'n' },
      }),
      [['CREATE', 'Binding', 'pods', 'binding', 'target']],
    );
    assert.deepEqual(await say('POST', `${podsPath}/target/exec?command=ls&stdin=true`), [
      ['CONNECT', 'PodExecOptions', 'pods', 'exec', 'target'],
    ]);
    assert.deepEqual(
      await say('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: { audiences: ['x'] },
      }),
      [['CREATE', 'TokenRequest', 'serviceaccounts', 'token', 'default']],
    );
    assert.deepEqual(
      await say('POST', `${podsPath}/target/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'target' },
      }),
      [['CREATE', 'Eviction', 'pods', 'eviction', 'target']],
    );
    assert.deepEqual(
      await say('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
      }),
      [['CREATE', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', undefined, undefined]],
    );
    assert.deepEqual(
      await say(
        'POST',
        `/apis/${group}/v1/validatingwebhookconfigurations?dryRun=All`,
        {
          apiVersion: `${group}/v1`,
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: 'exempt' },
          webhooks: [],
        },
        201,
      ),
      [],
      'what could lock everybody out is not sent',
    );
    for (const name of ['c1', 'c2']) {
      await create(map(name, {}, { labels: { many: 'yes' } }));
    }
    hook.take('/all');
    const deleted = await say('DELETE', `${maps}?labelSelector=many`, undefined, 200);
    assert.deepEqual(
      deleted.map(([operation, kind]) => [operation, kind]),
      [
        ['DELETE', 'ConfigMap'],
        ['DELETE', 'ConfigMap'],
      ],
    );
    hook.moods.set('/all', allow);
    await server.request('DELETE', `${podsPath}/target?gracePeriodSeconds=0`);
  });

  it('see a scale as a Scale, and may change it', async () => {
    const sets = '/apis/apps/v1/namespaces/default/replicasets';
    const selector = { matchLabels: { a: 'b' } };
    const template = { metadata: { labels: { a: 'b' } }, spec: part(pod('x'), 'spec') };
    const metadata = { name: 'scaled' };
    const spec = { replicas: 1, selector, template };
    const body = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec };
    assert.equal((await server.request('POST', sets, { body })).status, 201);
    hook.moods.set('/scale', () => patching([{ op: 'replace', path: '/spec/replicas', value: 7 }]));
    const rules = [
      { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['*/scale'], operations: ['UPDATE'] },
    ];
    await install('Mutating', [webhook('/scale', { rules })]);
    const reply = await server.request('PUT', `${sets}/scaled/scale`, {
      body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: 3 } },
    });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(part(reply.body, 'spec')['replicas'], 7);
    const [request] = hook.take('/scale');
    assert.equal(part(request, 'kind')['kind'], 'Scale');
    assert.equal(part(part(request, 'object'), 'spec')['replicas'], 3);
    assert.equal(part(part(request, 'oldObject'), 'spec')['replicas'], 1);
  });

  it('of a service that is not there cannot be called, and say so', async () => {
    const service = { namespace: 'default', name: 'absent', path: '/x' };
    const clientConfig = { service, caBundle: hook.caBundle };
    await install('Validating', [webhook('/service', { clientConfig })]);
    const reply = await create(map('service'));
    assert.equal(reply.status, 500);
    assert.match(messageOf(reply), /service "absent" not found$/);
  });

  it('keep their connections, and are counted', async () => {
    await install('Validating', [webhook('/counted')]);
    await create(map('kept'), '?dryRun=All');
    const before = hook.connections();
    const count = async (series: string): Promise<number> => {
      const { text } = await server.request('GET', '/metrics');
      const line = text.split('\n').find((each) => each.startsWith(`${series} `));
      return Number(line?.split(' ').at(-1));
    };
    const metric = 'apiserver_admission_webhook';
    const call = 'name="counted.example.com",operation="CREATE",rejected="false",type="validating"';
    const calls = `${metric}_request_total{code="200",${call}}`;
    const already = await count(calls);
    for (let i = 0; i < 5; i += 1) await create(map('kept'), '?dryRun=All');
    assert.equal(hook.connections(), before);
    assert.equal(await count(calls), already + 5);
    const timed = `${metric}_admission_duration_seconds_count{${call}}`;
    assert.equal(await count(timed), already + 5);
    const denied = 'error_type="no_error",name="deny.example.com",operation="CREATE"';
    const rejections = `${metric}_rejection_count{${denied},rejection_code="418",type="validating"}`;
    assert.equal(await count(rejections), 1);
    assert.ok((await count(`${metric}_fail_open_count{name="gone.example.com",type="admit"}`)) > 0);
  });
});
