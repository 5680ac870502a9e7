/** What a server says of its own address: to others what they reach, to this machine its own. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { adminAccess } from '../../src/server/compose/kubeconfig.ts';
import { ensurePki } from '../../src/server/compose/pki.ts';
import { systemClock } from '../../src/stdx/clock.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

describe('a server with an address that is published', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer({ 'advertise-address': '192.0.2.7' });
  });
  after(() => server.remove());

  const read = async (target: string) =>
    (await server.secure(target, { token: tokens.admin })).body;

  it('names it in discovery and in the document of its issuer, not the one it is bound to', async () => {
    const address = `192.0.2.7:${new URL(server.secureUrl).port}`;
    const { serverAddressByClientCIDRs: byCidr } = await read('/api');
    assert.deepEqual(byCidr, [{ clientCIDR: '0.0.0.0/0', serverAddress: address }]);
    const { jwks_uri: keys } = await read('/.well-known/openid-configuration');
    assert.equal(keys, `https://${address}/openid/v1/jwks`);
  });
});

describe('the kubeconfig of a server that is bound to all addresses', () => {
  const directories = testDirectories('sluice-published');
  after(() => directories.removeAll());

  it('names the loopback address, for no certificate names an address that stands for all', async () => {
    const system = {
      advertisedAddress: undefined,
      serviceRanges: ['10.0.0.0/24'],
      serviceAddress: '10.0.0.1',
      nodePorts: { first: 1, last: 2 },
    };
    const config = { dataDir: directories.make(), bindAddress: '0.0.0.0', system };
    const pki = await ensurePki(config, identityOf('kubernetes'), systemClock);
    for (const [bound, named] of [
      ['0.0.0.0', '127.0.0.1'],
      ['[::]', '[::1]'],
      ['[::1]', '[::1]'],
      ['10.0.0.0', '10.0.0.0'],
      ['host', 'host'],
    ] as const) {
      const at = { url: `https://${bound}:6443`, tokenUrl: `https://${bound}:6444` };
      const { url, tokenUrl } = adminAccess(at, pki, pki, undefined);
      const expected = { url: `https://${named}:6443`, tokenUrl: `https://${named}:6444` };
      assert.deepEqual({ url, tokenUrl }, expected);
    }
  });
});
