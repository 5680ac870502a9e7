/** Storms of what is asked before a write: webhooks, quotas. */
import { collectionPath } from '../load/objects.ts';
import type { Scene, Storm } from './storm.ts';
import { makeNamespace, sendMany, sendOne } from './storm.ts';

const webhooksPath = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const webhooksStorm: Storm = {
  title: '2,000 webhooks are made; 8 writes match all of them, and nobody answers',
  async run(place) {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    const made = (i: number): object => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: `w${i}` },
      webhooks: [
        {
          name: `w${i}.example.org`,
          // Nobody listens there.
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [{ ...rule, operations: ['CREATE'] }],
          failurePolicy: 'Ignore',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const count = place.of(2_000);
    const post = (i: number) => ({ method: 'POST', path: webhooksPath, body: made(i) });
    await sendMany(place, count, post, 201);
    const body = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `asked${i}` },
    });
    const write = (i: number) => ({ method: 'POST', path: collectionPath, body: body(i) });
    await sendMany(place, 8, write, 201);
    await sendOne(place, { method: 'DELETE', path: webhooksPath }, 200);
  },
};

const quotaNamespace = '/api/v1/namespaces/counted';

const quotasStorm: Storm = {
  title: '16 quotas of one namespace: 5,000 objects are made by 100 at once, and deleted',
  async prepare(place) {
    await makeNamespace(place, 'counted');
    const hard = { 'count/configmaps': '1000000', configmaps: '1000000' };
    const made = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: `q${i}` },
      spec: { hard },
    });
    const path = `${quotaNamespace}/resourcequotas`;
    await sendMany(place, 16, (i) => ({ method: 'POST', path, body: made(i) }), 201);
  },
  async run(place) {
    const count = place.of(5_000);
    const path = `${quotaNamespace}/configmaps`;
    const body = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c${i}` },
    });
    await sendMany(place, count, (i) => ({ method: 'POST', path, body: body(i) }), 201);
    const remove = (i: number) => ({ method: 'DELETE', path: `${path}/c${i}`, body: '' });
    await sendMany(place, count, remove, 200);
  },
};

export const admissionScenes: readonly Scene[] = [{ storms: [webhooksStorm, quotasStorm] }];
