/** OpenAPI of what users define: made of pieces, each once, whatever else comes and goes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { DocumentPiece, OpenApiDocuments } from '../../src/apimachinery/openapi/documents.ts';
import { part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { makeOpenApi } from '../../src/endpoints/openapi/openapi.ts';
import type { OpenApi, OpenApiDocument } from '../../src/endpoints/openapi/openapi.ts';
import { pieceStore } from '../../src/endpoints/openapi/pieced-document.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { collectGarbage } from '../support/checks/heap.ts';
import { definition, established } from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { noAggregation } from '../support/doubles/no-aggregation.ts';

interface Counted extends DocumentPiece {
  made: number;
}

function piece(name: string): Counted {
  const counted: Counted = {
    source: {},
    stamp: `stamp of ${name}`,
    made: 0,
    *make() {
      counted.made += 1;
      yield;
      const meta = { type: 'object' };
      return { paths: { [`/${name}`]: {} }, own: { [name]: { type: 'object' } }, shared: { meta } };
    },
  };
  return counted;
}

/** Documents of these pieces, in one version and in v2, where `always` comes first. */
function documentsOf(
  pieces: DocumentPiece[],
  always: DocumentPiece,
  paths: readonly string[] = ['apis/shop.example/v1'],
): OpenApiDocuments {
  return {
    get generation() {
      return pieces.length;
    },
    *paths() {
      yield;
      return paths;
    },
    sourceOf: () => pieces.at(-1),
    *v3() {
      yield;
      return undefined;
    },
    piecesOf: () => pieces,
    *piecesV2() {
      yield;
      return [always, ...pieces];
    },
    frame: (dialect) =>
      dialect === 'v2'
        ? { swagger: '2.0', paths: {}, definitions: {}, security: [] }
        : { openapi: '3.0.0', paths: {}, components: { schemas: {} } },
  };
}

async function read(openapi: OpenApi, path: string): Promise<JsonObject> {
  const found = await openapi.find({ path, accept: undefined, hash: undefined, gzip: false });
  assert.ok(found.kind === 'document', path);
  return JSON.parse(sentOf(found.document.body).toString('utf8')) as JsonObject;
}

function sentOf(body: OpenApiDocument['body']): Buffer {
  return 'packed' in body ? gunzipSync(body.packed) : Buffer.from(body);
}

const version = '/openapi/v3/apis/shop.example/v1';

describe('documents of pieces', () => {
  it('the index makes none; each is made once in a dialect, and no other with a new one', async () => {
    const pieces = [piece('a'), piece('b')];
    const always = piece('always');
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const openapi = makeOpenApi({
      aggregation: noAggregation,
      documents: documentsOf(pieces, always),
      turns,
    });
    const index = await read(openapi, '/openapi/v3');
    assert.deepEqual(
      pieces.map(({ made }) => made),
      [0, 0],
    );
    assert.deepEqual(await read(openapi, version), {
      openapi: '3.0.0',
      paths: { '/a': {}, '/b': {} },
      components: {
        schemas: { a: { type: 'object' }, b: { type: 'object' }, meta: { type: 'object' } },
      },
    });
    await read(openapi, '/openapi/v2');
    pieces.push(piece('c'));
    assert.deepEqual(Object.keys(part(await read(openapi, version), 'paths')), ['/a', '/b', '/c']);
    const all = await read(openapi, '/openapi/v2');
    assert.deepEqual(Object.keys(part(all, 'definitions')), ['always', 'a', 'b', 'c', 'meta']);
    assert.deepEqual(
      [always, ...pieces].map(({ made }) => made),
      [1, 2, 2, 2],
    );
    assert.notDeepEqual(await read(openapi, '/openapi/v3'), index);
  });

  it('each part is packed in a step of its own, and what stands around all once', async () => {
    let steps = 0;
    const store = pieceStore((work) => {
      steps += 1;
      return Promise.resolve(finished(work));
    });
    const form = { dialect: 'v3', encoding: 'json' } as const;
    const frame = { openapi: '3.0.0', paths: {}, components: { schemas: {} } };
    const stepsOf = async (pieces: readonly DocumentPiece[]): Promise<number> => {
      steps = 0;
      await store.assemble(form, frame, pieces);
      return steps;
    };
    // Each piece: made, written, its paths, its definitions; at the end the order of them.
    const [ofFrame, ofShared, ofPiece, ofOrder] = [4, 2, 4, 1];
    const [a, b, c] = [piece('a'), piece('b'), piece('c')];
    assert.equal(await stepsOf([a, b]), ofFrame + ofShared + 2 * ofPiece + ofOrder);
    assert.equal(await stepsOf([c]), ofPiece + ofOrder);
    assert.equal(await stepsOf([a, b, c]), ofOrder);
  });

  it('a large document is never there as it is, however many read it', async () => {
    const many = Array.from({ length: 64 }, (_, at) => large(`k${at}`));
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const openapi = makeOpenApi({
      aggregation: noAggregation,
      documents: documentsOf(many, piece('always')),
      turns,
    });
    const held = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = held();
    const request = { path: '/openapi/v2', accept: undefined, hash: undefined };
    const found = await Promise.all(
      [false, false, true, true].map((gzip) => openapi.find({ ...request, gzip })),
    );
    const beside = held() - before;
    assert.ok(
      beside < many.length * largeBytes,
      `${beside} bytes for ${many.length} pieces and all readers`,
    );
    const packed = found.map((each) => {
      assert.ok(each.kind === 'document');
      const { body, gzipped } = each.document;
      assert.equal('packed' in body, !gzipped, 'it is unpacked as it is taken');
      return 'packed' in body ? body.packed : body;
    });
    assert.equal(new Set(packed).size, 1, 'one for all who read it together');
    const text = gunzipSync(packed[0] ?? '');
    assert.ok(text.length > many.length * largeBytes);
    assert.equal(Object.keys(part(JSON.parse(text.toString()) as JsonObject, 'paths')).length, 65);
  });
});

