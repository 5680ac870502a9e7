import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import {
  asAdmin,
  bind,
  bindingObject,
  rbacPath,
  untilAllowed,
} from '../support/clients/access-setup.ts';
import { readCorpus } from '../support/data/corpora.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import type { Reply } from '../support/servers/test-server.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;

interface CoverCase {
  readonly name: string;
  readonly ownerRules: readonly JsonObject[];
  readonly requestedRules: readonly JsonObject[];
  readonly covered: boolean;
}

const writing = [
  {
    verbs: ['create', 'update', 'patch', 'get'],
    apiGroups: [group],
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
  },
];

describe('nobody grants what they do not have', () => {
  let server: SecureServer;
  const as = (
    user: string,
    method: string,
    path: string,
    body?: object,
    headers = {},
  ): Promise<Reply> =>
    asAdmin(server, method, path, body, { 'impersonate-user': user, ...headers });
  const clusterRole = (name: string, rules: JsonValue, more = {}): JsonObject => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name },
    rules,
    ...more,
  });
  const given = async (user: string, rules: readonly JsonObject[]): Promise<void> => {
    const made = await asAdmin(
      server,
      'POST',
      rbacPath('', 'clusterroles'),
      clusterRole(`of-${user}`, [...writing, ...rules]),
    );
    assert.equal(made.status, 201, made.text);
    await bind(server, '', `of-${user}`, `of-${user}`, { kind: 'User', name: user });
    await untilAllowed(
      server,
      { user },
      { verb: 'create', resource: 'clusterroles', namespace: '', group },
    );
  };
  const pods = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
  const nodes = [{ verbs: ['get'], apiGroups: [''], resources: ['nodes'] }];

  before(async () => {
    server = await startSecureServer();
    await given('writer', pods);
  });
  after(() => server.remove());

  // No valid rule has both: it is refused as such, whoever writes it.
  const saysTooMuch = (rule: JsonObject): boolean =>
    rule['nonResourceURLs'] !== undefined &&
    (rule['resources'] !== undefined || rule['apiGroups'] !== undefined);

  // Every user has the paths of discovery; the vectors mean ones that nobody has.
  const elsewhere = (rules: readonly JsonObject[]): readonly JsonObject[] =>
    JSON.parse(JSON.stringify(rules).replaceAll('"/api', '"/private')) as readonly JsonObject[];
  const vectors = readCorpus<{ escalation: readonly CoverCase[] }>(
    'rbac/escalation.json',
  ).escalation;
  for (const [at, row] of vectors.entries()) {
    it(`as the reference says: ${row.name}`, async () => {
      await given(`owner${at}`, elsewhere(row.ownerRules));
      const reply = await as(
        `owner${at}`,
        'POST',
        rbacPath('', 'clusterroles'),
        clusterRole(`wanted${at}`, elsewhere(row.requestedRules)),
      );
      const refused = row.requestedRules.some(saysTooMuch) ? 422 : 403;
      assert.equal(reply.status, row.covered ? 201 : refused, reply.text);
    });
  }

  it('of many names, beside as many rules of their own, and the text names the others', async () => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
    const names = Array.from({ length: 2500 }, (_, i) => `n${i}`);
    await given(
      'crowd',
      names.map((name) => ({ ...rule, resourceNames: [name] })),
    );
    const path = rbacPath('', 'clusterroles');
    const of = (name: string, resourceNames: readonly string[]) =>
      as('crowd', 'POST', path, clusterRole(name, [{ ...rule, resourceNames }]));
    assert.equal((await of('all-of-them', names)).status, 201);
    const refused = await of('one-more', [...names, 'other']);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /currently held:\\n\{[^{]*ResourceNames:\[\\"other\\"\][^{]*\}"/);
    const others = await of('others', names.concat(names.map((name) => `other-${name}`)));
    assert.equal(others.status, 403);
    assert.match(others.text, /\\nand 1500 more"/);
  });

  it('by create, with the text that says what is missing', async () => {
    const reply = await as(
      'writer',
      'POST',
      rbacPath('', 'clusterroles'),
      clusterRole('a', [...pods, ...nodes]),
    );
    assert.equal(reply.status, 403);
    assert.equal(
      reply.body['message'],
      `clusterroles.${group} "a" is forbidden: user "writer" (groups=["system:authenticated"]) is attempting to grant ` +
        'RBAC permissions not currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}',
    );
    assert.equal((await asAdmin(server, 'GET', rbacPath('', 'clusterroles', 'a'))).status, 404);
  });

  it('by update, by an update that creates, by every kind of patch, by apply', async () => {
    const path = rbacPath('', 'clusterroles', 'b');
    assert.equal((await as('writer', 'PUT', path, clusterRole('b', nodes))).status, 403);
    assert.equal(
      (await as('writer', 'POST', rbacPath('', 'clusterroles'), clusterRole('b', pods))).status,
      201,
    );
    assert.equal((await as('writer', 'PUT', path, clusterRole('b', nodes))).status, 403);
    const rows: readonly [string, JsonValue][] = [
      ['application/merge-patch+json', { rules: nodes }],
      ['application/strategic-merge-patch+json', { rules: nodes }],
      [
        'application/json-patch+json',
        [{ op: 'replace', path: '/rules/0/resources/0', value: 'nodes' }],
      ],
    ];
    for (const [type, patch] of rows) {
      const reply = await asAdmin(server, 'PATCH', path, undefined);
      assert.notEqual(reply.status, 200);
      const refused = await server.request('PATCH', path, {
        body: JSON.stringify(patch),
        headers: {
          authorization: 'Bearer token-of-the-admin',
          'impersonate-user': 'writer',
          'content-type': type,
        },
      });
      assert.equal(refused.status, 403, `${type}: ${refused.text}`);
    }
    for (const name of ['b', 'new']) {
      const intent = clusterRole(name, nodes);
      const reply = await as(
        'writer',
        'PATCH',
        `${rbacPath('', 'clusterroles', name)}?fieldManager=m&force=true`,
        intent,
        { 'content-type': 'application/apply-patch+yaml' },
      );
      assert.equal(reply.status, 403, `${name}: ${reply.text}`);
    }
    assert.deepEqual((await asAdmin(server, 'GET', path)).body['rules'], pods);
  });

  it('by a dry run either', async () => {
    const reply = await as(
      'writer',
      'POST',
      `${rbacPath('', 'clusterroles')}?dryRun=All`,
      clusterRole('c', nodes),
    );
    assert.equal(reply.status, 403);
  });

  it('but what they have, and with the verb escalate anything', async () => {
    await given('escalator', [
      {
        verbs: ['escalate'],
        apiGroups: [group],
        resources: ['clusterroles'],
        resourceNames: ['mine'],
      },
    ]);
    await untilAllowed(
      server,
      { user: 'escalator' },
      { verb: 'create', resource: 'clusterroles', namespace: '', group },
    );
    assert.equal(
      (await as('escalator', 'POST', rbacPath('', 'clusterroles'), clusterRole('other', nodes)))
        .status,
      403,
    );
    assert.equal(
      (await as('escalator', 'POST', rbacPath('', 'clusterroles'), clusterRole('mine', nodes)))
        .status,
      201,
    );
  });

  it('by binding themselves to cluster-admin, unless they may bind it', async () => {
    const toAdmin = bindingObject('', 'up', 'cluster-admin', { kind: 'User', name: 'up' });
    const reply = await as('writer', 'POST', rbacPath('', 'clusterrolebindings'), toAdmin);
    assert.equal(reply.status, 403, reply.text);
    assert.match(
      String(reply.body['message']),
      /APIGroups:\["\*"\], Resources:\["\*"\], Verbs:\["\*"\]/,
    );
    await given('binder', [
      {
        verbs: ['bind'],
        apiGroups: [group],
        resources: ['clusterroles'],
        resourceNames: ['cluster-admin'],
      },
    ]);
    assert.equal(
      (await as('binder', 'POST', rbacPath('', 'clusterrolebindings'), toAdmin)).status,
      201,
    );
  });

  it('by adding themselves to a binding that others made', async () => {
    await bind(server, '', 'admins', 'cluster-admin', { kind: 'User', name: 'somebody' });
    const mine = bindingObject('', 'admins', 'cluster-admin', { kind: 'User', name: 'writer' });
    assert.equal(
      (await as('writer', 'PUT', rbacPath('', 'clusterrolebindings', 'admins'), mine)).status,
      403,
    );
  });

  it('by a binding to a role that is not there yet', async () => {
    const object = bindingObject('', 'later', 'not-yet', { kind: 'User', name: 'writer' });
    const reply = await as('writer', 'POST', rbacPath('', 'clusterrolebindings'), object);
    assert.equal(reply.status, 404, reply.text);
  });

  it('by a role made of others: that needs everything', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const object = clusterRole('sum', [], { aggregationRule });
    const reply = await as('writer', 'POST', rbacPath('', 'clusterroles'), object);
    assert.equal(reply.status, 403, reply.text);
    assert.match(
      String(reply.body['message']),
      /must have cluster-admin privileges to use the aggregationRule/,
    );
    assert.equal((await asAdmin(server, 'POST', rbacPath('', 'clusterroles'), object)).status, 201);
    const labelled = {
      ...clusterRole('part', nodes),
      metadata: { name: 'part', labels: { a: 'b' } },
    };
    assert.equal((await as('writer', 'POST', rbacPath('', 'clusterroles'), labelled)).status, 403);
  });

  it('but owners and finalizers may be changed by whoever may update', async () => {
    assert.equal(
      (await asAdmin(server, 'POST', rbacPath('', 'clusterroles'), clusterRole('held', nodes)))
        .status,
      201,
    );
    const path = rbacPath('', 'clusterroles', 'held');
    const finalized = {
      ...clusterRole('held', nodes),
      metadata: { name: 'held', finalizers: ['example.com/x'] },
    };
    assert.equal((await as('writer', 'PUT', path, finalized)).status, 200);
    const labelled = { ...finalized, metadata: { ...finalized.metadata, labels: { a: 'c' } } };
    assert.equal((await as('writer', 'PUT', path, labelled)).status, 403);
  });
});
