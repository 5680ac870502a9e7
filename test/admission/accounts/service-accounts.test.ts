/** ServiceAccount over HTTP: which account pods run as, and when there is none (spec 2, 5.1). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serviceAccounts } from '../../../src/admission/accounts/service-accounts.ts';
import type { AdmissionObjects, Review, ValidatePass } from '../../../src/admission/admission.ts';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { seededPrng } from '../../../src/stdx/prng.ts';
import { startTestServer } from '../../support/servers/test-server.ts';
import type { Reply, TestServer } from '../../support/servers/test-server.ts';

const container = { name: 'c', image: 'i' };
const mirror = { 'kubernetes.io/config.mirror': 'x' };

describe('the account of a pod', () => {
  let server: TestServer;
  const post = (target: string, body: object): Promise<Reply> =>
    server.request('POST', target, { body });
  const create = (namespace: string, name: string, spec: object = {}, metadata: object = {}) =>
    post(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name, ...metadata },
      spec: { containers: [container], ...spec },
    });
  const specOf = (reply: Reply): JsonObject => {
    assert.equal(reply.status, 201, reply.text);
    return reply.body['spec'] as JsonObject;
  };
  const refusalOf = (reply: Reply): string => {
    assert.equal(reply.status, 403, reply.text);
    assert.equal(reply.body['reason'], 'Forbidden');
    return String(reply.body['message']);
  };

  before(async () => {
    server = await startTestServer({ 'disable-admission-plugins': '', controllers: '*' });
    await post('/api/v1/namespaces', { metadata: { name: 'team' } });
    await post('/api/v1/namespaces/team/serviceaccounts', {
      metadata: { name: 'robot' },
      imagePullSecrets: [{ name: 'registry' }],
    });
  });
  after(() => server.remove());

  it('is the one called default, also in a namespace that is being made', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'fresh' } });
    const spec = specOf(await create('fresh', 'at-once'));
    assert.equal(spec['serviceAccountName'], 'default');
    assert.equal(spec['serviceAccount'], 'default');
  });

  it('exists, whichever field and verb names it', async () => {
    const missing =
      'error looking up service account team/nobody: serviceaccount "nobody" not found';
    for (const field of ['serviceAccountName', 'serviceAccount']) {
      const refused = await create('team', 'p', { [field]: 'nobody' });
      assert.equal(refusalOf(refused), `pods "p" is forbidden: ${missing}`);
    }
    const applied = await server.request(
      'PATCH',
      '/api/v1/namespaces/team/pods/p?fieldManager=m&dryRun=All',
      {
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { containers: [container], serviceAccountName: 'nobody' },
        },
      },
    );
    assert.equal(refusalOf(applied), `pods "p" is forbidden: ${missing}`);
    assert.equal(
      await server.request('GET', '/api/v1/namespaces/team/pods/p').then(({ status }) => status),
      404,
    );
  });

  it('lends the pod its secrets for images, unless the pod has its own', async () => {
    const lent = specOf(await create('team', 'lent', { serviceAccountName: 'robot' }));
    assert.deepEqual(lent['imagePullSecrets'], [{ name: 'registry' }]);
    const imagePullSecrets = [{ name: 'mine' }];
    const own = await create('team', 'own', { serviceAccountName: 'robot', imagePullSecrets });
    assert.deepEqual(specOf(own)['imagePullSecrets'], imagePullSecrets);
  });

  it('is not looked for in a namespace that there is not', async () => {
    const reply = await create('nowhere', 'p');
    assert.equal(reply.status, 404, reply.text);
    assert.equal(reply.body['message'], 'namespaces "nowhere" not found');
  });

  it('is none for the image of a static pod, which refers to nothing', async () => {
    const made = specOf(
      await create('team', 'static', { nodeName: 'n1' }, { annotations: mirror }),
    );
    assert.equal(made['serviceAccountName'], undefined);
    const volumes = [{ name: 'v', secret: { secretName: 's' } }];
    const token = { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } };
    for (const [spec, why] of [
      [{ serviceAccountName: 'robot' }, 'a mirror pod may not reference service accounts'],
      [{ volumes }, 'a mirror pod may not reference secrets'],
      [{ imagePullSecrets: [{ name: 's' }] }, 'a mirror pod may not reference secrets'],
      [
        { volumes: [{ name: 'v', ...token }] },
        'a mirror pod may not use ServiceAccountToken volume projections',
      ],
    ] as const) {
      const refused = await create('team', 'wrong', spec, { annotations: mirror });
      assert.equal(refusalOf(refused), `pods "wrong" is forbidden: ${why}`);
    }
  });

  const place = '/var/run/secrets/kubernetes.io/serviceaccount';

  it('gives its containers a token, the CA and the namespace, where clients look for them', async () => {
    const spec = specOf(
      await create('team', 'token', {
        serviceAccountName: 'robot',
        initContainers: [{ name: 'i', image: 'i' }],
        containers: [
          container,
          { name: 'own', image: 'i', volumeMounts: [{ name: 'v', mountPath: place }] },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      }),
    );
    const volumes = spec['volumes'] as JsonObject[];
    const [own, added, ...more] = volumes;
    assert.deepEqual([own?.['name'], more], ['v', []]);
    assert.match(String(added?.['name']), /^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.deepEqual(added?.['projected'], {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        {
          configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
        },
        {
          downwardAPI: {
            items: [
              {
                path: 'namespace',
                fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
              },
            ],
          },
        },
      ],
    });
    const mount = { name: added?.['name'], readOnly: true, mountPath: place };
    const mountsOf = (list: string, at: number) =>
      (spec[list] as JsonObject[])[at]?.['volumeMounts'];
    assert.deepEqual(mountsOf('initContainers', 0), [mount]);
    assert.deepEqual(mountsOf('containers', 0), [mount]);
    assert.deepEqual(mountsOf('containers', 1), [{ name: 'v', mountPath: place }]);
  });

  it('gives none where the pod or the account declines, and the pod has the last word', async () => {
    await post('/api/v1/namespaces/team/serviceaccounts', {
      metadata: { name: 'shy' },
      automountServiceAccountToken: false,
    });
    const rows = [
      ['robot', undefined, true],
      ['robot', false, false],
      ['shy', undefined, false],
      ['shy', true, true],
    ] as const;
    for (const [at, [serviceAccountName, automountServiceAccountToken, has]] of rows.entries()) {
      const spec = specOf(
        await create('team', `mount-${at}`, { serviceAccountName, automountServiceAccountToken }),
      );
      assert.equal(spec['volumes'] !== undefined, has, JSON.stringify(rows[at]));
    }
  });

  it('adds no volume that no container mounts', async () => {
    const volumeMounts = [{ name: 'v', mountPath: place }];
    const volumes = [{ name: 'v', emptyDir: {} }];
    const containers = [{ ...container, volumeMounts }];
    const spec = specOf(await create('team', 'own-mounts', { containers, volumes }));
    assert.deepEqual(spec['volumes'], volumes);
  });

  it('takes a volume of that name that the pod has', async () => {
    const volumes = [{ name: 'kube-api-access-mine', emptyDir: {} }];
    const spec = specOf(await create('team', 'named', { volumes }));
    assert.deepEqual(spec['volumes'], volumes);
    const [c] = spec['containers'] as JsonObject[];
    assert.deepEqual(c?.['volumeMounts'], [
      { name: 'kube-api-access-mine', readOnly: true, mountPath: place },
    ]);
  });

  it('limits pods to the secrets that it lists, where it says so', async () => {
    await post('/api/v1/namespaces/team/serviceaccounts', {
      metadata: {
        name: 'limited',
        annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
      },
      secrets: [{ name: 'listed' }],
      imagePullSecrets: [{ name: 'registry' }],
    });
    const by = 'because service account limited does not reference that';
    const from = (name: string) => ({ name: 'V', valueFrom: { secretKeyRef: { name, key: 'k' } } });
    const secretVolume = (secretName: string) => [{ name: 'v', secret: { secretName } }];
    const rows: readonly (readonly [object, string | undefined])[] = [
      [{ volumes: secretVolume('listed') }, undefined],
      [{ containers: [{ ...container, env: [from('listed')] }] }, undefined],
      [{ imagePullSecrets: [{ name: 'registry' }] }, undefined],
      [
        { volumes: secretVolume('other') },
        `volume with secret.secretName="other" is not allowed ${by} secret`,
      ],
      [
        { containers: [{ ...container, env: [from('other')] }] },
        `container c with envVar V referencing secret.secretName="other" is not allowed ${by} secret`,
      ],
      [
        {
          initContainers: [{ name: 'i', image: 'i', envFrom: [{ secretRef: { name: 'other' } }] }],
        },
        `init container i with envFrom referencing secret.secretName="other" is not allowed ${by} secret`,
      ],
      [
        { containers: [{ ...container, envFrom: [{ secretRef: { name: 'other' } }] }] },
        `container c with envFrom referencing secret.secretName="other" is not allowed ${by} secret`,
      ],
      [
        { initContainers: [{ name: 'i', image: 'i', env: [from('other')] }] },
        `init container i with envVar V referencing secret.secretName="other" is not allowed ${by} secret`,
      ],
      [
        { imagePullSecrets: [{ name: 'other' }] },
        `imagePullSecrets[0].name="other" is not allowed ${by} imagePullSecret`,
      ],
    ];
    for (const [at, [spec, why]] of rows.entries()) {
      const name = `secret-${at}`;
      const reply = await create('team', name, { serviceAccountName: 'limited', ...spec });
      if (why === undefined) specOf(reply);
      else assert.equal(refusalOf(reply), `pods "${name}" is forbidden: ${why}`);
    }
    const debug = { name: 'd', image: 'i', env: [from('other')] };
    const added = await server.request(
      'PATCH',
      '/api/v1/namespaces/team/pods/secret-0/ephemeralcontainers',
      {
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: { spec: { ephemeralContainers: [debug] } },
      },
    );
    // Not by a 403: the reference says no more.
    assert.equal(added.status, 500);
    assert.deepEqual(
      [added.body['reason'], added.body['message']],
      [
        undefined,
        'ephemeral container d with envVar V referencing secret.secretName="other" is not ' +
          `allowed ${by} secret`,
      ],
    );
  });

  it('is what ephemeral containers ask for, where the pod was made without one', () => {
    const known = { get: () => undefined } as unknown as AdmissionObjects;
    const { validate } = serviceAccounts(identityOf('kubernetes'), known, seededPrng(1));
    const next = { metadata: { name: 'p' }, spec: { containers: [] } };
    const about = { name: 'p', namespace: 'team', operation: 'UPDATE' } as const;
    const review = { ...about, subresource: 'ephemeralcontainers', next } as unknown as Review;
    const refusal = validate?.(review, {} as ValidatePass);
    assert.equal(refusal, 'no service account specified for pod team/p');
  });

  it('is judged again when others have changed the pod behind it', () => {
    const stored: Record<string, object> = {
      'namespaces team': { metadata: { name: 'team' } },
      'serviceaccounts strict': {
        metadata: {
          name: 'strict',
          annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
        },
      },
    };
    const get = ({ resource }: { resource: string }, _namespace: string, name: string) =>
      stored[`${resource} ${name}`];
    const known = { get } as unknown as AdmissionObjects;
    const { validate } = serviceAccounts(identityOf('kubernetes'), known, seededPrng(1));
    const judged = (spec: object, annotations: object = {}): unknown => {
      const next = { metadata: { name: 'p', annotations }, spec };
      const about = { name: 'p', namespace: 'team', operation: 'CREATE', subresource: '' } as const;
      return validate?.({ ...about, next } as unknown as Review, {} as ValidatePass);
    };
    const secret = { name: 'v', secret: { secretName: 's' } };
    assert.equal(judged({ serviceAccountName: 'strict' }), undefined);
    assert.match(String(judged({})), /^no service account specified for pod team\/p$/);
    assert.match(String(judged({ serviceAccountName: 'gone' })), /"gone" not found$/);
    assert.match(
      String(judged({ serviceAccountName: 'strict', volumes: [secret] })),
      /^volume with secret.secretName="s" is not allowed/,
    );
    assert.equal(
      judged({ serviceAccountName: 'strict' }, mirror),
      'a mirror pod may not reference service accounts',
    );
  });

  it('is not owned by the client that did not name it', async () => {
    const reply = await create('team', 'unnamed');
    assert.equal(specOf(reply)['serviceAccountName'], 'default');
    const { managedFields } = reply.body['metadata'] as { managedFields: unknown };
    assert.doesNotMatch(JSON.stringify(managedFields), /serviceAccount|priority|preemption/i);
  });
});
