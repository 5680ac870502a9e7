/**
 * The notable changes of spec 2, section 9.3, over HTTP: what one version writes, as the other shows
 * it; defaults that differ between versions; fields that only the newer version demands.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refusals, shownRows } from '../support/changed-versions.ts';
import type { Refusal, Resource, Row } from '../support/changed-versions.ts';
import { partialDeepEqual } from '../support/partial-equal.ts';
import { startTestServer } from '../support/test-server.ts';
import type { TestServer } from '../support/test-server.ts';

function collection({ path }: Resource, version: string): string {
  return `/${version === 'v1' ? 'api' : 'apis'}/${version}/${path}`;
}

const bodyOf = (row: Row | Refusal) => ({
  apiVersion: row.version,
  kind: row.resource.kind,
  metadata: { name: row.resource.name ?? 'x' },
  ...row.object,
});

for (const release of [33, 29, 26, 24, 21]) {
  describe(`changes between versions, as 1.${release} knows them`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ 'emulated-version': `1.${release}` });
    });
    after(() => server.remove());

    for (const row of shownRows[release] ?? []) {
      it(`${row.version}: ${row.title}`, async () => {
        const url = collection(row.resource, row.version);
        const name = row.resource.name ?? 'x';
        const made = await server.request('POST', url, { body: bodyOf(row) });
        assert.equal(made.status, 201, made.text);
        for (const [version, expected] of Object.entries(row.shown)) {
          const other = `${collection(row.resource, version)}/${name}`;
          const shown = await server.request('GET', other);
          assert.equal(shown.status, 200, other);
          partialDeepEqual(shown.body, { apiVersion: version, ...expected }, other);
          // What one version shows, it takes back, and the others show what they showed.
          const put = await server.request('PUT', other, { body: shown.body });
          assert.equal(put.status, 200, put.text);
        }
        for (const [version, expected] of Object.entries(row.shown)) {
          const again = `${collection(row.resource, version)}/${name}`;
          const shown = await server.request('GET', again);
          partialDeepEqual(shown.body, expected, `${again}, written again`);
        }
        assert.equal((await server.request('DELETE', `${url}/${name}`)).status, 200);
      });
    }

    for (const row of refusals[release] ?? []) {
      it(`${row.version} refuses ${row.title}`, async () => {
        const url = collection(row.resource, row.version);
        const reply = await server.request('POST', url, { body: bodyOf(row) });
        assert.equal(reply.status, 422, reply.text);
        const { causes } = reply.body['details'] as { causes: { field: string; reason: string }[] };
        const said = causes.map(({ field, reason }) => `${field} ${reason}`);
        for (const cause of row.causes) assert.ok(said.includes(cause), `${cause}: ${reply.text}`);
        assert.equal((await server.request('GET', `${url}/x`)).status, 404);
      });
    }
  });
}
