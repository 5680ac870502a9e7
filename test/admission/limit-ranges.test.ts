/** LimitRanger: what limit ranges make of pods and claims, over HTTP and by itself. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { limitsMax, readLimits } from '../../src/admission/limit-ranges/namespace-limits.ts';
import { podProblem, withUsualAmounts } from '../../src/admission/limit-ranges/pod-limits.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const range = (...limits: JsonObject[]): ApiObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'limits' },
  spec: { limits },
});
const container = (name: string, resources: JsonObject = {}): JsonObject => ({
  name,
  image: 'i',
  resources,
});

interface Row {
  readonly title: string;
  readonly limits: readonly JsonObject[];
  readonly spec: JsonObject;
  /** Undefined: there is none. */
  readonly problem: string | undefined;
}

const both = (requests: JsonObject, limits: JsonObject = {}): JsonObject => ({ requests, limits });
const one = (resources: JsonObject): JsonObject => ({ containers: [container('c', resources)] });

const rows: readonly Row[] = [
  {
    title: 'what is within its limits',
    limits: [{ type: 'Container', min: { cpu: '100m' }, max: { cpu: '2' } }],
    spec: one(both({ cpu: '0.1' }, { cpu: '2000m' })),
    problem: undefined,
  },
  {
    title: 'a request below the minimum',
    limits: [{ type: 'Container', min: { cpu: '100m' } }],
    spec: one(both({ cpu: '50m' })),
    problem: 'minimum cpu usage per Container is 100m, but request is 50m',
  },
  {
    title: 'no request where there is a minimum',
    limits: [{ type: 'Container', min: { cpu: '100m' } }],
    spec: one({}),
    problem: 'minimum cpu usage per Container is 100m.  No request is specified',
  },
  {
    title: 'a limit below the minimum',
    limits: [{ type: 'Container', min: { memory: '1Gi' } }],
    spec: one(both({ memory: '1Gi' }, { memory: '1M' })),
    problem: 'minimum memory usage per Container is 1Gi, but limit is 1M',
  },
  {
    title: 'a limit above the maximum',
    limits: [{ type: 'Container', max: { cpu: '1' } }],
    spec: one(both({}, { cpu: '2' })),
    problem: 'maximum cpu usage per Container is 1, but limit is 2',
  },
  {
    title: 'no limit where there is a maximum',
    limits: [{ type: 'Container', max: { cpu: '1' } }],
    spec: one(both({ cpu: '500m' })),
    problem: 'maximum cpu usage per Container is 1.  No limit is specified',
  },
  {
    title: 'a request above the maximum',
    limits: [{ type: 'Container', max: { cpu: '1' } }],
    spec: one(both({ cpu: '1500m' }, { cpu: '1' })),
    problem: 'maximum cpu usage per Container is 1, but request is 1500m',
  },
  {
    title: 'a limit too far above its request',
    limits: [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }],
    spec: one(both({ cpu: '1' }, { cpu: '3' })),
    problem: 'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
  },
  {
    title: 'a ratio that no float tells from the greatest',
    limits: [{ type: 'Container', maxLimitRequestRatio: { memory: '2' } }],
    spec: one(both({ memory: '4503599627370496' }, { memory: '9007199254740993' })),
    problem: 'memory max limit to request ratio per Container is 2, but provided ratio is 2.000000',
  },
  {
    title: 'a request of zero where there is a ratio',
    limits: [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }],
    spec: one(both({ cpu: '0' }, { cpu: '3' })),
    problem:
      'cpu max limit to request ratio per Container is 2, ' +
      'but no request is specified or request is 0',
  },
  {
    title: 'no limit where there is a ratio',
    limits: [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }],
    spec: one(both({ cpu: '1' })),
    problem:
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
  },
  {
    title: 'one that initializes',
    limits: [{ type: 'Container', min: { cpu: '1' } }],
    spec: {
      containers: [container('c', both({ cpu: '1' }))],
      initContainers: [container('i', both({ cpu: '1m' }))],
    },
    problem: 'minimum cpu usage per Container is 1, but request is 1m',
  },
  {
    title: 'all that is wrong by one range, once',
    limits: [{ type: 'Container', max: { cpu: '1' }, min: { memory: '1Gi' } }],
    spec: { containers: ['a', 'b'].map((name) => container(name, both({}, { cpu: '2' }))) },
    problem:
      '[minimum memory usage per Container is 1Gi.  No request is specified, ' +
      'maximum cpu usage per Container is 1, but limit is 2]',
  },
  {
    title: 'all containers of a pod together',
    limits: [{ type: 'Pod', max: { cpu: '2' } }],
    spec: { containers: ['a', 'b'].map((name) => container(name, both({}, { cpu: '1500m' }))) },
    problem: 'maximum cpu usage per Pod is 2, but limit is 3',
  },
  {
    title: 'the largest that initializes, with what runs beside it',
    limits: [{ type: 'Pod', max: { cpu: '2' } }],
    spec: {
      containers: [container('c', both({}, { cpu: '100m' }))],
      initContainers: [
        { ...container('side', both({}, { cpu: '1' })), restartPolicy: 'Always' },
        container('i', both({}, { cpu: '1500m' })),
      ],
    },
    problem: 'maximum cpu usage per Pod is 2, but limit is 2500m',
  },
  {
    title: 'a pod whose containers together reach the minimum that none of them has',
    limits: [{ type: 'Pod', min: { cpu: '100m' } }],
    spec: { containers: ['a', 'b'].map((name) => container(name, both({ cpu: '75m' }))) },
    problem: undefined,
  },
  {
    title: 'a pod whose containers together stay below the minimum',
    limits: [{ type: 'Pod', min: { memory: '100Mi' } }],
    spec: { containers: ['a', 'b'].map((name) => container(name, both({ memory: '40Mi' }))) },
    problem: 'minimum memory usage per Pod is 100Mi, but request is 80Mi',
  },
  {
    title: 'a pod that requests nothing where there is a minimum',
    limits: [{ type: 'Pod', min: { memory: '100Mi' } }],
    spec: { containers: [container('a'), container('b')] },
    problem: 'minimum memory usage per Pod is 100Mi.  No request is specified',
  },
  {
    title: 'a pod whose requests together are above the maximum',
    limits: [{ type: 'Pod', max: { cpu: '3' } }],
    spec: {
      containers: ['a', 'b'].map((name) => container(name, both({ cpu: '2' }, { cpu: '1' }))),
    },
    problem: 'maximum cpu usage per Pod is 3, but request is 4',
  },
  {
    title: 'a pod without limits where there is a maximum',
    limits: [{ type: 'Pod', max: { cpu: '3' } }],
    spec: { containers: ['a', 'b'].map((name) => container(name, both({ cpu: '1' }))) },
    problem: 'maximum cpu usage per Pod is 3.  No limit is specified',
  },
  {
    title: 'a pod of which one container alone has a limit: that is the limit',
    limits: [{ type: 'Pod', max: { cpu: '2' } }],
    spec: { containers: [container('a', both({}, { cpu: '1' })), container('b')] },
    problem: undefined,
  },
  {
    title: 'a pod whose limits are as far above its requests as may be',
    limits: [{ type: 'Pod', maxLimitRequestRatio: { memory: '1.5' } }],
    spec: {
      containers: ['a', 'b', 'c'].map((name) =>
        container(name, both({ memory: '300Mi' }, { memory: '450Mi' })),
      ),
    },
    problem: undefined,
  },
  {
    title: 'a pod whose limits are too far above its requests',
    limits: [{ type: 'Pod', maxLimitRequestRatio: { memory: '1.5' } }],
    spec: {
      containers: ['a', 'b'].map((name) =>
        container(name, both({ memory: '250Mi' }, { memory: '500Mi' })),
      ),
    },
    problem: 'memory max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000',
  },
  {
    title: 'storage of a node, as any other amount',
    limits: [{ type: 'Container', max: { 'ephemeral-storage': '1Gi' } }],
    spec: one(both({ 'ephemeral-storage': '250Mi' }, { 'ephemeral-storage': '2Gi' })),
    problem: 'maximum ephemeral-storage usage per Container is 1Gi, but limit is 2Gi',
  },
  {
    title: 'a limit that is as far above its request as may be',
    limits: [{ type: 'Container', maxLimitRequestRatio: { cpu: '1.5' } }],
    spec: one(both({ cpu: '500m' }, { cpu: '750m' })),
    problem: undefined,
  },
  {
    title: 'a container, by a limit that is for pods',
    limits: [{ type: 'Pod', max: { cpu: '2' } }],
    spec: one(both({}, { cpu: '2' })),
    problem: undefined,
  },
];

