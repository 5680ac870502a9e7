/** What a webhook says beside its verdict: no more of it is kept than a request may have. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAnswer } from '../../src/admission/webhooks/admission-review.ts';
import { admissionNoteLimits } from '../../src/apimachinery/admission-data.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';

const { annotationCharsMax, annotationsMax, warningsMax } = admissionNoteLimits;

function answerWith(said: JsonObject) {
  const response = { uid: 'u', allowed: true, ...said };
  const document = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  const expected = { uid: 'u', version: 'v1', mutating: false } as const;
  const read = readAnswer(identityOf('kubernetes'), document, expected);
  assert.equal(read.kind, 'ok');
  return read.answer;
}

describe('of what a webhook says', () => {
  // Before, all 9,000 of an answer were carried to its request, which dropped most of them.
  it('the first warnings are kept, each once', () => {
    const texts = Array.from({ length: 9_000 }, (_, i) => `w${i >> 1}`);
    const { warnings } = answerWith({ warnings: texts });
    assert.equal(warnings.length, warningsMax);
    assert.deepEqual([warnings[0], warnings.at(-1)], ['w0', `w${warningsMax - 1}`]);
  });

  it('the first annotations are kept, in number and in characters', () => {
    const annotations = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
    const many = answerWith({ auditAnnotations: annotations(9_000, 'v') }).auditAnnotations;
    assert.deepEqual([...many.keys()].slice(-1), [`k${annotationsMax - 1}`]);
    const long = answerWith({ auditAnnotations: annotations(8, 'v'.repeat(100_000)) });
    assert.deepEqual([...long.auditAnnotations.keys()], ['k0', 'k1']);
    assert.ok(annotationCharsMax < 300_000);
  });

  it('a few are kept as they are', () => {
    const { auditAnnotations, warnings } = answerWith({
      warnings: ['b', 'a'],
      auditAnnotations: { y: '1', x: '2' },
    });
    assert.deepEqual(
      [warnings, [...auditAnnotations]],
      [
        ['b', 'a'],
        [
          ['y', '1'],
          ['x', '2'],
        ],
      ],
    );
  });
});
