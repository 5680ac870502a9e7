/**
 * The attack list: who gives himself what he does not have. `bob` may write roles and bindings, and
 * holds little else: by every verb, every kind of patch and every detour what he writes may hold no
 * more than he has. Each attack is refused with 403 over both ports, stands in the audit log, and
 * changes nothing.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import {
  asAdmin,
  bindingObject,
  rbacPath,
  untilAllowed,
  untilRefused,
} from '../support/clients/access-setup.ts';
import { openPath, startAttackBench } from '../support/servers/attack-bench.ts';
import type { Attack, AttackBench, Sent } from '../support/servers/attack-bench.ts';
import { attackSuites } from '../support/checks/attack-suites.ts';
import type { AttackedStore } from '../support/checks/attack-suites.ts';
import { tokens } from '../support/servers/secure-server.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;
const held = {
  verbs: ['get'],
  apiGroups: [''],
  resources: ['configmaps'],
  resourceNames: ['open'],
};
const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const secrets = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
const everyPath = { verbs: ['get'], nonResourceURLs: ['*'] };
const bob = { apiGroup: group, kind: 'User', name: 'bob' };
const root = { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' };
const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

let bench: AttackBench;

const role = (
  namespace: string,
  name: string,
  rules: readonly object[],
  more = {},
): JsonObject => ({
  apiVersion,
  kind: namespace === '' ? 'ClusterRole' : 'Role',
  metadata: { name },
  rules: rules as never,
  ...more,
});
const binding = (namespace: string, name: string, roleRef: object, more = {}): JsonObject => ({
  apiVersion,
  kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name },
  roleRef: roleRef as never,
  subjects: [bob],
  ...more,
});

const { suite, run } = attackSuites(start);

async function start(store: AttackedStore): Promise<AttackBench> {
  bench = await startAttackBench({ store });
  const { admin } = bench;
  for (const [namespace, roles, bindings] of [
    ['', 'clusterroles', 'clusterrolebindings'],
    ['default', 'roles', 'rolebindings'],
  ] as const) {
    await admin('POST', rbacPath(namespace, roles), role(namespace, 'mine', [held]));
    await admin('POST', rbacPath(namespace, roles), role(namespace, 'powerful', [secrets]));
    const others = binding(namespace, 'others', root, { subjects: [{ ...bob, name: 'dave' }] });
    await admin('POST', rbacPath(namespace, bindings), others);
  }
  // What bob is bound to is made of all that has this label.
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: 'of-bobs' } }] };
  const made = role('', 'bobs', [], { aggregationRule });
  await admin('POST', rbacPath('', 'clusterroles'), made);
  const subject = { kind: 'User', name: 'bob' };
  const object = bindingObject('', 'bobs', 'bobs', subject);
  await admin('POST', rbacPath('', 'clusterrolebindings'), object);
  const part = role('', 'part', [held], {
    metadata: { name: 'part', labels: { part: 'of-bobs' } },
  });
  await admin('POST', rbacPath('', 'clusterroles'), part);
  for (let tries = 0; ; tries += 1) {
    const { rules } = await admin('GET', rbacPath('', 'clusterroles', 'bobs'));
    if (Array.isArray(rules) && rules.length === 1) break;
    assert.ok(tries < 20_000, 'the role is made of its part in time');
  }
  return bench;
}

const roleIn = (namespace: string): string => (namespace === '' ? 'clusterroles' : 'roles');
const bindingIn = (namespace: string): string =>
  namespace === '' ? 'clusterrolebindings' : 'rolebindings';

const create = (namespace: string, resource: string, body: object): Sent => ({
  method: 'POST',
  path: rbacPath(namespace, resource),
  body,
});
const update = (namespace: string, resource: string, name: string, body: object): Sent => ({
  method: 'PUT',
  path: rbacPath(namespace, resource, name),
  body,
});
const patch = (path: string, contentType: string, body: object): Sent => ({
  method: 'PATCH',
  path: contentType === applyPatch ? `${path}?fieldManager=bob&force=true` : path,
  contentType,
  body,
});

/** One row for each way in which an object can be given a field. */
function patches(what: string, path: string, identity: JsonObject, fields: JsonObject) {
  const operations = Object.entries(fields).map(([name, value]) => ({
    op: 'add',
    path: `/${name}`,
    value,
  }));
  return [
    [`${what} by a merge patch`, patch(path, mergePatch, fields)],
    [`${what} by a strategic merge patch`, patch(path, strategicPatch, fields)],
    [`${what} by a JSON patch`, patch(path, jsonPatch, operations)],
    [`${what} by an apply`, patch(path, applyPatch, { ...identity, ...fields })],
  ] as const;
}

