/** Events with large bodies are made in steps, and are what they would be in one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { createAuditor } from '../../src/audit/auditor.ts';
import type { AuditEvent } from '../../src/audit/backend.ts';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { parseAuditPolicy } from '../../src/audit/policy-file.ts';
import type { Step } from '../../src/stdx/turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const attributes = {
  user: { name: 'ann', uid: '', groups: [], extra: {} },
  verb: 'create',
  isResourceRequest: true,
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'configmaps',
  subresource: '',
  namespace: 'n',
  name: '',
  path: '/api/v1/namespaces/n/configmaps',
};

function audited(characters: number) {
  const steps: Step[] = [];
  const events: AuditEvent[] = [];
  let stopped = false;
  const { clock } = manualTime();
  const rule = { level: 'RequestResponse', omitStages: ['RequestReceived'] };
  const auditor = createAuditor({
    policy: policyOf(rule),
    backends: [
      {
        plugin: 'log',
        lostTotal: 0,
        write: (event) => events.push(event) > 0,
        stop: () => Promise.resolve(void (stopped = true)),
      },
    ],
    clock,
    identity: identityOf('kubernetes'),
    turns: { run: (step) => void steps.push(step) },
  });
  const trail = auditor.begin({
    auditId: 'id',
    requestUri: '/',
    verb: 'post',
    sourceAddresses: [],
    userAgent: '',
    receivedMs: 0,
  });
  assert.equal(trail.attributes(attributes as never), true);
  for (const name of ['requestObject', 'responseObject'] as const) {
    const value = { metadata: { name: 'a' }, [name]: 'x'.repeat(characters), big: 2n ** 60n };
    trail[name]({ value, bytes: characters });
  }
  return { auditor, events, steps, trail, isStopped: () => stopped };
}

function policyOf(rule: { level: string; omitStages: string[] }) {
  const text = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [rule] });
  const read = parseAuditPolicy(Buffer.from(text), 'audit.k8s.io');
  assert.ok(read.kind === 'ok');
  return read.policy;
}

describe('an event', () => {
  it('with small bodies is written at once', () => {
    const { events, steps, trail } = audited(100);
    assert.equal(trail.completed({ code: 201 }), true);
    assert.deepEqual([events.length, steps.length], [1, 0]);
  });

  it('with large bodies has a step for each, and the end waits for it', async () => {
    const { auditor, events, isStopped, steps, trail } = audited(500_000);
    const taken = trail.completed({ code: 201 });
    const end = auditor.stop();
    let count = 0;
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      assert.deepEqual([events.length, isStopped()], [0, false]);
      if (step(() => true)) steps.unshift(step);
      count += 1;
    }
    assert.equal(await taken, true);
    await end;
    assert.ok(isStopped());
    assert.ok(count >= 3, `${count}`);
    const [event] = events;
    assert.equal(event?.json, stringifyJson(event?.fields ?? {}));
    assert.match(event?.json ?? '', /"requestObject":.*1152921504606846976.*"responseObject":/);
  });
});
