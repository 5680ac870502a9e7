/**
 * What public dashboards, recording rules and alerts for API servers ask for: every metric with the
 * type, the labels and the buckets that their expressions name, after some requests of each kind.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

interface Asked {
  readonly metric: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Each of them on every series. */
  readonly labels: readonly string[];
  /** Upper bounds that expressions pick. */
  readonly buckets?: readonly string[];
}

const ofRequests = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];

const asked: readonly Asked[] = [
  // Availability, error budget and their burn rates; panels of requests by code and resource.
  {
    metric: 'apiserver_request_total',
    type: 'counter',
    labels: [...ofRequests, 'dry_run', 'code'],
  },
  {
    metric: 'apiserver_request_sli_duration_seconds',
    type: 'histogram',
    labels: ofRequests,
    buckets: ['0.1', '0.2', '0.4', '1', '5', '10', '30', '60', '+Inf'],
  },
  {
    metric: 'apiserver_request_duration_seconds',
    type: 'histogram',
    labels: [...ofRequests, 'dry_run'],
    buckets: ['0.005', '0.025', '0.05', '0.1', '1', '5', '30', '60', '+Inf'],
  },
  { metric: 'apiserver_request_terminations_total', type: 'counter', labels: [] },
  { metric: 'apiserver_request_aborts_total', type: 'counter', labels: [] },
  // Client certificates that run out.
  {
    metric: 'apiserver_client_certificate_expiration_seconds',
    type: 'histogram',
    labels: [],
    buckets: ['0', '1800', '3600', '86400', '604800', '2592000', '31104000', '+Inf'],
  },
  // Saturation and size.
  { metric: 'apiserver_current_inflight_requests', type: 'gauge', labels: ['request_kind'] },
  { metric: 'apiserver_longrunning_requests', type: 'gauge', labels: ofRequests },
  {
    metric: 'apiserver_response_sizes',
    type: 'histogram',
    labels: ofRequests,
    buckets: ['1000', '10000', '1000000000', '+Inf'],
  },
  { metric: 'apiserver_storage_objects', type: 'gauge', labels: ['resource'] },
  { metric: 'apiserver_resource_objects', type: 'gauge', labels: ['group', 'resource'] },
  {
    metric: 'apiserver_watch_events_total',
    type: 'counter',
    labels: ['group', 'version', 'resource'],
  },
  {
    metric: 'apiserver_watch_events_sizes',
    type: 'histogram',
    labels: ['group', 'version', 'resource'],
    buckets: ['1024', '2048', '131072', '+Inf'],
  },
  {
    metric: 'apiserver_watch_list_duration_seconds',
    type: 'histogram',
    labels: ['group', 'version', 'resource', 'scope'],
    buckets: ['0.05', '0.1', '0.2', '1', '15', '60', '+Inf'],
  },
  {
    metric: 'etcd_request_duration_seconds',
    type: 'histogram',
    labels: ['operation', 'type'],
    buckets: ['0.005', '0.1', '1', '60', '+Inf'],
  },
  { metric: 'etcd_requests_total', type: 'counter', labels: ['operation', 'type'] },
  { metric: 'etcd_request_errors_total', type: 'counter', labels: ['operation', 'type'] },
  // From a write to those who watch it.
  {
    metric: 'sluice_watch_delivery_seconds',
    type: 'histogram',
    labels: ['operation'],
    buckets: ['0.001', '0.01', '0.1', '1', '+Inf'],
  },
  {
    metric: 'sluice_watch_delivery_stage_seconds',
    type: 'histogram',
    labels: ['operation', 'stage'],
    buckets: ['0.0001', '0.001', '0.01', '+Inf'],
  },
  // Who asks, and whether he may.
  { metric: 'authentication_attempts', type: 'counter', labels: ['result'] },
  { metric: 'authentication_duration_seconds', type: 'histogram', labels: ['result'] },
  { metric: 'authenticated_user_requests', type: 'counter', labels: ['username'] },
  { metric: 'authorization_attempts_total', type: 'counter', labels: ['result'] },
  { metric: 'authorization_duration_seconds', type: 'histogram', labels: ['result'] },
  {
    metric: 'apiserver_authorization_decisions_total',
    type: 'counter',
    labels: ['type', 'name', 'decision'],
  },
  { metric: 'apiserver_tls_handshake_errors_total', type: 'counter', labels: [] },
  // What works beside requests.
  { metric: 'workqueue_adds_total', type: 'counter', labels: ['name'] },
  { metric: 'workqueue_depth', type: 'gauge', labels: ['name'] },
  { metric: 'workqueue_retries_total', type: 'counter', labels: ['name'] },
  { metric: 'workqueue_queue_duration_seconds', type: 'histogram', labels: ['name'] },
  { metric: 'workqueue_work_duration_seconds', type: 'histogram', labels: ['name'] },
  // What runs.
  {
    metric: 'kubernetes_build_info',
    type: 'gauge',
    labels: ['git_version', 'git_commit', 'build_date', 'go_version', 'major', 'minor', 'platform'],
  },
  {
    metric: 'version_info',
    type: 'gauge',
    labels: ['binary', 'component', 'emulation', 'min_compat'],
  },
  { metric: 'apiserver_audit_event_total', type: 'counter', labels: [] },
  { metric: 'apiserver_audit_requests_rejected_total', type: 'counter', labels: [] },
  { metric: 'kubernetes_feature_enabled', type: 'gauge', labels: ['name', 'stage'] },
  {
    metric: 'pod_security_evaluations_total',
    type: 'counter',
    labels: [
      'decision',
      'policy_level',
      'policy_version',
      'mode',
      'request_operation',
      'resource',
      'subresource',
    ],
  },
  {
    metric: 'pod_security_exemptions_total',
    type: 'counter',
    labels: ['request_operation', 'resource', 'subresource'],
  },
  { metric: 'process_cpu_seconds_total', type: 'counter', labels: [] },
  { metric: 'process_resident_memory_bytes', type: 'gauge', labels: [] },
  { metric: 'process_start_time_seconds', type: 'gauge', labels: [] },
];

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

