/** Health checks as probes and operators' tools know them, and the flags of a server's end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { createHealth } from '../../src/endpoints/health.ts';
import { healthChecks } from '../../src/server/compose/health-checks.ts';
import type { HealthCheckDeps } from '../../src/server/compose/health-checks.ts';
import { identityNames, identityOf } from '../../src/apimachinery/identity.ts';
import { exchange } from '../support/clients/http-client.ts';
import type { HttpReply } from '../support/clients/http-client.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { OptionsError } from '../../src/server/config/option-values.ts';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import type { RawOptions } from '../../src/server/config/options.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

/** The order of the reference, of the checks that there are here, with one of this server's own. */
const inOrder = [
  'ping',
  'log',
  'etcd',
  'etcd-readiness',
  'informer-sync',
  'change-followers',
  'admission-configurations',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'shutdown',
];
const onlyReady = [
  'etcd-readiness',
  'informer-sync',
  'change-followers',
  'admission-configurations',
  'shutdown',
];

describe('the health checks of a server', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer({
      'feature-gates': 'APIServerIdentity=true',
      controllers: '*',
    });
    while ((await server.secure('/livez')).status !== 200) await pause();
  });
  after(() => server.remove());

  for (const endpoint of ['livez', 'readyz', 'healthz']) {
    it(`stand in the reference's order at /${endpoint}, each with a path of its own`, async () => {
      const { text } = await server.secure(`/${endpoint}?verbose`);
      const names = [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name as string);
      const expected = inOrder.filter((name) => endpoint === 'readyz' || !onlyReady.includes(name));
      assert.deepEqual(names, expected);
      const token = tokens.admin;
      for (const name of names) {
        const one = await server.secure(`/${endpoint}/${name}`, { token });
        assert.deepEqual([one.status, one.text], [200, 'ok'], name);
      }
    });
  }

  it('are what /metrics/slis counts, by name and endpoint', async () => {
    const token = tokens.admin;
    const totals = async (): Promise<number> => {
      const { status, text } = await server.secure('/metrics/slis', { token });
      assert.equal(status, 200);
      assert.match(text, /^# TYPE kubernetes_healthcheck gauge$/m);
      assert.match(text, /^kubernetes_healthcheck\{name="etcd",type="livez"\} 1$/m);
      assert.match(text, /^# TYPE kubernetes_healthchecks_total counter$/m);
      const line = 'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} ';
      return Number(
        text
          .split('\n')
          .find((each) => each.startsWith(line))
          ?.slice(line.length),
      );
    };
    await server.secure('/readyz');
    const once = await totals();
    await server.secure('/readyz?exclude=etcd');
    assert.equal(await totals(), once + 1);
    assert.equal((await server.secure('/metrics/slis')).status, 403);
  });
});

describe('a server', () => {
  for (const identity of identityNames) {
    it(`is alive and ready a moment after its start with --identity=${identity}`, async () => {
      const server = await startTestServer({ identity, controllers: '*' });
      try {
        const text = async (endpoint: string): Promise<string> =>
          (await fresh(server.url, `/${endpoint}?verbose`)).text;
        // Only what fails is named; the deadline is that of the test.
        const failing = async (endpoint: string): Promise<readonly string[]> =>
          [...(await text(endpoint)).matchAll(/^\[-\](\S+)/gm)].map(([, name = '']) => name);
        let left = ['?'] as readonly string[];
        for (let tries = 0; tries < 60 && left.length > 0; tries += 1) {
          left = [...(await failing('livez')), ...(await failing('readyz'))];
          if (left.length > 0) await pause();
        }
        assert.deepEqual(left, []);
        assert.match(await text('readyz'), /readyz check passed/);
      } finally {
        await server.remove();
      }
    });
  }
});

describe('--livez-grace-period', () => {
  const identity = identityOf('kubernetes');
  let nowMs = 0;
  let made = false;
  const deps = (livezGraceMs: number): HealthCheckDeps => {
    const scheme = { findStorage: () => undefined };
    const streams = { followers: { stats: () => [] }, waitingCount: 0 };
    const registry = { scheme, identity, streams } as unknown as HealthCheckDeps['registry'];
    return {
      registry,
      admissionReadiness: new Map(),
      flow: undefined,
      servicesHealthy: undefined,
      identity,
      storage: { failure: () => undefined },
      logFollow: {
        isCurrent: () => Promise.resolve(true),
        storeRevision: () => Promise.resolve(1),
      },
      usesRbac: false,
      controllers: new Set(),
      background: { hooks: new Map([['a-hook', () => made]]) },
      shuttingDown: () => false,
      clock: { monotonicMs: () => nowMs },
      livezGraceMs,
    };
  };
  const query = { verbose: false, exclude: [] };

  it('lets a server live that is not done yet, for as long as it says', async () => {
    const health = createHealth(healthChecks(deps(1_000)));
    const statusOf = async (endpoint: 'livez' | 'readyz' | 'healthz') =>
      (await health.check(endpoint, undefined, query))?.status;
    assert.deepEqual([await statusOf('livez'), await statusOf('readyz')], [200, 500]);
    nowMs = 999;
    assert.equal(await statusOf('livez'), 200);
    nowMs = 1_000;
    assert.deepEqual([await statusOf('livez'), await statusOf('healthz')], [500, 500]);
    made = true;
    assert.deepEqual([await statusOf('livez'), await statusOf('readyz')], [200, 200]);
    made = false;
    assert.equal(await statusOf('livez'), 200, 'what has been done stays done');
  });

  it('is none by default: a server that is not done is not alive', async () => {
    const health = createHealth(healthChecks(deps(0)));
    assert.equal((await health.check('livez', undefined, query))?.status, 500);
    const [failed] = [...health.records()].filter(({ passed }) => !passed);
    assert.deepEqual([failed?.name, failed?.failedTotal], ['poststarthook/a-hook', 1]);
  });
});

