/** Webhooks at odd places: what their kubeconfig says is where the call goes, and nowhere else. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { systemTimers } from '../../src/stdx/clock.ts';
import { readWebhookTarget } from '../../src/webhooks/kubeconfig-target.ts';
import { createWebhookPoster, WebhookError } from '../../src/webhooks/webhook-poster.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { kubeconfigFor } from '../support/data/kubeconfig.ts';

const directories = testDirectories('sluice-kubeconfig-calls');

const folder = directories.make();
after(() => directories.removeAll());
const support = path.join(process.cwd(), 'test/support/data');
const cert = readFileSync(path.join(support, 'tls-certificate.pem'), 'utf8');
const key = readFileSync(path.join(support, 'tls-key.pem'), 'utf8');

interface Hook {
  readonly port: number;
  readonly asked: readonly IncomingMessage[];
  close(): void;
}

/** Undefined: it cannot listen there. `location`: where it sends everybody. */
async function hookAt(host: string, location?: string): Promise<Hook | undefined> {
  const asked: IncomingMessage[] = [];
  const server = https.createServer({ cert, key }, (request, response) => {
    asked.push(request);
    request.resume();
    if (location !== undefined) response.writeHead(307, { location });
    response.end('{}');
  });
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, host, () => resolve(true));
  });
  if (!listens) return undefined;
  const { port } = server.address() as AddressInfo;
  return { port, asked, close: () => server.close() };
}

async function post(server: string, serverName?: string): Promise<string> {
  const file = path.join(folder, 'config.json');
  const cluster = {
    server,
    'certificate-authority-data': Buffer.from(cert).toString('base64'),
    ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
  };
  writeFileSync(file, kubeconfigFor(cluster, { token: 'hunter2' }));
  const poster = createWebhookPoster(readWebhookTarget(file), systemTimers);
  try {
    return (await poster.post('{}', 10_000)).toString();
  } finally {
    poster.close();
  }
}

async function reaches(
  t: TestContext,
  host: string,
  urlOf: (port: number) => string,
  serverName?: string,
): Promise<void> {
  const hook = await hookAt(host);
  if (hook === undefined) return t.skip(`cannot listen on ${host}`);
  try {
    assert.equal(await post(urlOf(hook.port), serverName), '{}');
    const [request] = hook.asked;
    assert.equal(request?.url, '/ask');
    assert.equal(request?.headers.authorization, 'Bearer hunter2');
  } finally {
    hook.close();
  }
}

describe('the server of a kubeconfig is called', () => {
  it('by name, with a port and a path', (t) =>
    reaches(t, '127.0.0.1', (port) => `https://localhost:${port}/ask`));

  it('by its name from the root, whose certificate has no dot', (t) =>
    reaches(t, '127.0.0.1', (port) => `https://localhost.:${port}/ask`));

  it('by an IPv6 address, under the name of its certificate', (t) =>
    reaches(t, '::1', (port) => `https://[::1]:${port}/ask`, 'localhost'));

  it('and not another place that it names: the credential stays', async (t) => {
    const other = await hookAt('127.0.0.1');
    const hook = other && (await hookAt('127.0.0.1', `https://localhost:${other.port}/ask`));
    if (hook === undefined || other === undefined) return t.skip('cannot listen');
    const called = post(`https://localhost:${hook.port}/ask`);
    await assert.rejects(called, (error) => {
      assert.ok(error instanceof WebhookError);
      assert.match(error.message, /answered with status 307/);
      return !error.message.includes('hunter2');
    });
    assert.deepEqual([hook.asked.length, other.asked.length], [1, 0]);
    hook.close();
    other.close();
  });

  it('and not by an address that its certificate does not name', async (t) => {
    const hook = await hookAt('::1');
    if (hook === undefined) return t.skip('cannot listen on ::1');
    await assert.rejects(
      post(`https://[::1]:${hook.port}/ask`, 'other.test'),
      /altnames|certificate/i,
    );
    assert.equal(hook.asked.length, 0);
    hook.close();
  });
});
