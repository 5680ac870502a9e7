/** Roles that others may be made of are taken in: a large one in steps, which others share. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EMPTY } from 'rxjs';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { createRoleAggregation } from '../../src/controllers/role-aggregation.ts';
import type { RoleAggregationDeps } from '../../src/controllers/role-aggregation.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { Entry } from '../../streams/streams.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

type Take = (event: { type: string; entry: Entry }) => Steps<void> | undefined;

/** What it does with an event. */
function taking(): { readonly take: Take; readonly pendingCount: () => number } {
  const time = manualTime();
  const taken: Take[] = [];
  const followers = {
    follow: (_name: string, _events: unknown, take: Take) => void taken.push(take),
  };
  const registry = {
    identity: identityOf('kubernetes'),
    scheme: { findStorage: () => ({}) as KindInfo },
    clock: time.clock,
    streams: { followers, resourceEvents: () => EMPTY },
  };
  const onError = (): never => assert.fail('nothing fails');
  const deps = { registry, timers: time.timers, onError };
  createRoleAggregation(deps as unknown as RoleAggregationDeps).start();
  const [take] = taken;
  assert.ok(take !== undefined);
  return { take, pendingCount: () => time.pendingCount };
}

function entryOf(rulesCount: number): Entry {
  const rules = Array.from({ length: rulesCount }, (_, at) => ({
    apiGroups: [''],
    resources: [`resource-${at}`],
    verbs: ['get'],
  }));
  const metadata = { name: 'a', uid: 'u' };
  const role = { kind: 'ClusterRole', apiVersion: 'v1', metadata, rules };
  const bytes = Buffer.from(JSON.stringify(role));
  return { namespace: '', name: 'a', revision: 1n as Revision, labels: {}, fields: {}, bytes };
}

describe('roles that others may be made of', () => {
  it('are taken in at once when they are small', () => {
    const { pendingCount, take } = taking();
    assert.equal(take({ type: 'ADDED', entry: entryOf(10) }), undefined);
    assert.equal(pendingCount(), 1, 'a look at all is due');
  });

  // Before, each was decoded in the turn in which it came.
  it('are taken in in steps when they are large, and looked at behind the last', () => {
    const { pendingCount, take } = taking();
    const steps = take({ type: 'MODIFIED', entry: entryOf(20_000) });
    assert.ok(steps !== undefined);
    let count = 0;
    while (steps.next().done !== true) {
      count += 1;
      assert.equal(pendingCount(), 0);
    }
    assert.ok(count > 5, `${count} steps`);
    assert.equal(pendingCount(), 1);
  });
});
