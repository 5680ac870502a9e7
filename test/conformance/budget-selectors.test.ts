/**
 * Which pods an empty selector of a budget selects, by the version that wrote it, as an eviction
 * finds out (spec 2, section 9.3): all of the namespace in v1, none in v1beta1; without a selector
 * none in both. In every release alike, whichever version it stores.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

interface Row {
  readonly version: string;
  readonly spec: object;
  readonly selects: boolean;
}

const rows: readonly Row[] = [
  { version: 'policy/v1', spec: { selector: {} }, selects: true },
  { version: 'policy/v1', spec: {}, selects: false },
  { version: 'policy/v1', spec: { selector: { matchLabels: { app: 'a' } } }, selects: true },
  { version: 'policy/v1beta1', spec: { selector: {} }, selects: false },
  { version: 'policy/v1beta1', spec: {}, selects: false },
  { version: 'policy/v1beta1', spec: { selector: { matchLabels: { app: 'a' } } }, selects: true },
];

/** Release, the versions of budgets that it serves, the version of evictions that it takes. */
const releases: readonly (readonly [number, readonly string[], string])[] = [
  [16, ['policy/v1beta1'], 'policy/v1beta1'],
  [21, ['policy/v1beta1', 'policy/v1'], 'policy/v1beta1'],
  [22, ['policy/v1beta1', 'policy/v1'], 'policy/v1'],
  [24, ['policy/v1beta1', 'policy/v1'], 'policy/v1'],
  [33, ['policy/v1'], 'policy/v1'],
];

const pods = '/api/v1/namespaces/default/pods';

/** A pod that runs: one that waits for its node may go at any time. */
async function runningPod(server: TestServer): Promise<void> {
  const body = {
    metadata: { name: 'p', labels: { app: 'a' } },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  };
  assert.equal((await server.request('POST', pods, { body })).status, 201);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const patched = await server.request('PATCH', `${pods}/p/status`, {
    body: JSON.stringify({ status }),
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  assert.equal(patched.status, 200, patched.text);
}

for (const [release, versions, eviction] of releases) {
  describe(`budgets as 1.${release} stores them`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ 'emulated-version': `1.${release}` });
      await runningPod(server);
    });
    after(() => server.remove());

    for (const { version, spec, selects } of rows.filter((row) => versions.includes(row.version))) {
      const what = `${version} ${JSON.stringify(spec)}`;
      it(`${what} ${selects ? 'guards' : 'does not guard'} the pod`, async () => {
        const budgets = `/apis/${version}/namespaces/default/poddisruptionbudgets`;
        const body = { metadata: { name: 'b' }, spec: { minAvailable: 1, ...spec } };
        const made = await server.request('POST', budgets, { body });
        assert.equal(made.status, 201, made.text);
        const reply = await server.request('POST', `${pods}/p/eviction?dryRun=All`, {
          body: { apiVersion: eviction, kind: 'Eviction', metadata: { name: 'p' } },
        });
        // Nobody has counted what the budget allows: it allows nothing.
        assert.equal(reply.status, selects ? 429 : 201, reply.text);
        assert.equal((await server.request('DELETE', `${budgets}/b`)).status, 200);
      });
    }
  });
}
