/**
 * PEM: named blocks of bytes in a text (RFC 7468).
 *
 *     -----BEGIN CERTIFICATE-----  base64  -----END CERTIFICATE-----
 *
 * Text around the blocks is passed over; a block that is not whole, or not base64, is none. One
 * walk, whatever the text is.
 */
export interface PemBlock {
  /** `CERTIFICATE`, `CERTIFICATE REQUEST` ... */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A block as it stands in the text, whatever is in it. */
export interface PemText {
  readonly type: string;
  /** Between the marks. */
  readonly body: string;
  /** With the marks. */
  readonly whole: string;
}

const beginMark = '-----BEGIN ';
const endMark = '-----END ';
const markEnd = '-----';

export function readPem(text: string): readonly PemBlock[] {
  return pemTexts(text).flatMap(({ body, type }) => blockOf(type, body));
}

/** `countMax`: how many are looked for. */
export function pemTexts(text: string, countMax = Infinity): readonly PemText[] {
  const blocks: PemText[] = [];
  let at = text.indexOf(beginMark);
  while (at >= 0 && blocks.length < countMax) {
    const bodyMark = text.indexOf(markEnd, at + beginMark.length);
    const end = bodyMark < 0 ? -1 : text.indexOf(endMark, bodyMark + markEnd.length);
    if (end < 0) break;
    const type = text.slice(at + beginMark.length, bodyMark);
    const closing = `${endMark}${type}${markEnd}`;
    if (text.startsWith(closing, end)) {
      const body = text.slice(bodyMark + markEnd.length, end);
      blocks.push({ type, body, whole: text.slice(at, end + closing.length) });
    }
    at = text.indexOf(beginMark, end);
  }
  return blocks;
}

function blockOf(type: string, body: string): readonly PemBlock[] {
  const lines = body.split(/\r?\n/).map((line) => line.trim());
  // Headers, as `Name: value`, are passed over.
  const base64 = lines.filter((line) => !line.includes(':')).join('');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return [];
  return [{ type, bytes: Buffer.from(base64, 'base64') }];
}
