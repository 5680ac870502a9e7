/** Priority over HTTP: what pods get from their class, and which classes may be (spec 2, 5.1). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { AdmissionObjects, MutatePass, Proposed } from '../../src/admission/admission.ts';
import { priorities } from '../../src/admission/priorities.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const pods = '/api/v1/namespaces/default/pods';
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const containers = [{ name: 'c', image: 'i' }];

describe('of several default classes', () => {
  it('the lowest counts, whichever comes first', async () => {
    const usual = (name: string, value: number): JsonObject => ({
      metadata: { name },
      value,
      globalDefault: true,
    });
    const all = [usual('a', 2000), usual('b', 1000), usual('c', 1500)] as unknown as ApiObject[];
    const first: AdmissionObjects['first'] =
      (_of, { isBefore, read }) =>
      () =>
        all.flatMap((each) => read(each) ?? []).sort((a, b) => (isBefore(a, b) ? -1 : 1))[0];
    const known = { first } as unknown as AdmissionObjects;
    const { admit } = priorities(identityOf('kubernetes'), known);
    const resource = { group: '', resource: 'pods' };
    const next = { metadata: { name: 'p' }, spec: {} };
    const made = await admit?.({ next, resource } as unknown as Proposed, {} as MutatePass);
    assert.deepEqual((made as JsonObject)['spec'], {
      priorityClassName: 'b',
      priority: 1000,
      preemptionPolicy: 'PreemptLowerPriority',
    });
  });
});

describe('the priority of a pod', () => {
  let server: TestServer;
  const create = (name: string, spec: object = {}): Promise<Reply> =>
    server.request('POST', pods, { body: { metadata: { name }, spec: { containers, ...spec } } });
  const createClass = (name: string, content: object): Promise<Reply> =>
    server.request('POST', classes, { body: { metadata: { name }, ...content } });
  const priorityOf = (reply: Reply): readonly unknown[] => {
    assert(reply.status < 300, reply.text);
    const spec = reply.body['spec'] as JsonObject;
    return [spec['priorityClassName'], spec['priority'], spec['preemptionPolicy']];
  };
  const refusalOf = (reply: Reply): string => {
    assert.equal(reply.status, 403, reply.text);
    return String(reply.body['message']).replace(/^.* is forbidden: /, '');
  };
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.remove());

  it('is 0 without any class', async () => {
    assert.deepEqual(priorityOf(await create('p')), [undefined, 0, 'PreemptLowerPriority']);
  });

  it('is that of the class that it names', async () => {
    await createClass('high', { value: 1000 });
    await createClass('meek', { value: -5, preemptionPolicy: 'Never' });
    const high = await create('h', { priorityClassName: 'high' });
    assert.deepEqual(priorityOf(high), ['high', 1000, 'PreemptLowerPriority']);
    const meek = await create('m', { priorityClassName: 'meek' });
    assert.deepEqual(priorityOf(meek), ['meek', -5, 'Never']);
    const unknown = await create('u', { priorityClassName: 'unknown' });
    assert.equal(refusalOf(unknown), 'no PriorityClass with name unknown was found');
  });

  it('is that of the default class for pods made after it, until it goes', async () => {
    await createClass('usual', { value: 7, globalDefault: true });
    assert.deepEqual(priorityOf(await create('a')), ['usual', 7, 'PreemptLowerPriority']);
    await server.request('DELETE', `${classes}/usual`);
    assert.deepEqual(priorityOf(await create('b')), [undefined, 0, 'PreemptLowerPriority']);
  });

  it('is not what the client says, unless that is the same', async () => {
    await createClass('high', { value: 1000 });
    const other = await create('p', { priorityClassName: 'high', priority: 5 });
    const computed = 'must not be provided in pod spec; priority admission controller computed';
    const end = 'from the given PriorityClass name';
    assert.equal(refusalOf(other), `the integer value of priority (5) ${computed} 1000 ${end}`);
    const policy = await create('p', { priorityClassName: 'high', preemptionPolicy: 'Never' });
    assert.equal(
      refusalOf(policy),
      `the string value of PreemptionPolicy (Never) ${computed} PreemptLowerPriority ${end}`,
    );
    const same = await create('p', { priorityClassName: 'high', priority: 1000 });
    assert.equal(priorityOf(same)[1], 1000);
    const none = await create('none', { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    assert.deepEqual(priorityOf(none), [undefined, 0, 'PreemptLowerPriority']);
    const unnamed = await create('unnamed', { priority: 1000 });
    assert.equal(refusalOf(unnamed), `the integer value of priority (1000) ${computed} 0 ${end}`);
    await createClass('usual', { value: 7, globalDefault: true });
    assert.deepEqual(priorityOf(await create('usual', { priority: 7 })).slice(0, 2), ['usual', 7]);
    const mirror = { 'kubernetes.io/config.mirror': 'x' };
    const mirrored = await server.request('POST', pods, {
      body: {
        metadata: { name: 'mirrored', annotations: mirror },
        spec: { containers, priorityClassName: 'high', priority: 5 },
      },
    });
    assert.equal(refusalOf(mirrored), `the integer value of priority (5) ${computed} 1000 ${end}`);
  });

  it('stays when the pod is written again by whoever does not know it', async () => {
    const { body } = await create('p');
    const { preemptionPolicy: _policy, priority: _priority, ...spec } = body['spec'] as JsonObject;
    const again = { ...body, spec: { ...spec, containers: [{ ...containers[0], image: 'j' }] } };
    const put = await server.request('PUT', `${pods}/p`, { body: again });
    assert.deepEqual(priorityOf(put), [undefined, 0, 'PreemptLowerPriority']);
  });

  it('has one default at most, by creation and by update', async () => {
    await createClass('first', { value: 1, globalDefault: true });
    const only = 'PriorityClass first is already marked as default. Only one default can exist';
    assert.equal(refusalOf(await createClass('second', { value: 2, globalDefault: true })), only);
    await createClass('third', { value: 3 });
    const patch = (name: string, body: object): Promise<Reply> =>
      server.request('PATCH', `${classes}/${name}`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body,
      });
    assert.equal(refusalOf(await patch('third', { globalDefault: true })), only);
    const own = await patch('first', { description: 'the usual one' });
    assert.equal(own.status, 200, own.text);
    await patch('first', { globalDefault: false });
    assert.equal((await patch('third', { globalDefault: true })).status, 200);
  });

  it('counts the generation of a pod with what its spec says', async () => {
    const { body } = await create('p');
    const generationOf = (shown: JsonObject): unknown =>
      (shown['metadata'] as JsonObject)['generation'];
    assert.equal(generationOf(body), 1);
    const patch = (content: object, sub = ''): Promise<Reply> =>
      server.request('PATCH', `${pods}/p${sub}`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: content,
      });
    const labelled = await patch({ metadata: { labels: { a: 'b' } } });
    assert.equal(generationOf(labelled.body), 1);
    const reported = await patch({ status: { phase: 'Running' } }, '/status');
    assert.equal(generationOf(reported.body), 1);
    const changed = await patch({ spec: { containers: [{ ...containers[0], image: 'j' }] } });
    assert.equal(generationOf(changed.body), 2);
  });
});
