/**
 * Definitions as large as the largest in use: 1.2 MB that hold 36,000 values. They are taken in
 * every way in which a definition is written, and their objects are served.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import {
  definition,
  definitionsPath,
  established,
  object,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const description = 'What this field is for, in one line of text that people read.';

/** Of 18,000 fields in groups of a hundred: 36,000 members and as many texts more. */
function fields(count: number): JsonObject {
  const leaf = { type: 'string', description };
  const all: Record<string, JsonValue> = {};
  for (let group = 0; group < count / 100; group += 1) {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`field${at}`, leaf]),
    );
    all[`group${group}`] = { type: 'object', properties };
  }
  return { type: 'object', properties: all };
}

const large = (plural: string, kind: string, count: number): JsonObject =>
  definition({ plural, kind, properties: { spec: fields(count) } });

describe('a definition of 36,000 values', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());

  it('is created, served, and obeyed', async () => {
    await established(server, large('larges', 'Large', 11_900));
    const path = '/apis/shop.example/v1/namespaces/default/larges';
    const spec = { group7: { field9: 'here' } };
    const body = { ...object('Large', 'a'), spec };
    assert.equal((await server.request('POST', path, { body })).status, 201);
    const wrong = { ...object('Large', 'b'), spec: { group118: { field99: 1 } } };
    const refused = await server.request('POST', path, { body: wrong });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /spec\.group118\.field99/);
  });

  it('is applied, in YAML, over itself', async () => {
    const name = 'applieds.shop.example';
    const target = `${definitionsPath}/${name}?fieldManager=me`;
    const apply = (count: number) =>
      server.request('PATCH', target, {
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: encodeYaml(large('applieds', 'Applied', count)),
      });
    assert.equal((await apply(11_900)).status, 201);
    assert.equal((await apply(11_800)).status, 200);
  });

  it('is refused above 60,000 values, with the number', async () => {
    const body = large('toolarges', 'TooLarge', 20_100);
    const reply = await server.request('POST', definitionsPath, { body });
    assert.equal(reply.status, 413);
    assert.match(reply.text, /more than 60000 members and items/);
  });

  it('is refused when its patterns come to more than can be compiled soon', async () => {
    const patterned = (count: number, times: number): JsonObject => {
      const pattern = (at: number): JsonObject => ({
        type: 'string',
        pattern: `^[a-z${at}]{1,${times}}$`,
      });
      const properties = Object.fromEntries(
        Array.from({ length: count }, (_none, at) => [`p${at}`, pattern(at)]),
      );
      const plural = `patterned${count}s`;
      return definition({ plural, kind: `Patterned${count}`, properties });
    };
    const reply = await server.request('POST', definitionsPath, { body: patterned(41, 1000) });
    assert.equal(reply.status, 422);
    assert.match(reply.text, /patterns may have at most 40000 characters/);
    const taken = await server.request('POST', definitionsPath, { body: patterned(300, 60) });
    assert.equal(taken.status, 201, taken.text);
  });

  it('is refused with more versions, short names and categories than can change in a turn', async () => {
    const body = definition({ plural: 'counts', kind: 'Count', properties: {} });
    const spec = body['spec'] as JsonObject;
    const [version] = spec['versions'] as JsonObject[];
    const versions = (count: number) =>
      Array.from({ length: count }, (_none, at) => ({
        ...version,
        name: `v${at + 1}`,
        storage: at === 0,
      }));
    const named = (name: string, count: number) => ({
      names: { ...(spec['names'] as JsonObject), [name]: versions(count).map((each) => each.name) },
    });
    const tried: readonly (readonly [path: string, most: number, of: (n: number) => object])[] = [
      ['spec.versions', 250, (count) => ({ versions: versions(count) })],
      ['spec.names.shortNames', 100, (count) => named('shortNames', count)],
      ['spec.names.categories', 100, (count) => named('categories', count)],
    ];
    const dryRun = `${definitionsPath}?dryRun=All`;
    for (const [path, most, of] of tried) {
      const more = { ...body, spec: { ...spec, ...of(most + 1) } };
      const reply = await server.request('POST', dryRun, { body: more });
      assert.equal(reply.status, 422, path);
      assert.ok(reply.text.includes(`${path}: Too many: ${most + 1}: must have at most ${most}`));
      const enough = { ...body, spec: { ...spec, ...of(most) } };
      const taken = await server.request('POST', dryRun, { body: enough });
      assert.equal(taken.status, 201, taken.text);
    }
  });

  it('is refused with more columns than anybody reads', async () => {
    const withColumns = (count: number): JsonObject => {
      const body = definition({ plural: 'columns', kind: 'Column', properties: {} });
      const spec = body['spec'] as JsonObject;
      const additionalPrinterColumns = Array.from({ length: count }, (_none, at) => ({
        name: `c${at}`,
        type: 'string',
        jsonPath: '.spec',
      }));
      const versions = (spec['versions'] as JsonObject[]).map((version) => ({
        ...version,
        additionalPrinterColumns,
      }));
      return { ...body, spec: { ...spec, versions } };
    };
    const reply = await server.request('POST', definitionsPath, { body: withColumns(65) });
    assert.equal(reply.status, 422);
    assert.match(reply.text, /additionalPrinterColumns: Too many: 65: must have at most 64 items/);
    const taken = await server.request('POST', definitionsPath, { body: withColumns(64) });
    assert.equal(taken.status, 201, taken.text);
  });

  it('gives no other kind more than it had', async () => {
    const data = Object.fromEntries(Array.from({ length: 26_000 }, (_, at) => [`k${at}`, 'v']));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
    const path = '/api/v1/namespaces/default/configmaps';
    const reply = await server.request('POST', path, { body });
    assert.equal(reply.status, 413);
    assert.match(reply.text, /more than 25000 members and items/);
  });
});
