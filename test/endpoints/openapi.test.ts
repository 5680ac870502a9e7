/** OpenAPI documents: closed, complete, true to the facts; and how they are served. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { IdentityName } from '../../src/apimachinery/identity.ts';
import { definitionNames } from '../../src/apimachinery/openapi/definition-names.ts';
import { openApiDocuments } from '../../src/apimachinery/openapi/documents.ts';
import type { OpenApiDocuments } from '../../src/apimachinery/openapi/documents.ts';
import {
  encodeOpenApiV2,
  encodeOpenApiV3,
} from '../../src/apimachinery/openapi/protobuf-document.ts';
import { makeScheme } from '../../src/apimachinery/scheme.ts';
import type { Scheme } from '../../src/apimachinery/scheme.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { versionInfo } from '../../src/endpoints/discovery/version.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { schemaExemptionsOf } from '../../src/apis/schema-exemptions.ts';
import { makeOpenApi } from '../../src/endpoints/openapi/openapi.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { noVectors, readFacts } from '../support/data/corpora.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import type { FactField, TypeFacts } from '../../generate/field-types.ts';
import { noAggregation } from '../support/doubles/no-aggregation.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Schema = Readonly<Record<string, Json>>;
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: object;
  readonly requestBody?: { readonly content: object };
  readonly produces?: readonly string[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly definitions: Readonly<Record<string, Schema>>;
}

const documentOptions = {
  domain: 'k8s.io',
  protobufMediaType: 'application/vnd.kubernetes.protobuf',
  openValues: schemaExemptionsOf(builtInKinds).openValues,
  version: 'v1.33.0',
} as const;

function documentsOf(name: IdentityName): { documents: OpenApiDocuments; scheme: Scheme } {
  const identity = identityOf(name);
  const config = parseRuntimeConfig('api/all');
  assert.equal(config.kind, 'ok');
  const built = buildScheme({
    identity,
    runtimeConfig: config.kind === 'ok' ? config.value : undefined,
    featureGates: new Set([
      'DynamicResourceAllocation',
      'DRADeviceTaints',
      'MutatingAdmissionPolicy',
    ]),
  });
  if (built.kind !== 'ok') throw new Error(built.errors.join('\n'));
  const { scheme } = built;
  const { domain, mediaTypes } = identity;
  const names = { domain, protobufMediaType: mediaTypes.protobuf };
  return { documents: openApiDocuments({ ...documentOptions, ...names, scheme }), scheme };
}

function v3(documents: OpenApiDocuments, path: string): Document {
  return finished(documents.v3(path)) as unknown as Document;
}

/** Of what is always there: the first piece, in its frame. */
function v2(documents: OpenApiDocuments): Document {
  return wholeV2(documents) as unknown as Document;
}

function wholeV2(documents: OpenApiDocuments): JsonObject {
  const [always] = finished(documents.piecesV2());
  assert.ok(always !== undefined);
  const { own, paths } = finished(always.make('v2'));
  return { ...documents.frame('v2'), paths, definitions: own };
}

/** Every `$ref` below a value. */
function* references(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === '$ref' && typeof each === 'string') yield each;
    else yield* references(each);
  }
}

const kubernetes = documentsOf('kubernetes');
const all = finished(kubernetes.documents.paths()).map((path) => v3(kubernetes.documents, path));

