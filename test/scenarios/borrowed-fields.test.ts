/**
 * Fields of custom types with names that every object of the language answers to: they are selected
 * by and scaled by like any other, also when they have no value, and after a restart.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established, until } from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const words = ['__proto__', 'constructor', 'toString'];
const namespace = (group: string): string => `/apis/${group}/v1/namespaces/default/words`;

/** With a member of this name, whichever it is. */
const named = (name: string, value: string): string => `{"${name}":${value}}`;

function wordDefinition(word: string, group: string): JsonObject {
  const inner = JSON.parse(named(word, '{"type":"string"}')) as JsonObject;
  const spec = { type: 'object', properties: inner };
  const properties = { ...inner, spec, status: spec };
  const selectableFields = [{ jsonPath: `.${word}` }, { jsonPath: `.spec.${word}` }];
  return definition({
    plural: 'words',
    kind: 'Word',
    group,
    properties,
    version: { selectableFields },
  });
}

describe('fields with borrowed names', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer({ store: 'lmdb' })));
  after(async () => {
    await server.remove();
    await rm(server.dataDir, { recursive: true, force: true });
  });

  const selected = async (group: string, selector: string): Promise<string> => {
    const target = `${namespace(group)}?fieldSelector=${encodeURIComponent(selector)}`;
    const { body, text } = await server.request('GET', target);
    assert.equal(body['kind'], 'WordList', text);
    return objects(body, 'items')
      .map((item) => part(item, 'metadata')['name'])
      .join();
  };
  const selectedAsEver = async (word: string, group: string): Promise<void> => {
    for (const field of [word, `spec.${word}`]) {
      assert.equal(await selected(group, `${field}=x`), 'one', field);
      assert.equal(await selected(group, `${field}=`), 'none', field);
      assert.equal(await selected(group, `${field}!=x`), 'none', field);
    }
  };

  for (const [at, word] of words.entries()) {
    const group = `words-${at}.example`;
    const create = async (name: string, members: string): Promise<void> => {
      const head = `"apiVersion":"${group}/v1","kind":"Word","metadata":{"name":"${name}"}`;
      const made = await server.request('POST', namespace(group), {
        body: `{${head}${members}}`,
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(made.status, 201, made.text);
    };

    it(`${word} can be selected by, in lists and watches`, async () => {
      await established(server, wordDefinition(word, group));
      await until(server, namespace(group), () => true);
      for (const field of [word, `spec.${word}`]) {
        const watching = `watch=true&fieldSelector=${encodeURIComponent(`${field}=x`)}`;
        const watch = await server.openWatch(`${namespace(group)}?${watching}`);
        await create('none', `,"spec":{}`);
        await create('one', `,"${word}":"x","spec":${named(word, '"x"')}`);
        const event = await watch.next();
        assert.equal(part(event?.object, 'metadata')['name'], 'one', field);
        await selectedAsEver(word, group);
        watch.close();
        for (const name of field === word ? ['none', 'one'] : []) {
          await server.request('DELETE', `${namespace(group)}/${name}`);
        }
      }
    });
  }

  it('what was stored is selected in the same way after a restart', async () => {
    const { dataDir } = server;
    await server.stop();
    server = await startTestServer({ store: 'lmdb', 'data-dir': dataDir });
    for (const [at, word] of words.entries()) {
      const group = `words-${at}.example`;
      await until(server, namespace(group), () => true);
      await selectedAsEver(word, group);
    }
  });

  it('a scale whose number is missing has none, whatever its name is', async () => {
    const made = definition({
      plural: 'scales',
      kind: 'Scaled',
      group: 'words.example',
      version: {
        subresources: {
          scale: { specReplicasPath: '.spec.constructor', statusReplicasPath: '.status.toString' },
        },
      },
    });
    await established(server, made);
    const path = '/apis/words.example/v1/namespaces/default/scales';
    await until(server, path, () => true);
    const metadata = { name: 'one' };
    const body = { apiVersion: 'words.example/v1', kind: 'Scaled', metadata, spec: {} };
    assert.equal((await server.request('POST', path, { body })).status, 201);
    const { status, text } = await server.request('GET', `${path}/one/scale`);
    assert.equal(status, 500, text);
    assert.match(text, /the spec replicas field \\".spec.constructor\\" does not exist/);
  });
});
