/** What is taken of an OpenAPI document of another server, and in how many steps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { excerptOf } from '../../src/aggregation/openapi-excerpt.ts';
import type { OpenApiExcerpt } from '../../src/aggregation/openapi-excerpt.ts';
import { readRemoteOpenApi } from '../../src/aggregation/remote-openapi.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { remotePieces } from '../../src/endpoints/openapi/remote-pieces.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';

const prefixes = ['/apis/far.example/v1/'];

function excerpt(document: JsonObject): OpenApiExcerpt {
  return finished(excerptOf(document, prefixes));
}

function stepsOf(work: Steps<unknown>): number {
  let steps = 0;
  while (work.next().done !== true) steps += 1;
  return steps;
}

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `d${i}`);

/** Each needs the next. */
function chain(count: number): JsonObject {
  const definitions = names(count).map((name, i): [string, JsonObject] => [
    name,
    { properties: { next: { $ref: `#/definitions/d${(i + 1) % count}` } } },
  ]);
  const schema = { $ref: '#/definitions/d0' };
  return {
    paths: { '/apis/far.example/v1/things': { get: { schema } } },
    definitions: Object.fromEntries(definitions),
  };
}

describe('an excerpt of OpenAPI', () => {
  it('has the paths of its versions alone', () => {
    const wanted = '/apis/far.example/v1/things';
    const others = ['/apis/far.example/v1', '/apis/far.example/v10/things', '/api/v1/pods', ''];
    const paths = Object.fromEntries([wanted, ...others].map((path) => [path, {}]));
    assert.deepEqual(excerpt({ paths }), { paths: { [wanted]: {} }, definitions: {} });
  });

  it('has what a parameter refers to that stands in the place of a reference', () => {
    const body = { in: 'body', schema: { $ref: '#/definitions/Options' } };
    const path = '/apis/far.example/v1/things';
    const found = excerpt({
      paths: { [path]: { parameters: [{ $ref: '#/parameters/body' }] } },
      parameters: { body },
      definitions: { Options: { type: 'object' }, Other: {} },
    });
    assert.deepEqual(found.paths, { [path]: { parameters: [body] } });
    assert.deepEqual(found.definitions, { Options: { type: 'object' } });
  });

  it('refuses parameters that are made of each other', () => {
    const parameters = { a: { items: { $ref: '#/parameters/a' } } };
    const paths = { '/apis/far.example/v1/things': { $ref: '#/parameters/a' } };
    assert.throws(() => excerpt({ paths, parameters }), /nests too deep/);
  });

  it('takes steps by its values, however small each definition is', () => {
    const [few, many] = [1_000, 4_000].map((count) => stepsOf(excerptOf(chain(count), prefixes)));
    assert.ok(few !== undefined && many !== undefined && few >= 8 && many >= 3 * few);
  });

  it('is of no document that is very wide in one place', () => {
    const read = (count: number): unknown => {
      const body = Buffer.from(JSON.stringify(chain(count)));
      return finished(readRemoteOpenApi({ body, digest: '', prefixes }));
    };
    assert.ok(read(9_000));
    assert.throws(() => read(11_000), /more than 10000 members or items in one place/);
  });
});

describe('pieces of other servers', () => {
  const always = {
    source: {},
    stamp: 'always',
    *make() {
      yield;
      return { paths: {}, own: {}, shared: {} };
    },
  };

  const documentOf = (definition: string) => ({
    body: Buffer.from(
      `{"paths":{"${prefixes[0]}a":{"$ref":"#/definitions/A"}},"definitions":{"A":${definition}}}`,
    ),
    digest: definition,
    prefixes,
  });

  async function piecesOf(...documents: readonly ReturnType<typeof documentOf>[]) {
    let steps = 0;
    const counted = <T>(work: Steps<T>): Promise<T> => {
      for (;;) {
        const step = work.next();
        if (step.done === true) return Promise.resolve(step.value);
        steps += 1;
      }
    };
    const pieces = await remotePieces(counted).piecesOf(always, documents);
    return { steps, own: pieces.map((each) => Object.keys(finished(each.make('v2')).own)) };
  }

  it('are the same or others by what they say, integers beyond 2^53 among it', async () => {
    const big = '{"maximum":18446744073709551615,"description":"a"}';
    const same = '{"description":"b","maximum":18446744073709551615}';
    const other = '{"maximum":18446744073709551614}';
    const { own } = await piecesOf(documentOf(big), documentOf(same), documentOf(other));
    assert.deepEqual(own, [['A'], [], ['A_v2']]);
  });

  it('are compared in steps, however large one definition is', async () => {
    const members = names(9_000).map((name): [string, JsonObject] => [name, {}]);
    const text = JSON.stringify({ properties: Object.fromEntries(members) });
    const read = stepsOf(readRemoteOpenApi(documentOf(text)));
    const { steps } = await piecesOf(documentOf(text));
    assert.ok(steps - read >= 9_000 / 1_100, `${steps} steps, ${read} of them to read it`);
  });
});
