import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { specMapProblems } from '../support/checks/spec-map.ts';

describe('streams/SPEC.md', () => {
  it('every promise has its test, and every test its promise', () => {
    assert.deepEqual(specMapProblems('streams/SPEC.md', 'test/streams'), []);
  });
});
