/**
 * The notable changes of spec 2, section 9.3, over HTTP: what one version writes, as the other shows
 * it; defaults that differ between versions; names and demands of the newer version alone. Each row
 * runs in the first and in the last release that serves its versions: a release that knows a version
 * for the first time stores the one before.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { currentRelease, isKnown, oldestRelease } from '../../src/apis/served-versions.ts';
import type { Resource } from '../support/data/changed-version-objects.ts';
import { changes, olderNames, refusals } from '../support/data/changed-version-refusals.ts';
import type { Change, OlderName, Refusal } from '../support/data/changed-version-refusals.ts';
import { shownRows } from '../support/data/changed-versions.ts';
import type { Row } from '../support/data/changed-versions.ts';
import { partialDeepEqual } from '../support/checks/partial-equal.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { kindOf } from '../support/data/versioned-kinds.ts';

type AnyRow = Pick<Row, 'resource' | 'version'>;

const releases = Array.from(
  { length: currentRelease - oldestRelease + 1 },
  (_, at) => oldestRelease + at,
);

/** The first and the last release that serve the versions of a row. */
function releasesOf({ resource, version }: AnyRow, others: readonly string[] = []) {
  const kinds = [version, ...others].map((each) => kindOf(each, resource.kind));
  const all = releases.filter((release) => kinds.every((kind) => isKnown(kind, release)));
  assert.ok(all.length > 0, `a release serves ${version} of ${resource.kind} and ${others.join()}`);
  return [all[0], all.at(-1)];
}

function collection({ path }: Resource, version: string): string {
  return `/${version === 'v1' ? 'api' : 'apis'}/${version}/${path}`;
}

const nameOf = ({ resource }: AnyRow): string => resource.name ?? 'x';

const bodyOf = (row: AnyRow & { readonly object: object }) => ({
  apiVersion: row.version,
  kind: row.resource.kind,
  metadata: { name: nameOf(row) },
  ...row.object,
});

async function shows(server: TestServer, row: Row): Promise<void> {
  const url = collection(row.resource, row.version);
  const made = await server.request('POST', url, { body: bodyOf(row) });
  assert.equal(made.status, 201, made.text);
  for (const [version, expected] of Object.entries(row.shown)) {
    const other = `${collection(row.resource, version)}/${nameOf(row)}`;
    // What one version shows, it takes back, and the others show what they showed. A controller may
    // have written its status meanwhile.
    let put: Reply;
    do {
      const shown = await server.request('GET', other);
      assert.equal(shown.status, 200, other);
      partialDeepEqual(shown.body, { apiVersion: version, ...expected }, other);
      put = await server.request('PUT', other, { body: shown.body });
    } while (put.status === 409);
    assert.equal(put.status, 200, put.text);
  }
  for (const [version, expected] of Object.entries(row.shown)) {
    const again = `${collection(row.resource, version)}/${nameOf(row)}`;
    const shown = await server.request('GET', again);
    partialDeepEqual(shown.body, expected, `${again}, written again`);
  }
}

function hasCauses(reply: { text: string; body: object }, causes: readonly string[]): void {
  const { details } = reply.body as { details: { causes: { field: string; reason: string }[] } };
  const said = details.causes.map(({ field, reason }) => `${field} ${reason}`);
  for (const cause of causes) assert.ok(said.includes(cause), `${cause}: ${reply.text}`);
}

async function refuses(server: TestServer, row: Refusal): Promise<void> {
  const url = collection(row.resource, row.version);
  const reply = await server.request('POST', url, { body: bodyOf(row) });
  assert.equal(reply.status, 422, reply.text);
  hasCauses(reply, row.causes);
  assert.equal((await server.request('GET', `${url}/${nameOf(row)}`)).status, 404);
}

async function doesNotKnow(server: TestServer, row: OlderName): Promise<void> {
  const url = `${collection(row.resource, row.version)}?fieldValidation=Strict`;
  const reply = await server.request('POST', url, { body: bodyOf(row) });
  assert.equal(reply.status, 400, reply.text);
  const said = [...String(reply.body['message']).matchAll(/unknown field "([^"]*)"/g)];
  assert.deepEqual(said.map(([, name]) => name).sort(), row.unknown);
}

async function changed(server: TestServer, row: Change): Promise<void> {
  const url = collection(row.resource, row.version);
  const made = await server.request('POST', url, { body: bodyOf(row) });
  assert.equal(made.status, 201, made.text);
  const own = `${url}/${nameOf(row)}${row.subresource === undefined ? '' : `/${row.subresource}`}`;
  const reply = await server.request('PATCH', own, {
    body: JSON.stringify(row.patch),
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  assert.equal(reply.status, row.causes === undefined ? 200 : 422, reply.text);
  if (row.causes !== undefined) return hasCauses(reply, row.causes);
  partialDeepEqual(reply.body, row.shown, own);
}

for (const release of releases) {
  const within = <R extends AnyRow>(rows: readonly R[], others?: (row: R) => readonly string[]) =>
    rows.filter((row) => releasesOf(row, others?.(row)).includes(release));
  const tests: readonly (readonly [string, AnyRow, (server: TestServer) => Promise<void>])[] = [
    ...within(shownRows, (row) => Object.keys(row.shown)).map(
      (row) =>
        [`${row.version}: ${row.title}`, row, (server: TestServer) => shows(server, row)] as const,
    ),
    ...within(refusals).map(
      (row) =>
        [
          `${row.version} refuses ${row.title}`,
          row,
          (server: TestServer) => refuses(server, row),
        ] as const,
    ),
    ...within(olderNames).map(
      (row) =>
        [
          `${row.version} does not know ${row.unknown.join(', ')}`,
          row,
          (server: TestServer) => doesNotKnow(server, row),
        ] as const,
    ),
    ...within(changes).map(
      (row) =>
        [
          `${row.version}: ${row.title}`,
          row,
          (server: TestServer) => changed(server, row),
        ] as const,
    ),
  ];
  if (tests.length === 0) continue;

  describe(`changes between versions, as 1.${release} knows them`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ 'emulated-version': `1.${release}` });
    });
    after(() => server.remove());

    for (const [title, row, run] of tests) {
      it(title, async () => {
        try {
          await run(server);
        } finally {
          const url = `${collection(row.resource, row.version)}/${nameOf(row)}`;
          await server.request('DELETE', url);
          // A definition goes when its objects have gone.
          if (row.resource.kind === 'CustomResourceDefinition') {
            const gone = async () => (await server.request('GET', url)).status !== 200;
            await eventually(`${url} goes`, gone);
          }
        }
      });
    }
  });
}
