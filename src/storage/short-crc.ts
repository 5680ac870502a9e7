/**
 * CRC-32, as zlib has it, of a few bytes: below some fifty the call into zlib costs more than the
 * work. Whatever is longer is zlib's.
 */
import { crc32 } from 'node:zlib';

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) {
    value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0xedb88320;
  }
  return value;
});

/** Of the bytes before `end`. */
export function crcOfHead(bytes: Uint8Array, end: number): number {
  let crc = 0xffffffff;
  for (let at = 0; at < end; at += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Of the text in UTF-8, going on from `from`. */
export function crcOfText(text: string, from = 0): number {
  let crc = from ^ 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return crc32(text, from);
    crc = (crc >>> 8) ^ (table[(crc ^ code) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