describe('OpenAPI documents', () => {
  for (const name of ['kubernetes', 'svc'] as const) {
    it(`are closed and speak of one identity only (${name})`, () => {
      const { documents } = documentsOf(name);
      for (const path of finished(documents.paths())) {
        const document = v3(documents, path);
        const own = document.components.schemas;
        for (const ref of references(document)) {
          assert.ok(ref.startsWith('#/components/schemas/'), ref);
          assert.ok(
            own[ref.slice('#/components/schemas/'.length)] !== undefined,
            `${path}: ${ref}`,
          );
        }
        if (name === 'svc') assert.ok(!/k8s\.io|io\.k8s/.test(JSON.stringify(document)), path);
      }
      const merged = v2(documents);
      for (const ref of references(merged)) {
        assert.ok(merged.definitions[ref.slice('#/definitions/'.length)] !== undefined, ref);
      }
    });
  }

  it('hold every kind that is served, its list, its verbs and its subresources', () => {
    for (const kind of kubernetes.scheme.kinds) {
      const { group, version, resource } = kind;
      const root = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const document = v3(kubernetes.documents, root);
      const schemas = Object.values(document.components.schemas);
      for (const name of kind.operation === true ? [kind.kind] : [kind.kind, kind.listKind]) {
        const served = JSON.stringify({ group, kind: name, version });
        const holds = (schema: Schema) =>
          JSON.stringify(schema['x-kubernetes-group-version-kind'] ?? []).includes(served);
        assert.ok(schemas.some(holds), `${root} ${name}`);
      }
      const collection = `/${root}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${resource}`;
      const actions = new Set(
        [collection, `${collection}/{name}`].flatMap((path) =>
          Object.values(document.paths[path] ?? {}).map(
            (each) => each['x-kubernetes-action'] ?? '',
          ),
        ),
      );
      const verbs: Readonly<Record<string, string>> = { create: 'post', update: 'put' };
      for (const verb of kind.verbs.filter((each) => each !== 'watch')) {
        assert.ok(actions.has(verbs[verb] ?? verb), `${collection} ${verb}`);
      }
      for (const { name, verbs: offered } of kind.subresources) {
        const changed = offered.includes('update') ? 'put' : 'post';
        const method = changed === 'post' && !offered.includes('create') ? 'get' : changed;
        const operations = document.paths[`${collection}/{name}/${name}`];
        assert.ok(operations?.[method], `${collection} ${name}`);
      }
    }
  });

  it('name each operation once', () => {
    const methods = ['get', 'put', 'post', 'delete', 'patch'];
    const ids = all.flatMap(({ paths }) =>
      Object.values(paths).flatMap((item) =>
        methods.flatMap((method) => item[method]?.operationId ?? []),
      ),
    );
    assert.equal(new Set(ids).size, ids.length);
    for (const id of [
      'createAppsV1NamespacedDeployment',
      'listCoreV1PodForAllNamespaces',
      'readCoreV1Namespace',
      'replaceAppsV1NamespacedDeploymentScale',
      'deleteRbacAuthorizationV1CollectionClusterRole',
      'listFlowcontrolApiserverV1FlowSchema',
      'watchBatchV1NamespacedJobList',
      'getAppsV1APIResources',
    ]) {
      assert.ok(ids.includes(id), id);
    }
  });

  it('say what /version and the documents of the token issuer hold, and in which media types', () => {
    const answerOf = (path: string, at: string): unknown => {
      const document = v3(kubernetes.documents, path) as unknown as JsonObject;
      const { get } = (document['paths'] as Record<string, Record<string, JsonObject>>)[at] ?? {};
      const { responses } = get as unknown as { responses: Record<string, JsonObject> };
      return responses['200']?.['content'];
    };
    const schema = { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.version.Info' };
    assert.deepEqual(answerOf('version', '/version/'), { 'application/json': { schema } });
    const { definitions } = v2(kubernetes.documents);
    const info = definitions['io.k8s.apimachinery.pkg.version.Info'] as unknown as JsonObject;
    const release = { release: 33, emulated: 33, programVersion: '0.1.0' };
    const served = versionInfo({ ...release, runtimeVersion: 'v20', platform: 'linux/x64' });
    const described = Object.keys(info['properties'] as JsonObject);
    assert.deepEqual(described.toSorted(), Object.keys(served).toSorted());
    const issuer = '.well-known/openid-configuration';
    const text = { schema: { type: 'string' } };
    assert.deepEqual(answerOf(issuer, `/${issuer}/`), { 'application/json': text });
    const keys = answerOf('openid/v1/jwks', '/openid/v1/jwks/');
    assert.deepEqual(keys, { 'application/jwk-set+json': text });
  });

  it('say that what is connected to answers with text, and that proxies pass on HEAD and OPTIONS', () => {
    const { paths } = v2(kubernetes.documents) as unknown as {
      paths: Record<string, Record<string, JsonObject>>;
    };
    const pod = '/api/v1/namespaces/{namespace}/pods/{name}';
    const log = paths[`${pod}/log`]?.['get'];
    assert.deepEqual(log?.['produces'], [
      'text/plain',
      'application/json',
      'application/vnd.kubernetes.protobuf',
      'application/yaml',
    ]);
    const { responses } = log as unknown as { responses: Record<string, JsonObject> };
    assert.deepEqual(responses['200']?.['schema'], { type: 'string' });
    const proxied = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'];
    for (const path of [`${pod}/proxy`, `${pod}/proxy/{path}`]) {
      const methods = Object.keys(paths[path] ?? {}).filter((name) => name !== 'parameters');
      assert.deepEqual(methods.toSorted(), proxied, path);
    }
    const head = paths[`${pod}/proxy`]?.['head'];
    assert.equal(head?.['operationId'], 'connectCoreV1HeadNamespacedPodProxy');
  });

  it('take fieldValidation where a body is taken: kubectl leaves validation to the server then', () => {
    const { paths } = v3(kubernetes.documents, 'apis/apps/v1');
    const item = paths['/apis/apps/v1/namespaces/{namespace}/deployments'];
    const names = item?.['post']?.parameters?.map((parameter) => parameter.name);
    assert.deepEqual(names, ['dryRun', 'fieldManager', 'fieldValidation']);
    assert.deepEqual(item?.['post']?.['x-kubernetes-group-version-kind'], {
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
    });
  });

  it('describe PATCH where it is served, in the four forms, with what kubectl looks for', () => {
    const groups = kubernetes.scheme.groups.map((group) => ({
      ...group,
      versions: group.versions.map((version) => ({
        ...version,
        kinds: version.kinds.map((kind) => ({
          ...kind,
          verbs: [...new Set([...kind.verbs, 'patch' as const])],
        })),
      })),
    }));
    const documents = openApiDocuments({ ...documentOptions, scheme: makeScheme(groups) });
    const path = '/api/v1/namespaces/{namespace}/configmaps/{name}';
    const patch = v3(documents, 'api/v1').paths[path]?.['patch'];
    assert.equal(patch?.operationId, 'patchCoreV1NamespacedConfigMap');
    assert.deepEqual(
      patch.parameters?.map((parameter) => parameter.name),
      ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
    );
    const expected = { group: '', version: 'v1', kind: 'ConfigMap' };
    assert.deepEqual(patch['x-kubernetes-group-version-kind'], expected);
    assert.deepEqual(Object.keys(patch.requestBody?.content ?? {}), [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
  });

  it(
    'have the field names, required fields and merge markers of the facts, type by type',
    { skip: noVectors },
    () => {
      const { types } = readFacts<TypeFacts>();
      const names = definitionNames('k8s.io');
      const schemas: Record<string, Schema> = {};
      for (const document of all) Object.assign(schemas, document.components.schemas);
      let compared = 0;
      for (const [name, facts] of Object.entries(types)) {
        const schema = schemas[names.ofType(name)];
        const properties = schema?.['properties'] as Readonly<Record<string, Schema>> | undefined;
        if (properties === undefined) continue;
        compared += 1;
        assert.equal(schema?.['x-kubernetes-map-type'], facts.structType, name);
        for (const field of facts.fields) {
          if (field.name === undefined || field.inline === true) continue;
          const where = `${name}.${field.name}`;
          const own: Schema | undefined = properties[field.name];
          assert.ok(own !== undefined, where);
          assert.deepEqual(markersOf(own), markersOfFact(field), where);
          const required = (schema?.['required'] ?? []) as readonly string[];
          assert.equal(required.includes(field.name), field.required === true, where);
        }
      }
      assert.ok(compared > 500, `${compared} types`);
    },
  );

  it('write scalars with their formats', () => {
    const core = v3(kubernetes.documents, 'api/v1').components.schemas;
    const at = (type: string, field: string) =>
      (core[`io.k8s.api.core.v1.${type}`]?.['properties'] as Record<string, Schema>)[field];
    assert.deepEqual(at('ContainerPort', 'containerPort'), {
      type: 'integer',
      format: 'int32',
      default: 0,
    });
    assert.deepEqual(at('ContainerPort', 'protocol'), {
      type: 'string',
      enum: ['SCTP', 'TCP', 'UDP'],
      default: 'TCP',
    });
    assert.deepEqual(at('Secret', 'type'), { type: 'string' });
    assert.deepEqual(at('PodCondition', 'type'), { type: 'string', default: '' });
    assert.deepEqual(at('PodSpec', 'activeDeadlineSeconds'), { type: 'integer', format: 'int64' });
    assert.deepEqual(at('Secret', 'data'), {
      type: 'object',
      additionalProperties: { type: 'string', format: 'byte' },
    });
    assert.deepEqual(at('Pod', 'spec'), {
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
      default: {},
    });
    assert.deepEqual(
      core['io.k8s.apimachinery.pkg.util.intstr.IntOrString']?.['format'],
      'int-or-string',
    );
    assert.deepEqual(core['io.k8s.apimachinery.pkg.apis.meta.v1.Time']?.['format'], 'date-time');
    const pod = v2(kubernetes.documents).definitions['io.k8s.api.core.v1.Pod'];
    const properties = pod?.['properties'] as Record<string, Schema>;
    assert.deepEqual(properties['spec'], { $ref: '#/definitions/io.k8s.api.core.v1.PodSpec' });
  });

  it('say which fields of a union its discriminator chooses', () => {
    const { schemas } = v3(kubernetes.documents, 'apis/flowcontrol.apiserver.k8s.io/v1').components;
    const unions = schemas['io.k8s.api.flowcontrol.v1.Subject']?.['x-kubernetes-unions'];
    assert.equal((unions as readonly { discriminator: string }[])[0]?.discriminator, 'kind');
  });
});

const markerNames: readonly (readonly [keyof FactField, string])[] = [
  ['listType', 'x-kubernetes-list-type'],
  ['listMapKeys', 'x-kubernetes-list-map-keys'],
  ['mapType', 'x-kubernetes-map-type'],
  ['patchStrategy', 'x-kubernetes-patch-strategy'],
  ['patchMergeKey', 'x-kubernetes-patch-merge-key'],
];

function markersOf(schema: Schema): object {
  const entries = Object.entries(schema).filter(([name]) => name.startsWith('x-'));
  return Object.fromEntries(entries.sort());
}

function markersOfFact(field: FactField): object {
  const entries = markerNames.flatMap(([fact, name]) =>
    field[fact] === undefined ? [] : [[name, field[fact]] as const],
  );
  if (field.structType !== undefined) entries.push(['x-kubernetes-map-type', field.structType]);
  return Object.fromEntries(entries.sort());
}

/** Fields of one Protobuf message: number ▶ what stands there. */
function fieldsOf(bytes: Buffer): Map<number, (Buffer | number)[]> {
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const uvarint = () => {
    for (let value = 0, shift = 1; ; shift *= 128) {
      const byte = bytes[at++] as number;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = uvarint();
    const type = tag % 8;
    const length = type === 2 ? uvarint() : type === 1 ? 8 : 0;
    const value = type === 0 ? uvarint() : bytes.subarray(at, (at += length));
    const number = Math.floor(tag / 8);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  assert.equal(at, bytes.length);
  return fields;
}

/** A map of messages, as lists of name and value. */
function namedOf(message: Buffer, number: number): Map<string, Buffer> {
  return new Map(
    (fieldsOf(message).get(number) ?? []).map((entry): [string, Buffer] => {
      const fields = fieldsOf(entry as Buffer);
      return [String(fields.get(1)?.[0]), (fields.get(2)?.[0] ?? Buffer.alloc(0)) as Buffer];
    }),
  );
}

function only(message: Buffer, number: number): Buffer {
  return fieldsOf(message).get(number)?.[0] as Buffer;
}

describe('OpenAPI documents in Protobuf', () => {
  it('hold the same paths and definitions as in JSON (v2)', () => {
    const document = v2(kubernetes.documents);
    const bytes = Buffer.from(finished(encodeOpenApiV2(document as never)));
    assert.deepEqual([...namedOf(only(bytes, 8), 2).keys()], Object.keys(document.paths));
    const definitions = namedOf(only(bytes, 9), 1);
    assert.deepEqual([...definitions.keys()], Object.keys(document.definitions));
    const container = definitions.get('io.k8s.api.core.v1.Container') as Buffer;
    const properties = namedOf(only(container, 25), 1);
    const ports = properties.get('ports') as Buffer;
    assert.equal(String(only(only(ports, 22), 1)), 'array');
    assert.equal(
      String(only(only(only(ports, 23), 1), 1)),
      '#/definitions/io.k8s.api.core.v1.ContainerPort',
    );
    const extensions = namedOf(ports, 31);
    assert.equal(
      String(only(extensions.get('x-kubernetes-list-map-keys') as Buffer, 2)),
      '["containerPort","protocol"]\n',
    );
  });

  it('hold the same paths and definitions as in JSON (v3)', () => {
    for (const document of all) {
      const bytes = Buffer.from(finished(encodeOpenApiV3(document as never)));
      assert.deepEqual([...namedOf(only(bytes, 4), 1).keys()], Object.keys(document.paths));
      // Of what holds text only, there are none.
      const { schemas: defined } = document.components as { readonly schemas?: object };
      if (defined === undefined) continue;
      const schemas = Object.keys(defined);
      assert.notEqual(schemas.length, 0);
      assert.deepEqual([...namedOf(only(only(bytes, 5), 1), 1).keys()], schemas);
    }
  });
});

describe('OpenAPI over HTTP', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ identity: 'kubernetes', store: 'memory' });
  });
  after(() => server.remove());

  it('says what kinds and fields are for, in either version', async () => {
    const at = (schemas: Readonly<Record<string, Schema>>, name: string): Schema => {
      const found = schemas[`io.k8s.api.${name}`];
      assert.ok(found, name);
      return found;
    };
    const v2 = (await server.request('GET', '/openapi/v2')).body as unknown as Document;
    const v3 = (await server.request('GET', '/openapi/v3/apis/apps/v1'))
      .body as unknown as Document;
    for (const schemas of [v2.definitions, v3.components.schemas]) {
      const { description, properties } = at(schemas, 'apps.v1.DeploymentSpec');
      const fields = properties as Readonly<Record<string, Schema>>;
      assert.equal(description, 'The desired state of a Deployment.');
      assert.equal(fields['replicas']?.['description'], 'How many pods to run; 1 by default.');
      assert.equal(fields['strategy']?.['description'], 'How old pods give way to new ones.');
      const list = at(schemas, 'apps.v1.DeploymentList');
      const items = (list['properties'] as Readonly<Record<string, Schema>>)['items'];
      assert.equal(items?.['description'], 'The objects.');
    }
  });

  it('an index entry names its document by its content, to be kept for ever', async () => {
    const index = await server.request('GET', '/openapi/v3');
    assert.equal(index.status, 200);
    const paths = index.body['paths'] as Record<string, { serverRelativeURL: string }>;
    for (const path of ['api', 'apis', 'version', 'api/v1', 'apis/apps', 'apis/apps/v1']) {
      const url = paths[path]?.serverRelativeURL ?? '';
      assert.ok(url.startsWith(`/openapi/v3/${path}?hash=`), url);
      const document = await server.request('GET', url);
      assert.equal(document.status, 200);
      const hash = createHash('sha512').update(document.bytes).digest('hex').toUpperCase();
      assert.equal(url, `/openapi/v3/${path}?hash=${hash}`);
      assert.equal(document.headers.etag, `"${hash}"`);
      assert.equal(document.headers['cache-control'], 'public, immutable');
      assert.ok(Date.parse(document.headers.expires ?? '') > 0);
    }
  });

  it('a stale hash leads to the current one; without a hash nothing is immutable', async () => {
    const plain = await server.request('GET', '/openapi/v3/apis/batch/v1');
    assert.equal(plain.status, 200);
    assert.equal(plain.headers['cache-control'], 'no-cache, private');
    const stale = await server.request('GET', '/openapi/v3/apis/batch/v1?hash=00');
    assert.equal(stale.status, 301);
    const hash = (plain.headers.etag ?? '').slice(1, -1);
    assert.equal(stale.headers.location, `/openapi/v3/apis/batch/v1?hash=${hash}`);
  });

  it('an unchanged document is not sent again', async () => {
    for (const path of ['/openapi/v2', '/openapi/v3', '/openapi/v3/api/v1']) {
      const first = await server.request('GET', path);
      const headers = { 'If-None-Match': String(first.headers.etag) };
      const again = await server.request('GET', path, { headers });
      assert.equal(again.status, 304, path);
      assert.equal(again.bytes.length, 0);
    }
  });

  for (const version of ['v2', 'v3'] as const) {
    const path = version === 'v2' ? '/openapi/v2' : '/openapi/v3/api/v1';
    it(`${version} comes as Protobuf under the name that clients ask for, or not at all`, async () => {
      const asked = `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`;
      const reply = await server.request('GET', path, { headers: { Accept: asked } });
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['content-type'], asked.replace('@', '.'));
      assert.equal(String(only(reply.bytes, 1)), version === 'v2' ? '2.0' : '3.0.0');
      const other = await server.request('GET', path, { headers: { Accept: 'text/html' } });
      assert.equal(other.status, 406);
    });
  }

  it('comes compressed where the client takes it', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const reply = await server.request('GET', '/openapi/v2', { headers });
    assert.equal(reply.headers['content-encoding'], 'gzip');
    const plain = await server.request('GET', '/openapi/v2');
    assert.ok(gunzipSync(reply.bytes).equals(plain.bytes));
  });

  it('answers 404 for what is not served and 405 for what is not read', async () => {
    for (const path of ['/openapi', '/openapi/v4', '/openapi/v3/apis/apps/v9']) {
      assert.equal((await server.request('GET', path)).status, 404, path);
    }
    assert.equal((await server.request('POST', '/openapi/v2', { body: {} })).status, 405);
  });
});

