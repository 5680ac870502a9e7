/** ImagePolicyWebhook: a server that judges images, what it is asked, and when it does not answer. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Review, ValidatePass } from '../../src/admission/admission.ts';
import { imagePolicyWebhook } from '../../src/admission/image-policy/image-policy-webhook.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import { startConfigured } from '../support/servers/configured-server.ts';
import { kubeconfigFor } from '../support/data/kubeconfig.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import type { RemoteService } from '../support/servers/remote-service.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-images');

const pods = '/api/v1/namespaces/default/pods';

describe('the answers of the webhook for images', () => {
  /** `answers`: one after another; an error is a server that does not answer. */
  const judged = (allowsWithoutAnswer: boolean, ...answers: (JsonObject | Error)[]) => {
    const asked: string[] = [];
    let nowMs = 0;
    const plugin = imagePolicyWebhook(
      identityOf('kubernetes'),
      { kubeConfigFile: '', allowedMs: 1000, deniedMs: 100, firstPauseMs: 0, allowsWithoutAnswer },
      {
        poster: {
          post(body) {
            asked.push(String(body));
            const next = answers.shift() ?? new Error('no more answers');
            if (next instanceof Error) return Promise.reject(next);
            return Promise.resolve(Buffer.from(JSON.stringify({ status: next })));
          },
        },
        clock: { monotonicMs: () => nowMs },
        timers: systemTimers,
      },
    );
    const ask = async (image: string, annotations: Record<string, string> = {}) => {
      const told: Record<string, string> = {};
      const annotate = (key: string, value: string): void => void (told[key] = value);
      const next = { metadata: { annotations }, spec: { containers: [{ image }] } };
      const review = { namespace: 'n', next, subresource: '' } as unknown as Review;
      const refused = await plugin.validate?.(review, {
        recorder: { annotate },
      } as unknown as ValidatePass);
      return [refused, told];
    };
    return { ask, asked, pass: (ms: number) => void (nowMs += ms) };
  };
  const prefix = 'imagepolicywebhook.image-policy.k8s.io';
  const rejected = 'one or more images rejected by webhook backend';

  it('are in the audit event with their annotations, also when they refuse or are kept', async () => {
    const { ask, asked } = judged(
      false,
      { allowed: true, auditAnnotations: { signed: 'yes', by: 'ann' } },
      { allowed: false, auditAnnotations: { signed: 'no' } },
      { allowed: true, auditAnnotations: {} },
    );
    const good = [undefined, { [`${prefix}/signed`]: 'yes', [`${prefix}/by`]: 'ann' }];
    const bad = [rejected, { [`${prefix}/signed`]: 'no' }];
    for (const _round of [1, 2]) {
      assert.deepEqual(await ask('good'), good);
      assert.deepEqual(await ask('bad'), bad);
    }
    assert.deepEqual(await ask('plain'), [undefined, {}]);
    assert.equal(asked.length, 3);
  });

  it('that do not come are told of where the pod is let through', async () => {
    const lenient = judged(true, new Error('away'));
    const opened = [undefined, { [`${prefix}/failed-open`]: 'true' }];
    assert.deepEqual(await lenient.ask('a'), opened);
    const strict = judged(false, new Error('away'));
    assert.deepEqual(await strict.ask('a'), ['away', {}]);
  });

  it('are kept for their time, and for the same annotations in any order', async () => {
    const yes = { allowed: true };
    const { ask, asked, pass } = judged(false, yes, { allowed: false }, yes, yes);
    const [a, b] = [{ 'a.image-policy.k8s.io/x': '1' }, { 'b.image-policy.k8s.io/x': '2' }];
    await ask('good', { ...a, ...b });
    await ask('good', { ...b, ...a, other: 'z' });
    assert.deepEqual((await ask('bad'))[0], rejected);
    assert.equal(asked.length, 2);
    pass(100);
    assert.deepEqual((await ask('bad'))[0], undefined, 'a denial is kept for less');
    await ask('good', { ...a, ...b });
    assert.equal(asked.length, 3);
    pass(900);
    await ask('good', { ...a, ...b });
    assert.equal(asked.length, 4);
  });

  it('that were used last stay where there are too many', async () => {
    const { ask, asked } = judged(
      false,
      ...Array.from({ length: 1100 }, () => ({ allowed: true })),
    );
    for (let at = 0; at < 1024; at += 1) await ask(`i${at}`);
    await ask('i0');
    await ask('one-more');
    assert.equal(asked.length, 1025);
    await ask('i0');
    assert.equal(asked.length, 1025, 'it was used');
    await ask('i1');
    assert.equal(asked.length, 1026, 'it was not');
  });
});

