/** SPEC.md and the tests name each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { specMapProblems } from '../support/checks/spec-map.ts';

test('every promise of actors/SPEC.md has a test that names it, and the reverse', () => {
  assert.deepEqual(specMapProblems('actors/SPEC.md', 'test/actors'), []);
});
