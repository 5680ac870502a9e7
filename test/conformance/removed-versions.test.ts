/**
 * The removal table of spec 2, section 9.3, over HTTP: each release that can be emulated serves what
 * it served, says so in discovery, and shows through the replacement what the removed version wrote.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { currentRelease, oldestRelease } from '../../src/apis/served-versions.ts';
import { partialDeepEqual } from '../support/checks/partial-equal.ts';
import { removedVersions } from '../support/data/removed-versions.ts';
import type { RemovedVersion } from '../support/data/removed-versions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

function pathOf(row: RemovedVersion, version: string): string {
  return `/apis/${version}${row.namespaced ? '/namespaces/default' : ''}/${row.resource}`;
}

/** Names that are made of what the object says. */
const names: Readonly<Record<string, string>> = {
  APIService: 'v1.example.org',
  CustomResourceDefinition: 'wheels.example.org',
};
const nameOf = (row: RemovedVersion) => names[row.kind] ?? 'x';

/** `<group>/<version> <resource>` of everything that aggregated discovery lists. */
async function aggregated(server: TestServer): Promise<ReadonlySet<string>> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const reply = await server.request('GET', '/apis', { headers: { accept } });
  const groups = reply.body['items'] as unknown as {
    metadata: { name: string };
    versions: { version: string; resources: { resource: string }[] }[];
  }[];
  return new Set(
    groups.flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map(({ resource }) => `${metadata.name}/${version} ${resource}`),
      ),
    ),
  );
}

/** The same by the document of the version. */
async function listed(server: TestServer, version: string, resource: string): Promise<boolean> {
  const reply = await server.request('GET', `/apis/${version}`);
  if (reply.status === 404) return false;
  const resources = reply.body['resources'] as unknown as { name: string }[];
  return resources.some(({ name }) => name === resource);
}

async function make(
  server: TestServer,
  row: RemovedVersion,
  version: string,
  object: JsonObject,
): Promise<JsonObject> {
  const body = { apiVersion: version, kind: row.kind, metadata: metadataOf(row), ...object };
  const made = await server.request('POST', pathOf(row, version), { body });
  assert.equal(made.status, 201, `${version} ${row.resource}: ${made.text}`);
  assert.equal(made.body['apiVersion'], version);
  return made.body;
}

const metadataOf = (row: RemovedVersion) => (row.review === true ? {} : { name: nameOf(row) });

/** A review of one's own rules says nothing of what was asked. */
const shownOf = (row: RemovedVersion, object: JsonObject): JsonObject =>
  row.kind === 'SelfSubjectRulesReview' ? {} : object;

async function served(server: TestServer, row: RemovedVersion, release: number): Promise<void> {
  const { old, review } = row;
  assert.ok(old, `${row.version} ${row.kind} is served`);
  const title = `1.${release} ${row.version} ${row.resource}`;
  const made = await make(server, row, row.version, old);
  partialDeepEqual(made, shownOf(row, old), title);
  for (const [version, since] of Object.entries(row.by)) {
    const url = `${pathOf(row, version)}/${nameOf(row)}`;
    const gone = removedVersions.find((r) => r.version === version && r.kind === row.kind)?.gone;
    if (since > release || (gone !== undefined && gone <= release)) continue;
    if (review === true) {
      const shown = await make(server, row, version, row.now);
      partialDeepEqual(shown, shownOf(row, row.now), title);
      assert.deepEqual(shown['status'], made['status'], title);
      continue;
    }
    const shown = await server.request('GET', url);
    assert.equal(shown.status, 200, `${title}: ${url}`);
    partialDeepEqual(shown.body, row.now, `${title} at ${url}`);
  }
  if (review === true) return;
  const own = `${pathOf(row, row.version)}/${nameOf(row)}`;
  assert.equal((await server.request('DELETE', own)).status, 200, own);
}

async function gone(server: TestServer, row: RemovedVersion, release: number): Promise<void> {
  const path = pathOf(row, row.version);
  for (const [method, url] of [
    ['GET', path],
    ['POST', path],
    ['GET', `${path}/${nameOf(row)}`],
  ] as const) {
    const body = { apiVersion: row.version, kind: row.kind, metadata: { name: 'x' }, ...row.old };
    const reply = await server.request(method, url, method === 'POST' ? { body } : {});
    assert.equal(reply.status, 404, `1.${release} ${method} ${url}: ${reply.text}`);
    assert.equal(reply.body['reason'], 'NotFound');
  }
  for (const [version, since] of Object.entries(row.by)) {
    const next = removedVersions.find((r) => r.version === version && r.kind === row.kind);
    if (since > release || (next !== undefined && next.gone <= release)) continue;
    const made = await make(server, row, version, row.now);
    partialDeepEqual(made, shownOf(row, row.now), `1.${release} ${version}`);
    if (row.review === true) continue;
    const url = `${pathOf(row, version)}/${nameOf(row)}`;
    assert.equal((await server.request('DELETE', url)).status, 200, url);
  }
}

describe('the removal table, release by release', () => {
  for (let release = oldestRelease; release <= currentRelease; release += 1) {
    it(`1.${release} serves what was not removed yet, and what replaces the rest`, async () => {
      const server = await startTestServer({ 'emulated-version': `1.${release}` });
      try {
        const inOneDocument = await aggregated(server);
        for (const row of removedVersions) {
          const expected = release >= row.came && release < row.gone;
          const title = `1.${release} ${row.version} ${row.resource}`;
          assert.equal(await listed(server, row.version, row.resource), expected, title);
          assert.equal(inOneDocument.has(`${row.version} ${row.resource}`), expected, title);
          await (expected ? served : gone)(server, row, release);
        }
      } finally {
        await server.remove();
      }
    });
  }
});
