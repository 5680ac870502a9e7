/**
 * Versions of a custom type that a webhook converts: reads, writes and watches in either version,
 * lists in batches, and a webhook that fails.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, it } from 'node:test';
import { objects, part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import {
  definition,
  definitionsPath,
  established,
  replaced,
  until,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { tlsPair, tlsServerOptions } from '../support/data/tls-pair.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import type { RemoteService } from '../support/servers/remote-service.ts';

/** How the webhook answers. */
type Mood = 'well' | 'refuses' | 'fewer' | 'renames' | 'silent' | 'other-uid' | 'hangs';

const place = (version: string): string => `/apis/shop.example/${version}/namespaces/default/lamps`;
const lamp = (name: string, version: string, spec: JsonObject): JsonObject => ({
  apiVersion: `shop.example/${version}`,
  kind: 'Lamp',
  metadata: { name },
  spec,
});

/** v1 has `watts` and `hue`, v2 has `milliwatts` and `colour`, both have `note`; a label says how v2
 * was made. */
function convert(object: JsonObject, apiVersion: string): JsonObject {
  const spec = part(object, 'spec');
  const { note, watts, milliwatts } = spec;
  const same = note === undefined ? {} : { note };
  const metadata = part(object, 'metadata');
  if (apiVersion === 'shop.example/v2') {
    const colour =
      spec['hue'] === undefined ? {} : { colour: colours[text(spec, 'hue')] ?? 'grey' };
    const converted = { milliwatts: Number(watts ?? 0) * 1000, ...colour, ...same };
    const labels = { ...part(metadata, 'labels'), from: 'v1' };
    return { ...object, apiVersion, metadata: { ...metadata, labels }, spec: converted };
  }
  const hue = Object.keys(colours).find((each) => colours[each] === spec['colour']);
  const converted = {
    watts: Number(milliwatts ?? 0) / 1000,
    ...(hue === undefined ? {} : { hue }),
    ...same,
  };
  const { from: _, ...labels } = part(metadata, 'labels');
  return { ...object, apiVersion, metadata: { ...metadata, labels }, spec: converted };
}

const colours: Readonly<Record<string, string>> = { '0': 'red', '120': 'green', '240': 'blue' };