describe('the bytes of a document', () => {
  it('exist once, however many read them at once, in each encoding, packed or not', async () => {
    const { documents } = documentsOf('kubernetes');
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const openapi = makeOpenApi({ aggregation: noAggregation, documents, turns });
    const v2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    for (const gzip of [false, true]) {
      for (const accept of [undefined, v2]) {
        const request = { path: '/openapi/v2', accept, hash: undefined, gzip };
        const found = await Promise.all(Array.from({ length: 20 }, () => openapi.find(request)));
        const bodies = new Set(found.map((each) => each.kind === 'document' && each.document.body));
        assert.equal(bodies.size, 1);
        const later = await openapi.find(request);
        assert.ok(later.kind === 'document' && bodies.has(later.document.body), 'it is still held');
      }
    }
  });

  it('go to a few of those who have waited for them in each turn', async () => {
    const { documents } = documentsOf('kubernetes');
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const openapi = makeOpenApi({ aggregation: noAggregation, documents, turns });
    const request = { path: '/openapi/v2', accept: undefined, hash: undefined, gzip: false };
    const readers = 60;
    let answered = 0;
    let most = 0;
    for (let i = 0; i < readers; i += 1) void openapi.find(request).then(() => (answered += 1));
    for (let before = 0; before < readers; before = answered) {
      await new Promise(setImmediate);
      most = Math.max(most, answered - before);
    }
    assert.ok(most <= 10, `${most} in one turn`);
  });

  it('in Protobuf are made in pieces', () => {
    const { documents } = documentsOf('kubernetes');
    const pieces = encodeOpenApiV2(wholeV2(documents));
    let count = 0;
    while (pieces.next().done !== true) count += 1;
    assert.ok(count > 10, `${count} pieces`);
  });

  it('look at a few groups in each step, however many are defined', () => {
    const { scheme } = documentsOf('kubernetes');
    let looks = 0;
    const defined = Array.from({ length: 5_000 }, (_, at) => ({
      group: `g${at}.example`,
      get versions() {
        looks += 1;
        return [{ version: 'v1', kinds: [] }];
      },
    }));
    const many = { ...scheme, generation: 1, groups: [...scheme.groups, ...defined] };
    const documents = openApiDocuments({ ...documentOptions, scheme: many });
    let most = 0;
    const walked = <T>(steps: Steps<T>): T => {
      for (;;) {
        looks = 0;
        const step = steps.next();
        most = Math.max(most, looks);
        if (step.done === true) return step.value;
      }
    };
    const [always] = walked(documents.piecesV2());
    assert.ok(always !== undefined);
    assert.ok(Object.keys(walked(always.make('v2')).paths).length > 100);
    assert.ok(most < 500, `${most} in one step`);
  });
});
