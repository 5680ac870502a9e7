/** The limits of metadata: what is counted, where it is written down, and many owners. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { bodyDepthMax, bodyValuesMax } from '../../src/apimachinery/codecs/body-bounds.ts';
import { ownableFieldsMax } from '../../src/apimachinery/fieldmanager/typed/count-fields.ts';
import { fieldErrorsMax, formatFieldErrors, invalid } from '../../src/apimachinery/field-error.ts';
import {
  metadataCountErrors,
  metadataLimits,
} from '../../src/apimachinery/validation/metadata-limits.ts';
import type { ApiObject, ObjectMeta } from '../../src/apimachinery/unstructured.ts';
import { withoutDuplicateOwners } from '../../src/registry/object-metadata.ts';

it('an object may have as many labels and annotations as each limit says', () => {
  assert.ok(metadataLimits.labels + metadataLimits.annotations < ownableFieldsMax);
});

for (const [field, most] of Object.entries(metadataLimits)) {
  it(`metadata.${field} may hold so many and no more`, () => {
    const isMap = field === 'labels' || field === 'annotations';
    const holding = (count: number): ObjectMeta => {
      const entries = Array.from({ length: count }, (_, at) => [`k${at}`, 'v']);
      return { [field]: isMap ? Object.fromEntries(entries) : entries };
    };
    assert.deepEqual(metadataCountErrors(holding(most)), []);
    assert.equal(
      formatFieldErrors(metadataCountErrors(holding(most + 1))),
      `metadata.${field}: Too many: ${most + 1}: must have at most ${most} items`,
    );
  });
}

it('owners that are repeated are dropped, whichever stands first is kept', () => {
  const owner = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: name });
  const ownerReferences = [owner('a'), owner('b'), owner('a'), owner('c'), owner('b')];
  const object: ApiObject = { apiVersion: 'v1', kind: 'Pod', metadata: { ownerReferences } };
  const kept = withoutDuplicateOwners(object).object.metadata.ownerReferences;
  assert.deepEqual(kept, [owner('a'), owner('b'), owner('c')]);
});

it('an answer tells of so many errors, and shows so much of a value', () => {
  const list = Array.from({ length: 5000 }, (_, at) => `item-${at}`);
  const errors = list.map((_, at) => invalid(`spec.items[${at}]`, list, 'is wrong'));
  const text = formatFieldErrors(errors);
  assert.match(text, /spec\.items\[9\].*too many errors\]$/);
  // A message has no room for more.
  assert.ok(text.length < 150_000);
  const short = formatFieldErrors(list.map((_, at) => invalid(`f[${at}]`, at, 'is wrong')));
  assert.match(short, /f\[99\].*too many errors\]$/);
  assert.ok(!short.includes(`f[${fieldErrorsMax}]`));
});

it('docs/decisions.md names each of these limits with its value', () => {
  const readme = readFileSync('docs/decisions.md', 'utf8');
  const limits = { bodyDepthMax, bodyValuesMax, fieldErrorsMax, ...metadataLimits };
  const missing = Object.entries(limits).filter(
    ([name, most]) => !readme.includes(`\`${name}\` ${most}`),
  );
  assert.deepEqual(missing, []);
});
