/**
 * Quoting of values inside error messages: the form clients of this API have always seen.
 *
 * Unlike in JSON, control characters are `\x00` and not `\u0000`; lone surrogates are U+FFFD.
 */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** What stands for itself: letters, marks, numbers, punctuation, symbols and the plain space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const PLAIN = /^[ !#-[\]-~]*$/;

/** Characters that are quoted, where some have to be escaped: each takes a third of a microsecond.
 * Policy: a longer text ends in dots, as an error shows no more of a value. */
const quotedMax = 16 * 1024;

/** The text in double quotes, with everything unprintable escaped. */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (text.length > quotedMax) return quote(`${text.slice(0, quotedMax - 3)}...`);
  let quoted = '"';
  for (const char of text) quoted += NAMED.get(char) ?? escapeChar(char);
  return `${quoted}"`;
}

function escapeChar(char: string): string {
  if (PRINTABLE.test(char)) return char;
  const code = char.codePointAt(0) as number;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}