describe('the webhook for images', () => {
  const asked: JsonObject[] = [];
  let webhook: RemoteService;
  let folder: string;
  let strict: TestServer;
  let lenient: TestServer;
  /** What is answered; a number is a status without a body. */
  let answer: (spec: JsonObject) => JsonObject | number;
  /** What of the review is sent back. */
  let shown = (review: JsonObject): JsonObject => review;

  before(async () => {
    webhook = await startRemoteService((body, _request, response) => {
      const review = JSON.parse(body) as JsonObject;
      asked.push(review);
      const found = answer(review['spec'] as JsonObject);
      if (typeof found === 'number') response.writeHead(found).end();
      else response.end(JSON.stringify(shown({ ...review, status: found })));
    });
    folder = directories.make();
    const kubeConfigFile = path.join(folder, 'kubeconfig');
    await writeFile(kubeConfigFile, kubeconfigFor({ server: `${webhook.url}/images` }));
    const start = (defaultAllow: boolean): Promise<TestServer> =>
      startConfigured(
        { 'enable-admission-plugins': 'ImagePolicyWebhook' },
        { ImagePolicyWebhook: { imagePolicy: { kubeConfigFile, retryBackoff: 1, defaultAllow } } },
      );
    [strict, lenient] = [await start(false), await start(true)];
  });
  after(async () => {
    await Promise.all([strict.remove(), lenient.remove()]);
    webhook.close();
    await directories.removeAll();
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

  it('that does not say that it allows does not, and of its kind it need not speak', async () => {
    for (const [at, silent] of [{ reason: '' }, { allowed: null }, {}].entries()) {
      answer = () => silent;
      const refused = await create(lenient, `s${at}`, `silent-${at}`);
      assert.equal(refused.status, 403, refused.text);
      assert.match(String(refused.body['message']), /one or more images rejected/);
    }
    shown = ({ status }) => ({ status });
    answer = () => ({ allowed: true });
    assert.equal((await create(strict, 's3', 'without-kind')).status, 201);
    answer = () => ({ allowed: false });
    assert.equal((await create(lenient, 's4', 'without-kind')).status, 403);
    shown = ({ status }) => ({ kind: 'PodReview', status });
    assert.equal((await create(strict, 's5', 'other-kind')).status, 403);
    shown = (review) => review;
  });

  it('is asked about what is updated and about ephemeral containers, these alone', async () => {
    answer = () => ({ allowed: true });
    assert.equal((await create(strict, 'grows', 'first')).status, 201);
    const patch = (target: string, body: JsonObject): Promise<Reply> =>
      strict.request('PATCH', `${pods}/grows${target}`, {
        body,
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
      });
    const imagesOf = (review: JsonObject | undefined): unknown =>
      (review?.['spec'] as JsonObject)['containers'];
    asked.length = 0;
    answer = () => ({ allowed: false });
    const image = await patch('', { spec: { containers: [{ name: 'c', image: 'second' }] } });
    assert.equal(image.status, 403, image.text);
    assert.deepEqual(imagesOf(asked[0]), [{ image: 'second' }, { image: 'init' }]);
    const debug = { spec: { ephemeralContainers: [{ name: 'd', image: 'debug' }] } };
    const refused = await patch('/ephemeralcontainers', debug);
    assert.equal(refused.status, 403, refused.text);
    assert.deepEqual(imagesOf(asked[1]), [{ image: 'debug' }]);
    const status = await patch('/status', { status: { message: 'm' } });
    assert.equal(status.status, 200, status.text);
    assert.equal(asked.length, 2, 'not about other subresources');
  });

  it('whose answer is none has not answered', async () => {
    answer = () => ({ allowed: 'yes' });
    const refused = await create(strict, 'n1', 'nonsense');
    assert.equal(refused.status, 403, refused.text);
    assert.match(String(refused.body['message']), /is no ImageReview$/);
  });
});
