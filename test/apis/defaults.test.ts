/** Defaults of the built-in kinds: least objects become exactly what the reference makes of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import { defaultersOf } from '../../src/apis/defaults/defaulters.ts';
import { pullPolicyOf } from '../../src/apis/core/pods/defaults.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { policyDefaultRows } from '../support/data/default-rows-policies.ts';
import { defaultRows } from '../support/data/default-rows.ts';
import { kindOf, kubernetes } from '../support/data/versioned-kinds.ts';

const types = fieldTypes(kubernetes);
const defaultsOf = defaultersOf(kubernetes);

describe('defaults', () => {
  for (const { version, kind, about = '', object, filled } of [
    ...defaultRows,
    ...policyDefaultRows,
  ]) {
    it(`${version} ${kind} ${about}`, () => {
      const schema = types.object(kindOf(version, kind).type);
      const document = { apiVersion: version, kind, ...object };
      const conformed = conform(schema, document);
      assert(conformed.kind === 'ok', JSON.stringify(conformed));
      assert.deepEqual(conformed.unknownFields, []);
      const result = defaultsOf(schema)(conformed.object);
      assert.deepEqual(result, { apiVersion: version, kind, ...filled });
      assert.equal(defaultsOf(schema)(result), result, 'the second time there is nothing to do');
    });
  }
});

describe('the pull policy', () => {
  const always = [
    'a',
    'a:latest',
    'r.io:5000/a',
    'r.io:5000/a:latest',
    'UPPER/a',
    `a:latest@sha256:${'0'.repeat(64)}`,
  ];
  const ifNotPresent = [
    '',
    'a:1',
    'r.io:5000/a:1',
    'a@sha256:0',
    'r.io:5000/a@sha256:0',
    'a:1@b:0',
    `a@sha256:${'0'.repeat(64)}`,
    // Not images.
    'A',
    'A:latest',
    'a b',
    '/a',
    '../a',
    'a//b',
    '0'.repeat(64),
    'a'.repeat(256),
  ];
  for (const image of always) {
    it(`of ${image} is Always`, () => assert.equal(pullPolicyOf(image), 'Always'));
  }
  for (const image of ifNotPresent) {
    it(`of "${image}" is IfNotPresent`, () => assert.equal(pullPolicyOf(image), 'IfNotPresent'));
  }

  it('of a text that is longer than any reference is IfNotPresent: it is not looked at', () => {
    assert.equal(pullPolicyOf(`${'a.'.repeat(2000)}b/c`), 'Always');
    assert.equal(pullPolicyOf(`${'a.'.repeat(2100)}b/c`), 'IfNotPresent');
  });
});