describe('versions that a webhook converts', () => {
  let server: TestServer;
  let hook: RemoteService;
  let mood: Mood = 'well';
  const asked: number[] = [];
  const reviewVersions: string[] = [];
  /** Calls that hang, and those of them that have been closed. */
  const hanging = { begun: 0, closed: 0 };
  let clientConfig: JsonObject;

  const answer = (review: JsonObject): JsonObject => {
    const request = part(review, 'request');
    const given = objects(request, 'objects');
    asked.push(given.length);
    reviewVersions.push(text(review, 'apiVersion'));
    const to = text(request, 'desiredAPIVersion');
    let convertedObjects = given.map((each) => convert(each, to));
    if (mood === 'fewer') convertedObjects = convertedObjects.slice(1);
    if (mood === 'renames') {
      convertedObjects = convertedObjects.map((each) => ({
        ...each,
        metadata: { ...part(each, 'metadata'), name: 'other' },
      }));
    }
    const result =
      mood === 'refuses' ? { status: 'Failed', message: 'not today' } : { status: 'Success' };
    const uid = mood === 'other-uid' ? 'x' : request['uid'];
    return { ...review, request: null, response: { uid, result, convertedObjects } };
  };

  before(async () => {
    hook = await startRemoteService((body, request, response) => {
      if (mood === 'silent') {
        request.socket.destroy();
        return;
      }
      if (mood === 'hangs') {
        hanging.begun += 1;
        response.once('close', () => (hanging.closed += 1));
        return;
      }
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(JSON.parse(body) as JsonObject)));
    }, tlsServerOptions);
    server = await startTestServer();
    const version = (name: string, field: string, text: string, storage: boolean): JsonObject => ({
      name,
      served: true,
      storage,
      selectableFields: [{ jsonPath: `.spec.${text}` }],
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                [field]: { type: 'number' },
                [text]: { type: 'string' },
                note: { type: 'string' },
              },
            },
          },
        },
      },
    });
    const versions = [
      version('v1', 'watts', 'hue', true),
      version('v2', 'milliwatts', 'colour', false),
    ];
    clientConfig = {
      url: `${hook.url}/convert`,
      caBundle: Buffer.from(tlsPair.certificatePem).toString('base64'),
    };
    const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
    const conversion = { strategy: 'Webhook', webhook };
    await established(
      server,
      definition({ plural: 'lamps', kind: 'Lamp', spec: { versions, conversion } }),
    );
  });
  after(async () => {
    await server.remove();
    hook.close();
  });

  for (const release of ['1.16', '1.21']) {
    it(`${release}: a definition in the older version is converted by the older reviews`, async () => {
      const older = await startTestServer({ 'emulated-version': release });
      const field = (name: string): JsonObject => ({
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { [name]: { type: 'number' } } } },
        },
      });
      const path = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
      const made = await older.request('POST', path, {
        body: {
          apiVersion: 'apiextensions.k8s.io/v1beta1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'lamps.shop.example' },
          spec: {
            group: 'shop.example',
            names: { plural: 'lamps', kind: 'Lamp' },
            preserveUnknownFields: false,
            versions: [
              { name: 'v1', served: true, storage: true, schema: field('watts') },
              { name: 'v2', served: true, storage: false, schema: field('milliwatts') },
            ],
            conversion: { strategy: 'Webhook', webhookClientConfig: clientConfig },
          },
        },
      });
      assert.equal(made.status, 201, made.text);
      const { conversion } = part(made.body, 'spec') as { conversion: JsonObject };
      assert.deepEqual(conversion['conversionReviewVersions'], ['v1beta1'], 'the default');
      await until(older, place('v2'), () => true);
      reviewVersions.length = 0;
      const created = await older.request('POST', place('v2'), {
        body: lamp('old', 'v2', { milliwatts: 4000 }),
      });
      assert.deepEqual(created.body['spec'], { milliwatts: 4000 }, created.text);
      const shown = await older.request('GET', `${place('v1')}/old`);
      assert.deepEqual(shown.body['spec'], { watts: 4 }, shown.text);
      assert.deepEqual([...new Set(reviewVersions)], ['apiextensions.k8s.io/v1beta1']);
      await older.remove();
    });
  }

  it('large objects are patched in the other at once', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `large${at}`);
    for (const name of names) {
      const body = lamp(name, 'v1', { watts: 1, note: 'x'.repeat(2_400_000) });
      assert.equal((await server.request('POST', place('v1'), { body })).status, 201);
    }
    const replies = await Promise.all(
      names.map((name, at) =>
        server.request('PATCH', `${place('v2')}/${name}`, {
          body: { spec: { milliwatts: 1000 * at } },
          headers: { 'content-type': 'application/merge-patch+json' },
        }),
      ),
    );
    for (const { status, text: why } of replies) assert.equal(status, 200, why.slice(0, 300));
    for (const name of names) {
      const { status } = await server.request('DELETE', `${place('v1')}/${name}`);
      assert.equal(status, 200);
    }
  });

  it('an object that is written in one is read in the other', async () => {
    const made = await server.request('POST', place('v2'), {
      body: lamp('a', 'v2', { milliwatts: 5000 }),
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body['spec'], { milliwatts: 5000 });
    const v1 = await server.request('GET', `${place('v1')}/a`);
    assert.deepEqual([v1.body['apiVersion'], v1.body['spec']], ['shop.example/v1', { watts: 5 }]);
    const v2 = await server.request('GET', `${place('v2')}/a`);
    assert.deepEqual(v2.body['spec'], { milliwatts: 5000 });
    assert.deepEqual(part(v2.body, 'metadata')['uid'], part(v1.body, 'metadata')['uid']);
  });

  it('it is patched, applied and replaced in the one that is not stored', async () => {
    const patched = await server.request('PATCH', `${place('v2')}/a`, {
      body: '{"spec":{"milliwatts":7000}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    assert.deepEqual(patched.body['spec'], { milliwatts: 7000 }, patched.text);
    const replaced = await server.request('PUT', `${place('v2')}/a`, {
      body: { ...patched.body, spec: { milliwatts: 8000 } },
    });
    assert.deepEqual(replaced.body['spec'], { milliwatts: 8000 }, replaced.text);
    const applied = await server.request('PATCH', `${place('v2')}/a?fieldManager=m&force=true`, {
      body: JSON.stringify(lamp('a', 'v2', { milliwatts: 9000 })),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    assert.deepEqual(applied.body['spec'], { milliwatts: 9000 }, applied.text);
    const v1 = await server.request('GET', `${place('v1')}/a`);
    assert.deepEqual(v1.body['spec'], { watts: 9 });
    assert.equal(part(v1.body, 'metadata')['generation'], 4);
  });

  it('a list is converted in batches, and a watch event by event', async () => {
    for (let n = 0; n < 12; n += 1) {
      await server.request('POST', place('v1'), { body: lamp(`l${n}`, 'v1', { watts: n }) });
    }
    asked.length = 0;
    const list = await server.request('GET', place('v2'));
    assert.deepEqual(asked, [13], 'one call for all of them');
    const spec = objects(list.body, 'items').map((item) => item['spec']);
    assert.deepEqual(spec[1], { milliwatts: 0 });
    const { resourceVersion } = part(list.body, 'metadata');
    const watch = await server.openWatch(
      `${place('v2')}?watch=1&resourceVersion=${String(resourceVersion)}`,
    );
    await server.request('POST', place('v1'), { body: lamp('w', 'v1', { watts: 3 }) });
    await server.request('DELETE', `${place('v1')}/w`);
    const events = await watch.take(2);
    assert.deepEqual(
      events.map(({ object, type }) => [type, object['apiVersion'], object['spec']]),
      [
        ['ADDED', 'shop.example/v2', { milliwatts: 3000 }],
        ['DELETED', 'shop.example/v2', { milliwatts: 3000 }],
      ],
    );
    watch.close();
  });

  it('watches that show the same events share the calls for them', async () => {
    const { body } = await server.request('GET', place('v2'));
    const { resourceVersion } = part(body, 'metadata');
    const query = `watch=1&resourceVersion=${String(resourceVersion)}`;
    const watches = await Promise.all(
      Array.from({ length: 200 }, () => server.openWatch(`${place('v2')}?${query}`)),
    );
    asked.length = 0;
    const watts = [1, 2, 3];
    for (const each of watts) {
      const method = each === 1 ? 'POST' : 'PUT';
      const path = each === 1 ? place('v1') : `${place('v1')}/many`;
      const current = each === 1 ? undefined : (await server.request('GET', path)).body;
      const sent = { ...(current ?? lamp('many', 'v1', {})), spec: { watts: each } };
      await server.request(method, path, { body: sent });
    }
    for (const watch of watches) {
      const events = await watch.take(watts.length);
      assert.deepEqual(
        events.map(({ object }) => part(object, 'spec')['milliwatts']),
        watts.map((each) => each * 1000),
      );
      watch.close();
    }
    const objectsAsked = asked.reduce((sum, each) => sum + each, 0);
    assert.equal(objectsAsked, watts.length, `${asked.length} calls`);
    await server.request('DELETE', `${place('v1')}/many`);
  });

  it('a collection is selected by what the version of the request shows', async () => {
    const shades = place('v1').replace('default', 'shades');
    await server.request('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shades' } },
    });
    const hues = { a: '0', b: '120', c: '240', d: '0', e: '5' };
    for (const [name, hue] of Object.entries(hues)) {
      const made = await server.request('POST', shades, { body: lamp(name, 'v1', { hue }) });
      assert.equal(made.status, 201, made.text);
    }
    const shown = shades.replace('/v1/', '/v2/');
    const names = async (query: string, path = shown): Promise<readonly string[]> => {
      const { body, text: said } = await server.request('GET', `${path}?${query}`);
      assert.equal(body['kind'], 'LampList', said);
      return objects(body, 'items').map((item) => text(part(item, 'metadata'), 'name'));
    };
    assert.deepEqual(await names('fieldSelector=spec.colour%3Dred'), ['a', 'd']);
    assert.deepEqual(await names('fieldSelector=spec.colour!%3Dred'), ['b', 'c', 'e']);
    assert.deepEqual(await names('fieldSelector=spec.hue%3D0', shades), ['a', 'd']);
    assert.deepEqual(await names('labelSelector=from%3Dv1,!x'), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(await names('labelSelector=from%3Dv1', shades), []);
    const other = await server.request('GET', `${shown}?fieldSelector=spec.hue%3D0`);
    assert.equal(text(other.body, 'message'), 'field label not supported: spec.hue');

    const first = await server.request('GET', `${shown}?fieldSelector=spec.colour%3Dred&limit=1`);
    const token = encodeURIComponent(text(part(first.body, 'metadata'), 'continue'));
    assert.notEqual(token, '');
    const rest = `fieldSelector=spec.colour%3Dred&limit=5&continue=${token}`;
    assert.deepEqual(await names(rest), ['d']);

    const version = text(part(first.body, 'metadata'), 'resourceVersion');
    const streaming =
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watches = await Promise.all(
      [`watch=1&resourceVersion=${version}`, streaming].map((query) =>
        server.openWatch(`${shown}?fieldSelector=spec.colour%3Dred&${query}`),
      ),
    );
    const patch = (name: string, hue: string) =>
      server.request('PATCH', `${shades}/${name}`, {
        body: JSON.stringify({ spec: { hue } }),
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    await patch('b', '0');
    await patch('b', '240');
    await patch('c', '120');
    const left = await patch('a', '120');
    await server.request('DELETE', `${shades}/e`);
    await server.request('DELETE', `${shades}/d`);
    const changes = ['ADDED b red', 'DELETED b red', 'DELETED a red', 'DELETED d red'];
    for (const [at, watch] of watches.entries()) {
      const initial = at === 0 ? [] : ['ADDED a red', 'ADDED d red', 'BOOKMARK  '];
      const events = await watch.take(initial.length + changes.length);
      assert.deepEqual(
        events.map(({ object, type }) => {
          const name = text(part(object, 'metadata'), 'name');
          return `${type} ${name} ${text(part(object, 'spec'), 'colour')}`;
        }),
        [...initial, ...changes],
      );
      const gone = events.at(-2)?.object;
      const { resourceVersion } = part(gone, 'metadata');
      assert.equal(resourceVersion, part(left.body, 'metadata')['resourceVersion']);
      watch.close();
    }
    const green = 'fieldSelector=spec.colour%3Dgreen';
    const deleted = await server.request('DELETE', `${shown}?${green}`);
    assert.equal(deleted.status, 200, deleted.text);
    assert.deepEqual(await names('limit=500'), ['b']);
    await server.request('DELETE', `${shades}/b`);
  });

  it('what is stored in the version before is shown in the one that is stored now', async () => {
    const path = `${definitionsPath}/lamps.shop.example`;
    const mark = (stored: string): Promise<void> =>
      replaced(server, path, (spec) => ({
        ...spec,
        versions: objects(spec, 'versions').map((each) => ({
          ...each,
          storage: each['name'] === stored,
        })),
      }));
    const hash = async (): Promise<unknown> => {
      const { body } = await server.request('GET', '/apis/shop.example/v2');
      return objects(body, 'resources')[0]?.['storageVersionHash'];
    };
    const before = await hash();
    await mark('v2');
    while ((await hash()) === before);
    const { body } = await server.request('GET', path);
    assert.deepEqual(part(body, 'status')['storedVersions'], ['v1', 'v2']);
    const watch = await server.openWatch(`${place('v2')}?watch=1`);
    const old = await watch.next();
    assert.deepEqual(
      [old?.object['apiVersion'], old?.object['spec']],
      ['shop.example/v2', { milliwatts: 9000 }],
    );
    watch.close();
    const shown = await server.request('GET', `${place('v1')}/a`);
    assert.deepEqual(shown.body['spec'], { watts: 9 });
    const patched = await server.request('PATCH', `${place('v2')}/a`, {
      body: '{"spec":{"milliwatts":9000}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    assert.equal(patched.status, 200, patched.text);
    assert.deepEqual(patched.body['spec'], { milliwatts: 9000 });
    const after = await hash();
    await mark('v1');
    while ((await hash()) === after);
    // It is written in v1 again, where nobody has to be asked for it.
    const kept = await server.request('GET', `${place('v1')}/a`);
    const back = await server.request('PUT', `${place('v1')}/a`, { body: kept.body });
    assert.deepEqual(back.body['spec'], { watts: 9 }, back.text);
  });

  it('one that fails is an error for its own type in that version, and for nobody else', async () => {
    const said: readonly (readonly [Mood, RegExp])[] = [
      ['refuses', /^conversion webhook for shop\.example\/v1, Kind=Lamp failed: not today$/],
      ['fewer', /^conversion webhook for .* returned 0 objects, expected 1$/],
      ['renames', /returned invalid object: must have the same name/],
      ['other-uid', /failed: expected response\.uid=/],
      ['silent', /^conversion webhook for shop\.example\/v1, Kind=Lamp failed: /],
    ];
    for (const [next, pattern] of said) {
      mood = next;
      const read = await server.request('GET', `${place('v2')}/a`);
      assert.equal(read.status, 500, next);
      assert.match(text(read.body, 'message'), pattern);
      const written = await server.request('POST', place('v2'), {
        body: lamp('never', 'v2', { milliwatts: 1 }),
      });
      assert.equal(written.status, 500, next);
      assert.equal((await server.request('GET', `${place('v1')}/a`)).status, 200);
      assert.equal((await server.request('GET', '/api/v1/namespaces/default')).status, 200);
    }
    mood = 'well';
    assert.equal((await server.request('GET', `${place('v1')}/never`)).status, 404);
    assert.equal((await server.request('GET', `${place('v2')}/a`)).status, 200);
  });

  const comes = async (is: () => boolean): Promise<void> => {
    for (let looked = 0; !is(); looked += 1) {
      assert.ok(looked < 1_000, 'it never came');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const created = JSON.stringify(lamp('gone', 'v2', { milliwatts: 1 }));
  for (const [title, method, target, body, clients] of [
    ['a read', 'GET', `${place('v2')}/a`, '', 1],
    ['a list', 'GET', place('v2'), '', 1],
    ['a write', 'POST', place('v2'), created, 1],
    ['three watches of the same', 'GET', `${place('v2')}?watch=1`, '', 3],
  ] as const) {
    it(`is not waited for when the last client has gone: ${title}`, async () => {
      mood = 'hangs';
      Object.assign(hanging, { begun: 0, closed: 0 });
      const headers = { 'content-type': 'application/json' };
      const all = Array.from({ length: clients }, () => {
        const request = http.request(new URL(target, server.url), { method, headers });
        request.on('error', () => undefined);
        request.on('response', (response) => response.on('error', () => undefined).resume());
        return request.end(body);
      });
      await comes(() => hanging.begun > 0);
      for (const [at, request] of all.entries()) {
        if (at === all.length - 1) assert.equal(hanging.closed, 0);
        request.destroy();
      }
      await comes(() => hanging.closed === hanging.begun);
      mood = 'well';
      assert.equal((await server.request('GET', `${place('v2')}/a`)).status, 200);
      assert.equal((await server.request('GET', `${place('v1')}/gone`)).status, 404);
    });
  }
});
