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

  it('have room for more of one unit than there was', () => {
    const units = new TextUnits();
    units.addAll('ab');
    for (const count of [1, 62, 1_000]) units.addRepeated(0x61, count);
    assert.equal(units.text, `ab${'a'.repeat(1_063)}`);
  });

  it('lose halves of pairs at the ends of their ranges, and no pair', () => {
    for (const [text, expected] of [
      ['\ud7ff\ue000', '\ud7ff\ue000'],
      ['\ud800', '\ufffd'],
      ['\udbff', '\ufffd'],
      ['\udc00', '\ufffd'],
      ['\udfff', '\ufffd'],
      ['\ud800\udc00', '\ud800\udc00'],
      ['\udbff\udfff', '\udbff\udfff'],
      ['\ud800\ud800\udc00', '\ufffd\ud800\udc00'],
      ['\ud800\ue000', '\ufffd\ue000'],
      ['\udc00\udc00', '\ufffd\ufffd'],
    ] as const) {
      const units = new TextUnits();
      units.addAll(text);
      units.replaceHalves();
      assert.equal(units.text, expected, JSON.stringify(text));
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
