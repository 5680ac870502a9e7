/**
 * An unchanged file never conflicts with itself: what one program creates or replaces from a file,
 * another one applies from the same file (spec 1, sections 3.2 and 4.5). Each shared minimal object,
 * and objects with fields that are written one way and stored another, or not stored at all.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readCorpus } from '../support/data/corpora.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { podSpec, workloadSpec } from '../support/data/valid-objects.ts';

interface Row {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly stub: Stub;
}

interface Stub {
  readonly metadata: { readonly name: string };
  readonly [name: string]: unknown;
}

const stubs = readCorpus<{ readonly cases: readonly Row[] }>('object-stubs/cases.json').cases.map(
  (row): Row => ({
    ...row,
    stub: JSON.parse(
      JSON.stringify(row.stub).replaceAll('etcdstoragepathtestnamespace', 'default'),
    ) as Stub,
  }),
);

function core(resource: string, name: string, more: object): Row {
  return { group: '', version: 'v1', resource, stub: { metadata: { name }, ...more } };
}

/** Fields that the server changes, drops, or has another name for. */
const changed: readonly Row[] = [
  core('secrets', 'text', { stringData: { password: 's3cret' } }),
  core('secrets', 'both', { data: { password: 'YQ==', user: 'Yg==' }, stringData: { user: 'b' } }),
  core('secrets', 'empty', { stringData: {} }),
  core('pods', 'account', { spec: podSpec({ serviceAccountName: 'default' }) }),
  core('pods', 'older', { spec: podSpec({ serviceAccount: 'default' }) }),
  core('pods', 'status', { spec: podSpec(), status: { phase: 'Running', podIP: '10.0.0.1' } }),
  core('services', 'address', {
    spec: { clusterIP: '10.0.0.7', ports: [{ port: 80 }] },
    status: { loadBalancer: { ingress: [{ ip: '10.0.0.9' }] } },
  }),
  core('services', 'headless', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }),
  core('namespaces', 'finalized', { spec: { finalizers: ['kubernetes'] } }),
  core('nodes', 'ranges', { spec: { podCIDR: '10.1.0.0/24' } }),
  {
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    stub: { metadata: { name: 'd' }, spec: workloadSpec(), status: { replicas: 7 } },
  },
  {
    group: 'batch',
    version: 'v1',
    resource: 'jobs',
    stub: {
      metadata: { name: 'j' },
      spec: { template: { spec: podSpec({ restartPolicy: 'Never' }) } },
    },
  },
];

/** Lists that are owned as a whole, with defaults inside: as in the reference, the file without the
 * defaults is another list than the one that is stored. */
const ownedAsWhole: Readonly<Record<string, string>> = {
  endpoints: '.subsets',
  clusterrolebindings: '.subjects',
  mutatingwebhookconfigurations: '.webhooks[name="externaladmissionhook.k8s.io"].rules',
};

/** What the server made of them cannot be left out again. */
const notReplaced: ReadonlySet<string> = new Set(['jobs']);

/** The owners' entries, without their times. Nobody owns anything of a request to be signed. */
function ownersIn({ body }: Reply): unknown {
  const { metadata } = body as unknown as { metadata: { managedFields?: object[] } };
  return (metadata.managedFields ?? []).map((entry) => ({ ...entry, time: '' }));
}

async function staysApplied(server: TestServer, row: Row): Promise<void> {
  const { scheme } = server.running.parts.registry;
  const kind = scheme.findResource(row.group, row.version, row.resource);
  assert.ok(kind !== undefined);
  const root = row.group === '' ? '/api' : `/apis/${row.group}`;
  const scope = kind.namespaced ? '/namespaces/default' : '';
  const collection = `${root}/${row.version}${scope}/${row.resource}`;
  const path = `${collection}/${row.stub.metadata.name}`;
  const apiVersion = row.group === '' ? row.version : `${row.group}/${row.version}`;
  const file = { apiVersion, kind: kind.kind, ...row.stub };
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const send = (): Promise<Reply> =>
    server.request('PATCH', `${path}?fieldManager=kubectl`, { headers, body: file });
  const apply = async (): Promise<Reply> => {
    const applied = await send();
    assert.equal(applied.status, 200, applied.text);
    return applied;
  };
  const created = await server.request('POST', `${collection}?fieldManager=kubectl-create`, {
    body: file,
  });
  assert.equal(created.status, 201, created.text);
  const field = ownedAsWhole[row.resource];
  if (field !== undefined) {
    const refused = await send();
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /conflict with .*kubectl-create/);
    assert.ok(JSON.stringify(refused.body['details']).includes(JSON.stringify(field)));
    return;
  }
  const once = await apply();
  const twice = await apply();
  assert.deepEqual(twice.body, once.body, 'the second time changes nothing');
  if (notReplaced.has(row.resource)) return;
  const { resourceVersion } = (once.body as { metadata: { resourceVersion: string } }).metadata;
  const replaced = await server.request('PUT', `${path}?fieldManager=kubectl-replace`, {
    body: { ...file, metadata: { ...row.stub.metadata, resourceVersion } },
  });
  assert.equal(replaced.status, 200, replaced.text);
  const last = await apply();
  assert.deepEqual(ownersIn(await apply()), ownersIn(last));
  await server.request('DELETE', `${path}?gracePeriodSeconds=0`);
}

describe('an unchanged file', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      'runtime-config': 'api/all=true',
      'feature-gates': 'DynamicResourceAllocation=true',
    });
  });
  for (const row of [...stubs, ...changed]) {
    test(`${row.group}/${row.version}/${row.resource} ${row.stub.metadata.name}`, async (t) => {
      const { scheme } = server.running.parts.registry;
      if (scheme.findResource(row.group, row.version, row.resource) === undefined) {
        return t.skip('ended before the release that is served');
      }
      await staysApplied(server, row);
    });
  }

  test('of a Secret in text is owned as what is stored', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    const body = { metadata: { name: 'owned' }, stringData: { a: 'x' } };
    const owned = (reply: Reply): string => JSON.stringify(ownersIn(reply));
    const made = await server.request('POST', path, { body });
    assert.match(owned(made), /"f:data":\{".":\{\},"f:a":\{\}\}/);
    assert.doesNotMatch(owned(made), /stringData/);
    const put = await server.request('PUT', `${path}/owned?fieldManager=other`, {
      body: { metadata: { name: 'owned' }, stringData: { a: 'x', b: 'y' } },
    });
    assert.match(owned(put), /"manager":"other".*"f:data":\{"f:b":\{\}\}/);
    assert.doesNotMatch(owned(put), /stringData/);
    const patched = await server.request('PATCH', `${path}/owned?fieldManager=third`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { stringData: { c: 'z' } },
    });
    assert.match(owned(patched), /"manager":"third".*"f:data":\{"f:c":\{\}\}/);
    assert.doesNotMatch(owned(patched), /stringData/);
    assert.deepEqual(patched.body['data'], { a: 'eA==', b: 'eQ==', c: 'eg==' });
  });
  after(() => server.remove());
});
