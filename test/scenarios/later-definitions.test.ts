/**
 * Definitions that change while there are objects: each is shown as the definition of today reads
 * what was stored, whatever those in between made of it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import {
  definition,
  definitionsPath,
  established,
  object,
  replaced,
  until,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-later');
after(() => directories.removeAll());

const anyText = { type: 'string' };
const merge = { 'content-type': 'application/merge-patch+json' };
const place = (version: string, name = ''): string =>
  `/apis/shop.example/${version}/namespaces/default/reels${name}`;

function versionOf(name: string, storage: boolean, properties: JsonObject): JsonObject {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return { name, served: true, storage, schema: { openAPIV3Schema: schema } };
}

describe('a definition that changes', () => {
  let server: TestServer;
  let dataDir: string;
  before(async () => {
    dataDir = directories.make();
    server = await startTestServer({ store: 'lmdb', 'data-dir': dataDir });
  });
  after(() => server.remove());

  const define = (versions: readonly JsonObject[]): Promise<void> =>
    replaced(server, `${definitionsPath}/reels.shop.example`, (spec) => ({
      ...spec,
      versions: [...versions],
    }));
  const shown = async (version: string, name: string, spec: JsonObject): Promise<JsonObject> => {
    const expected = JSON.stringify(sorted(spec));
    return until(server, place(version, `/${name}`), (body) => {
      return JSON.stringify(sorted(part(body, 'spec'))) === expected;
    });
  };
  const patch = (version: string, name: string, body: JsonObject): Promise<Reply> =>
    server.request('PATCH', place(version, `/${name}`), {
      body: JSON.stringify(body),
      headers: merge,
    });
  const restarted = async (): Promise<void> => {
    await server.stop();
    server = await startTestServer({ store: 'lmdb', 'data-dir': dataDir });
    await until(server, '/apis/shop.example/v1', () => true);
  };

  it('shows today its defaults of today, and fields that were away', async () => {
    const a = versionOf('v1', true, { a: anyText, b: anyText });
    await established(
      server,
      definition({ plural: 'reels', kind: 'Reel', spec: { versions: [a] } }),
    );
    const made = object('Reel', 'r', { spec: { a: 'a', b: 'b' } });
    await server.request('POST', place('v1'), { body: made });
    await server.request('POST', place('v1'), { body: object('Reel', 'idle', made) });
    const withDefault = (value: string): JsonObject =>
      versionOf('v1', true, { a: anyText, d: { ...anyText, default: value } });
    await define([withDefault('one')]);
    await shown('v1', 'r', { a: 'a', d: 'one' });
    await define([withDefault('two')]);
    await shown('v1', 'r', { a: 'a', d: 'two' });
    await define([versionOf('v1', true, { a: anyText, b: anyText, d: anyText })]);
    const back = await shown('v1', 'r', { a: 'a', b: 'b' });
    await define([withDefault('three')]);
    await shown('v1', 'r', { a: 'a', d: 'three' });
    assert.equal(part(back, 'metadata')['resourceVersion'], await versionOfReel('r'));
  });

  const versionOfReel = async (name: string): Promise<string> => {
    const { body } = await server.request('GET', place('v1', `/${name}`));
    return text(part(body, 'metadata'), 'resourceVersion');
  };

  it('a write that changes nothing answers what is shown, and stores it once', async () => {
    const before = await versionOfReel('r');
    const first = await patch('v1', 'r', {});
    assert.deepEqual(first.body['spec'], { a: 'a', d: 'three' }, first.text);
    const stored = text(part(first.body, 'metadata'), 'resourceVersion');
    assert.notEqual(stored, before);
    const second = await patch('v1', 'r', {});
    assert.deepEqual(second.body, first.body);
    // From now on it has what was shown.
    await define([versionOf('v1', true, { a: anyText, b: anyText, d: anyText })]);
    const after = await shown('v1', 'r', { a: 'a', d: 'three' });
    await restarted();
    const later = await shown('v1', 'r', { a: 'a', d: 'three' });
    assert.deepEqual(later, after);
  });

  it('a dry run stores nothing of it', async () => {
    await define([versionOf('v1', true, { a: anyText })]);
    await shown('v1', 'r', { a: 'a' });
    const tried = await server.request('PATCH', `${place('v1', '/r')}?dryRun=All`, {
      body: '{}',
      headers: merge,
    });
    assert.deepEqual(tried.body['spec'], { a: 'a' }, tried.text);
    await define([versionOf('v1', true, { a: anyText, d: anyText })]);
    await shown('v1', 'r', { a: 'a', d: 'three' });
    const changed = await patch('v1', 'r', { spec: { a: 'x' } });
    assert.deepEqual(changed.body['spec'], { a: 'x', d: 'three' }, changed.text);
  });

  /** What lists show of it: in JSON, YAML and as a Table with whole objects. */
  const listed = async (): Promise<readonly string[]> => {
    const query = '?fieldSelector=metadata.name%3Dother';
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const found: string[] = [];
    for (const accept of ['application/json', 'application/yaml', table]) {
      const path = accept === table ? `${query}&includeObject=Object` : query;
      const reply = await server.request('GET', place('v2') + path, { headers: { accept } });
      const [, value = ''] = /\bd"?: ?"?(\w+)/.exec(reply.text) ?? [];
      found.push(value);
    }
    return found;
  };

  it('what came through another version follows the defaults of the one that is stored', async () => {
    const versions = (value: string): readonly JsonObject[] => [
      versionOf('v1', true, { a: anyText, d: { ...anyText, default: value }, e: anyText }),
      versionOf('v2', false, { a: anyText, d: anyText, f: anyText }),
    ];
    await define(versions('one'));
    await until(server, '/apis/shop.example/v2', () => true);
    const spec = { a: 'a', f: 'mine' };
    const made = await server.request('POST', place('v2'), {
      body: object('Reel', 'other', { spec }, 'v2'),
    });
    assert.deepEqual(made.body['spec'], { a: 'a', d: 'one' }, made.text);
    await shown('v1', 'other', { a: 'a', d: 'one' });
    assert.deepEqual(await listed(), ['one', 'one', 'one']);
    await define(versions('two'));
    await shown('v1', 'other', { a: 'a', d: 'two' });
    await shown('v2', 'other', { a: 'a', d: 'two' });
    assert.deepEqual(await listed(), ['two', 'two', 'two']);
    const watch = await server.openWatch(
      `${place('v2')}?watch=1&fieldSelector=metadata.name%3Dother`,
    );
    assert.deepEqual((await watch.next())?.object['spec'], { a: 'a', d: 'two' });
    watch.close();
    await restarted();
    await shown('v1', 'other', { a: 'a', d: 'two' });
    const written = await patch('v2', 'other', { spec: { a: 'x' } });
    assert.deepEqual(written.body['spec'], { a: 'x', d: 'two' }, written.text);
    // Who reads in v2 and writes it back has seen the default, and writes it.
    await define(versions('three'));
    await shown('v1', 'other', { a: 'x', d: 'two' });
  });
});

function sorted(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)));
}