describe('the limits of containers and pods', () => {
  for (const { limits, problem, spec, title } of rows) {
    it(`${problem === undefined ? 'allow' : 'refuse'} ${title}`, () => {
      const read = finished(readLimits([range(...limits)]));
      assert(read !== 'too many');
      assert.equal(finished(podProblem(spec, read)), problem);
    });
  }

  it('are told of the first range that is not kept, whichever container breaks it', () => {
    const cpu = (count: number): readonly JsonObject[] =>
      Array.from({ length: count }, (_, at) => container(`c${at}`, both({}, { cpu: '1' })));
    const containers = [...cpu(9_000), container('last', both({}, { cpu: '3' }))];
    const ranges = Array.from({ length: 1000 }, (_, at) =>
      range({ type: 'Container', max: { cpu: at < 999 ? '5' : '2' } }),
    );
    const read = finished(readLimits(ranges));
    assert(read !== 'too many');
    const problem = 'maximum cpu usage per Container is 2, but limit is 3';
    assert.equal(finished(podProblem({ containers }, read)), problem);
  });

  it('that are too many are not read', () => {
    const names = Array.from({ length: limitsMax }, (_, at) => [`example.com/r${at}`, '1']);
    let asked = 0;
    const endless = function* () {
      for (;;) {
        asked += 1;
        assert.ok(asked < 3, 'no more are decoded than have to be');
        yield range({ type: 'Container', max: Object.fromEntries(names) as JsonObject });
      }
    };
    assert.equal(finished(readLimits(endless())), 'too many');
  });

  it('that would blow a pod up are refused', () => {
    const names = Array.from({ length: 2000 }, (_, at) => [`example.com/r${at}`, '1']);
    const usual = { type: 'Container', default: Object.fromEntries(names) as JsonObject };
    const read = finished(readLimits([range(usual)]));
    assert(read !== 'too many');
    const containers = Array.from({ length: 100 }, (_, at) => container(`c${at}`));
    assert.equal(finished(withUsualAmounts({ containers }, read.usual)), 'too many');
  });
});