const largeBytes = 128 * 1024;

/** Of what packs well. */
function large(name: string): DocumentPiece {
  return {
    source: {},
    stamp: `stamp of ${name}`,
    *make() {
      yield;
      const own = { [name]: { type: 'object', description: name.repeat(largeBytes) } };
      return { paths: { [`/${name}`]: {} }, own, shared: {} };
    },
  };
}

/** The longest text that one call of JSON.stringify gives. */
async function longestWritten(work: () => Promise<unknown>): Promise<number> {
  const { stringify } = JSON;
  let longest = 0;
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given) as string | undefined;
    longest = Math.max(longest, text?.length ?? 0);
    return text;
  }) as typeof stringify;
  try {
    await work();
  } finally {
    JSON.stringify = stringify;
  }
  return longest;
}

describe('a piece that is large in one place', () => {
  const items = Array.from({ length: 9_000 }, (_, i) => ({ name: `parameter${i}`, in: 'query' }));
  const wide: DocumentPiece = {
    source: {},
    stamp: 'wide',
    *make() {
      yield;
      const own = { wide: { 'x-values': items, example: { items } } };
      return { paths: { '/wide': { parameters: items } }, own, shared: {} };
    },
  };
  const longestMax = 100 * 1024;

  for (const encoding of ['json', 'protobuf'] as const) {
    it(`is written in parts, in ${encoding}`, async () => {
      let steps = 0;
      const store = pieceStore((work) => {
        for (;;) {
          const step = work.next();
          if (step.done === true) return Promise.resolve(step.value);
          steps += 1;
        }
      });
      const form = { dialect: 'v2', encoding } as const;
      const frame = { swagger: '2.0', paths: {}, definitions: {} };
      const longest = await longestWritten(() => store.assemble(form, frame, [wide]));
      assert.ok(longest < longestMax, `${longest} characters at once`);
      // Of the paths alone, and of each of the two other places.
      const parts = (3 * JSON.stringify(items).length) / longestMax;
      assert.ok(steps > parts, `${steps} steps`);
    });
  }
});

describe('the index of OpenAPI', () => {
  it('is written path by path, however many versions there are', async () => {
    const turns = createTurns({ clock: systemClock, timers: systemTimers });
    const longestOf = (count: number): Promise<number> => {
      const paths = Array.from({ length: count }, (_, i) => `apis/g.example/v${i + 10_000}`);
      const openapi = makeOpenApi({
        aggregation: noAggregation,
        documents: documentsOf([piece('a')], piece('always'), paths),
        turns: { ...turns, pause: () => Promise.resolve() },
      });
      return longestWritten(async () => {
        const index = await read(openapi, '/openapi/v3');
        assert.deepEqual(Object.keys(part(index, 'paths')), paths);
      });
    };
    assert.equal(await longestOf(400), await longestOf(100));
  });
});

