/** Every row of the shared list and watch options over HTTP (spec 1, sections 4.2 and 4.10). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

interface Row {
  readonly name: string;
  readonly options: Readonly<Record<string, string | boolean>>;
  readonly expectErrors?: readonly string[];
  readonly watchListFeatureEnabled?: boolean;
}

const rows = readCorpus<{ readonly cases: readonly Row[] }>('list-watch-options/cases.json').cases;

/** Rows that say "unless the feature gate is enabled" are for a server without it. */
function needsGateOff(row: Row): boolean {
  const gated = /unless the WatchList feature gate is enabled/;
  return (
    row.watchListFeatureEnabled !== true && (row.expectErrors ?? []).some((e) => gated.test(e))
  );
}

for (const gate of [true, false]) {
  describe(`list and watch options, WatchList=${gate}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ 'feature-gates': `WatchList=${gate}` });
    });

    for (const row of rows.filter((each) => needsGateOff(each) !== gate)) {
      // A row that wants the feature says so; the others hold with and without it.
      if (!gate && row.watchListFeatureEnabled === true) continue;
      test(`row: ${row.name}`, async () => {
        const query = new URLSearchParams();
        for (const [name, value] of Object.entries(row.options)) query.set(name, String(value));
        if (row.options['watch'] === true) query.set('timeoutSeconds', '1');
        const reply = await server.request('GET', `/api/v1/pods?${query.toString()}`);
        const errors = row.expectErrors ?? [];
        if (errors.length === 0) return assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.status, 422, reply.text);
        assert.equal(reply.body['reason'], 'Invalid');
        const details = reply.body['details'] as {
          kind: string;
          group: string;
          causes: { field: string; message: string }[];
        };
        assert.equal(details.kind, 'ListOptions');
        assert.equal(details.group, 'meta.k8s.io');
        const causes = details.causes.map(({ field, message }) => `${field}: ${message}`);
        assert.deepEqual(causes, errors);
        const all = errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
        const expected = `ListOptions.meta.k8s.io "" is invalid: ${all}`;
        assert.equal(reply.body['message'], expected);
      });
    }

    after(() => server.remove());
  });
}

test('every row is for one of the two servers', { skip: noVectors }, () => {
  assert.equal(rows.length, 18);
});
