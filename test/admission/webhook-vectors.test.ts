/** Answers of webhooks as the reference reads them, and denials in its words: its own rows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAnswer } from '../../src/admission/webhooks/admission-review.ts';
import { denial } from '../../src/admission/webhooks/refusals.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { readCorpus } from '../support/data/corpora.ts';

interface ReviewRow {
  readonly name: string;
  readonly uid: string;
  readonly mutating?: boolean;
  readonly review: JsonObject & { readonly response?: JsonObject };
  readonly expectAllowed?: boolean;
  readonly expectErr?: string;
  readonly expectPatch?: string;
  readonly expectPatchType?: string;
  readonly expectAuditAnnotations?: JsonObject;
  readonly expectResult?: JsonObject;
}

interface StatusRow {
  readonly name: string;
  readonly result: JsonObject | null;
  readonly expectedError: string;
  readonly expectedCode: number;
  readonly expectedStatus: string;
}

const vectors = readCorpus<{
  readonly admissionReview: readonly ReviewRow[];
  readonly statusError: readonly StatusRow[];
}>('admission/cases.json');
const identity = identityOf('kubernetes');

describe('answers of webhooks', () => {
  for (const row of vectors.admissionReview) {
    it(row.name, () => {
      const { mutating = false, review, uid } = row;
      const version = row.name.startsWith('v1beta1') ? 'v1beta1' : 'v1';
      // A row has the patch as it is, the wire has it in base64.
      const { response } = review;
      const patch = response?.['patch'];
      const sent = typeof patch === 'string' ? Buffer.from(patch).toString('base64') : patch;
      const document =
        response === undefined ? {} : { ...review, response: { ...response, patch: sent } };
      const read = readAnswer(identity, document, { uid, version, mutating });
      if (row.expectErr !== undefined) {
        assert.equal(read.kind, 'invalid');
        assert.ok(read.problem.includes(row.expectErr), read.problem);
        return;
      }
      assert(read.kind === 'ok', JSON.stringify(read));
      const { answer } = read;
      assert.equal(answer.allowed, row.expectAllowed);
      assert.equal(answer.patch?.toString(), row.expectPatch);
      assert.equal(answer.patchType, row.expectPatchType ?? '');
      assert.deepEqual(answer.result, row.expectResult);
      const annotations = Object.fromEntries(answer.auditAnnotations);
      assert.deepEqual(annotations, row.expectAuditAnnotations ?? {});
    });
  }
});

describe('denials of webhooks', () => {
  for (const row of vectors.statusError) {
    it(row.name, () => {
      const error = denial('foo', row.result ?? undefined);
      assert.equal(error.message, row.expectedError);
      assert.equal(error.code, row.expectedCode);
      assert.equal(error.toStatus()['status'], row.expectedStatus);
    });
  }
});