describe('a namespace with limits', () => {
  let server: TestServer;
  const core = '/api/v1/namespaces';
  const post = (target: string, body: object): Promise<Reply> =>
    server.request('POST', target, { body });
  const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): object => ({
    metadata: { name, ...metadata },
    spec,
  });
  const refusal = (reply: Reply): string => {
    assert.equal(reply.status, 403, reply.text);
    assert.equal(reply.body['reason'], 'Forbidden');
    return String(reply.body['message']);
  };

  before(async () => {
    server = await startTestServer();
    for (const name of ['limited', 'free', 'claims']) await post(core, { metadata: { name } });
    const limits = [
      {
        type: 'Container',
        default: { cpu: '500m', memory: '512Mi' },
        defaultRequest: { cpu: '100m' },
        max: { cpu: '2' },
      },
    ];
    await post(`${core}/limited/limitranges`, { metadata: { name: 'l' }, spec: { limits } });
    const storage = [
      { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } },
    ];
    await post(`${core}/claims/limitranges`, {
      metadata: { name: 'l' },
      spec: { limits: storage },
    });
  });
  after(() => server.remove());

  it('completes containers that say nothing, and says so on the pod', async () => {
    const spec = {
      containers: [container('c')],
      initContainers: [container('i', both({}, { cpu: '1' }))],
    };
    const made = await post(`${core}/limited/pods`, pod('usual', spec));
    assert.equal(made.status, 201, made.text);
    const { metadata, spec: stored } = made.body as { metadata: JsonObject; spec: JsonObject };
    const [c] = stored['containers'] as JsonObject[];
    const [i] = stored['initContainers'] as JsonObject[];
    assert.deepEqual(c?.['resources'], {
      limits: { cpu: '500m', memory: '512Mi' },
      requests: { cpu: '100m', memory: '512Mi' },
    });
    assert.deepEqual(i?.['resources'], {
      limits: { cpu: '1', memory: '512Mi' },
      requests: { cpu: '1', memory: '512Mi' },
    });
    assert.deepEqual(metadata['annotations'], {
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container c; ' +
        'cpu, memory limit for container c; memory request for init container i; ' +
        'memory limit for init container i',
    });
  });

  it('refuses what is beyond them, and a dry run alike', async () => {
    const spec = one(both({}, { cpu: '3' }));
    const wanted =
      'pods "large" is forbidden: maximum cpu usage per Container is 2, but limit is 3';
    for (const query of ['', '?dryRun=All']) {
      assert.equal(refusal(await post(`${core}/limited/pods${query}`, pod('large', spec))), wanted);
    }
    assert.equal((await server.request('GET', `${core}/limited/pods/large`)).status, 404);
  });

  it('is the same to a pod of hundreds of containers', async () => {
    const many = Array.from({ length: 250 }, (_, at) => container(`c${at}`));
    const made = await post(`${core}/limited/pods?dryRun=All`, pod('many', { containers: many }));
    assert.equal(made.status, 201, made.text);
    const { containers } = made.body['spec'] as { containers: JsonObject[] };
    for (const each of containers) {
      assert.deepEqual(each['resources'], {
        limits: { cpu: '500m', memory: '512Mi' },
        requests: { cpu: '100m', memory: '512Mi' },
      });
    }
    const last = container('last', both({}, { cpu: '3' }));
    const refused = await post(
      `${core}/limited/pods`,
      pod('many', { containers: [...many, last] }),
    );
    assert.equal(
      refusal(refused),
      'pods "many" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
    );
  });

  it('follows a change of them at once', async () => {
    const at = `${core}/limited/limitranges/l`;
    const patch = (max: string) =>
      server.request('PATCH', at, {
        headers: { 'content-type': 'application/json-patch+json' },
        body: JSON.stringify([{ op: 'replace', path: '/spec/limits/0/max/cpu', value: max }]),
      });
    const spec = one(both({}, { cpu: '3' }));
    assert.equal((await patch('4')).status, 200);
    assert.equal((await post(`${core}/limited/pods`, pod('larger', spec))).status, 201);
    assert.equal((await patch('2')).status, 200);
    refusal(await post(`${core}/limited/pods`, pod('largest', spec)));
  });

  it('is no other namespace', async () => {
    const made = await post(`${core}/free/pods`, pod('p', { containers: [container('c')] }));
    assert.equal(made.status, 201, made.text);
    const { metadata } = made.body as { metadata: JsonObject };
    assert.equal(metadata['annotations'], undefined);
  });

  it('leaves updates of pods alone', async () => {
    const target = `${core}/limited/pods/usual`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = { metadata: { annotations: { note: 'x' } } };
    const reply = await server.request('PATCH', target, { headers, body });
    assert.equal(reply.status, 200, reply.text);
  });

  it('limits what a pod is resized to', async () => {
    const target = `${core}/limited/pods/usual/resize`;
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    const resized = (cpu: string) => ({
      spec: { containers: [{ name: 'c', resources: { limits: { cpu } } }] },
    });
    const refused = await server.request('PATCH', target, { headers, body: resized('5') });
    assert.equal(
      refusal(refused),
      'pods "usual" is forbidden: maximum cpu usage per Container is 2, but limit is 5',
    );
    const taken = await server.request('PATCH', target, { headers, body: resized('1') });
    assert.equal(taken.status, 200, taken.text);
  });

  it('holds a thousand ranges together', async () => {
    await post(core, { metadata: { name: 'thousand' } });
    const at = `${core}/thousand/limitranges`;
    const make = (index: number) =>
      post(at, {
        metadata: { name: `l${index}` },
        spec: { limits: [{ type: 'Container', max: { cpu: index === 700 ? '1' : '4' } }] },
      });
    for (let from = 0; from < 1000; from += 100) {
      const some = await Promise.all(Array.from({ length: 100 }, (_, more) => make(from + more)));
      assert.ok(some.every(({ status }) => status === 201));
    }
    const fits = one(both({}, { cpu: '1' }));
    assert.equal((await post(`${core}/thousand/pods`, pod('fits', fits))).status, 201);
    assert.equal(
      refusal(await post(`${core}/thousand/pods`, pod('large', one(both({}, { cpu: '2' }))))),
      'pods "large" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    );
    await server.request('DELETE', `${at}/l700`);
    const larger = one(both({}, { cpu: '2' }));
    assert.equal((await post(`${core}/thousand/pods`, pod('larger', larger))).status, 201);
  });

  const claim = (name: string, storage: string): object => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });

  it('limits what claims ask for', async () => {
    const at = `${core}/claims/persistentvolumeclaims`;
    const small = refusal(await post(at, claim('small', '1M')));
    const which = (name: string) => `persistentvolumeclaims "${name}" is forbidden:`;
    assert.equal(
      small,
      `${which('small')} minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1M`,
    );
    const large = refusal(await post(at, claim('large', '6Gi')));
    assert.equal(
      large,
      `${which('large')} maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi`,
    );
    assert.equal((await post(at, claim('fits', '5Gi'))).status, 201);
  });
});
