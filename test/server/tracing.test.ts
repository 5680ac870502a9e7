/** Requests are traced: by whom, with which steps, and what that costs when nobody collects. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { part } from '../../src/apimachinery/members.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { startTraceCollector } from '../support/servers/trace-collector.ts';
import type { TraceCollector } from '../support/servers/trace-collector.ts';

const directories = testDirectories('sluice-tracing');
after(() => directories.removeAll());

const maps = '/api/v1/namespaces/default/configmaps';
const operator = { authorization: 'Bearer of-an-operator' };
const user = { authorization: 'Bearer of-a-user' };

let traces = 0;
/** A trace that is sampled, as a client begins it. */
function newTrace(): { readonly traceId: string; readonly headers: Record<string, string> } {
  traces += 1;
  const traceId = traces.toString(16).padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` } };
}

async function startTraced(endpoint: string, perMillion: number): Promise<TestServer> {
  const dir = directories.make();
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'TracingConfiguration',
    endpoint,
    samplingRatePerMillion: perMillion,
  };
  const tokens = 'of-an-operator,op,op,system:masters\nof-a-user,jo,jo,\n';
  return startTestServer({
    'tracing-config-file': file('tracing.yaml', JSON.stringify(configuration)),
    'token-auth-file': file('tokens.csv', tokens),
  });
}

describe('a request of system:masters that comes with a trace', () => {
  let collector: TraceCollector;
  let hook: AdmissionHook;
  let server: TestServer;
  before(async () => {
    collector = await startTraceCollector();
    hook = await startAdmissionHook();
    server = await startTraced(collector.address, 0);
  });
  after(async () => {
    await server.remove();
    hook.close();
    collector.close();
  });

  it('goes on with it: what is done for it are steps of it, to the last watcher', async () => {
    const { headers, traceId } = newTrace();
    const watch = await server.openWatch(`${maps}?watch=1`);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
    const made = await server.request('POST', maps, { body, headers: { ...operator, ...headers } });
    assert.equal(made.status, 201);
    const deliver = await collector.spanOf('Deliver', traceId);
    const whole = await collector.spanOf(
      'POST /api/v1/namespaces/{:namespace}/configmaps',
      traceId,
    );
    const create = await collector.spanOf('Create', traceId);
    const commit = await collector.spanOf('Commit', traceId);
    const decide = await collector.spanOf('Decide', traceId);
    const access = await collector.spanOf('access', traceId);
    const sent = await collector.spanOf('SerializeObject', traceId);
    assert.equal(whole.parentId, 'b'.repeat(16));
    assert.equal(whole.kind, 2);
    assert.equal(whole.service['service.name'], 'apiserver');
    assert.equal(whole.attributes['http.response.status_code'], 201);
    assert.equal(whole.attributes['audit-id'], made.headers['audit-id']);
    for (const step of [create, access, sent]) assert.equal(step.parentId, whole.spanId);
    for (const step of [decide, commit, deliver]) assert.equal(step.parentId, create.spanId);
    const { resourceVersion } = part(made.body, 'metadata');
    assert.equal(commit.attributes['resource-version'], resourceVersion);
    for (const { name, nanoseconds } of [whole, create, decide, commit, deliver]) {
      assert.ok(nanoseconds >= 0n, name);
    }
    watch.close();
  });

  it('lasts as long as its watch', async () => {
    const { headers, traceId } = newTrace();
    const target = `${maps}?watch=1&timeoutSeconds=1`;
    const watch = await server.openWatch(target, { ...operator, ...headers });
    await watch.rest();
    const whole = await collector.spanOf('GET /api/v1/namespaces/{:namespace}/configmaps', traceId);
    assert.equal(whole.attributes['http.target'], target);
    assert.ok(whole.nanoseconds > 500_000_000n);
  });

  it('is gone on with by webhooks, whose calls are steps', async () => {
    const seen: (string | undefined)[] = [];
    hook.moods.set('/traced', ({ traceparent }) => {
      seen.push(traceparent);
      return { allowed: true };
    });
    const webhook = {
      name: 'traced.example.com',
      clientConfig: { url: `${hook.url}/traced`, caBundle: hook.caBundle },
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] },
      ],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    const group = 'admissionregistration.k8s.io';
    const body = {
      apiVersion: `${group}/v1`,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'traced' },
      webhooks: [webhook],
    };
    await server.request('POST', `/apis/${group}/v1/validatingwebhookconfigurations`, { body });
    const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' } };
    while (seen.length === 0) await server.request('POST', `${maps}?dryRun=All`, { body: probe });
    assert.equal(seen.at(-1), undefined);
    const { headers, traceId } = newTrace();
    const asked = { body: probe, headers: { ...operator, ...headers } };
    assert.equal((await server.request('POST', maps, asked)).status, 201);
    const call = await collector.spanOf('POST', traceId);
    const create = await collector.spanOf('Create', traceId);
    assert.equal(call.kind, 3);
    assert.equal(call.parentId, create.spanId);
    assert.equal(call.attributes['http.response.status_code'], 200);
    assert.equal(seen.at(-1), `00-${traceId}-${call.spanId}-01`);
    const configuration = `/apis/${group}/v1/validatingwebhookconfigurations/traced`;
    await server.request('DELETE', configuration);
  });

  it('is counted among the steps that were sent', async () => {
    const { text } = await server.request('GET', '/metrics');
    assert.match(text, /sluice_trace_spans_total\{result="sent"\} [1-9]/);
    assert.match(text, /sluice_trace_spans_total\{result="failed"\} 0/);
    assert.match(text, /^sluice_trace_spans_waiting \d+$/m);
  });

  it('is the only kind that is traced, where no share of the others is', async () => {
    const before = collector.spans.length;
    const denied = { authorization: 'Bearer of-a-liar', ...newTrace().headers };
    const answers = [
      await server.request('GET', maps, { headers: { ...user, ...newTrace().headers } }),
      await server.request('GET', maps, { headers: newTrace().headers }),
      await server.request('GET', maps, { headers: denied }),
      await server.request('GET', maps, { headers: operator }),
      await server.request('GET', maps, {
        headers: {
          ...operator,
          traceparent: newTrace().headers['traceparent']?.replace(/1$/, '0') ?? '',
        },
      }),
      await server.request('GET', maps, { headers: { ...operator, traceparent: '00-0-0-01' } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 401, 200, 200, 200],
    );
    const { headers, traceId } = newTrace();
    await server.request('GET', `${maps}/one`, { headers: { ...operator, ...headers } });
    const last = 'GET /api/v1/namespaces/{:namespace}/configmaps/{:name}';
    await collector.spanOf(last, traceId);
    const others = collector.spans.slice(before).filter((span) => span.traceId !== traceId);
    assert.deepEqual(others, []);
  });
});

describe('a share of requests', () => {
  it('is traced, each apart from the trace that somebody without rights came with', async () => {
    const collector = await startTraceCollector(`unix://${directories.make()}/collector.sock`);
    const server = await startTraced(collector.address, 1_000_000);
    const { headers, traceId } = newTrace();
    const answer = await server.request('GET', maps, { headers: { ...user, ...headers } });
    assert.equal(answer.status, 200);
    const whole = await collector.spanOf('GET /api/v1/namespaces/{:namespace}/configmaps');
    assert.notEqual(whole.traceId, traceId);
    assert.equal(whole.parentId, '');
    assert.deepEqual(whole.links, [traceId]);
    await server.remove();
    collector.close();
  });

  it('is answered as fast without a collector: steps are lost and counted', async () => {
    const server = await startTraced('127.0.0.1:1', 1_000_000);
    for (let asked = 0; asked < 10; asked += 1) {
      assert.equal((await server.request('GET', maps)).status, 200);
    }
    await server.remove();
  });
});
