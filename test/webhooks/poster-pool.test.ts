/** A pool of posters holds so many, and so much of their CA bundles. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemTimers } from '../../src/stdx/clock.ts';
import type { WebhookTarget } from '../../src/webhooks/kubeconfig-target.ts';
import { posterPool } from '../../src/webhooks/poster-pool.ts';

const target = (port: number, ca: string): WebhookTarget => ({
  url: new URL(`https://127.0.0.1:${port}/`),
  serverName: undefined,
  ca,
  insecureSkipVerify: false,
  certificate: undefined,
  authorization: () => undefined,
});

describe('the pool of posters', () => {
  it('keeps a poster while it is used, and no more than its number', () => {
    const posterTo = posterPool(systemTimers, 2, {});
    const first = posterTo(target(1, 'a'));
    posterTo(target(2, 'a'));
    assert.equal(posterTo(target(1, 'a')), first);
    posterTo(target(3, 'a'));
    assert.equal(posterTo(target(1, 'a')), first, 'the second was the least recently used');
  });

  it('does not keep large CA bundles of many webhooks, whoever has gone', () => {
    const posterTo = posterPool(systemTimers, 256, {});
    const bundle = 'x'.repeat(3_000_000);
    const first = posterTo(target(1, bundle));
    for (let port = 2; port < 5; port += 1) posterTo(target(port, bundle));
    assert.equal(posterTo(target(1, bundle)), first, 'there is room for some');
    for (let port = 10; port < 20; port += 1) posterTo(target(port, bundle));
    assert.notEqual(posterTo(target(1, bundle)), first);
  });
});
