/**
 * Adding a kind is adding data: a real server serves the kind of lighthouses.ts, and the one that
 * docs/adding-a-kind.md adds, of which nothing else in the code knows: discovery, OpenAPI, defaults,
 * rules, warnings, tables, versions, watches.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { makeKindSet } from '../../src/apis/kind-set.ts';
import { builtInGroups } from '../../src/apis/groups.ts';
import type { GroupDefinition } from '../../src/apis/kind-definition.ts';
import { apiClient } from '../support/servers/test-server.ts';
import type { ApiClient } from '../support/servers/test-server.ts';
import { openAccess } from '../support/servers/open-access.ts';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import type { OptionName, RawOptions } from '../../src/server/config/options.ts';
import { startServer } from '../../src/server/compose/server.ts';
import type { RunningServer } from '../../src/server/compose/server.ts';
import { coastGroup } from './lighthouses.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kind');

const quiet = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
const beta = '/apis/coast.example/v1beta1/namespaces/default/lighthouses';
const stable = '/apis/coast.example/v1/namespaces/default/lighthouses';

function lighthouse(name: string, spec: JsonObject, version = 'v1'): JsonObject {
  return { apiVersion: `coast.example/${version}`, kind: 'Lighthouse', metadata: { name }, spec };
}

/** The group whose two files docs/adding-a-kind.md shows. Their imports are found from any group. */
async function groupOfTheDocument(): Promise<GroupDefinition> {
  const page = readFileSync('docs/adding-a-kind.md', 'utf8');
  const anyGroup = path.resolve('src/apis/batch');
  const [kind = '', group = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, text]) => text,
  );
  const { outputFiles } = await build({
    stdin: { contents: group, loader: 'ts', resolveDir: anyGroup },
    plugins: [
      {
        name: 'the other file of the page',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^\.\/buoys\.ts$/ }, () => ({ path: 'buoys', namespace: 'page' }));
          onLoad({ filter: /./, namespace: 'page' }, () => ({
            contents: kind,
            loader: 'ts',
            resolveDir: anyGroup,
          }));
        },
      },
    ],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const made = (await import(`data:text/javascript;base64,${code}`)) as {
    readonly harbourGroup: GroupDefinition;
  };
  return made.harbourGroup;
}

