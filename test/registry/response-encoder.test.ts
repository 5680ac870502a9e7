/** An object in the version of an answer: in parts it becomes what it becomes at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeObject, encodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { responseEncoder } from '../../src/registry/versions.ts';
import { finished } from '../../src/stdx/stepwise.ts';

/** v2 says in `size` what the others say in `length`. */
const v1 = { toHub: (object: ApiObject) => object, fromHub: (object: ApiObject) => object };
const v2 = {
  toHub: ({ size, ...rest }: ApiObject) => ({ ...rest, length: size }) as ApiObject,
  fromHub: ({ length, ...rest }: ApiObject) => ({ ...rest, size: length }) as ApiObject,
};
const conversions = new Map([
  ['x.io/v1', v1],
  ['x.io/v1beta1', v1],
  ['x.io/v2', v2],
]);

function encoderOf(version: string) {
  const kind = { group: 'x.io', version, kind: 'Rope', conversions };
  const stored = { storage: { group: 'x.io' }, storageVersion: 'v1' };
  return responseEncoder({ ...kind, ...stored } as unknown as KindInfo);
}

describe('an object in the version of an answer', () => {
  const managedFields = [{ manager: 'm', fieldsType: 'FieldsV1', fieldsV1: { 'f:length': {} } }];
  const metadata = { name: 'a', resourceVersion: '7', managedFields };
  const ropes = ['x.io/v1', 'x.io/v1beta1', 'x.io/v2'].map((apiVersion) => {
    const own = apiVersion === 'x.io/v2' ? 'size' : 'length';
    const object = { apiVersion, kind: 'Rope', metadata, text: 'ä"', [own]: 9007199254740993n };
    return { apiVersion, bytes: encodeObject(object).bytes };
  });

  for (const shown of ['v1', 'v1beta1', 'v2']) {
    for (const { apiVersion, bytes } of ropes) {
      it(`is the same in parts: ${apiVersion} shown as ${shown}`, () => {
        const { encode, encodeSteps } = encoderOf(shown);
        const atOnce = encode(bytes);
        assert.deepEqual(finished(encodeSteps(bytes)), atOnce);
        const object = decodeObject(atOnce);
        assert.equal(object.apiVersion, `x.io/${shown}`);
        assert.equal(object[shown === 'v2' ? 'size' : 'length'], 9007199254740993n);
        assert.deepEqual(object.metadata['managedFields'], managedFields);
      });
    }
  }

  it('of a kind with one form is not read, whichever version it was written in', () => {
    for (const version of ['v1', 'v2', 'v3']) {
      const kind = { group: 'x.io', version: 'v2', kind: 'Rope', storageVersion: 'v1' };
      const encoder = responseEncoder({ ...kind, storage: kind } as unknown as KindInfo);
      const rest = ',"metadata":{"name":"a"},unreadable';
      const bytes = Buffer.from(`{"kind":"Rope","apiVersion":"x.io/${version}"${rest}`);
      const shown = `{"kind":"Rope","apiVersion":"x.io/v2"${rest}`;
      assert.equal(Buffer.from(encoder.encode(bytes)).toString(), shown);
      assert.equal(Buffer.from(finished(encoder.encodeSteps(bytes))).toString(), shown);
    }
  });
});
