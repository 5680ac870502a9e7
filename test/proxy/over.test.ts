/** The end of connections to other servers: heard late, and not waited for without end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { endConnection, whenOver } from '../../src/proxy/over.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

/** A connection whose other side reads nothing, or all. */
function connection(takes: boolean): Duplex {
  const written = (_bytes: unknown, _encoding: unknown, done: () => void): void => {
    if (takes) done();
  };
  return new Duplex({ read: () => undefined, write: written });
}

describe('a connection to another server', () => {
  it('that is over when somebody looks is found so', async () => {
    const socket = connection(true);
    socket.destroy();
    await once(socket, 'close');
    let calls = 0;
    whenOver(socket, () => (calls += 1));
    assert.equal(calls, 1);
  });

  it('is ended behind what was on its way', async () => {
    const { timers, pendingCount } = manualTime();
    const socket = connection(true);
    socket.write('the last');
    endConnection(socket, timers);
    await once(socket, 'close');
    assert.equal(pendingCount, 0);
  });

  it('whose server takes nothing is cut in the end', async () => {
    const { advance, timers } = manualTime();
    const socket = connection(false);
    socket.write('the last');
    endConnection(socket, timers);
    advance(29_999);
    assert.equal(socket.destroyed, false);
    advance(1);
    assert.equal(socket.destroyed, true);
  });
});
