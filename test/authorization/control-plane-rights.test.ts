/**
 * The default roles let a control plane of others do its work: each request that a controller
 * manager, a scheduler and a proxy were seen to send is allowed to the user that sent it, and none
 * of it to a service account without a role.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mayAccess } from '../support/clients/access-setup.ts';
import { controlPlaneRequests } from '../support/data/control-plane-requests.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

const shape =
  /^([a-z]+)(?:\.([a-z0-9.]+))?(?:\/([a-z]+))?(?: in ([a-z-]+)(?:\/([a-z-]+))?)?: (.+)$/;

interface Asked {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}

function askedFor(row: string): readonly Asked[] {
  const match = shape.exec(row);
  assert(match !== null, row);
  const [, resource = '', group = '', subresource = '', namespace = '', name = ''] = match;
  const target = { group, resource, subresource, namespace, name };
  return (match[6] ?? '').split(',').map((verb) => ({ ...target, verb }));
}

const accountPrefix = 'system:serviceaccount:kube-system:';

describe('what a control plane asks for', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer({ identity: 'kubernetes' });
  });
  after(() => server.remove());

  const refused = async (user: string, rows: readonly string[]): Promise<readonly string[]> => {
    const account = user.startsWith(accountPrefix);
    const groups = account ? ['system:serviceaccounts', 'system:serviceaccounts:kube-system'] : [];
    const who = { user, groups: [...groups, 'system:authenticated'] };
    const found: string[] = [];
    for (const row of rows) {
      for (const asked of askedFor(row)) {
        if (!(await mayAccess(server, who, { ...asked }))) found.push(`${asked.verb} ${row}`);
      }
    }
    return found;
  };

  for (const [name, rows] of Object.entries(controlPlaneRequests)) {
    const user = name.startsWith('system:') ? name : `${accountPrefix}${name}`;
    it(`${name} may`, async () => {
      let left = await refused(user, rows);
      // The roles are made one by one, after the start.
      for (let tries = 0; tries < 1000 && left.length > 0; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        left = await refused(user, rows);
      }
      assert.deepEqual(left, []);
    });
  }

  it('an account without a role may do nothing of it', async () => {
    const rows = Object.values(controlPlaneRequests).flat();
    const asked = new Set(rows.flatMap((row) => askedFor(row).map(({ verb }) => `${verb} ${row}`)));
    const answers = await refused(`${accountPrefix}unknown`, [...new Set(rows)]);
    assert.equal(new Set(answers).size, asked.size);
  });
});
