/** Texts that are made unit by unit: what is escaped and left out, and what stays as it is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TextUnits, withEscapes, withoutLineEnds } from '../../src/stdx/text-units.ts';

describe('texts made unit by unit', () => {
  it('have the units that were added, halves of pairs and long ones included', () => {
    for (const text of [
      '',
      'a',
      '\u00e9',
      '\u2028\ud83d\ude00',
      '\ud800',
      'a\udc00'.repeat(5_000),
    ]) {
      const units = new TextUnits();
      units.addAll(text);
      assert.equal(units.text, text);
    }
  });

  it('have escapes as JSON writes them where they are asked for', () => {
    const isEscaped = (unit: number): boolean => unit > 0x7e || unit < 0x20;
    for (const times of [1, 10_000]) {
      const text = 'a\u0085\n\u2028b\ud83d\ude00'.repeat(times);
      const expected = 'a\\u0085\\u000a\\u2028b\\ud83d\\ude00'.repeat(times);
      assert.equal(withEscapes(text, isEscaped), expected);
      assert.equal(JSON.parse(`"${withEscapes(text, isEscaped)}"`), text);
    }
  });

  it('lose the ends of lines and nothing else', () => {
    assert.equal(withoutLineEnds('ab c'), 'ab c');
    assert.equal(withoutLineEnds('\r\na\nb\r c\u2028\n'), 'ab c\u2028');
    assert.equal(withoutLineEnds('aaaa\n'.repeat(10_000)), 'aaaa'.repeat(10_000));
  });
});
