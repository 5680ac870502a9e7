/** Names of properties as names in expressions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { escapeProperty } from '../../src/cel/schema/property-names.ts';
import { sharedVectors } from './shared-vectors.ts';

interface Row {
  readonly unescaped: string;
  readonly escaped?: string;
  readonly unescapable?: boolean;
}

const vectors = sharedVectors<{ readonly escaping: readonly Row[] }>('admission/cases.json');

describe('names of properties', () => {
  for (const { unescaped, escaped, unescapable } of vectors?.escaping ?? []) {
    test(unescaped, () => {
      if (unescapable === true) assert.equal(escapeProperty(unescaped), undefined);
      if (escaped === undefined) return;
      assert.equal(escapeProperty(unescaped), escaped);
    });
  }

  test('are escaped to identifiers', () => {
    const parts = fc.constantFrom('a', 'Z', '0', '_', '__', '.', '-', '/', 'dot', 'in', 'if');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (list) => {
        const name = list.join('');
        const escaped = escapeProperty(name);
        if (escaped === undefined) return assert.ok(name === '' || /^\d/.test(name));
        assert.match(escaped, /^[A-Za-z_][A-Za-z0-9_]*$/);
      }),
    );
  });

  test('that hold anything else cannot be written', () => {
    for (const name of ['', '1a', 'a b', 'ä', 'a:b', 'a$']) {
      assert.equal(escapeProperty(name), undefined, name);
    }
  });
});
