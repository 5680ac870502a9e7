/**
 * A channel over a stream of bytes (a pipe between two processes): each frame behind its length.
 *
 *   [ length, 4 bytes, little endian ][ frame ] [ length ][ frame ] ...
 *
 * Bounds: a frame is at most `frameBytesMax`; a longer one is not sent and ends the channel at the
 * receiver, as does a stream that ends or fails. What is sent in one turn is written at once.
 */
import type { Duplex } from 'node:stream';
import { assert } from '../../stdx/assert.ts';
import type { Channel } from './channel.ts';

/** Room for the largest commit: some thousand mutations with their values. */
const frameBytesMax = 256 * 1024 * 1024;

const lengthBytes = 4;

export function createStreamChannel(stream: Duplex): Channel {
  let receive: ((frame: Uint8Array) => void) | undefined;
  let closed = false;
  let corked = false;
  const onClosed: (() => void)[] = [];
  const onDrained: (() => void)[] = [];

  function closeNow(): void {
    if (closed) return;
    closed = true;
    stream.destroy();
    for (const resolve of onDrained.splice(0)) resolve();
    for (const callback of onClosed.splice(0)) callback();
  }

  const read = createFrameReader((frame) => {
    if (!closed) receive?.(frame);
  });
  stream.on('drain', () => {
    for (const resolve of onDrained.splice(0)) resolve();
  });
  stream.on('error', closeNow);
  stream.on('end', closeNow);
  stream.on('close', closeNow);

  return {
    send(...parts) {
      if (closed) return;
      let length = 0;
      for (const part of parts) length += part.byteLength;
      assert(length <= frameBytesMax, 'a frame fits');
      if (!corked) {
        corked = true;
        stream.cork();
        process.nextTick(() => {
          corked = false;
          stream.uncork();
        });
      }
      const head = Buffer.allocUnsafe(lengthBytes);
      head.writeUInt32LE(length);
      stream.write(head);
      for (const part of parts) if (part.byteLength > 0) stream.write(part);
    },
    get backedUp() {
      return !closed && stream.writableNeedDrain;
    },
    whenDrained() {
      if (closed || !stream.writableNeedDrain) return Promise.resolve();
      return new Promise((resolve) => onDrained.push(resolve));
    },
    onFrame(callback) {
      assert(receive === undefined, 'a channel has one receiver');
      receive = callback;
      stream.on('data', (chunk: Buffer) => {
        if (!read(chunk)) closeNow();
      });
    },
    onClose(callback) {
      if (closed) callback();
      else onClosed.push(callback);
    },
    close: closeNow,
  };
}

/** Cuts what arrives into frames. False: the stream makes no sense from here on. */
function createFrameReader(onFrame: (frame: Uint8Array) => void): (chunk: Buffer) => boolean {
  let pieces: Buffer[] = [];
  let pieceBytes = 0;
  let neededBytes = lengthBytes;
  return (chunk) => {
    pieces.push(chunk);
    pieceBytes += chunk.byteLength;
    // A long frame is put together once, when all of it is there.
    if (pieceBytes < neededBytes) return true;
    const bytes = pieces.length === 1 ? chunk : Buffer.concat(pieces, pieceBytes);
    let at = 0;
    for (;;) {
      neededBytes = lengthBytes;
      if (bytes.byteLength - at < neededBytes) break;
      const length = bytes.readUInt32LE(at);
      if (length > frameBytesMax) return false;
      neededBytes = lengthBytes + length;
      if (bytes.byteLength - at < neededBytes) break;
      onFrame(bytes.subarray(at + lengthBytes, at + neededBytes));
      at += neededBytes;
    }
    pieces = at < bytes.byteLength ? [bytes.subarray(at)] : [];
    pieceBytes = bytes.byteLength - at;
    return true;
  };
}
