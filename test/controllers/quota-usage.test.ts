/** What quotas count, in one pass over a namespace for all of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { GroupResource } from '../../src/apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { countQuotas } from '../../src/controllers/quota-usage.ts';

type Deps = Parameters<typeof countQuotas>[0];

function pod(at: number): ApiObject {
  const resources = { requests: { cpu: '100m' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${at}` },
    spec: {
      containers: [{ name: 'c', ...(at % 2 === 0 ? { resources } : {}) }],
      ...(at % 5 === 0 ? { priorityClassName: 'high' } : {}),
    },
  };
}

/** A namespace with so many pods, and nothing else. */
function depsOf(podsCount: number) {
  let walked = 0;
  const snapshot = ({ resource }: GroupResource) => ({
    count: () => (resource === 'pods' ? podsCount : 0),
    *entries() {
      if (resource !== 'pods') return;
      for (let at = 0; at < podsCount; at += 1) {
        walked += 1;
        yield encodeObject(pod(at));
      }
    },
  });
  const deps = {
    identity: identityOf('kubernetes'),
    scheme: {
      findStorage: ({ resource }: GroupResource) => ({ namespaced: resource !== 'nodes' }),
    },
    streams: { snapshot },
  } as unknown as Deps;
  return { deps, walked: () => walked };
}

const quota = (spec: JsonObject): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec,
});

const high = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };

describe('what quotas count', () => {
  it('is what each of them bounds of what is in its scopes', () => {
    const { deps } = depsOf(20);
    const specs: readonly JsonObject[] = [
      { hard: { pods: '1', 'requests.cpu': '1', 'count/secrets': '1' } },
      { hard: { 'count/pods': '1', 'count/nodes': '1', 'count/widgets.example.com': '1' } },
      { hard: { pods: '1' }, scopes: ['BestEffort'] },
      { hard: { pods: '1' }, scopes: ['NotBestEffort'] },
      { hard: { pods: '1', cpu: '2' }, scopeSelector: { matchExpressions: [high] } },
      { hard: { secrets: '1' }, scopes: ['BestEffort'] },
    ];
    const steps = countQuotas(deps, 'n', specs.map(quota));
    let end = steps.next();
    while (end.done !== true) end = steps.next();
    assert.deepEqual(
      end.value.map(({ used }) => used),
      [
        { pods: '20', 'requests.cpu': '1', 'count/secrets': '0' },
        { 'count/pods': '20', 'count/nodes': '0', 'count/widgets.example.com': '0' },
        { pods: '10' },
        { pods: '10' },
        { pods: '4', cpu: '200m' },
        { secrets: '0' },
      ],
    );
    assert.deepEqual(
      end.value.map(({ hard }) => hard),
      specs.map(({ hard }) => hard),
    );
  });

  it('takes one look at each object, and two at each quota, each in a step of its own', () => {
    const { deps, walked } = depsOf(50);
    const quotas = Array.from({ length: 200 }, () => quota({ hard: { pods: '1', cpu: '1' } }));
    const steps = [...countQuotas(deps, 'n', quotas)];
    assert.deepEqual([walked(), steps.length], [50, 50 + 2 * quotas.length]);
  });

  it('takes none where everything counts as one', () => {
    const { deps, walked } = depsOf(50);
    const steps = [...countQuotas(deps, 'n', [quota({ hard: { 'count/pods': '1' } })])];
    assert.equal(steps.length, 2);
    assert.equal(walked(), 0);
  });
});