describe('OpenAPI of what users define', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());

  const documents = ['/openapi/v2', version];

  it('is closed, with each name once, and the same in both encodings', async () => {
    for (const [plural, kind] of [
      ['apples', 'Apple'],
      ['pears', 'Pear'],
      ['plums', 'Plum'],
    ] as const) {
      const subresources = {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      };
      await established(server, definition({ plural, kind, version: { subresources } }));
    }
    for (const path of documents) {
      const { body, text } = await server.request('GET', path);
      const isV2 = path === '/openapi/v2';
      const defined = isV2 ? part(body, 'definitions') : part(part(body, 'components'), 'schemas');
      for (const [, name = ''] of text.matchAll(
        /"\$ref":"#\/(?:definitions|components\/schemas)\/([^"]+)"/g,
      )) {
        assert.ok(name in defined, `${path}: ${name}`);
      }
      for (const name of ['Apple', 'PearList', 'Plum']) {
        const full = `example.shop.v1.${name}`;
        assert.ok(full in defined, full);
        assert.equal(text.split(`"${full}":`).length, 2, `${full} is there once`);
      }
      const asked = `application/com.github.proto-openapi.spec.${isV2 ? 'v2' : 'v3'}@v1.0+protobuf`;
      const { bytes } = await server.request('GET', path, { headers: { accept: asked } });
      const names = namesIn(bytes, isV2);
      assert.deepEqual(names.paths.sort(), Object.keys(part(body, 'paths')).sort());
      assert.deepEqual(names.definitions.sort(), Object.keys(defined).sort());
    }
  });

  it('never takes a name of what is always there', async () => {
    const group = 'meta.apis.pkg.apimachinery.k8s.io';
    const body = definition({ plural: 'objectmetas', kind: 'ObjectMeta', group });
    const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' };
    await established(server, { ...body, metadata: { ...part(body, 'metadata'), annotations } });
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
    for (const path of ['/openapi/v2', `/openapi/v3/apis/${group}/v1`]) {
      const { text } = await server.request('GET', path);
      for (const each of [name, `${name}_v2`]) {
        assert.equal(text.split(`"${each}":`).length, 2, `${path}: ${each} is there once`);
      }
    }
  });

  it('says of the metadata of a custom object and of its list what built-in kinds say', async () => {
    const kinds = [
      { custom: 'example.shop.v1.Fig', builtIn: 'io.k8s.api.core.v1.ConfigMap' },
      { custom: 'example.shop.v1.FigList', builtIn: 'io.k8s.api.core.v1.ConfigMapList' },
    ];
    await established(server, definition({ plural: 'figs', kind: 'Fig' }));
    const read = async (path: string, at: readonly string[]) =>
      at.reduce(part, (await server.request('GET', path)).body);
    const metadataIn = (defined: JsonObject, name: string) =>
      part(part(part(defined, name), 'properties'), 'metadata');
    const all = await read('/openapi/v2', ['definitions']);
    const core = await read('/openapi/v3/api/v1', ['components', 'schemas']);
    const own = await read(version, ['components', 'schemas']);
    for (const { builtIn, custom } of kinds) {
      const said = metadataIn(all, builtIn);
      assert.ok(typeof said['description'] === 'string', builtIn);
      assert.deepEqual(metadataIn(all, custom), said);
      assert.deepEqual({ ...metadataIn(own, custom), default: {} }, metadataIn(core, builtIn));
    }
  });
});

/** Of a document in Protobuf, as a reader merges it. */
function namesIn(bytes: Uint8Array, isV2: boolean): { paths: string[]; definitions: string[] } {
  const [ofPaths, ofDefinitions] = isV2
    ? [
        [8, 2],
        [9, 1],
      ]
    : [
        [4, 1],
        [5, 1, 1],
      ];
  return {
    paths: entriesAt(bytes, ofPaths),
    definitions: entriesAt(bytes, ofDefinitions),
  };
}

/** The names (field 1) of the messages at this way of field numbers. */
function entriesAt(bytes: Uint8Array, [first, ...rest]: readonly number[]): string[] {
  if (first === undefined) {
    const [name] = fieldsOf(bytes, 1);
    return name === undefined ? [] : [Buffer.from(name).toString('utf8')];
  }
  return fieldsOf(bytes, first).flatMap((each) => entriesAt(each, rest));
}

/** What a message holds under a number, where that is of a length. */
function fieldsOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at] as number;
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag % 8 === 0) varint();
    else if (tag % 8 === 1) at += 8;
    else {
      const length = varint();
      if (tag >> 3 === wanted) found.push(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return found;
}