describe('--shutdown-send-retry-after', () => {
  it('answers 429 and ends connections until the last request is answered', async () => {
    const server: TestServer = await startTestServer({ 'shutdown-send-retry-after': 'true' });
    const body = JSON.stringify({ metadata: { name: 'last' } });
    const last = http.request(`${server.url}/api/v1/namespaces/default/configmaps`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': body.length },
    });
    const answer = new Promise<number>((resolve, reject) => {
      last.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      last.on('error', reject);
    });
    last.write(body.slice(0, 5));
    // It has come when its connection's successor has been served.
    assert.equal((await fresh(server.url, '/version')).status, 200);
    const stopped = server.stop();
    let refused = await fresh(server.url, '/version');
    while (refused.status === 200) refused = await fresh(server.url, '/version');
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '5');
    assert.equal(refused.headers.connection, 'close');
    assert.match(refused.headers['content-type'] ?? '', /^text\/plain/);
    assert.equal((await fresh(server.url, '/readyz')).status, 500);
    last.end(body.slice(5));
    assert.equal(await answer, 201);
    await stopped;
    await assert.rejects(fresh(server.url, '/version'), { code: 'ECONNREFUSED' });
  });
});

describe('--goaway-chance', () => {
  it('ends the life of HTTP/2 connections, and no request', async () => {
    const server = await startSecureServer({ 'goaway-chance': '0.02' });
    const ca = server.caPem;
    let goneAway = 0;
    let session = http2.connect(server.secureUrl, { ca });
    try {
      for (let asked = 0; asked < 2_000 && goneAway < 2; asked += 1) {
        if (session.closed || session.destroyed) {
          goneAway += 1;
          session = http2.connect(server.secureUrl, { ca });
        }
        assert.equal(await statusOver(session, '/livez'), 200);
      }
      assert.ok(goneAway > 0);
    } finally {
      session.destroy();
      await server.remove();
    }
  });

  it('is a fraction of at most 0.02', () => {
    const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
    const chanceOf = (text: string) =>
      completeConfig({ ...(defaults as RawOptions), 'goaway-chance': text }).goawayChance;
    assert.deepEqual([chanceOf('0'), chanceOf('0.001'), chanceOf('.02')], [0, 0.001, 0.02]);
    for (const wrong of ['0.03', '1', '-0.01', 'x', '', '1e-3']) {
      assert.throws(() => chanceOf(wrong), OptionsError, wrong);
    }
  });
});

describe('--strict-transport-security-directives', () => {
  const directives = 'max-age=31536000,includeSubDomains';

  it('tells who comes over TLS, whatever the answer is; plain HTTP cannot tell', async () => {
    const server = await startSecureServer({ 'strict-transport-security-directives': directives });
    const session = http2.connect(server.secureUrl, { ca: server.caPem });
    try {
      for (const path of ['/livez', '/version', '/apis', '/nothing', '/api/v1/pods?watch=1']) {
        const stream = session.request({ ':path': path });
        const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
        stream.close();
        const said = headers['strict-transport-security'];
        assert.equal(said, 'max-age=31536000; includeSubDomains', path);
        assert.equal(headers['cache-control'], 'no-cache, private', path);
      }
      const plain = await server.request('GET', '/livez');
      assert.equal(plain.headers['strict-transport-security'], undefined);
    } finally {
      session.destroy();
      await server.remove();
    }
  });

  it('are those that browsers know', () => {
    const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
    const flag = 'strict-transport-security-directives';
    const said = (text: string) =>
      completeConfig({ ...(defaults as RawOptions), [flag]: text }).strictTransport;
    assert.equal(said(''), undefined);
    assert.equal(said('preload,max-age=0'), 'preload; max-age=0');
    for (const wrong of ['max-age', 'max-age=x', 'preload,', 'includeSubdomains']) {
      assert.throws(() => said(wrong), OptionsError, wrong);
    }
  });
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** Over a connection of its own, that it would keep. */
async function fresh(url: string, target: string): Promise<HttpReply> {
  const end = new AbortController();
  const headers = { connection: 'keep-alive' };
  const reply = await exchange(url, target, { headers, signal: end.signal });
  end.abort();
  return reply;
}

function statusOver(session: http2.ClientHttp2Session, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': target });
    let status = 0;
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('end', () => resolve(status));
    stream.on('error', reject);
    stream.resume();
  });
}
