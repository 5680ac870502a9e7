/**
 * Which patches a kind takes (spec 1, sections 4.3, 4.4): strategic merge patches need the markers
 * of a schema. Every kind that is served has one, so a kind without stands in for those that a
 * client may define.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { handlePatch } from '../../src/endpoints/handlers/patch.ts';
import type { EndpointDeps, ResourceRequest } from '../../src/endpoints/request.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import { sendStatusError } from '../../src/endpoints/status-response.ts';
import { fakeExchange } from '../support/doubles/fake-exchange.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import type { FakeExchange } from '../support/doubles/fake-exchange.ts';

const identity = identityOf('kubernetes');
const general = ['application/json-patch+json', 'application/merge-patch+json'];
const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';

function configMaps(): KindInfo {
  const built = buildScheme({ identity, release: 33 });
  assert.equal(built.kind, 'ok');
  const kind = built.kind === 'ok' ? built.scheme.findKind('', 'v1', 'ConfigMap') : undefined;
  assert.ok(kind);
  return kind;
}

/** Without markers, as a kind that a client has defined. */
const gadgets: KindInfo = {
  ...configMaps(),
  group: 'example.com',
  kind: 'Gadget',
  resource: 'gadgets',
  schema: undefined,
  defaults: undefined,
};

async function patched(kind: KindInfo, type: string, cbor = false): Promise<FakeExchange['sent']> {
  const exchange = fakeExchange('PATCH', { 'content-type': type }, '[1]');
  const features = { responseCompression: false, watchList: true, cbor };
  const limits = { requestBodyBytesMax: 1024, minRequestTimeoutMs: 0 };
  const resource = { namespace: 'default', name: 'g', subresource: '' };
  const query = new Map(type.includes('apply') ? [['fieldManager', ['m']]] : []);
  const request = { exchange, kind, resource, query, warnings: [] };
  const { clock } = manualTime();
  const turnWatch = { mark: () => undefined };
  const refusal = await handlePatch(
    { identity, features, limits, turnWatch, clock } as unknown as EndpointDeps,
    request as unknown as ResourceRequest,
  );
  assert.ok(refusal instanceof StatusError);
  sendStatusError(exchange, refusal);
  return exchange.sent;
}

interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

function refusalOf(sent: FakeExchange['sent']): Refusal {
  return JSON.parse(sent?.text ?? '{}') as Refusal;
}

describe('patch types', () => {
  const rows: readonly [string, KindInfo, boolean, readonly string[]][] = [
    ['a kind without markers', gadgets, false, [...general, apply]],
    ['the same with CBOR', gadgets, true, [...general, apply, 'application/apply-patch+cbor']],
    ['a built-in kind', configMaps(), false, [...general, strategic, apply]],
  ];
  for (const [title, kind, cbor, accepted] of rows) {
    it(`${title}: what it does not take is 415 with the list of what it takes`, async () => {
      const others = ['application/json', 'text/plain', 'application/vnd.x', '', ' '];
      const refusals = [strategic, ...others].filter((type) => !accepted.includes(type));
      for (const type of refusals) {
        const sent = await patched(kind, type, cbor);
        assert.equal(sent?.status, 415, type);
        const { code, reason, message } = refusalOf(sent);
        assert.deepEqual([code, reason], [415, 'UnsupportedMediaType']);
        assert.ok(message.endsWith(`include: ${accepted.join(', ')}`), message);
      }
    });

    it(`${title}: each of those it lists is read as what it is`, async () => {
      for (const type of accepted) {
        const sent = await patched(kind, type, cbor);
        // The list [1] is no patch of any kind, and each says so in its own words.
        assert.equal(sent?.status, 400, `${type}: ${sent?.text}`);
      }
    });
  }
});
