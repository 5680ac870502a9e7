/**
 * Objects that the reference has written with every field filled, sent as the bytes they are, and
 * as a client would create them: whatever the answer is, it is the object or a Status, and JSON of
 * the same object gets the same one (spec 1, sections 1.5 and 7).
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { statusType } from '../../src/apimachinery/typed/meta-types.ts';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import { without } from '../../src/apimachinery/unstructured.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { currentRelease, isKnown, oldestRelease } from '../../src/apis/served-versions.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { corpusPath, noVectors } from '../support/data/corpora.ts';
import { partialDeepEqual } from '../support/checks/partial-equal.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

/** A body of a subresource. */
const unserved: ReadonlySet<string> = new Set(['policy.v1.Eviction']);

const folder = corpusPath('fixtures-1.33');
const protobuf = kubernetes.mediaTypes.protobuf;
const sent = { 'content-type': protobuf, accept: protobuf };

interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  readonly apiVersion: string;
  readonly kind: string;
  /** The last release that serves it; undefined: none does. */
  readonly release: number | undefined;
}

const releases = Array.from(
  { length: currentRelease - oldestRelease + 1 },
  (_, at) => currentRelease - at,
);

function readFixture(name: string): Fixture {
  const json = JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as ApiObject;
  const { apiVersion, kind } = json;
  const row = catalogue.find(
    (each) =>
      each.kind === kind &&
      apiVersion ===
        formatGroupVersion({ group: kubernetes.fill(each.group), version: each.version }),
  );
  const release = row && releases.find((each) => isKnown(row, each));
  return { name, bytes: readFileSync(path.join(folder, `${name}.pb`)), apiVersion, kind, release };
}

const fixtures = readdirSync(folder)
  .filter((file) => file.endsWith('.pb'))
  .map((file) => readFixture(file.slice(0, -'.pb'.length)));

function collectionOf(kind: KindInfo): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = kind.namespaced ? '/namespaces/default' : '';
  return `${root}/${formatGroupVersion(kind)}${scope}/${kind.resource}`;
}

function read(bytes: Uint8Array, schema: ObjectSchema): JsonObject {
  const decoded = decodeProtobuf(bytes, () => schema);
  assert.ok(decoded.kind === 'value', JSON.stringify(decoded));
  return decoded.value as JsonObject;
}

/** Answers that say nothing of what was asked. */
const ownAnswers: readonly string[] = [
  'authentication.k8s.io.v1.SelfSubjectReview',
  'authorization.k8s.io.v1.SelfSubjectRulesReview',
];

/** What was sent is in the answer; the server may have added to it. The status is its own, what is
 * written as text is kept as bytes, and of the secrets of an account only the names are kept. */
function contains(answer: JsonObject, body: JsonObject, name: string): void {
  if (ownAnswers.includes(name)) return assert.ok('status' in answer, name);
  const { status: _status, stringData: _text, secrets, ...content } = body;
  partialDeepEqual(answer, content, name);
  if (secrets === undefined) return;
  const names = (secrets as readonly JsonObject[]).map((secret) => ({ name: secret['name'] }));
  assert.deepEqual(answer['secrets'], names, name);
}

