/**
 * What an object of a kind that users define says it is, which object a write means, and what its
 * scale may be: answers that a server of the reference was seen to give.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { eventually } from '../support/clients/watch-client.ts';
import {
  definition,
  definitionsPath,
  established,
  object,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const path = '/apis/shop.example/v1/namespaces/default/valves';
const merge = { 'content-type': 'application/merge-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

describe('an object of a kind that a user defines', () => {
  let server: TestServer;
  let made: JsonObject;
  before(async () => {
    server = await startTestServer();
    const replicas = { type: 'integer', minimum: 0 };
    const spec = { type: 'object', properties: { replicas } };
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const status = { type: 'object', properties: { replicas: { type: 'integer' } } };
    const properties = { spec, status };
    const version = { subresources: { scale, status: {} } };
    await established(server, definition({ plural: 'valves', kind: 'Valve', properties, version }));
    made = (await write('POST', path, valve())).body;
  });
  after(() => server.remove());

  const write = (method: string, target: string, body: JsonObject, headers = {}): Promise<Reply> =>
    server.request(method, target, { body: JSON.stringify(body), headers });
  const valve = (more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
    ...object('Valve', 'v', { spec: { replicas: 1 } }, 'v1'),
    metadata: { name: 'v', ...metadata },
    ...more,
  });
  const causes = ({ body }: Reply): unknown[] =>
    objects(part(body, 'details'), 'causes').map(({ field, message }) => [field, message]);

  it('has to say its kind: there is no default', async () => {
    const { kind: _kind, ...nameless } = valve();
    for (const body of [nameless, { ...nameless, kind: '' }, { ...nameless, kind: null }]) {
      const reply = await write('POST', path, body);
      assert.equal(reply.status, 400);
      const missing = /must be of type Valve\): Object 'Kind' is missing/;
      assert.match(String(reply.body['message']), missing);
    }
  });

  it('has to say its version', async () => {
    for (const apiVersion of ['', null]) {
      const reply = await write('POST', path, valve({ apiVersion }));
      assert.equal(reply.status, 400);
      const expected =
        /in the data \(\) does not match the expected API version \(shop.example\/v1\)/;
      assert.match(String(reply.body['message']), expected);
    }
  });

  it('of another kind is invalid, in a body and after a patch', async () => {
    const another = [['kind', 'Invalid value: "Pipe": must be Valve']];
    const posted = await write('POST', path, valve({ kind: 'Pipe' }));
    assert.deepEqual([posted.status, causes(posted)], [422, another]);
    const patched = await write('PATCH', `${path}/v`, { kind: 'Pipe' }, merge);
    assert.deepEqual([patched.status, causes(patched)], [422, another]);
    const moved = await write('PATCH', `${path}/v`, { apiVersion: 'shop.example/v2' }, merge);
    const version = [['apiVersion', 'Invalid value: "shop.example/v2": must be shop.example/v1']];
    assert.deepEqual([moved.status, causes(moved)], [422, version]);
  });

  it('with another uid is a conflict, also where no version is named', async () => {
    const reply = await write('PUT', `${path}/v`, valve({}, { uid: 'other' }));
    assert.equal(reply.status, 409);
    const { uid } = part(made, 'metadata');
    const told = `Precondition failed: UID in precondition: other, UID in object meta: ${String(uid)}`;
    assert.ok(String(reply.body['message']).endsWith(told), reply.text);
  });

  it('that is not there is not found, whatever uid is meant', async () => {
    const reply = await write('PUT', `${path}/none`, valve({}, { name: 'none', uid: 'other' }));
    assert.equal(reply.status, 404);
  });

  it('is scaled to what its schema allows', async () => {
    const scale = (replicas: number): JsonObject => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'v' },
      spec: { replicas },
    });
    const reply = await write('PUT', `${path}/v/scale`, scale(-4));
    assert.deepEqual(causes(reply), [
      [
        'spec.replicas',
        'Invalid value: -4: spec.replicas in body should be greater than or equal to 0',
      ],
      ['.spec.replicas', 'Invalid value: -4: should be a non-negative integer'],
    ]);
    assert.equal(part(reply.body, 'details')['kind'], 'Valve');
    assert.equal((await write('PUT', `${path}/v/scale`, scale(4))).status, 200);
    const patched = await write('PATCH', `${path}/v/scale`, { spec: { replicas: 5 } }, strategic);
    assert.equal(patched.status, 415);
  });

  it('is refused with an answer that no cache keeps', async () => {
    const reply = await server.request('GET', `${path}/none`);
    assert.deepEqual([reply.status, reply.headers['cache-control']], [404, 'no-cache, private']);
  });

  it('keeps its metadata when its status is written, a prefix of names included', async () => {
    const status = { replicas: 2 };
    const metadata = {
      generateName: 'other-',
      labels: { a: 'b' },
      deletionGracePeriodSeconds: 5,
    };
    const { status: code, body } = await write(
      'PATCH',
      `${path}/v/status`,
      { status, metadata },
      merge,
    );
    assert.deepEqual([code, body['status']], [200, status]);
    const kept = part(body, 'metadata');
    for (const name of Object.keys(metadata)) assert.equal(kept[name], undefined, name);
  });

  it('says what a refused patch has besides: fields that nobody knows', async () => {
    const reply = await write('PATCH', `${path}/v`, { spec: { replicas: -1, other: 1 } }, merge);
    assert.equal(reply.status, 422);
    assert.equal(reply.headers['warning'], String.raw`299 - "unknown field \"spec.other\""`);
  });

  it('says what a refused update leaves wrong', async () => {
    const spec = (rules: JsonObject[]): JsonObject => ({
      spec: {
        type: 'object',
        properties: {
          name: { type: 'string', 'x-kubernetes-validations': rules },
          count: { type: 'integer', maximum: 5 },
        },
      },
    });
    const kind = { plural: 'pumps', kind: 'Pump' };
    await established(server, definition({ ...kind, properties: spec([]) }));
    const pumps = '/apis/shop.example/v1/namespaces/default/pumps';
    const pump = (count: number): JsonObject =>
      object('Pump', 'p', { spec: { name: 'bad', count } }, 'v1');
    const first = await write('POST', pumps, pump(1));
    const rules = [{ rule: "self == 'good'", message: 'be good' }];
    const ruled = definition({ ...kind, properties: spec(rules) });
    const target = `${definitionsPath}/pumps.shop.example`;
    assert.equal(
      (await write('PATCH', target, { spec: ruled['spec'] ?? null }, merge)).status,
      200,
    );
    await eventually('the rule is in force', async () => {
      const refused = await write('POST', `${pumps}?dryRun=All`, {
        ...pump(1),
        metadata: { name: 'q' },
      });
      return refused.status === 422;
    });
    const { resourceVersion = null } = part(first.body, 'metadata');
    const reply = await write('PUT', `${pumps}/p`, {
      ...pump(9),
      metadata: { name: 'p', resourceVersion },
    });
    assert.deepEqual(
      [reply.status, reply.headers['warning']],
      [422, String.raw`299 - "spec.name: Invalid value: \"bad\": be good"`],
    );
  });
});