describe('a kind that is one file', () => {
  let dataDir: string;
  let running: RunningServer;
  let client: ApiClient;
  const fatal: unknown[] = [];

  before(async () => {
    dataDir = directories.make();
    const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
    const raw: RawOptions = {
      ...(defaults as Record<OptionName, string>),
      ...openAccess,
      store: 'memory',
      identity: 'kubernetes',
      'http-port': '0',
      'data-dir': dataDir,
    };
    const added = await groupOfTheDocument();
    // Whoever has followed the document to the letter has the group already.
    const others = builtInGroups.filter(({ group }) => group !== added.group);
    running = await startServer(completeConfig(raw), {
      log: quiet,
      onFatal: (error) => fatal.push(error),
      kinds: makeKindSet([...others, coastGroup, added]),
    });
    client = apiClient(running.url === '' ? (running.httpUrl ?? '') : running.url);
  });
  after(async () => {
    client.close();
    await running.stop();
    await directories.removeAll();
    assert.deepEqual(fatal, []);
  });

  it('is discovered, preferred in its stable version, and described', async () => {
    const group = await client.request('GET', '/apis/coast.example');
    assert.equal((group.body['preferredVersion'] as JsonObject)['version'], 'v1');
    const { body } = await client.request('GET', '/apis/coast.example/v1');
    const [first] = body['resources'] as JsonObject[];
    assert.deepEqual(
      [first?.['name'], first?.['shortNames'], first?.['namespaced']],
      ['lighthouses', ['lh'], true],
    );
    const openApi = await client.request('GET', '/openapi/v3/apis/coast.example/v1');
    assert.match(openApi.text, /"description":"What the light looks like\."/);
    const service = '/apis/apiregistration.k8s.io/v1/apiservices/v1.coast.example';
    const { body: registered } = await client.request('GET', service);
    assert.equal((registered['spec'] as JsonObject)['groupPriorityMinimum'], 1000);
  });

  it('is created with defaults, initial status and warnings', async () => {
    const made = await client.request('POST', stable, { body: lighthouse('plain', {}) });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body['spec'], { colour: 'white', flashes: 1 });
    assert.deepEqual(made.body['status'], { lit: false });
    assert.equal((made.body['metadata'] as JsonObject)['generation'], 1);
    assert.match(String(made.headers['warning']), /no ship is warned by this one/);
    const red = await client.request('POST', stable, {
      body: lighthouse('red', { colour: 'red', flashes: 3 }),
    });
    assert.match(String(red.headers['warning']), /red is seen less far/);
  });

  it('is refused where its rules say so, with the field', async () => {
    const refused = await client.request('POST', stable, {
      body: lighthouse('pink', { colour: 'pink' }),
    });
    assert.equal(refused.status, 422);
    assert.match(
      String(refused.body['message']),
      /spec\.colour: Invalid value: "pink": must be one of green, red, white/,
    );
    const unknown = await client.request('POST', `${stable}?fieldValidation=Strict`, {
      body: lighthouse('odd', { height: 3 }),
    });
    assert.equal(unknown.status, 400);
    assert.match(String(unknown.body['message']), /unknown field "spec\.height"/);
  });

  it('is listed as a Table with its own columns, and selected by its own field', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const target = `${stable}?fieldSelector=spec.colour=red`;
    const { body } = await client.request('GET', target, { headers: { accept } });
    const names = (body['columnDefinitions'] as JsonObject[]).map(({ name }) => name);
    assert.deepEqual(names, ['Name', 'Colour', 'Age']);
    const cells = (body['rows'] as JsonObject[]).map((row) =>
      (row['cells'] as string[]).slice(0, 2),
    );
    assert.deepEqual(cells, [['red', 'red']]);
  });

  it('is read and written in both versions', async () => {
    const made = await client.request('POST', beta, {
      body: lighthouse('old', { color: 'green' }, 'v1beta1'),
    });
    assert.equal(made.status, 201, made.text);
    assert.match(
      String(made.headers['warning']),
      /coast\.example\/v1beta1 Lighthouse is deprecated/,
    );
    const { body } = await client.request('GET', `${stable}/old`);
    assert.deepEqual(body['spec'], { colour: 'green', flashes: 1 });
  });

  it('is watched', async () => {
    const { body } = await client.request('GET', stable);
    const { resourceVersion } = body['metadata'] as JsonObject;
    const watch = await client.openWatch(
      `${stable}?watch=true&resourceVersion=${String(resourceVersion)}`,
    );
    await client.request('POST', stable, { body: lighthouse('seen', {}) });
    const event = await watch.next();
    assert.equal(event?.type, 'ADDED');
    assert.equal(event.object.metadata.name, 'seen');
    watch.close();
  });

  it('is served as the document about it shows', async () => {
    const buoys = '/apis/harbour.k8s.io/v1/namespaces/default/buoys';
    const buoy = (name: string, spec: JsonObject): JsonObject => ({
      apiVersion: 'harbour.k8s.io/v1',
      kind: 'Buoy',
      metadata: { name },
      spec,
    });
    const made = await client.request('POST', buoys, { body: buoy('b1', {}) });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body['spec'], { colour: 'white' });
    const refused = await client.request('POST', buoys, { body: buoy('b2', { colour: 'pink' }) });
    assert.equal(refused.status, 422);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await client.request('GET', buoys, { headers: { accept } });
    const [row] = body['rows'] as JsonObject[];
    assert.deepEqual((row?.['cells'] as string[]).slice(0, 2), ['b1', 'white']);
  });
});
