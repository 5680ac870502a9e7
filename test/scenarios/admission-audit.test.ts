/** What audit events say of the admission webhooks that were asked. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { patching, startAdmissionHook } from '../support/servers/admission-hook.ts';
import { startTestServer } from '../support/servers/test-server.ts';

it('an audit event names the webhooks that were asked, what they changed and what they said', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-admission-audit-'));
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Request' }] };
  writeFileSync(path.join(folder, 'policy.json'), JSON.stringify(policy));
  const log = path.join(folder, 'audit.log');
  const hook = await startAdmissionHook();
  const operations = [{ op: 'add', path: '/data', value: { a: 'b' } }];
  hook.moods.set('/patch', () => patching(operations, { auditAnnotations: { seen: 'yes' } }));
  const server = await startTestServer({
    identity: 'kubernetes',
    'audit-policy-file': path.join(folder, 'policy.json'),
    'audit-log-path': log,
    'audit-log-mode': 'blocking',
  });
  try {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const body = {
      apiVersion,
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'hooks' },
      webhooks: [
        {
          name: 'patch.example.com',
          clientConfig: { url: `${hook.url}/patch`, caBundle: hook.caBundle },
          rules: [{ ...rule, operations: ['CREATE'] }],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    };
    const list = `/apis/${apiVersion}/mutatingwebhookconfigurations`;
    assert.equal((await server.request('POST', list, { body })).status, 201);
    const maps = '/api/v1/namespaces/default/configmaps?dryRun=All';
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    let id: unknown;
    while (hook.asked.length === 0) {
      id = (await server.request('POST', maps, { body: map })).headers['audit-id'];
    }
    const events = readFileSync(log, 'utf8').trimEnd().split('\n');
    const event = events
      .map((line) => JSON.parse(line) as JsonObject)
      .findLast((each) => each['auditID'] === id && each['stage'] === 'ResponseComplete');
    const who = { configuration: 'hooks', webhook: 'patch.example.com' };
    const annotations = event?.['annotations'] as Record<string, string>;
    const place = 'webhook.admission.k8s.io/round_0_index_0';
    assert.deepEqual(JSON.parse(annotations[`mutation.${place}`] ?? ''), { ...who, mutated: true });
    const patched = { ...who, patch: operations, patchType: 'JSONPatch' };
    assert.deepEqual(JSON.parse(annotations[`patch.${place}`] ?? ''), patched);
    assert.equal(annotations['patch.example.com/seen'], 'yes');
  } finally {
    hook.close();
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