interface Line {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
      assert.ok(match, line);
      const pairs = [...(match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      const labels = new Map(pairs.map(([, name = '', value = '']) => [name, value]));
      return { name: match[1] as string, labels, value: Number(match[3]) };
    });
}

const maps = '/api/v1/namespaces/default/configmaps';
const streaming =
  'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
const streamingList = `/api/v1/namespaces?fieldSelector=metadata.name=default&${streaming}`;

describe('the metrics page, as dashboards and alerts read it', () => {
  let server: SecureServer;
  let text = '';
  before(async () => {
    server = await startSecureServer();
    const admin = { authorization: `Bearer ${tokens.admin}` };
    const ask = (method: string, target: string, body?: object) =>
      server.request(method, target, { headers: admin, body });
    const watch = await server.openWatch(
      `${maps}?${streaming}&fieldSelector=metadata.name=a`,
      admin,
    );
    // What is made before a watch has begun is a part of its first state.
    assert.equal((await watch.take(1)).length, 1, 'the mark');
    assert.equal((await ask('POST', maps, { metadata: { name: 'a' } })).status, 201);
    const list = await server.openWatch(streamingList, admin);
    assert.equal((await list.take(2)).length, 2, 'the object and the mark');
    for (const target of [maps, `${maps}/a`, '/api/v1/configmaps', '/api/v1/nodes']) {
      assert.equal((await ask('GET', target)).status, 200);
    }
    assert.equal((await ask('DELETE', `${maps}/a`)).status, 200);
    assert.equal((await ask('DELETE', `${maps}/a`)).status, 404);
    assert.equal((await server.request('GET', '/version')).status, 200);
    const refused = await server.request('GET', maps, { headers: { authorization: 'Bearer x' } });
    assert.equal(refused.status, 401);
    assert.equal((await watch.take(2)).length, 2);
    const certificate = await server.clientCertificate('jane', ['system:masters']);
    assert.equal((await server.secure('/version', { as: certificate })).status, 200);
    await failedHandshake(server.secureUrl);
    text = (await ask('GET', '/metrics')).text;
  });
  after(() => server.remove());

  for (const { metric, type, labels, buckets = [] } of asked) {
    it(`has ${metric}, a ${type} by ${labels.join(', ') || 'nothing'}`, () => {
      assert.match(text, new RegExp(`^# HELP ${metric} \\S`, 'm'));
      assert.equal(new RegExp(`^# TYPE ${metric} (\\w+)$`, 'm').exec(text)?.[1], type);
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const suffix of suffixes) {
        const lines = linesOf(text).filter(({ name }) => name === `${metric}${suffix}`);
        if (labels.length > 0) assert.ok(lines.length > 0, `${metric}${suffix} has a series`);
        for (const line of lines) {
          for (const label of labels) assert.ok(line.labels.has(label), `${metric} by ${label}`);
        }
      }
      const bounds = new Set(
        linesOf(text)
          .filter(({ name }) => name === `${metric}_bucket`)
          .map((line) => line.labels.get('le')),
      );
      for (const bucket of buckets) assert.ok(bounds.has(bucket), `${metric} le=${bucket}`);
    });
  }

  it('has buckets that only rise, and end at the count', () => {
    const series = new Map<string, number[]>();
    const counts = new Map<string, number>();
    for (const { name, labels, value } of linesOf(text)) {
      const others = [...labels].filter(([label]) => label !== 'le').join(';');
      const family = name.replace(/_(bucket|count)$/, '');
      const key = `${family}{${others}}`;
      if (name.endsWith('_bucket')) series.set(key, [...(series.get(key) ?? []), value]);
      if (name.endsWith('_count')) counts.set(key, value);
    }
    assert.ok(series.size > 20);
    for (const [key, values] of series) {
      assert.deepEqual(
        values,
        values.toSorted((a, b) => a - b),
        key,
      );
      assert.equal(values.at(-1), counts.get(key), key);
    }
  });

  it('says what the requests were', () => {
    const valueOf = (name: string, labels: Readonly<Record<string, string>>): number =>
      linesOf(text)
        .filter((line) => line.name === name)
        .filter((line) => Object.entries(labels).every(([l, v]) => line.labels.get(l) === v))
        .reduce((sum, line) => sum + line.value, 0);
    const ofMaps = { resource: 'configmaps', version: 'v1' };
    const sli = 'apiserver_request_sli_duration_seconds_bucket';
    assert.equal(valueOf('apiserver_request_total', { ...ofMaps, verb: 'LIST', code: '200' }), 2);
    assert.equal(valueOf('apiserver_request_total', { ...ofMaps, verb: 'DELETE', code: '404' }), 1);
    assert.equal(valueOf(sli, { ...ofMaps, verb: 'LIST', scope: 'namespace', le: '+Inf' }), 2);
    assert.equal(valueOf(sli, { resource: 'nodes', verb: 'LIST', scope: 'cluster', le: '60' }), 1);
    assert.equal(valueOf('apiserver_longrunning_requests', { ...ofMaps, verb: 'WATCH' }), 1);
    assert.equal(valueOf('apiserver_watch_events_total', ofMaps), 3);
    const lists = { resource: 'namespaces', version: 'v1', scope: 'resource' };
    assert.equal(valueOf('apiserver_watch_list_duration_seconds_count', lists), 1);
    assert.equal(valueOf('apiserver_storage_objects', { resource: 'namespaces' }) > 0, true);
    assert.equal(valueOf('authentication_attempts', { result: 'failure' }), 1);
    assert.equal(valueOf('apiserver_current_inflight_requests', { request_kind: 'readOnly' }), 1);
    assert.equal(valueOf('apiserver_current_inflight_requests', { request_kind: 'mutating' }), 0);
    assert.equal(valueOf('apiserver_tls_handshake_errors_total', {}), 1);
    assert.equal(valueOf('apiserver_client_certificate_expiration_seconds_count', {}), 1);
    assert.equal(
      valueOf('etcd_requests_total', { operation: 'create', type: 'configmaps' }) > 0,
      true,
    );
  });

  it('counts each stage of a write that is watched once', () => {
    const counted = (suffix: string, operation: string): ReadonlyMap<string, number> =>
      new Map(
        linesOf(text)
          .filter(({ name }) => name === `sluice_watch_delivery_${suffix}_count`)
          .filter(({ labels }) => labels.get('operation') === operation)
          .map(({ labels, value }) => [labels.get('stage') ?? '', value]),
      );
    const stages = counted('stage_seconds', 'delete');
    const names = ['received', 'decided', 'durable', 'seen', 'encoded', 'written'];
    assert.deepEqual([...stages.keys()], names);
    assert.deepEqual([...stages.values()], [1, 1, 1, 1, 1, 1], 'the one deletion');
    assert.equal(counted('seconds', 'delete').get(''), 1);
    // What the server writes for itself came with no request.
    assert.equal(counted('stage_seconds', 'create').get('received'), 1);
    assert.equal(counted('seconds', 'create').get(''), 1);
  });

  it('has every metric that the panels of docs/dashboards show, with their labels', () => {
    const dashboard = JSON.parse(
      readFileSync('docs/dashboards/watch-delivery.json', 'utf8'),
    ) as Dashboard;
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    assert.ok(expressions.length > 4);
    const lines = linesOf(text);
    for (const expression of expressions) {
      const names = expression.match(/sluice_\w+/g) ?? [];
      assert.ok(names.length > 0, expression);
      const [, labels = ''] = /by \(([^)]*)\)/.exec(expression) ?? [];
      for (const name of names) {
        const found = lines.filter((line) => line.name === name);
        assert.ok(found.length > 0, name);
        for (const label of labels.split(', ').filter((each) => each !== '')) {
          assert.ok(
            found.every((line) => line.labels.has(label)),
            `${name} by ${label}`,
          );
        }
      }
    }
  });

  it('has every metric that only rises as a counter', () => {
    const wrong = [...text.matchAll(/^# TYPE (?!nodejs_)(\w+_total) (\w+)$/gm)].filter(
      ([, , type]) => type !== 'counter',
    );
    assert.deepEqual(
      wrong.map(([line]) => line),
      [],
    );
  });
});

/** Speaks no TLS to the port for it. */
function failedHandshake(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\n\r\n'));
    socket.on('close', () => resolve());
    socket.on('error', () => undefined);
    socket.resume();
  });
}
