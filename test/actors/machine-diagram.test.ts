/** The diagrams in SPEC.md are those that the program prints of its machines. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { machineDiagrams } from '../../actors/machine-diagram.ts';

test('I35 the diagrams of the specification are those of the machines', () => {
  const spec = readFileSync('actors/SPEC.md', 'utf8');
  const drawn = [...spec.matchAll(/```mermaid\n([^`]*)```/g)].map(([, text]) => text);
  assert.equal(drawn.join('\n'), machineDiagrams());
});
