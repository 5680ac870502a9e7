/**
 * No text that a client sends costs more than its length: codecs, patches, selectors and queries,
 * each with n and 4n repetitions. Most of the texts are not valid: that costs no more.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { jsonPatchSteps, readJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../src/apimachinery/patch/merge-patch.ts';
import { parseQuery } from '../../src/apimachinery/query.ts';
import { parseFieldSelector } from '../../src/apimachinery/selectors/field-selector.ts';
import { parseLabelSelector } from '../../src/apimachinery/selectors/label-selector-parser.ts';
import { statusType } from '../../src/apimachinery/typed/meta-types.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';

/** What is repeated, and what stands before it. */
const yamlTexts: readonly (readonly [repeated: string, before?: string])[] = [
  ...['&a ', '!!str ', '[', '{a: ', '- ', '? ', ': ', 'a', 'a: b\n', 'a ', '#\n', '---\n'],
  ...['%a b\n', '%TAG !a! b\n', '"', '<<: ', '<<: {a: b}\n', ',', '\n', '\t', '!', '&', '*a '],
  ...['|\n', '\r\n', 'a:\n', 'a\n', '[[],[]],', '- &a b\n', "''", "'\n\n", 'a\t\n', '\\\n', '1_'],
].map((repeated): readonly [string] => [repeated]);
const yamlBehind: readonly (readonly [repeated: string, before: string])[] = [
  ['\\u0041', 'a: "'],
  ['\\ud800', 'a: "'],
  ['a \n ', 'a: "'],
  ["''", "a: '"],
  [' x\n', 'a: |\n'],
  ['  \n', 'a: |\n'],
  [' ', 'a: |\n'],
  ['b\n ', 'a:\n '],
  ['a,', '['],
  ['"a":b,', '{'],
  ['- *a\n', 'a: &a x\nb:\n'],
  ['*a,', 'a: &a [x,x,x]\nb: ['],
  ['x: 1,', '{a: '.repeat(900)],
  ['- !a!b c\n', '%TAG !a! tag:x,2:\n---\n'],
  ['a', '- !<'],
  ['AAAA', 'a: !!binary '],
  ['0', 'a: 0x'],
];
const jsonTexts = ['[', '{"a":', '[],', '"a":1,', '"', '\\u0041', '1', '1e5,', '"a":"\\ud800",'];
const selectorTexts = ['a=b,', 'a in (b,c),', 'a in (', '!a,', '(', ',', 'a', '=', 'a!=b,', '\\'];

const bytes = (repeated: string, before: string, count: number): Buffer =>
  Buffer.from(before + repeated.repeat(Math.ceil(count / repeated.length)));

const characters = 100_000;

describe('four times the text costs at most six times the time', () => {
  for (const [repeated, before = ''] of [...yamlTexts, ...yamlBehind]) {
    it(`YAML ${JSON.stringify(before.slice(0, 30))} ${JSON.stringify(repeated)}`, () => {
      const prepare = (count: number) => {
        const body = bytes(repeated, before, count);
        return () => void decodeYaml(body, { findDuplicates: true });
      };
      assertLinear({ name: 'YAML', prepare }, characters);
    });
  }

  for (const repeated of jsonTexts) {
    for (const before of ['', '[', '{', '["']) {
      it(`JSON ${before} ${repeated}`, () => {
        const prepare = (count: number) => {
          const body = bytes(repeated, before, count);
          return () => void decodeJson(body, { findDuplicates: true });
        };
        assertLinear({ name: 'JSON', prepare }, characters);
      });
    }
  }

  for (const repeated of selectorTexts) {
    it(`selectors and queries ${repeated}`, () => {
      for (const parse of [parseLabelSelector, parseFieldSelector, parseQuery]) {
        const prepare = (count: number) => {
          const text = repeated.repeat(count / repeated.length);
          return () => void parse(text);
        };
        assertLinear({ name: parse.name, prepare }, 10_000);
      }
    });
  }

  it('a label selector of very many symbols is read without a deep call', () => {
    for (const symbol of ['(', ',', '!']) {
      assert.doesNotThrow(() => parseLabelSelector(symbol.repeat(1_000_000)));
    }
  });

  it('queries of many parameters, equal and different', () => {
    for (const different of [false, true]) {
      const prepare = (count: number) => {
        const parts = Array.from({ length: count }, (_, at) => `a${different ? at : ''}=%20`);
        const text = parts.join('&');
        return () => void parseQuery(text);
      };
      assertLinear({ name: 'query', prepare }, 2000);
    }
  });
});

describe('four times the members cost at most six times the time', () => {
  const members = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, { v: at }]));
  const causes = (count: number): JsonObject => ({
    details: { causes: Array.from({ length: count }, (_, at) => ({ field: `f${at}` })) },
  });

  const rows: readonly (readonly [string, (count: number) => () => unknown])[] = [
    [
      'CBOR',
      (count) => {
        const body = encodeCbor(members(count));
        return () => decodeCbor(body);
      },
    ],
    [
      'Protobuf',
      (count) => {
        const body = encodeProtobuf(statusType, {
          apiVersion: 'v1',
          kind: 'Status',
          ...causes(count),
        });
        return () => decodeProtobuf(body, () => statusType);
      },
    ],
    [
      'a merge patch',
      (count) => {
        const [target, patch] = [members(count), members(count)];
        return () => applyMergePatch(target, patch);
      },
    ],
    ...['add', 'remove', 'replace', 'test', 'copy', 'move'].map(
      (op): readonly [string, (count: number) => () => unknown] => [
        `a JSON Patch of ${op}`,
        (count) => {
          const document = members(count);
          const value: JsonValue = { v: 1 };
          // A patch has at most so many operations, so the document grows.
          const operations = Array.from({ length: 1000 }, (_, at) => ({
            op,
            path: op === 'copy' || op === 'move' ? `/n${at}` : `/k${at}`,
            ...(op === 'copy' || op === 'move' ? { from: `/k${at}` } : { value }),
          }));
          const read = readJsonPatch(operations);
          return () =>
            read.kind === 'ok' ? finished(jsonPatchSteps(document, read.patch)) : undefined;
        },
      ],
    ),
  ];
  for (const [name, prepare] of rows) {
    it(name, () => {
      assertLinear({ name, prepare: prepare }, 2000);
    });
  }
});