/** What the server owns, or the URL says, is left to them. */
function asCreated(object: ApiObject): ApiObject {
  const { labels, annotations } = object.metadata;
  return {
    ...object,
    metadata: {
      name: object.kind === 'StorageVersion' ? 'example.org.wheels' : 'x',
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}

/** The answer is the object or a Status that says what is wrong, in the encoding asked for. */
function judged(reply: Reply, schema: ObjectSchema, codes: readonly number[]): JsonObject {
  assert.equal(reply.headers['content-type'], protobuf, reply.text);
  const refused = reply.status >= 400;
  const body = read(reply.bytes, refused ? statusType : schema);
  assert.ok(codes.includes(reply.status), `${reply.status}: ${String(body['message'])}`);
  if (!refused) return body;
  assert.equal(body['status'], 'Failure');
  assert.equal(body['code'], reply.status);
  assert.equal(
    body['reason'],
    { 400: 'BadRequest', 404: 'NotFound', 422: 'Invalid' }[reply.status],
  );
  return body;
}

/** Fields of them have values that are right wherever there is a rule. The others are refused. */
const creatable: ReadonlySet<string> = new Set([
  'apps.v1.ControllerRevision',
  'authentication.k8s.io.v1.SelfSubjectReview',
  'authorization.k8s.io.v1.SelfSubjectRulesReview',
  'autoscaling.v1.HorizontalPodAutoscaler',
  'coordination.k8s.io.v1beta1.Lease',
  'core.v1.Secret',
  'core.v1.ServiceAccount',
  'internal.apiserver.k8s.io.v1alpha1.StorageVersion',
  'storage.k8s.io.v1.CSINode',
  'storage.k8s.io.v1beta1.VolumeAttributesClass',
]);

/** Fields whose features the release has not got yet: they are dropped. */
const dropped: Readonly<Record<string, readonly string[]>> = {
  'coordination.k8s.io.v1beta1.Lease': ['strategy', 'preferredHolder'],
};

function withoutDropped(name: string, object: JsonObject): JsonObject {
  const fields = dropped[name];
  if (fields === undefined) return object;
  return { ...object, spec: without(object['spec'] as JsonObject, ...fields) };
}

describe('fixtures of the reference', () => {
  it('are there, and most of them are served by some release', { skip: noVectors }, () => {
    const served = fixtures.filter(({ release }) => release !== undefined).length;
    assert.ok(served >= 70, `${served} of ${fixtures.length}`);
    for (const name of creatable)
      assert.ok(
        fixtures.some((each) => each.name === name),
        name,
      );
  });
});

for (const release of [...new Set(fixtures.map((each) => each.release))]) {
  if (release === undefined) continue;

  describe(`fixtures of the reference, sent to 1.${release}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({
        'emulated-version': `1.${release}`,
        'runtime-config': 'api/all=true',
        'feature-gates': 'AllAlpha=true,AllBeta=true',
        // The pods name classes and accounts that are nobody's.
        'disable-admission-plugins': 'ServiceAccount,Priority,RuntimeClass',
      });
    });
    after(() => server.remove());

    const rows = fixtures.filter((each) => each.release === release);

    for (const { name, bytes, apiVersion, kind } of rows) {
      const found = () =>
        server.running.parts.registry.scheme.kinds.find(
          (each) => each.kind === kind && formatGroupVersion(each) === apiVersion,
        );

      it(`${name}: as they stand, and as a client creates them`, async () => {
        const info = found();
        if (info === undefined) return assert.ok(unserved.has(name), name);
        const { schema } = info;
        assert.ok(schema !== undefined);
        const url = collectionOf(info);
        if (info.computed === true) {
          const refused = await server.request('POST', url, { body: bytes, headers: sent });
          return assert.equal(refused.status, 405, refused.text);
        }
        const whole = await server.request('POST', url, { body: bytes, headers: sent });
        judged(whole, schema, creatable.has(name) ? [201, 400, 422] : [400, 422]);

        const object = asCreated(read(bytes, schema) as ApiObject);
        const body = encodeProtobuf(schema, object);
        const [json, made] = [
          await server.request('POST', `${url}?dryRun=All`, { body: { ...object } }),
          await server.request('POST', url, { body, headers: sent }),
        ];
        const answer = judged(made, schema, [creatable.has(name) ? 201 : 422]);
        assert.equal(json.status, made.status, json.text);
        await server.request('DELETE', `${url}/${object.metadata.name}`);
        if (made.status === 201)
          return contains(answer, withoutDropped(name, read(body, schema)), name);
        assert.deepEqual(answer['details'], json.body['details']);
        assert.equal(answer['message'], json.body['message']);
      });
    }
  });
}
