/** Who decided what, and what webhooks cost, as the metrics tell it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDecisionCounts } from '../../src/authorization/decision-counts.ts';
import type { DecisionCounts } from '../../src/authorization/decision-counts.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

/** What has been counted: `webhook_evaluations_total hook success 2`. */
function told({ series }: DecisionCounts): readonly string[] {
  return series.flatMap(({ labelNames, name, read }) =>
    read().map(({ labels, value }) => {
      const given = labelNames.map((label) => labels[label]);
      return [name.replace('apiserver_authorization_', ''), ...given, value].join(' ');
    }),
  );
}

describe('the counts of decisions', () => {
  it('are of each authorizer, each webhook and each of its results', () => {
    const counts = createDecisionCounts();
    assert.deepEqual(told(counts), []);
    for (const decision of ['allowed', 'denied', 'allowed'] as const) {
      counts.decision('Webhook', 'a', decision);
    }
    counts.decision('Webhook', 'b', 'allowed');
    counts.webhookCall({ name: 'a', result: 'success', durationMs: 500, failedOpen: false });
    counts.webhookCall({ name: 'a', result: 'timeout', durationMs: 3000, failedOpen: true });
    counts.webhookCall({ name: 'a', result: 'timeout', durationMs: 2000, failedOpen: false });
    for (const result of ['match', 'excluded', 'error', 'excluded'] as const) {
      counts.conditions({ name: 'a', result, durationMs: 250 });
    }
    counts.reload('failure', 1000);
    counts.reload('success', 3000);
    counts.reload('success', 9000);
    assert.deepEqual(told(counts), [
      'decisions_total Webhook a allowed 2',
      'decisions_total Webhook a denied 1',
      'decisions_total Webhook b allowed 1',
      'webhook_evaluations_total a success 1',
      'webhook_evaluations_total a timeout 2',
      'webhook_duration_seconds_sum a success 0.5',
      'webhook_duration_seconds_sum a timeout 5',
      'webhook_evaluations_fail_open_total a timeout 1',
      'match_condition_exclusions_total Webhook a 2',
      'match_condition_evaluation_errors_total Webhook a 1',
      'match_condition_evaluation_seconds_sum Webhook a 1',
      'config_controller_automatic_reloads_total failure 1',
      'config_controller_automatic_reloads_total success 2',
      'config_controller_automatic_reload_last_timestamp_seconds failure 1',
      'config_controller_automatic_reload_last_timestamp_seconds success 9',
    ]);
  });
});

describe('a server', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer({ 'authorization-mode': 'RBAC' });
  });
  after(() => server.remove());

  it('tells who has allowed; who has no opinion has decided nothing', async () => {
    // What everybody may do is written at the start, and seen a moment later.
    while ((await server.secure('/version', { token: tokens.bob })).status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal((await server.secure('/api/v1/nodes', { token: tokens.bob })).status, 403);
    const { status, text } = await server.secure('/metrics', { token: tokens.admin });
    assert.equal(status, 200, text);
    const decided = text.match(/^apiserver_authorization_decisions_total\{.*$/gm);
    assert.deepEqual(decided, [
      'apiserver_authorization_decisions_total{type="RBAC",name="rbac",decision="allowed"} 1',
    ]);
  });
});
