/** How often servers behind this one are asked what they serve. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RemoteService } from '../../src/aggregation/api-service.ts';
import { followRemoteDocuments } from '../../src/aggregation/remote-documents.ts';
import { noApiServices } from '../../src/aggregation/api-services.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

it('a server whose APIServices change all the time is asked now and then', async () => {
  const { advance, timers } = manualTime();
  const backend = { namespace: 'a', name: 'b', port: 1, ca: '', insecureSkipVerify: true };
  const order = { groupPriority: 1, versionPriority: 1, isAvailable: true };
  const service: RemoteService = {
    ...{ name: 'v1.far.example', group: 'far.example', version: 'v1', backend },
    ...order,
  };
  let changed: (name: string) => void = () => undefined;
  let asked = 0;
  const documents = followRemoteDocuments({
    services: {
      ...noApiServices,
      find: () => service,
      remotes: () => [service],
      behind: () => [service.name],
      onChange(listener) {
        changed = listener;
        return () => undefined;
      },
    },
    backends: {
      call(_, { path }) {
        if (path === '/apis') asked += 1;
        const body = Buffer.from('{}');
        return Promise.resolve({ status: path === '/apis' ? 404 : 200, headers: {}, body });
      },
    },
    identity: { groups: { discovery: 'apidiscovery.example' } } as never,
    timers,
    turns: createTurns({ clock: systemClock, timers: systemTimers }),
    onError: () => undefined,
  });
  try {
    for (let i = 0; i < 50; i += 1) {
      changed(service.name);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(asked, 1);
    advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(asked, 2, 'what has changed meanwhile is asked for once');
  } finally {
    documents.stop();
  }
});
