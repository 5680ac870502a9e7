/**
 * A controller that fails while it takes changes: the log, the metrics and /readyz say so, it goes
 * on by itself, and nothing that happened meanwhile is lost.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Scheme } from '../../src/apimachinery/scheme.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { eventually } from '../support/clients/watch-client.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a garbage collector that throws', () => {
  let server: TestServer;
  let broken = false;
  const logged: string[] = [];
  beforeEach(async () => {
    const quiet = { warn: () => undefined, info: () => undefined, debug: () => undefined };
    server = await startTestServer(
      {},
      { ...quiet, error: (fields, text) => void logged.push(`${text} ${JSON.stringify(fields)}`) },
    );
    breakable(server.running.parts.registry.scheme);
  });
  afterEach(() => server.remove());

  /** Only what the collector's graph asks for fails. */
  function breakable(scheme: Scheme): void {
    const findKind = scheme.findKind.bind(scheme);
    const failing: Scheme['findKind'] = (...args) => {
      const caller = new Error('the graph is broken');
      if (broken && caller.stack?.includes('garbage-collector-graph') === true) throw caller;
      return findKind(...args);
    };
    Object.defineProperty(scheme, 'findKind', { value: failing });
  }

  const status = async (path: string): Promise<number> =>
    (await server.request('GET', path)).status;
  const uidOf = async (name: string): Promise<string> => {
    const { body } = await server.request('GET', `${configMaps}/${name}`);
    return (body['metadata'] as { uid: string }).uid;
  };
  const create = async (name: string, owner?: string): Promise<void> => {
    const ownerReferences =
      owner === undefined
        ? []
        : [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: await uidOf(owner) }];
    const body = { metadata: { name, ownerReferences } };
    const made = await server.request('POST', configMaps, { body });
    assert.equal(made.status, 201, made.text);
  };
  const metric = async (name: string): Promise<number> => {
    const { text } = await server.request('GET', '/metrics');
    return Number(
      new RegExp(`^${name}\\{name="garbage-collector"\\} (\\S+)$`, 'm').exec(text)?.[1],
    );
  };

  it('is not ready after three failures, is well again by itself, and collects what it missed', async () => {
    await create('owner');
    await create('heir');
    assert.equal(await metric('sluice_change_follower_failures_total'), 0);
    broken = true;
    await create('orphan', 'owner');
    await eventually('readiness falls', async () => (await status('/readyz')) === 500);
    assert.equal(await status('/readyz/change-followers'), 500);
    assert.equal(await status('/readyz?exclude=change-followers'), 200);
    assert.equal(await status('/livez'), 200, 'a restart would not mend it');
    assert.ok((await metric('sluice_change_follower_failures_total')) >= 3);
    assert.equal(await metric('sluice_change_follower_failing'), 1);
    assert.match(logged.join('\n'), /begins anew .*"follower":"garbage-collector"/);
    // All of this happens while it hears nothing.
    await create('another', 'heir');
    for (const name of ['owner', 'heir']) {
      const target = `${configMaps}/${name}?propagationPolicy=Background`;
      assert.equal((await server.request('DELETE', target)).status, 200);
    }
    broken = false;
    await eventually('the garbage is gone', async () => {
      const gone = await Promise.all(
        ['orphan', 'another'].map((name) => status(`${configMaps}/${name}`)),
      );
      return gone.every((each) => each === 404);
    });
    await eventually('it is ready', async () => (await status('/readyz')) === 200);
    assert.equal(await metric('sluice_change_follower_failing'), 0);
  });
});
