/**
 * Reading files that somebody else may put in place: nothing here waits without an end.
 *
 *     while serving   a regular file, or nothing: a pipe would stop the server until somebody
 *                     writes into it
 *     at the start    also a pipe, as shells make of <(...), for at most `pipeWaitMs`, and devices
 *
 * Bounds: `bytesMax` bytes while serving; at the start `streamBytesMax` of what is no regular file,
 * for a device may have no end.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';

/** From the start of a read to the end of what comes out of a pipe. */
const pipeWaitMs = 10_000;
const pipeLookMs = 20;
const streamBytesMax = 64 * 1024 * 1024;

/** One of the two ways below. */
export type ReadFile = (file: string) => Buffer;

/** @throws Error of the file system, or one that says why the file is not read. */
export function readRegularFile(file: string, bytesMax: number): Buffer {
  return withDescriptor(file, (descriptor) => {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error(`${file} is not a regular file`);
    if (found.size > bytesMax) throw new Error(`${file} is larger than ${bytesMax} bytes`);
    return readFileSync(descriptor);
  });
}

/** @throws Error of the file system, or one that says that it did not end. */
export function readFileAtStart(
  file: string,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
): Buffer {
  return withDescriptor(file, (descriptor) => {
    const found = fstatSync(descriptor);
    if (found.isFile()) return readFileSync(descriptor);
    return readStream(file, descriptor, found.isFIFO(), clock);
  });
}

/** Opening a pipe this way does not wait for whoever writes. */
function withDescriptor(file: string, read: (descriptor: number) => Buffer): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readStream(
  file: string,
  descriptor: number,
  isPipe: boolean,
  clock: Pick<Clock, 'monotonicMs'>,
): Buffer {
  const endsMs = clock.monotonicMs() + pipeWaitMs;
  const chunk = Buffer.alloc(64 * 1024);
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (clock.monotonicMs() < endsMs) {
    const length = readWhatIsThere(descriptor, chunk);
    if (length === 0 && (!isPipe || bytes > 0)) return Buffer.concat(chunks);
    bytes += Math.max(0, length);
    if (bytes > streamBytesMax) {
      throw new Error(
        `${file} is no regular file, and does not end within ${streamBytesMax} bytes`,
      );
    }
    if (length > 0) chunks.push(Buffer.from(chunk.subarray(0, length)));
    // Nobody has written yet: nothing else is to be done before the start goes on.
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pipeLookMs);
  }
  throw new Error(`${file} is a pipe, and did not end within ${pipeWaitMs / 1000} seconds`);
}

/** 0: nobody has it open for writing; -1: nothing is there yet. */
function readWhatIsThere(descriptor: number, chunk: Buffer): number {
  try {
    return readSync(descriptor, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return -1;
    throw error;
  }
}
