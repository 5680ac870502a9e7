/** The text with which another server refuses, as far as a person reads it. */
import type { IncomingMessage } from 'node:http';
import type { Requester } from '../stdx/requester.ts';
import { whenOver } from './over.ts';

/** As much as the reference reads. */
const textBytesMax = 2_000;

/** Never rejects: what has come until the answer broke off, or nobody waited for it any more. */
export function textOf(requester: Requester, response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const leave = (): void => void response.destroy();
    requester.onAbort(leave);
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size >= textBytesMax) response.destroy();
    });
    response.on('error', () => undefined);
    whenOver(response, () => {
      requester.offAbort(leave);
      resolve(Buffer.concat(pieces).subarray(0, textBytesMax).toString().trim());
    });
  });
}