function roleRows(namespace: string): readonly (readonly [string, Sent])[] {
  const resource = roleIn(namespace);
  const what = namespace === '' ? 'a cluster role' : 'a role';
  const path = rbacPath(namespace, resource, 'mine');
  const { rules, ...identity } = role(namespace, 'mine', [held, secrets]);
  const paths = namespace === '' ? [[`${what} for every path`, [everyPath]] as const] : [];
  const wanted = [
    [`${what} for everything`, [everything]],
    [`${what} for secrets`, [held, secrets]],
    [`${what} for one object of a name more`, [{ ...held, resourceNames: ['open', 'x'] }]],
    [`${what} for a verb more`, [{ ...held, verbs: ['get', 'update'] }]],
    [`${what} for all names`, [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }]],
    [`${what} to bind any`, [{ verbs: ['bind'], apiGroups: [group], resources: ['clusterroles'] }]],
    [`${what} to act as all`, [{ verbs: ['impersonate'], apiGroups: [''], resources: ['groups'] }]],
    ...paths,
  ] as const;
  return [
    ...wanted.map(
      ([title, given]) =>
        [`creates ${title}`, create(namespace, resource, role(namespace, 'new', given))] as const,
    ),
    [`updates ${what}`, update(namespace, resource, 'mine', { ...identity, rules })],
    [
      `creates ${what} by a PUT`,
      update(namespace, resource, 'put', role(namespace, 'put', [secrets])),
    ],
    ...patches(`changes ${what}`, path, identity, { rules }),
    [
      `creates ${what} by an apply`,
      patch(rbacPath(namespace, resource, 'x'), applyPatch, role(namespace, 'x', [secrets])),
    ],
    [
      `relabels ${what} that holds more than he has`,
      patch(rbacPath(namespace, resource, 'powerful'), mergePatch, {
        metadata: { labels: { mine: 'yes' } },
      }),
    ],
  ];
}

function bindingRows(namespace: string): readonly (readonly [string, Sent])[] {
  const resource = bindingIn(namespace);
  const what = namespace === '' ? 'cluster-admin' : 'cluster-admin in a namespace';
  const path = rbacPath(namespace, resource, 'others');
  const { subjects, ...identity } = binding(namespace, 'others', root);
  const everybody = [{ apiGroup: group, kind: 'Group', name: 'system:authenticated' }];
  const mine = namespace === '' ? 'ClusterRole' : 'Role';
  const powerful = { apiGroup: group, kind: mine, name: 'powerful' };
  return [
    [`binds himself to ${what}`, create(namespace, resource, binding(namespace, 'b', root))],
    [
      `binds everybody to ${what}`,
      create(namespace, resource, binding(namespace, 'b', root, { subjects: everybody })),
    ],
    [
      `binds himself to a ${mine} that holds more than he has`,
      create(namespace, resource, binding(namespace, 'b', powerful)),
    ],
    [
      `binds himself by a PUT to ${what}`,
      update(namespace, resource, 'b', binding(namespace, 'b', root)),
    ],
    [`joins those of ${what}`, update(namespace, resource, 'others', { ...identity, subjects })],
    ...patches(`joins those of ${what}`, path, identity, { subjects }),
    [
      `binds himself by an apply to ${what}`,
      patch(rbacPath(namespace, resource, 'b'), applyPatch, binding(namespace, 'b', root)),
    ],
    [
      `binds himself, dry, to ${what}`,
      {
        ...create(namespace, resource, binding(namespace, 'b', root)),
        path: `${rbacPath(namespace, resource)}?dryRun=All`,
      },
    ],
    [
      `binds himself to ${what} in YAML`,
      {
        ...create(namespace, resource, {}),
        contentType: 'application/yaml',
        body: JSON.stringify(binding(namespace, 'b', root)),
      },
    ],
  ];
}

const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: 'of-bobs' } }] };
const labels = { part: 'of-bobs' };
const clusterRoles = rbacPath('', 'clusterroles');
const aggregationRows: readonly (readonly [string, Sent])[] = [
  [
    'makes a part of his own role that holds more than he has',
    create('', 'clusterroles', role('', 'p2', [secrets], { metadata: { name: 'p2', labels } })),
  ],
  [
    'makes a part of the role `view`, which others have',
    create(
      '',
      'clusterroles',
      role('', 'p3', [everything], {
        metadata: { name: 'p3', labels: { [`${group}/aggregate-to-view`]: 'true' } },
      }),
    ),
  ],
  ...['powerful', 'cluster-admin'].flatMap((name) =>
    patches(
      `makes ${name} a part of his own role`,
      `${clusterRoles}/${name}`,
      { apiVersion, kind: 'ClusterRole' },
      { metadata: { name, labels } },
    ).filter(([title]) => !title.endsWith('JSON patch')),
  ),
  [
    'makes powerful a part of his own role by a JSON patch',
    patch(`${clusterRoles}/powerful`, jsonPatch, [
      { op: 'add', path: '/metadata/labels', value: labels },
    ]),
  ],
  ['makes a role of parts', create('', 'clusterroles', role('', 'p4', [], { aggregationRule }))],
  [
    'makes a role of all roles',
    create(
      '',
      'clusterroles',
      role('', 'p5', [], { aggregationRule: { clusterRoleSelectors: [{}] } }),
    ),
  ],
  ...patches(
    'makes his role one of other parts',
    `${clusterRoles}/mine`,
    { apiVersion, kind: 'ClusterRole', metadata: { name: 'mine' } },
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
  ),
  [
    'writes the rules of a role of parts himself',
    patch(`${clusterRoles}/bobs`, mergePatch, { rules: [everything] }),
  ],
];

