/** ImagePolicyWebhook: a server that judges images, what it is asked, and when it does not answer. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startConfigured } from '../support/servers/configured-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const pods = '/api/v1/namespaces/default/pods';

describe('the judge of images', () => {
  const asked: JsonObject[] = [];
  let judge: http.Server;
  let folder: string;
  let strict: TestServer;
  let lenient: TestServer;
  /** What is answered; a number is a status without a body. */
  let answer: (spec: JsonObject) => JsonObject | number;

  before(async () => {
    judge = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
        asked.push(review);
        const found = answer(review['spec'] as JsonObject);
        if (typeof found === 'number') response.writeHead(found).end();
        else response.end(JSON.stringify({ ...review, status: found }));
      });
    });
    await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve));
    const { port } = judge.address() as AddressInfo;
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-images-'));
    const kubeConfigFile = path.join(folder, 'kubeconfig');
    const kubeconfig = {
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/judge` } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: '' } }],
      'current-context': 'x',
    };
    await writeFile(kubeConfigFile, JSON.stringify(kubeconfig));
    const start = (defaultAllow: boolean): Promise<TestServer> =>
      startConfigured(
        { 'enable-admission-plugins': 'ImagePolicyWebhook' },
        { ImagePolicyWebhook: { imagePolicy: { kubeConfigFile, retryBackoff: 1, defaultAllow } } },
      );
    [strict, lenient] = [await start(false), await start(true)];
  });
  after(async () => {
    await Promise.all([strict.remove(), lenient.remove()]);
    judge.close();
    await rm(folder, { recursive: true });
  });

  const create = (server: TestServer, name: string, image: string): Promise<Reply> =>
    server.request('POST', pods, {
      body: {
        metadata: {
          name,
          annotations: { 'team.image-policy.k8s.io/ticket': '7', other: 'x' },
        },
        spec: {
          containers: [{ name: 'c', image }],
          initContainers: [{ name: 'i', image: 'init' }],
        },
      },
    });

  it('is asked about images, annotations that are for it, and the namespace', async () => {
    asked.length = 0;
    answer = () => ({ allowed: true });
    const made = await create(strict, 'asked', 'good');
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(asked, [
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: {},
        spec: {
          containers: [{ image: 'good' }, { image: 'init' }],
          annotations: { 'team.image-policy.k8s.io/ticket': '7' },
          namespace: 'default',
        },
        status: { allowed: false },
      },
    ]);
  });

  it('is not asked again while its answer is kept', async () => {
    asked.length = 0;
    answer = () => ({ allowed: true });
    for (const name of ['k1', 'k2']) {
      assert.equal((await create(strict, name, 'kept')).status, 201);
    }
    assert.equal(asked.length, 1);
  });

  it('refuses with its reason, or without', async () => {
    answer = () => ({ allowed: false, reason: 'not signed' });
    const refused = await create(strict, 'r1', 'bad');
    assert.equal(refused.status, 403, refused.text);
    assert.equal(
      refused.body['message'],
      'pods "r1" is forbidden: image policy webhook backend denied one or more images: not signed',
    );
    answer = () => ({ allowed: false });
    const silent = await create(strict, 'r2', 'worse');
    assert.equal(
      silent.body['message'],
      'pods "r2" is forbidden: one or more images rejected by webhook backend',
    );
  });

  it('that does not answer is asked again, and then it is as the configuration says', async () => {
    asked.length = 0;
    answer = () => 500;
    const refused = await create(strict, 'd1', 'unjudged');
    assert.equal(refused.status, 403, refused.text);
    assert.match(String(refused.body['message']), /answered with status 500$/);
    assert.equal(asked.length, 5);
    assert.equal((await create(lenient, 'd2', 'unjudged')).status, 201);
    answer = () => ({ allowed: true });
    assert.equal((await create(strict, 'd3', 'unjudged')).status, 201, 'no failure is kept');
  });

  it('whose answer is none has not answered', async () => {
    answer = () => ({ allowed: 'yes' });
    const refused = await create(strict, 'n1', 'nonsense');
    assert.equal(refused.status, 403, refused.text);
    assert.match(String(refused.body['message']), /is no ImageReview$/);
  });
});
