/**
 * Every row of the shared list vectors over HTTP: resourceVersion x match x limit x continue x
 * selector (spec 1, sections 4.9 and 4.10).
 *
 * The rows speak of a store whose first revisions are compacted; the set-up does the same through
 * the store of the running server. `$current` is the version after that: any one is accepted that
 * is not older than the seed, as the vectors say.
 *
 * The caches of a running server may outlive the compaction, and an exact read that they can answer
 * is answered. So the server over lmdb is started again behind it; over memory, rows that expect
 * "too old" may also be answered, and then with what was there: nothing.
 *
 * Not here: the `namespaceScoped_go` and `nonRecursive_go` rows. Their inputs and outputs are
 * program text (`<func>`, `<key>`), and they test keys of a store that no HTTP path names.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encodeContinueToken } from '../../src/apimachinery/continue-token.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { readCorpus } from '../support/data/corpora.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { podSpec } from '../support/data/valid-objects.ts';

interface Token {
  readonly start: string;
  readonly rv: string | number;
}

interface Row {
  readonly name: string;
  readonly request: {
    readonly prefix: string;
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: string;
    readonly limit?: number;
    readonly continue?: Token;
    readonly fieldSelector?: string;
  };
  readonly expect: {
    readonly expectError?: boolean;
    readonly expectRVTooLarge?: boolean;
    readonly expectRVTooOld?: boolean;
    readonly expectContinueTooOld?: boolean;
    readonly expectedOut?: readonly string[];
    readonly expectedAlternatives?: readonly (readonly string[])[];
    readonly expectRV?: string;
    readonly expectRVFunc?: { readonly notOlderThan: string };
    readonly expectContinue?: boolean;
    readonly expectContinueExact?: Token;
    readonly expectedRemainingItemCount?: number;
  };
}

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion: string;
  };
}

interface PodList {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly Pod[];
}

interface Seed {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly versions: ReadonlyMap<string, string>;
}

const metaGroup = 'meta.k8s.io';

async function send(
  server: TestServer,
  method: string,
  target: string,
  body?: object,
): Promise<Reply> {
  const reply = await server.request(method, target, { body });
  assert(reply.status < 300, `${method} ${target}: ${reply.text}`);
  return reply;
}

async function listVersion(server: TestServer): Promise<string> {
  const list = (await send(server, 'GET', '/api/v1/pods')).body as unknown as PodList;
  return list.metadata.resourceVersion;
}

async function seed(server: TestServer): Promise<Seed> {
  const pods = new Map<string, Pod>();
  const versions = new Map<string, string>();
  for (const name of ['first', 'second', 'third']) {
    await send(server, 'POST', '/api/v1/namespaces', { metadata: { name } });
  }
  versions.set('$initial', await listVersion(server));
  const keys = ['first/bar', 'second/bar', 'second/foo', 'third/barfoo', 'third/foo', 'second/baz'];
  for (const [i, key] of keys.entries()) {
    const [namespace, name] = key.split('/');
    const target = `/api/v1/namespaces/${namespace}/pods`;
    const made = await send(server, 'POST', target, { metadata: { name }, spec: podSpec() });
    const pod = made.body as unknown as Pod;
    pods.set(`$created[${i}]`, pod);
    versions.set(`$created[${i}].rv`, pod.metadata.resourceVersion);
  }
  const updated = await send(server, 'PUT', '/api/v1/namespaces/first/pods/bar', {
    metadata: { name: 'bar' },
    // Of a pod that is there, few fields change: its image is one.
    spec: podSpec({ containers: [{ name: 'c', image: 'example.io/c:2' }] }),
  });
  pods.set('$updated', updated.body as unknown as Pod);
  versions.set('$updated', (updated.body as unknown as Pod).metadata.resourceVersion);
  await send(server, 'DELETE', '/api/v1/namespaces/second/pods/baz');
  versions.set('$afterSeed', await listVersion(server));
  return { pods, versions };
}

function resolve(text: string | number, { versions }: Seed): string {
  if (text === '$current') return versions.get('$afterSeed') ?? '';
  return versions.get(String(text)) ?? String(text);
}

/** `/pods/` is every namespace, `/pods/x/` is namespace x, with or without the last slash. */
function targetOf(row: Row, seeded: Seed): string {
  const { prefix, continue: token, ...options } = row.request;
  const namespace = prefix.split('/')[2] ?? '';
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) query.set(name, resolve(value, seeded));
  if (token !== undefined) query.set('continue', tokenText(token, namespace, seeded));
  const path = namespace === '' ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
  return `${path}?${query.toString()}`;
}

/** Tokens are relative to what is listed; rows that list one namespace may still name it. */
function tokenText(token: Token, namespace: string, seeded: Seed): string {
  const own = `${namespace}/`;
  const start =
    namespace !== '' && token.start.startsWith(own) ? token.start.slice(own.length) : token.start;
  const revision = BigInt(resolve(token.rv, seeded));
  return encodeContinueToken(metaGroup, { revision, start });
}

function keyOf(pod: Pod | undefined): string {
  return `${pod?.metadata.namespace}/${pod?.metadata.name}`;
}

function tooOld({ expect }: Row): boolean {
  return expect.expectRVTooOld === true || expect.expectContinueTooOld === true;
}

function expectedStatus(row: Row): readonly number[] {
  if (row.expect.expectError === true) return [400, 422];
  if (row.expect.expectRVTooLarge === true) return [504];
  return tooOld(row) ? [410] : [200];
}

