/** Bytes that are made in parts, as one. */
import type { Steps } from './stepwise.ts';

/** Copied between two steps: memory that is new is slow. */
const stepBytes = 512 * 1024;
/** Parts are looked at between two steps, however short they are. */
const stepParts = 4096;

/** The parts one behind the other: they may be thousands, and tens of megabytes. */
export function* joined(parts: readonly Uint8Array[]): Steps<Uint8Array> {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = Buffer.allocUnsafeSlow(yield* bytesOf(parts));
  let [at, copied, looked] = [0, 0, 0];
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
    copied += part.byteLength;
    looked += 1;
    if (copied < stepBytes && looked < stepParts) continue;
    [copied, looked] = [0, 0];
    yield;
  }
  return whole;
}

function* bytesOf(parts: readonly Uint8Array[]): Steps<number> {
  let bytes = 0;
  let looked = 0;
  for (const { byteLength } of parts) {
    bytes += byteLength;
    looked += 1;
    if (looked % stepParts === 0) yield;
  }
  // What follows takes so much memory at once.
  if (bytes > stepBytes) yield;
  return bytes;
}
