/** The text with which another server refuses, as far as a person reads it. */
import type { IncomingMessage } from 'node:http';

/** As much as the reference reads. */
const textBytesMax = 2_000;

/** Never rejects: what has come until the answer broke off. */
export function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size >= textBytesMax) response.destroy();
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      resolve(Buffer.concat(pieces).subarray(0, textBytesMax).toString().trim());
    });
  });
}
