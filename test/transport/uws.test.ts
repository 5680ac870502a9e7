import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listenUws } from '../support/servers/listen-uws.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';
import { transportContract } from '../contract/transport-contract.ts';

const load = await loadUws();
if (load.ok) {
  transportContract('uws', listenUws, {
    // The library closes a connection that has a second request while the first is unanswered.
    queuesPipelined: false,
    // Its parser takes everything it does not understand for an incomplete head.
    answersGarbage: false,
    // It shows a connection only once there is a request on it.
    countsConnections: false,
  });
} else {
  it('without a native binding the uws transport refuses to listen and says why', async () => {
    const options = { address: '127.0.0.1', port: 0, limits: {} as never };
    await assert.rejects(
      listenUws(options, () => {}),
      /not available/,
    );
  });
}
