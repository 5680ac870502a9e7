/** The `fieldPath` of a validation rule, against the reference's own tests. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isFieldPath } from '../../src/apis/expressions/rule-field-path.ts';
import type { Schema } from '../../src/cel/schema/schema.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';

const vectors = sharedVectors<{
  readonly fieldPath: readonly {
    readonly name: string;
    readonly fieldPath: string;
    readonly schema: Schema;
    readonly errDetail?: string;
  }[];
}>('crd-cel/validation-cases.json');

describe('paths of fields in rules', () => {
  for (const { name, fieldPath, schema, errDetail } of vectors?.fieldPath ?? []) {
    test(`${name}: ${fieldPath}`, () => {
      assert.equal(isFieldPath(fieldPath, schema), errDetail === undefined);
    });
  }
});