function checkRefusal(row: Row, reply: Reply): void {
  const { expect } = row;
  if (expect.expectRVTooLarge === true) {
    assert.equal(reply.body['reason'], 'Timeout');
    assert.match(String(reply.body['message']), /^Timeout: Too large resource version: /);
    const details = reply.body['details'] as { causes: object[]; retryAfterSeconds: number };
    assert.deepEqual(details.causes, [
      { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
    ]);
    assert.equal(reply.headers['retry-after'], '1');
  }
  if (expect.expectRVTooOld === true) {
    assert.equal(reply.body['reason'], 'Expired');
    assert.match(String(reply.body['message']), /^too old resource version: \d+$/);
  }
  if (expect.expectContinueTooOld === true) {
    assert.equal(reply.body['reason'], 'Expired');
    const metadata = reply.body['metadata'] as { continue?: string };
    assert(metadata.continue, 'a token that goes on at the latest');
  }
}

function checkList({ expect, request }: Row, list: PodList, seeded: Seed): void {
  // The rows name the pods in no particular order; a list is in the order of its keys.
  const out = (names: readonly string[]): readonly (Pod | undefined)[] =>
    names.map((name) => seeded.pods.get(name)).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (expect.expectedOut !== undefined) assert.deepEqual(list.items, out(expect.expectedOut));
  if (expect.expectedAlternatives !== undefined) {
    const shown = JSON.stringify(list.items);
    const allowed = expect.expectedAlternatives.map((names) => JSON.stringify(out(names)));
    assert(allowed.includes(shown), shown);
  }
  const version = BigInt(list.metadata.resourceVersion);
  if (expect.expectRV === '$current') assert(version >= BigInt(resolve('$afterSeed', seeded)));
  else if (expect.expectRV !== undefined) {
    assert.equal(version, BigInt(resolve(expect.expectRV, seeded)));
  }
  if (expect.expectRVFunc !== undefined) {
    assert(version >= BigInt(resolve(expect.expectRVFunc.notOlderThan, seeded)));
  }
  assert.equal(Boolean(list.metadata.continue), expect.expectContinue ?? false, 'continue');
  assert.equal(list.metadata.remainingItemCount, expect.expectedRemainingItemCount, 'remaining');
  if (expect.expectContinueExact !== undefined) {
    const namespace = request.prefix.split('/')[2] ?? '';
    assert.equal(
      list.metadata.continue,
      tokenText(expect.expectContinueExact, namespace, seeded),
      'the token itself',
    );
  }
}

for (const store of ['memory', 'lmdb'] as const) {
  describe(`list semantics (${store} store)`, () => {
    const rows = readCorpus<{ readonly cases: readonly Row[] }>('list-semantics/cases.json').cases;
    let server: TestServer;
    let seeded: Seed;

    before(async () => {
      server = await startTestServer({ store });
      seeded = await seed(server);
      const compactAt = BigInt(seeded.versions.get('$created[0].rv') ?? '') as Revision;
      await server.running.parts.storage.compact(compactAt);
      if (store === 'memory') return;
      await server.stop();
      server = await startTestServer({ store, 'data-dir': server.dataDir });
    });

    for (const row of rows) {
      test(`row: ${row.name}`, async () => {
        const target = targetOf(row, seeded);
        const reply = await server.request('GET', target);
        const said = `${target}\n${reply.status} ${reply.text.slice(0, 1000)}`;
        if (store === 'memory' && tooOld(row) && reply.status === 200) {
          return assert.deepEqual(reply.body['items'], [], said);
        }
        assert(expectedStatus(row).includes(reply.status), said);
        if (reply.status !== 200) checkRefusal(row, reply);
        else checkList(row, reply.body as unknown as PodList, seeded);
      });
    }

    test('the token of an expired page goes on at the latest', async (context) => {
      if (store === 'memory') return context.skip('its caches still answer the page');
      const target = targetOf(
        {
          name: '',
          request: {
            prefix: '/pods/',
            limit: 1,
            continue: { start: 'first/bar\0', rv: '$initial' },
          },
          expect: {},
        },
        seeded,
      );
      const expired = await server.request('GET', target);
      assert.equal(expired.status, 410);
      const token = (expired.body['metadata'] as { continue: string }).continue;
      const next = await server.request('GET', `/api/v1/pods?limit=9&continue=${token}`);
      const list = next.body as unknown as PodList;
      assert.deepEqual(
        list.items.map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`),
        ['second/bar', 'second/foo', 'third/barfoo', 'third/foo'],
      );
    });

    test('pages of one list show one revision whatever is written between them', async () => {
      const first = await send(server, 'GET', '/api/v1/pods?limit=2');
      let list = first.body as unknown as PodList;
      const version = list.metadata.resourceVersion;
      const seen = [...list.items];
      for (let page = 0; list.metadata.continue !== undefined; page += 1) {
        await send(server, 'POST', '/api/v1/namespaces/second/pods', {
          metadata: { name: `between${page}` },
          spec: podSpec(),
        });
        const token = list.metadata.continue;
        const reply = await send(server, 'GET', `/api/v1/pods?limit=2&continue=${token}`);
        list = reply.body as unknown as PodList;
        assert.equal(list.metadata.resourceVersion, version);
        seen.push(...list.items);
      }
      assert.equal(seen.length, 5);
      for (let page = 0; page < 2; page += 1) {
        await send(server, 'DELETE', `/api/v1/namespaces/second/pods/between${page}`);
      }
    });

    after(() => server.remove());
  });
}
