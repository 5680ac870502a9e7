/**
 * Work for clients that have gone stops, on every port and in whichever way they go: the webhook
 * that is asked for them sees its connection closed, and nothing is kept of them.
 */
import assert from 'node:assert/strict';
import http2 from 'node:http2';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { after, afterEach, before, describe, it } from 'node:test';
import { webhookOf, webhooksOn } from '../support/data/webhook-objects.ts';
import { startAdmissionHook } from '../support/servers/admission-hook.ts';
import type { AdmissionHook } from '../support/servers/admission-hook.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const bodyOf = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** Sends a request, and returns what makes its client go. */
type Send = (method: string, target: string, body: string) => (way: Way) => void;
type Way = 'resets' | 'closes' | 'ends';

function headOf(method: string, target: string, body: string): string {
  return [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${tokens.alice}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** HTTP/1.1 over this. */
function overSocket(url: string): Send {
  const { hostname: host, port, protocol } = new URL(url);
  return (method, target, body) => {
    const plain = net.connect(Number(port), host);
    const socket =
      protocol === 'https:'
        ? tls.connect({ socket: plain, servername: 'localhost', rejectUnauthorized: false })
        : plain;
    for (const each of [plain, socket]) each.on('error', () => undefined);
    socket.resume();
    socket.write(headOf(method, target, body));
    return (way) => {
      if (way === 'resets') plain.resetAndDestroy();
      else if (way === 'closes') socket.destroy();
      else socket.end();
    };
  };
}

function overHttp2(url: string): Send {
  return (method, target, body) => {
    const session = http2.connect(url, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    const stream = session.request({
      ':method': method,
      ':path': target,
      authorization: `Bearer ${tokens.alice}`,
      'content-type': 'application/json',
    });
    stream.on('error', () => undefined);
    stream.end(body);
    return (way) => {
      if (way === 'closes') session.destroy();
      else {
        // The session stays.
        stream.close(http2.constants.NGHTTP2_CANCEL);
        setTimeout(() => session.destroy(), 2_000).unref();
      }
    };
  };
}

describe('clients that go', () => {
  let server: SecureServer;
  let hook: AdmissionHook;
  /** Calls that hang, and those of them that have been closed. */
  const calls = { open: 0, closed: 0 };
  const { clear, inForce } = webhooksOn(() => ({ ...server, request: asAdmin }));
  const asAdmin: SecureServer['request'] = (method, target, options) => {
    const headers = { ...options?.headers, authorization: `Bearer ${tokens.admin}` };
    return server.request(method, target, { ...options, headers });
  };

  before(async () => {
    hook = await startAdmissionHook();
    server = await startSecureServer({
      'authorization-mode': 'AlwaysAllow',
      'token-port': '0',
    });
  });
  after(async () => {
    hook.close();
    await server.remove();
  });
  afterEach(async () => {
    await clear();
    hook.moods.clear();
    calls.closed = 0;
  });

  const hang = (path: string): void => {
    hook.moods.set(path, (_asked, response) => {
      calls.open += 1;
      response.once('close', () => {
        calls.open -= 1;
        calls.closed += 1;
      });
      return undefined;
    });
  };
  const url = (path: string) => ({
    url: `https://localhost:${hook.port}${path}`,
    caBundle: hook.caBundle,
  });
  const until = async (what: string, is: () => boolean | Promise<boolean>): Promise<void> => {
    for (let tries = 0; !(await is()); tries += 1) {
      assert.ok(tries < 250, what);
      await sleep(20);
    }
  };
  /** Of callers that are not exempt, and of levels without one name. */
  const seats = async (): Promise<number> => {
    const { text } = await asAdmin('GET', '/metrics');
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith('apiserver_flowcontrol_current_executing_seats{'));
    return lines.reduce(
      (sum, line) => sum + (line.includes('exempt') ? 0 : Number(line.split(' ').at(-1))),
      0,
    );
  };
  const answers = async (verb: string): Promise<number> => {
    const { text } = await asAdmin('GET', '/metrics');
    const line = text
      .split('\n')
      .find(
        (each) =>
          each.startsWith(`apiserver_request_total{verb="${verb}"`) &&
          each.includes('resource="configmaps"') &&
          each.includes('code="504"'),
      );
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  const ports: Readonly<Record<string, () => Send>> = {
    'in the clear': () => overSocket(server.url),
    'over TLS for tokens': () => overSocket(server.running.tokenUrl ?? ''),
    'over TLS': () => overSocket(server.secureUrl),
    'over HTTP/2': () => overHttp2(server.secureUrl),
  };

  for (const [port, sendOf] of Object.entries(ports)) {
    for (const [kind, path] of [
      ['Mutating', '/mutate'],
      ['Validating', '/validate'],
    ] as const) {
      for (const way of ['resets', 'closes', 'ends'] as const) {
        it(`${port}, ${way}: a ${kind.toLowerCase()} webhook is not waited for`, async () => {
          hang(path);
          const policy = way === 'closes' ? 'Ignore' : 'Fail';
          const more = { failurePolicy: policy, timeoutSeconds: 30 };
          await inForce(kind, 'hangs', webhookOf('hangs', url(path), more));
          const before = await answers('POST');
          const name = `${kind}-${way}-${port}`.toLowerCase().replaceAll(/[^a-z]/g, 'x');
          const go = sendOf()('POST', maps, bodyOf(name));
          await until('the webhook is asked', () => calls.open === 1);
          assert.equal(await seats(), 1);
          go(way);
          await until('its call is closed', () => calls.closed === 1);
          await until('its seat is back', async () => (await seats()) === 0);
          assert.equal(await answers('POST'), before + 1);
          assert.equal((await asAdmin('GET', `${maps}/${name}`)).status, 404);
        });
      }
    }

    for (const match of ['NotOlderThan', 'Exact'] as const) {
      it(`${port}: a revision to come is not waited for (${match})`, async () => {
        const before = await answers('LIST');
        const startedMs = performance.now();
        const query = `resourceVersion=999999&resourceVersionMatch=${match}`;
        const go = sendOf()('GET', `${maps}?${query}`, '');
        await until('it waits', async () => (await seats()) === 1);
        go('resets');
        await until('its seat is back', async () => (await seats()) === 0);
        assert.equal(await answers('LIST'), before + 1);
        // The wait is one of three seconds.
        assert.ok(performance.now() - startedMs < 2_500);
      });
    }
  }

  it('a thousand of them leave nothing, and the next call to the webhook is answered', async () => {
    hang('/hangs');
    await inForce('Validating', 'hangs', webhookOf('hangs', url('/hangs'), { timeoutSeconds: 30 }));
    const send = overSocket(server.url);
    const before = await answers('POST');
    const many = Array.from({ length: 1_000 }, (_, at) => send('POST', maps, bodyOf(`n-${at}`)));
    // Others wait for a connection to the webhook, or for a seat.
    await until('webhooks are asked', () => calls.open >= 16);
    for (const go of many) go('resets');
    await until('all calls are closed', () => calls.open === 0);
    await until('all seats are back', async () => (await seats()) === 0);
    hook.moods.clear();
    const headers = { authorization: `Bearer ${tokens.alice}` };
    const next = await server.request('POST', maps, { headers, body: JSON.parse(bodyOf('next')) });
    assert.equal(next.status, 201, next.text);
    assert.ok((await answers('POST')) > before);
    const list = await asAdmin('GET', maps);
    assert.doesNotMatch(list.text, /"name":"n-/);
  });

  it('a change of an object that waits behind such a write is made', async () => {
    const path = '/changes';
    hang(path);
    const headers = { authorization: `Bearer ${tokens.alice}`, 'content-type': 'application/json' };
    await asAdmin('POST', maps, { body: JSON.parse(bodyOf('shared')) });
    const core = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    const rules = [{ ...core, operations: ['UPDATE'] }];
    await inForce(
      'Mutating',
      'hangs',
      webhookOf('hangs', url(path), { rules, timeoutSeconds: 30 }),
    );
    const body = JSON.stringify({ ...JSON.parse(bodyOf('shared')), data: { by: 'gone' } });
    const go = overSocket(server.url)('PUT', `${maps}/shared`, body);
    await until('the webhook is asked', () => calls.open === 1);
    hook.moods.clear();
    const behind = { ...JSON.parse(bodyOf('shared')), data: { by: 'the next' } };
    const changed = server.request('PUT', `${maps}/shared`, { headers, body: behind });
    await sleep(100);
    go('resets');
    const { status, text } = await changed;
    assert.equal(status, 200, text);
    assert.match(text, /"by":"the next"/);
  });
});
