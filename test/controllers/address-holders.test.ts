/** Who has an address or a port, as services come, change and go. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAddressHolders } from '../../src/controllers/address-holders.ts';

it('holders of an address are those that had it when they were last looked at', () => {
  const holders = createAddressHolders();
  holders.learn('n/a', ['ipaddresses/10.0.0.1', 'nodeports/30000']);
  holders.learn('n/b', ['ipaddresses/10.0.0.1']);
  assert.deepEqual(holders.of('ipaddresses/10.0.0.1'), ['n/a', 'n/b']);
  holders.learn('n/a', ['ipaddresses/10.0.0.2']);
  assert.deepEqual(holders.of('ipaddresses/10.0.0.1'), ['n/b']);
  assert.deepEqual(holders.of('nodeports/30000'), []);
  holders.learn('n/b', []);
  holders.learn('n/a', ['ipaddresses/10.0.0.2']);
  assert.deepEqual(holders.of('ipaddresses/10.0.0.1'), []);
  assert.deepEqual(holders.of('ipaddresses/10.0.0.2'), ['n/a']);
});