/** He may ask; what he asks for is too much. */
const refused = (sent: Sent, more: Partial<Attack> = {}): Promise<void> =>
  bench.refuses({
    ...sent,
    token: tokens.bob,
    status: 403,
    user: 'bob',
    decision: 'allow',
    ...more,
  });

suite('who may write roles gets nothing by it:', () => {
  it('(what holds no more than he has is his to write)', async () => {
    for (const namespace of ['', 'default']) {
      const body = role(namespace, 'fine', [held]);
      const sent = create(namespace, roleIn(namespace), body);
      const answer = await bench.send('plain', { ...sent, token: tokens.bob });
      assert.equal(answer.status, 201, answer.text);
    }
  });
  for (const namespace of ['', 'default']) {
    for (const [what, sent] of [...roleRows(namespace), ...bindingRows(namespace)]) {
      it(what, () => refused(sent));
    }
  }
  for (const [what, sent] of aggregationRows) it(what, () => refused(sent));

  it('as somebody else: system:masters is nobody’s to be', async () => {
    const sent = create('', 'clusterrolebindings', binding('', 'b', root));
    const headers = { 'Impersonate-User': 'carol', 'Impersonate-Group': 'system:masters' };
    await refused(sent, { headers, decision: 'forbid' });
  });

  it('a binding does not come to mean another role: 422', async () => {
    const powerful = { apiGroup: group, kind: 'ClusterRole', name: 'powerful' };
    const mine = { ...powerful, name: 'mine' };
    await bench.admin('POST', rbacPath('', 'clusterrolebindings'), binding('', 'fixed', mine));
    const path = rbacPath('', 'clusterrolebindings', 'fixed');
    const attack = { token: tokens.bob, user: 'bob', decision: 'allow', status: 422 } as const;
    await bench.refuses({ ...patch(path, mergePatch, { roleRef: powerful }), ...attack });
    const put = update('', 'clusterrolebindings', 'fixed', binding('', 'fixed', root));
    await bench.refuses({ ...put, ...attack });
  });

  it('a role that is yet to be made cannot be bound by who may not bind it: 404', async () => {
    const missing = { apiGroup: group, kind: 'Role', name: 'later' };
    const sent = create('default', 'rolebindings', binding('default', 'b', missing));
    await refused(sent, { status: 404 });
  });

  it('who may write no role is refused before anything is looked at', async () => {
    const rows = [...roleRows('default'), ...bindingRows('')].map(([, sent]) => sent);
    for (const sent of rows) {
      const attack = { ...sent, token: tokens.alice, status: 403, user: 'alice' };
      await bench.refuses({ ...attack, ports: ['plain'] });
    }
  });
});

suite('when a grant is taken away', () => {
  it('a watch goes on to its end and is not taken up again; the next request is refused', async () => {
    const { admin, server } = bench;
    const path = rbacPath('default', 'rolebindings');
    const view = { apiGroup: group, kind: 'ClusterRole', name: 'view' };
    const subjects = [{ ...bob, name: 'alice' }];
    await admin('POST', path, binding('default', 'viewer', view, { subjects }));
    await untilAllowed(
      server,
      { user: 'alice' },
      { verb: 'watch', resource: 'configmaps', namespace: 'default' },
    );
    const headers = { authorization: `Bearer ${tokens.alice}` };
    const target = '/api/v1/namespaces/default/configmaps?watch=true';
    const watch = await server.openWatch(target, { ...headers, 'audit-id': 'the-watch' });
    await admin('DELETE', `${path}/viewer`);
    await untilRefused(
      server,
      { user: 'alice' },
      { verb: 'watch', resource: 'configmaps', namespace: 'default' },
    );
    const attack = { token: tokens.alice, status: 403, user: 'alice' };
    await bench.refuses({ path: openPath, ...attack });
    await bench.refuses({ path: target, ...attack });
    const made = await asAdmin(server, 'POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'later' },
    });
    assert.equal(made.status, 201);
    let event = await watch.next();
    while (event !== undefined && event.object.metadata.name !== 'later')
      event = await watch.next();
    assert.equal(event?.type, 'ADDED', 'the watch that was allowed goes on');
    watch.close();
    const stages = () => bench.events('the-watch').map((each) => each['stage']);
    for (let tries = 0; stages().length < 3; tries += 1) {
      assert.ok(tries < 20_000, 'its end is in the log in time');
      await bench.revision();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.deepEqual(stages(), ['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  });
});

run();
